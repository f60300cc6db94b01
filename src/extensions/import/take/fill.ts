/**
 * Issue and repurchase prices that a file of NAVs lacks: the NAV with the issue surcharge of the fund, and without its redemption fee,
 * with the digits of the NAV. Exact. Pure.
 */

import { derivableColumns } from '../../../core/data/derive/figures.ts'

export const filledColumns: readonly string[] = ['issue_price', 'repurchase_price']

/** Columns of table price that a file may lack if its figures are derived. */
export const computedColumns: readonly string[] = [...filledColumns, ...derivableColumns]

/** In percent, as table profile has them. */
export interface Fees {
  readonly issueSurcharge: number
  readonly redemptionFee: number
}

export const noFees: Fees = { issueSurcharge: 0, redemptionFee: 0 }

/** A percentage has no more decimals. */
const decimals = 8
const whole = 100n * 10n ** BigInt(decimals)

/** @param nav plain decimal text */
export function filledPrice(column: string, nav: string, { issueSurcharge, redemptionFee }: Fees): string {
  const percent = column === 'issue_price' ? issueSurcharge : -redemptionFee
  if (percent === 0) return nav
  const [before = '', after = ''] = nav.replace('-', '').split('.')
  const part = whole + BigInt(Math.round(percent * 10 ** decimals))
  // Halves are rounded away from zero.
  const units = (2n * BigInt(before + after) * part + whole) / (2n * whole)
  const digits = String(units).padStart(after.length + 1, '0')
  const point = digits.length - after.length
  const sign = nav.startsWith('-') ? '-' : ''
  return sign + digits.slice(0, point) + (after === '' ? '' : `.${digits.slice(point)}`)
}
