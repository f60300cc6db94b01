/** Fees of a share class, whose types are free texts: which column of the profile each fills, and what several of them make. Pure. */

import { sumOf } from '../../decimals.ts'
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

/** @returns undefined if the profile has no such fee */
export const feeColumnOf = (type = ''): string | undefined =>
  isTax(type) ? undefined : feeColumns.find(([pattern]) => pattern.test(type))?.[1]

/** Whom a surcharge is paid to: each may get one. */
function recipientOf({ type }: Fee): string | undefined {
  if (/distribut|vertrieb|intermediar/i.test(type)) return 'distributor'
  return /\bfunds?\b|fonds/i.test(type) ? 'fund' : undefined
}

interface TakenFees {
  /** Percentages by column. */
  readonly percents: ReadonlyMap<string, string>
  readonly leftOut: readonly { readonly what: string; readonly place: string }[]
  /** Columns with the types that fill them: `issue_surcharge: Entry Fee Distributor + Entry Fee Fund`. */
  readonly types: readonly string[]
}

/**
 * Surcharges of the distributor and of the fund are paid together. Of other fees for one column the one with the shortest type counts:
 * `Management Fee` before `Management Fee Research`.
 */
export function takeFees(fees: readonly Fee[]): TakenFees {
  const percents = new Map<string, string>()
  const leftOut: { readonly what: string; readonly place: string }[] = []
  const types: string[] = []
  for (const [column, all] of Map.groupBy(fees, (fee) => fee.column)) {
    const own = all.filter((fee, at) => all.findIndex((other) => isSame(fee, other)) === at)
    const sum = sumOfRecipients(own)
    const [first, ...others] = own.toSorted((one, other) => one.type.length - other.type.length)
    if (first === undefined) continue
    percents.set(column, sum ?? first.percent)
    types.push(`${column}: ${sum === undefined ? first.type : own.map(({ type }) => type).join(' + ')}`)
    if (sum !== undefined) continue
    for (const { type, percent, place } of others)
      leftOut.push({
        what: `a fee of type ${type} (${percent}) beside one of type ${first.type} (${first.percent}): ${column} is one fee`,
        place,
      })
  }
  return { percents, leftOut, types }
}

const isSame = (one: Fee, other: Fee) => one.type === other.type && one.percent === other.percent

/** @returns undefined unless the fees are surcharges, each of another recipient */
function sumOfRecipients(fees: readonly Fee[]): string | undefined {
  const isSurcharge = fees.every(({ column }) => column === 'issue_surcharge' || column === 'redemption_fee')
  const recipients = new Set(fees.map(recipientOf))
  if (!isSurcharge || fees.length < 2 || recipients.has(undefined) || recipients.size < fees.length)
    return undefined
  const percents = fees.map(({ percent }) => decimal(percent) ?? '')
  return percents.every((percent) => /^[0-9]+(?:\.[0-9]+)?$/.test(percent)) ? sumOf(percents) : undefined
}
