/** A day that is published more than once: its file tells what each publish changed. Pure. */

import {
  maxRows,
  type DayChanges,
  type NightChanges,
  type PastPrices,
  type ToldPublish,
} from './night-changes.ts'

/** Of a day, beside the newest one. */
export const earlierKept = 20

/**
 * @param publish the how manieth of the day @param standing the file of this day as it is live, or null
 * @throws {Error} if that is no file of a day
 */
export function dayChanges(changes: NightChanges, publish: number, standing: string | null): DayChanges {
  return { ...changes, publish, earlier: standing === null ? [] : shorten(publishesIn(standing)) }
}

/** The newest first. */
function publishesIn(text: string): ToldPublish[] {
  // Earlier versions told of one publish a day.
  const day = JSON.parse(text) as Partial<DayChanges> | null
  if (day?.format !== 1 || day.prices === undefined) throw new Error('it is not one of this fundpress')
  const { earlier = [], publish = 1, ...newest } = day
  return [{ ...(newest as NightChanges), publish }, ...earlier]
}

/** The rows of the newest publish come first: what is left over is that of the oldest. */
function shorten(publishes: readonly ToldPublish[]): ToldPublish[] {
  const left = { corrected: maxRows, added: maxRows, removed: maxRows }
  const cut = <Row>(kind: keyof typeof left, rows: readonly Row[]): readonly Row[] => {
    const some = rows.slice(0, left[kind])
    left[kind] -= some.length
    return some
  }
  const cutPrices = ({ counts, corrected, added, removed }: PastPrices): PastPrices => ({
    counts,
    corrected: cut('corrected', corrected),
    added: cut('added', added),
    removed: cut('removed', removed),
  })
  return publishes.slice(0, earlierKept).map((one) => ({ ...one, prices: cutPrices(one.prices) }))
}
