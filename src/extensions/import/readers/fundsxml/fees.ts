/** Fees of a share class, whose types are free texts: which column of the profile each fills, and what several of them make. Pure. */

import { shortestOf, sumOf } from '../../decimals.ts'
import { decimal } from './texts.ts'

export interface Fee {
  readonly column: string
  readonly type: string
  /** In percent, as the file has it. */
  readonly percent: string
  readonly place: string
}

const feeColumns: readonly (readonly [type: RegExp, column: string])[] = [
  [/^(?:management|verwaltung)/i, 'management_fee'],
  [/^(?:subscription|entry|front.?end|issue|sales|ausgabe)/i, 'issue_surcharge'],
  [/^(?:redemption|exit|back.?end|rücknahme)/i, 'redemption_fee'],
  [/^(?:custod|depositary|verwahr|depotbank)/i, 'custodian_bank_fee'],
  [/^performance/i, 'performance_fee'],
]

/** The subscription tax of Luxembourg is paid by the fund, a value added tax on top of a fee. */
const isTax = (type: string) => /\btax|taxe\b|steuer|\bvat\b|\bmwst/i.test(type)

/** The least that somebody pays, beside what is usual. */
const isMinimum = (type: string) => /\bmin(?:imum|imal|\b)|mindest/i.test(type)

/** @returns undefined if the profile has no such fee */
export const feeColumnOf = (type = ''): string | undefined =>
  isTax(type) || isMinimum(type) ? undefined : feeColumns.find(([pattern]) => pattern.test(type))?.[1]

/** Whether issue or repurchase prices are made with it. */
export const isCharge = (column: string): boolean =>
  column === 'issue_surcharge' || column === 'redemption_fee'

/** Whom a surcharge is paid to: each may get one. */
function recipientOf({ type }: Fee): string | undefined {
  if (/distribut|vertrieb|intermediar/i.test(type)) return 'distributor'
  return /\bfunds?\b|fonds/i.test(type) ? 'fund' : undefined
}

interface TakenFees {
  /** Percentages by column. */
  readonly percents: ReadonlyMap<string, string>
  /** Fees of which nothing says which one fills the column. */
  readonly open: readonly { readonly column: string; readonly what: string; readonly place: string }[]
  /** Columns with the types that fill them: `issue_surcharge: Entry Fee Distributor + Entry Fee Fund`. */
  readonly types: readonly string[]
}

/**
 * Surcharges of the distributor and of the fund are paid together. Of other fees for one column that differ none counts: a type is a free
 * text, which does not say which one a buyer pays.
 */
export function takeFees(fees: readonly Fee[]): TakenFees {
  const percents = new Map<string, string>()
  const open: { readonly column: string; readonly what: string; readonly place: string }[] = []
  const types: string[] = []
  for (const [column, all] of Map.groupBy(fees, (fee) => fee.column)) {
    const own = all.filter((fee, at) => all.findIndex((other) => isSame(fee, other)) === at)
    const names = [...new Set(own.map(({ type }) => type))].join(' + ')
    const [first, ...others] = own
    if (first === undefined) continue
    const areEqual = others.every((other) => isEqual(first, other))
    const percent = anyOf(column, own) ?? sumOfRecipients(own) ?? (areEqual ? first.percent : undefined)
    if (percent === undefined) {
      const list = own.map(({ type, percent: each }) => `${type} (${each})`).join(', ')
      open.push({
        column,
        what: `fees that differ: ${list}: which one is ${column} is not said`,
        place: first.place,
      })
      continue
    }
    percents.set(column, percent)
    types.push(`${column}: ${names}`)
  }
  return { percents, open, types }
}

/** The profile says that there is a performance fee, not how high it is. */
const anyOf = (column: string, fees: readonly Fee[]) =>
  column === 'performance_fee'
    ? (fees.find(({ percent }) => Number(percent) !== 0) ?? fees[0])?.percent
    : undefined

const isEqual = (one: Fee, other: Fee) =>
  shortestOf(decimal(one.percent) ?? '') === shortestOf(decimal(other.percent) ?? '')
const isSame = (one: Fee, other: Fee) => one.type === other.type && isEqual(one, other)

/** @returns undefined unless the fees are surcharges, each of another recipient */
function sumOfRecipients(fees: readonly Fee[]): string | undefined {
  const isSurcharge = fees.every(({ column }) => isCharge(column))
  const recipients = new Set(fees.map(recipientOf))
  if (!isSurcharge || fees.length < 2 || recipients.has(undefined) || recipients.size < fees.length)
    return undefined
  const percents = fees.map(({ percent }) => decimal(percent) ?? '')
  return percents.every((percent) => /^[0-9]+(?:\.[0-9]+)?$/.test(percent)) ? sumOf(percents) : undefined
}
