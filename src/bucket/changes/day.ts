/** The file of a day, `changes/<as-of>.json`: what its publishes changed. Pure. */

import type {
  AllowedChange,
  DayChanges,
  NamedFund,
  PublishChanges,
  SnapshotChanges,
} from '../../api/contract/changes.ts'

export const maxPriceRows = 10_000
/** How many publishes of a day are kept, beside the newest one. */
export const earlierKept = 20

/**
 * @param publish the number of this publish among those of the day @param live the file of this day as it is live, or null
 * @throws {Error} if that is no file of a day
 */
export function dayChanges(changes: SnapshotChanges, publish: number, live: string | null): DayChanges {
  return { ...changes, publish, earlier: live === null ? [] : shorten(publishesIn(live)) }
}

function publishesIn(text: string): [PublishChanges, ...PublishChanges[]] {
  const day = JSON.parse(text) as Partial<DayChanges> | null
  if (day?.format !== 1 || day.prices === undefined) throw new Error('it is not one of this fundpress')
  // Earlier versions kept one publish a day, without a number.
  const { earlier = [], publish = 1, ...newest } = day
  return [withoutNames({ ...(newest as SnapshotChanges), publish }), ...earlier.map(withoutNames)]
}

const withoutNames = (changes: PublishChanges): PublishChanges =>
  changes.allowed === undefined ? changes : { ...changes, allowed: changes.allowed.map(allowedInPublic) }

/**
 * What readers learn of an exception: the check and the reason. Who has allowed it stands in `nightly/history.json`, as do the
 * words of the guard, which may name a file or a host. Earlier versions published both.
 */
export const allowedInPublic = ({ guard, subject, reason }: AllowedChange): AllowedChange => ({
  guard,
  subject,
  reason,
})

/** The rows of the newest publish come first: those of the oldest are cut. */
function shorten(publishes: readonly PublishChanges[]): PublishChanges[] {
  const left = { corrected: maxPriceRows, added: maxPriceRows, removed: maxPriceRows }
  const cut = <Row>(kind: keyof typeof left, rows: readonly Row[]): readonly Row[] => {
    const some = rows.slice(0, left[kind])
    left[kind] -= some.length
    return some
  }
  return publishes.slice(0, earlierKept).map((one) => {
    const { corrected, added, removed, ...counts } = one.prices
    const rows = {
      corrected: cut('corrected', corrected),
      added: cut('added', added),
      removed: cut('removed', removed),
    }
    return { ...one, prices: { ...counts, ...rows } }
  })
}

/** Without what names a price of these funds: it may no longer be given out. */
export function withoutPricesOf(isins: ReadonlySet<string>, day: DayChanges): DayChanges {
  const others = <Row extends NamedFund>(rows: readonly Row[]) => rows.filter(({ isin }) => !isins.has(isin))
  const cut = <Changes extends SnapshotChanges>(changes: Changes): Changes => {
    const { corrected, added, removed, ...counts } = changes.prices
    const rows = { corrected: others(corrected), added: others(added), removed: others(removed) }
    const allowed = changes.allowed?.filter(({ subject }) => subject === null || !isins.has(subject))
    return { ...changes, prices: { ...counts, ...rows }, ...(allowed !== undefined && { allowed }) }
  }
  return { ...cut(day), earlier: day.earlier.map(cut) }
}

/** @throws {Error} if the text is not that of a day */
export function parseDay(text: string): DayChanges {
  const [newest, ...earlier] = publishesIn(text)
  return { ...newest, earlier }
}
