/** The rows of the fund database as the endpoints see them. Source: schema.sql; names are its columns in camelCase. */

import type { PriceRow } from './prices.ts'

export type { PriceRow }

/** Decimal text as delivered: '-12.50'. Never turned into a number. */
export type DecimalText = string

export interface FundRow {
  readonly isin: string
  readonly wkn: string | null
  readonly name: string
  readonly inceptionDate: string
  readonly statusDate: string | null
  readonly url: string
  readonly currency: string
  readonly dataPermitted: 0 | 1
  readonly pricesPermitted: 0 | 1
  readonly performancePermitted: 0 | 1
  /** The last day of its life; null while no end is known. */
  readonly endDate: string | null
  readonly endReason: (typeof endReasons)[number] | null
  /** Shares are neither issued nor redeemed from this day on, and no price is expected. */
  readonly suspendedFrom: string | null
  /** The last day of the suspension; null until further notice. */
  readonly suspendedTo: string | null
}

export const endReasons = ['liquidated', 'matured', 'merged'] as const

/** Fields that another kind has are null. */
export interface CorporateActionRow {
  readonly exDate: string
  readonly kind: 'distribution' | 'split' | 'merger'
  /** Per share as it is on the ex-date, after a split of that day. */
  readonly amount: DecimalText | null
  readonly currency: string | null
  /** New shares for an old one. */
  readonly factor: DecimalText | null
  readonly successorIsin: string | null
}

/** A paper about a fund, which lies elsewhere. */
export interface DocumentRow {
  readonly kind: (typeof documentKinds)[number]
  /** ISO 639-1 */
  readonly language: string
  readonly date: string
  /** ISO 3166-1; '' for all countries. A document for several has a row for each. */
  readonly country: string
  readonly title: string
  readonly url: string
}

/** In the order of pages and lists: what the law asks for comes first. */
export const documentKinds = ['kid', 'prospectus', 'annual_report', 'half_year_report', 'factsheet'] as const

export interface StructureItemRow {
  readonly type: string
  readonly position: number
  readonly nameDe: string
  readonly nameEn: string | null
  readonly percent: number
}

/** A point of a performance line: percent in legal lines, an index value in lines since launch. */
export interface PointRow {
  readonly date: string
  readonly value: number
}

/** What a fund does not have, or what is not known of it, is null: an invented 0 would be published as one. */
export interface ProfileRow {
  readonly categoryDe: string | null
  readonly categoryEn: string | null
  readonly benchmark: string | null
  readonly fundAssets: DecimalText | null
  readonly totalFundAssets: DecimalText
  /** Null if it is the currency of the fund. */
  readonly totalFundAssetsCurrency: string | null
  /** MM-DD */
  readonly endOfFiscalYear: string
  readonly accumulating: 0 | 1
  readonly conformity: 0 | 1 | null
  readonly issueSurcharge: number | null
  readonly redemptionFee: number | null
  readonly totalExpenseRatio: number
  readonly managementFee: number
  readonly custodianBankFee: number | null
  readonly performanceFee: 0 | 1
  readonly savingsPlan: 0 | 1 | null
  readonly savingsPlanMinimum: DecimalText | null
  readonly oneTimeInvestment: 0 | 1 | null
  readonly oneTimeInvestmentMinimum: DecimalText | null
  readonly capitalFormingPayments: 0 | 1 | null
  readonly capitalFormingPaymentsMinimum: DecimalText | null
}

export interface AssetAllocationRow {
  readonly derivatives: 0 | 1
  readonly position: number
  readonly classDe: string
  readonly classEn: string | null
  readonly date: string
  readonly percent: number
}

export interface EmtRow {
  readonly srri: number | null
  readonly ongoingCostsDate: string | null
  readonly ongoingCosts: number | null
  readonly transactionCostsDate: string | null
  readonly transactionCosts: number | null
  readonly incidentalCostsDate: string | null
  readonly incidentalCosts: number | null
  readonly entryCosts: number | null
  readonly governanceprocess: 'A' | 'B' | 'C' | 'D' | null
  readonly compatibleForClientsWithEsgPreferences: 'Y' | 'N' | 'Neutral' | null
  readonly otherSpecificInvestmentNeed: 'N' | 'I' | 'O' | null
}

/** All rows of one fund by data group, each in the order of its primary key. */
export interface FundRows {
  readonly prices: readonly PriceRow[]
  readonly corporateActions: readonly CorporateActionRow[]
  readonly documents: readonly DocumentRow[]
  readonly performanceYears: readonly { readonly year: number; readonly percent: number }[]
  readonly structureItems: readonly StructureItemRow[]
  readonly keyFigures: readonly {
    readonly position: number
    readonly nameDe: string
    readonly nameEn: string | null
    readonly value: string
    readonly value2: string | null
    readonly hasValue2: 0 | 1
  }[]
  readonly legalPeriods: readonly {
    readonly label: string
    readonly dateFrom: string
    readonly dateRealfrom: string
    readonly dateTo: string
    readonly gross: number | null
    readonly net: number | null
  }[]
  readonly legalPoints: readonly PointRow[]
  readonly launchPoints: readonly PointRow[]
  readonly profile: readonly ProfileRow[]
  readonly assetAllocations: readonly AssetAllocationRow[]
  readonly emt: readonly EmtRow[]
}

export type Group = keyof FundRows
