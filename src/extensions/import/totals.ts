/** Lines that sum up others, as spreadsheets have them below a list of shares: they would be published as items. Pure. */

/** Names that only totals have. */
const names: readonly RegExp[] = [
  /^(?:gesamt|sum|insgesamt|alle|all)[:.]?$/i,
  /^(?:(?:gesamt|zwischen|teil|end)?summe|gesamtergebnis|grand total|sub-?total)(?![\p{L}\p{N}])/iu,
]
/** A company of that name is in many funds: its share tells the two apart. */
const nameOfCompany = /^totale?[:.]?$/i

/** Shares are rounded, and so is their sum. */
const tolerance = 0.5
const isNear = (one: number, other: number) => Math.abs(one - other) <= tolerance

interface Candidate<Place> {
  readonly place: Place
  readonly sort: 'named' | 'company' | 'whole'
  readonly percent: number
}

/** The items of one list, as far as they matter here. */
interface List<Place> {
  sum: number
  count: number
  readonly candidates: Candidate<Place>[]
}

/** Finds the totals in lists of shares, whose items come in any order. It holds sums, and the few items that may be totals. */
export function totalFinder<Place>() {
  const lists = new Map<string, List<Place>>()
  return {
    /** @param percent its share */
    look: (list: string, name: string, percent: number, place: Place): void => {
      const own = lists.get(list) ?? { sum: 0, count: 0, candidates: [] }
      lists.set(list, own)
      const sort = sortOf(name.trim(), percent)
      if (sort !== undefined) own.candidates.push({ place, sort, percent })
      // It is no item in any case.
      if (sort === 'named') return
      own.sum += percent
      own.count++
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

function sortOf(name: string, percent: number): Candidate<unknown>['sort'] | undefined {
  if (names.some((pattern) => pattern.test(name))) return 'named'
  if (nameOfCompany.test(name)) return 'company'
  return isNear(percent, 100) ? 'whole' : undefined
}

function isTotal<Place>({ sort, percent }: Candidate<Place>, { sum, count }: List<Place>): boolean {
  const isSumOfOthers = isNear(percent, sum - percent)
  switch (sort) {
    case 'named':
      return true
    case 'company':
      return isNear(percent, 100) || isSumOfOthers
    case 'whole':
      // Two exposures may be 100 % each.
      return count > 2 && isSumOfOthers
    default:
      return sort satisfies never
  }
}
