/** Reading funds: all rows of one fund at a time, so that memory does not grow with the number of funds. */

import type { Database, Statement } from 'better-sqlite3'
import type { FundRow, FundRows, Group, PriceRow } from '../contract/rows.ts'

/** One fund with all its rows. */
export type Fund = { readonly fund: FundRow } & FundRows

export interface FundReader {
  /** @returns the fund, or undefined if there is none with this ISIN */
  readonly read: (isin: string) => Fund | undefined
  /** The fund's own row, or undefined. */
  readonly fund: (isin: string) => FundRow | undefined
  /** A group's rows of a fund, in the order of its primary key. */
  readonly rows: <G extends Group>(group: G, isin: string) => FundRows[G]
  /** The prices between two days, both included, ascending. */
  readonly prices: (isin: string, first: string, last: string) => readonly PriceRow[]
  readonly newestPrice: (isin: string) => PriceRow | undefined
}

/** The ISINs of all funds, ascending. */
export function readIsins(db: Database): string[] {
  return db.prepare<[], string>('SELECT isin FROM fund ORDER BY isin').pluck().all()
}

/**
 * @throws {SqliteError} if a table or a column of the schema is missing
 */
export function fundReader(db: Database): FundReader {
  const fund = db.prepare<[string], FundRow>(fundQuery)
  const groups = Object.fromEntries(
    Object.entries(queries).map(([group, query]) => [group, db.prepare<[string]>(query)]),
  ) as Record<Group, Statement<[string]>>
  const between = db.prepare<[string, string, string], PriceRow>(
    queries.prices.replace('ORDER BY', 'AND date >= ? AND date <= ? ORDER BY'),
  )
  const newest = db.prepare<[string], PriceRow>(`${queries.prices} DESC LIMIT 1`)
  // The queries' columns are the rows' fields: fund-reader.test holds them together.
  const rows = <G extends Group>(group: G, isin: string) => groups[group].all(isin) as unknown as FundRows[G]
  return {
    read: (isin) => {
      const row = fund.get(isin)
      if (row === undefined) return undefined
      const read = Object.keys(queries).map((group) => [group, rows(group as Group, isin)])
      return { fund: row, ...(Object.fromEntries(read) as FundRows) }
    },
    fund: (isin) => fund.get(isin),
    rows,
    prices: (isin, first, last) => between.all(isin, first, last),
    newestPrice: (isin) => newest.get(isin),
  }
}

/** The fund's own row. Source: schema.sql. */
export const fundQuery = `SELECT isin, wkn, name, fund_inception_date AS inceptionDate, status_date AS statusDate, url,
    currency, data_permitted AS dataPermitted, prices_permitted AS pricesPermitted,
    performance_permitted AS performancePermitted
  FROM fund WHERE isin = ?`

/** One query a data group, in the order of its primary key. Source: schema.sql. */
export const queries: Readonly<Record<Group, string>> = {
  prices: `SELECT date, issue_price AS issuePrice, repurchase_price AS repurchasePrice,
      net_asset_value AS netAssetValue, change, change_percent AS changePercent, performance,
      intercompany_profit AS intercompanyProfit, share_profit AS shareProfit,
      real_estate_profits AS realEstateProfits, share_profit2 AS shareProfit2
    FROM price WHERE isin = ? ORDER BY date`,
  performanceYears: 'SELECT year, percent FROM performance_year WHERE isin = ? ORDER BY year',
  structureItems: `SELECT type, position, name_de AS nameDe, name_en AS nameEn, percent
    FROM structure_item WHERE isin = ? ORDER BY type, position`,
  keyFigures: `SELECT position, name_de AS nameDe, name_en AS nameEn, value, value2, has_value2 AS hasValue2
    FROM key_figure WHERE isin = ? ORDER BY position`,
  legalPeriods: `SELECT label, date_from AS dateFrom, date_realfrom AS dateRealfrom, date_to AS dateTo, gross, net
    FROM legal_period WHERE isin = ? ORDER BY label`,
  legalPoints: 'SELECT date, value FROM legal_point WHERE isin = ? ORDER BY date',
  launchPoints: 'SELECT date, value FROM launch_point WHERE isin = ? ORDER BY date',
  profile: `SELECT category_de AS categoryDe, category_en AS categoryEn, benchmark, fund_assets AS fundAssets,
      total_fund_assets AS totalFundAssets, end_of_fiscal_year AS endOfFiscalYear, accumulating, conformity,
      issue_surcharge AS issueSurcharge, redemption_fee AS redemptionFee,
      total_expense_ratio AS totalExpenseRatio, management_fee AS managementFee,
      custodian_bank_fee AS custodianBankFee, performance_fee AS performanceFee, savings_plan AS savingsPlan,
      savings_plan_minimum AS savingsPlanMinimum, one_time_investment AS oneTimeInvestment,
      one_time_investment_minimum AS oneTimeInvestmentMinimum,
      capital_forming_payments AS capitalFormingPayments,
      capital_forming_payments_minimum AS capitalFormingPaymentsMinimum
    FROM profile WHERE isin = ?`,
  assetAllocations: `SELECT derivatives, position, class_de AS classDe, class_en AS classEn, date, percent
    FROM asset_allocation WHERE isin = ? ORDER BY derivatives, position, date`,
  emt: `SELECT srri, ongoing_costs_date AS ongoingCostsDate, ongoing_costs AS ongoingCosts,
      transaction_costs_date AS transactionCostsDate, transaction_costs AS transactionCosts,
      incidental_costs_date AS incidentalCostsDate, incidental_costs AS incidentalCosts,
      entry_costs AS entryCosts, governanceprocess,
      compatible_for_clients_with_esg_preferences AS compatibleForClientsWithEsgPreferences,
      other_specific_investment_need AS otherSpecificInvestmentNeed
    FROM emt WHERE isin = ?`,
}

/** The table that each data group is read from, for messages. */
export const tableOf: Readonly<Record<Group, string>> = {
  prices: 'price',
  performanceYears: 'performance_year',
  structureItems: 'structure_item',
  keyFigures: 'key_figure',
  legalPeriods: 'legal_period',
  legalPoints: 'legal_point',
  launchPoints: 'launch_point',
  profile: 'profile',
  assetAllocations: 'asset_allocation',
  emt: 'emt',
}
