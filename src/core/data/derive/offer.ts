/** Issue and repurchase price where only a NAV is delivered: the NAV, with the surcharge and less the fee of the fund. */

import { type Fraction, fractionOf, product, rounded, scaleOf } from './exact.ts'

/** In percent, plain decimals; null without one. */
export interface Charges {
  readonly issueSurcharge: string | null
  readonly redemptionFee: string | null
}

/** Those that something says, also that there is none. */
export type KnownCharges = Partial<Charges>

export const isCharged = ({ issueSurcharge, redemptionFee }: Charges): boolean =>
  issueSurcharge !== null || redemptionFee !== null

export const isSameCharges = (one: Charges | undefined, other: Charges): boolean =>
  one?.issueSurcharge === other.issueSurcharge && one.redemptionFee === other.redemptionFee

export const offerColumns = ['issue_price', 'repurchase_price'] as const

/** The charge that makes each of them. */
export const chargeOfOffer = { issue_price: 'issueSurcharge', repurchase_price: 'redemptionFee' } as const

/** @param column `issue_price`, or `repurchase_price` @returns with the decimals of the NAV, rounded half away from zero */
export function offeredPrice(
  column: string,
  nav: string,
  { issueSurcharge, redemptionFee }: Charges,
): string {
  const percent = column === 'issue_price' ? issueSurcharge : redemptionFee
  if (percent === null) return nav
  const { top, bottom } = fractionOf(percent)
  const hundred = 100n * bottom
  const share: Fraction = { top: column === 'issue_price' ? hundred + top : hundred - top, bottom: hundred }
  return rounded(product(fractionOf(nav), share), scaleOf(nav))
}
