/** The life of a fund: whether it has ended, or is suspended, what is announced, and on which days no price is expected of it. Pure. */

import type { FundRow } from '../api/contract/rows.ts'

/** What a database says of it: table `fund`, and the fund's merger in table `corporate_action`. */
export interface LifeFacts extends Pick<FundRow, 'endDate' | 'endReason' | 'suspendedFrom' | 'suspendedTo'> {
  /** The ex-date of the merger, ISO 8601; null without one. */
  readonly mergerDate: string | null
  readonly successorIsin: string | null
}

/** Null: the fund is open. */
export type LifeState =
  | {
      readonly kind: 'ended'
      /** The last day of its life, ISO 8601. */
      readonly day: string
      readonly reason: FundRow['endReason']
      readonly successorIsin: string | null
    }
  | {
      readonly kind: 'suspended'
      readonly from: string
      /** The last day; null until further notice. */
      readonly to: string | null
    }
  | null

/** A fund ends the day after its last one. Both days of a suspension belong to it. @param day ISO 8601 */
export function lifeOn(facts: LifeFacts, day: string): LifeState {
  const end = endOf(facts)
  if (end !== null && day > end.day) return { kind: 'ended', ...end }
  const { suspendedFrom: from, suspendedTo: to } = facts
  return from !== null && day >= from && (to === null || day <= to) ? { kind: 'suspended', from, to } : null
}

/** What is announced for a fund, and has not begun on a day: its suspension, its end. @param day ISO 8601 */
export function announcedOn(facts: LifeFacts, day: string): readonly NonNullable<LifeState>[] {
  const { suspendedFrom: from, suspendedTo: to } = facts
  const announced: NonNullable<LifeState>[] = []
  const end = endOf(facts)
  if (from !== null && from > day) announced.push({ kind: 'suspended', from, to })
  if (end !== null && end.day >= day) announced.push({ kind: 'ended', ...end })
  return announced
}

/** A merger ends a fund without the columns, and before an end that was planned for later. @returns null without an end */
export function endOf({ endDate, endReason, mergerDate, successorIsin }: LifeFacts) {
  if (endDate === null || (mergerDate !== null && mergerDate < endDate))
    return mergerDate === null ? null : { day: mergerDate, reason: 'merged' as const, successorIsin }
  const isMerger = endReason === 'merged'
  return { day: endDate, reason: endReason, successorIsin: isMerger ? successorIsin : null }
}

/** Funds have their last price before or on their last day: none is expected of it. @param day ISO 8601 */
export const isPriceExpected = (facts: LifeFacts, day: string): boolean =>
  lifeOn(facts, day) === null && endOf(facts)?.day !== day

/** The day from which the next price is counted: that of the newest price, or the last day of a suspension since then. */
export const countedFrom = ({ suspendedTo: to }: LifeFacts, newestPrice: string, asOf: string): string =>
  to !== null && to < asOf && newestPrice <= to ? to : newestPrice

/** Whether a suspension explains that there is no price between two days. */
export const isSuspendedBetween = (
  { suspendedFrom: from, suspendedTo: to }: LifeFacts,
  before: string,
  day: string,
): boolean => from !== null && from < day && (to === null || to > before)
