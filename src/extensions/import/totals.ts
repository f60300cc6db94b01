/** Lines that sum up others, as spreadsheets have them below a list of shares: they would be published as items. Pure. */

import { quoted } from '../../core/data/model/printable.ts'

/** Names that only totals have. */
const names: readonly RegExp[] = [
  /^(?:gesamt|insgesamt)[:.]?$/i,
  /^(?:(?:gesamt|zwischen|teil|end)?summe|gesamtergebnis|grand total|sub-?total)(?![\p{L}\p{N}])/iu,
]
/** Companies of that name are in many funds: the share tells the two apart. */
const nameOfCompany = /^(?:totale?|alle?|sum)[:.]?$/i
/** Names that totals and subtotals have, and items may have: `Aktien gesamt`. */
const hintAtEnd = /\s(?:total|gesamt|insgesamt)[:.]?$/i
/** The same of totals, and of companies: `Total Portfolio`, `Total Energies`. */
const hintAtStart = /^(?:total|gesamt)\s/i

/** Shares are rounded, and so is their sum. */
const tolerance = 0.5
const isNear = (one: number, other: number) => Math.abs(one - other) <= tolerance
/** The same of a name that is only a hint: the list may have fractions, and a small item be near another one. */
const isSame = (one: number, other: number) => one > 0 && Math.abs(one - other) <= one / 200

interface Candidate<Place> {
  readonly place: Place
  readonly sort: 'named' | 'company' | 'part' | 'portfolio' | 'whole'
  readonly percent: number
}

/** The items of one list, as far as they matter here. */
interface List<Place> {
  sum: number
  count: number
  /** Of the items since the last subtotal. */
  part: { sum: number; count: number }
  readonly candidates: Candidate<Place>[]
}

/**
 * Finds the totals in lists of shares, whose items come in any order, and subtotals below their items. It holds sums, and the few items
 * that may be totals.
 */
export function totalFinder<Place>() {
  const lists = new Map<string, List<Place>>()
  return {
    /** @param percent its share @param isWhole the items are parts of 100 %: exposures with derivatives may have a share of 100 % themselves */
    look: (list: string, name: string, percent: number, place: Place, isWhole: boolean): void => {
      const own = lists.get(list) ?? { sum: 0, count: 0, part: { sum: 0, count: 0 }, candidates: [] }
      lists.set(list, own)
      const sort = sortOf(name.trim(), percent, own.part)
      if (sort !== undefined && (sort !== 'whole' || isWhole)) own.candidates.push({ place, sort, percent })
      // It is no item in any case.
      if (sort === 'named') {
        own.part = { sum: 0, count: 0 }
        return
      }
      for (const sums of [own, own.part]) {
        sums.sum += percent
        sums.count++
      }
    },
    /** To be called after the last item. */
    totals: (): ReadonlySet<Place> =>
      new Set(
        [...lists.values()].flatMap((list) =>
          list.candidates.filter((one) => isTotal(one, list)).map(({ place }) => place),
        ),
      ),
  }
}

/** Finds the totals in one list. @param isWhole as for {@link totalFinder} */
export function totalsOf<Item extends { readonly name: string }>(
  items: readonly Item[],
  percentOf: (item: Item) => number,
  isWhole: boolean,
): ReadonlySet<Item> {
  const finder = totalFinder<Item>()
  for (const item of items) finder.look('', item.name, percentOf(item), item, isWhole)
  return finder.totals()
}

/** What a reader says that leaves a total out. */
export const leftTotal = (name: string): string =>
  `an item ${quoted(name)}, which looks like the total of others`

function sortOf(
  name: string,
  percent: number,
  above: List<unknown>['part'],
): Candidate<unknown>['sort'] | undefined {
  if (names.some((pattern) => pattern.test(name))) return 'named'
  if (nameOfCompany.test(name)) return 'company'
  if (hintAtEnd.test(name)) return above.count > 1 && isSame(percent, above.sum) ? 'named' : 'part'
  if (hintAtStart.test(name)) return 'portfolio'
  return isNear(percent, 100) ? 'whole' : undefined
}

function isTotal<Place>({ sort, percent }: Candidate<Place>, { sum, count }: List<Place>): boolean {
  const isSumOfOthers = isNear(percent, sum - percent)
  switch (sort) {
    case 'named':
      return true
    case 'company':
      return isNear(percent, 100) || isSumOfOthers
    case 'part':
      return count > 2 && isSame(percent, sum - percent)
    case 'portfolio':
      return count > 2 && isSame(percent, sum - percent) && [1, 100].some((whole) => isSame(whole, percent))
    case 'whole':
      // Two exposures may be 100 % each.
      return count > 2 && isSumOfOthers
    default:
      return sort satisfies never
  }
}
