/**
 * The fields of openfunds that tables of the schema have, by their OF-IDs. Source: the field list of openfunds, version 1.28
 * (openfunds.org), with its names and types. Percentages are fractions there.
 */

import type { TableColumn } from '../../../../core/data/model/columns.ts'
import type { FileCell } from '../../values.ts'
import { headerName } from '../../layout.ts'

type Kind = TableColumn['kind'] | 'fraction'

const declared = {
  OFST020000: ['ISIN', 'isin', 'isin'],
  OFST020015: ['WKN', 'wkn', 'fund.wkn'],
  OFST020060: ['Full Share Class Name', 'text', 'fund.name'],
  OFST020540: ['Share Class Currency', 'currency', 'fund.currency'],
  OFST020560: ['Share Class Launch Date', 'day', 'fund.fund_inception_date'],
  OFST010240: ['Fund Launch Date', 'day', 'fund.fund_inception_date'],
  OFST020562: ['Dormant Start Date', 'day', 'fund.suspended_from'],
  OFST020563: ['Dormant End Date', 'day', 'fund.suspended_to'],
  OFST020566: ['Termination Date', 'day', 'fund.end_date'],
  OFST020575: ['Absorbing Fund Share Class ISIN', 'isin', 'corporate_action.successor_isin'],
  OFST023100: ['Investment Status', 'text', 'fund.suspended_from'],
  OFST023110: ['Investment Status Date', 'day', 'fund.suspended_from'],
  OFDY000020: ['Bid NAV', 'decimal', 'price.repurchase_price'],
  OFDY000021: ['Bid NAV Date', 'day', 'price.repurchase_price'],
  OFDY000025: ['Ask NAV', 'decimal', 'price.issue_price'],
  OFDY000026: ['Ask NAV Date', 'day', 'price.issue_price'],
  OFDY000035: ['Valuation NAV', 'decimal', 'price.net_asset_value'],
  OFDY000036: ['Valuation NAV Date', 'day', 'price.date'],
  OFDY000040: ['Transaction NAV', 'decimal', 'price.net_asset_value'],
  OFDY000041: ['Transaction NAV Date', 'day', 'price.date'],
  OFDY005000: ['Dividend Currency', 'currency', 'corporate_action.currency'],
  OFDY005010: ['Dividend Ex Date', 'day', 'corporate_action.ex_date'],
  OFDY005015: ['Dividend Payment Date', 'day', 'corporate_action.amount'],
  OFDY005020: ['Dividend Gross', 'decimal', 'corporate_action.amount'],
  OFDY005030: ['Is Dividend Final', 'flag', 'corporate_action.amount'],
  OFDY005060: ['Split Reference Date', 'day', 'corporate_action.ex_date'],
  OFDY005062: ['Split Ratio', 'decimal', 'corporate_action.factor'],
  OFEP000700: ['EPT PRIIPs KID Publication Date', 'day', 'document.date'],
  OFEP000750: ['EPT PRIIPs KID Web Address', 'address', 'document.url'],
  OFEP080500: ['EPT UK PRIIPs KID Publication Date', 'day', 'document.date'],
  OFEP080600: ['EPT UK PRIIPs KID Web Address', 'address', 'document.url'],
  OFEP081500: ['EPT UK UCITS KIID Publication Date', 'day', 'document.date'],
  OFEP081600: ['EPT UK UCITS KIID Web Address', 'address', 'document.url'],
  OFST350100: ['EFAMA Main EFC Category', 'text', 'profile.category_de'],
  OFST730010: ['BVI Fund Sub-Category', 'text', 'profile.category_de'],
  OFST023200: ['Benchmark', 'text', 'profile.benchmark'],
  OFST010410: ['Fund Currency', 'currency', 'profile.total_fund_assets'],
  OFDY000060: ['AuM Fund', 'decimal', 'profile.total_fund_assets'],
  OFDY000061: ['AuM Fund Date', 'day', 'profile.total_fund_assets'],
  OFDY000070: ['AuM Share Class', 'decimal', 'profile.fund_assets'],
  OFDY000071: ['AuM Share Class Date', 'day', 'profile.fund_assets'],
  OFST010440: ['Fiscal Year End', 'dayOfYear', 'profile.end_of_fiscal_year'],
  OFST020400: ['Share Class Distribution Policy', 'text', 'profile.accumulating'],
  OFST160040: ['Type Of EU Directive', 'text', 'profile.conformity'],
  OFST400230: ['Minimal Initial Subscription In Amount', 'decimal', 'profile.one_time_investment_minimum'],
  OFST400240: ['Currency Of Minimal Subscription', 'currency', 'profile.one_time_investment_minimum'],
  OFST451027: ['Has Performance Fee', 'flag', 'profile.performance_fee'],
  OFST451040: ['Custodian Fee Applied', 'fraction', 'profile.custodian_bank_fee'],
  OFST451320: ['Maximum Subscription Fee In Favour Of Distributor', 'fraction', 'profile.issue_surcharge'],
  OFST451340: ['Maximum Subscription Fee In Favour Of Fund', 'fraction', 'profile.issue_surcharge'],
  OFST451420: ['Maximum Redemption Fee In Favour Of Distributor', 'fraction', 'profile.redemption_fee'],
  OFST451440: ['Maximum Redemption Fee In Favour Of Fund', 'fraction', 'profile.redemption_fee'],
  OFST452000: ['Management Fee Applied', 'fraction', 'profile.management_fee'],
  OFST452120: ['TER Including Performance Fee', 'fraction', 'profile.total_expense_ratio'],
  OFST452200: ['Ongoing Charges', 'fraction', 'profile.total_expense_ratio'],
  OFRE100000: ['Fund Ratios And Exposures Valuation Date', 'day', 'structure_item.percent'],
  OFRE100100: ['Fund Ratios And Exposures Data Type', 'text', 'structure_item.type'],
  OFRE100108: ['Fund Ratios And Exposures Value Type', 'text', 'structure_item.name_de'],
  OFRE100110: ['Fund Ratios And Exposures Value', 'fraction', 'structure_item.percent'],
  OFST024000: ['SRRI', 'integer', 'emt.srri'],
  OFEM000650: ['EMT Maturity Date', 'day', 'fund.end_date'],
  OFEM000750: ['EMT Manufacturer Product Governance Process', 'text', 'emt.governanceprocess'],
  OFEM040200: ['EMT SRRI', 'integer', 'emt.srri'],
  OFEM051050: [
    'EMT Considers Client Sustainability Preferences',
    'text',
    'emt.compatible_for_clients_with_esg_preferences',
  ],
  OFEM051150: ['EMT Other Specific Investment Needs', 'text', 'emt.other_specific_investment_need'],
  OFEM071300: ['EMT Ex-ante Transaction Costs', 'fraction', 'emt.transaction_costs'],
  OFEM071400: ['EMT Ex-ante Incidental Costs For Funds', 'fraction', 'emt.incidental_costs'],
  OFEM071600: ['EMT Ex-ante Costs Reference Date', 'day', 'emt.transaction_costs_date'],
  OFEM080250: ['EMT Ex-post One-off Entry Costs Acquired For Funds', 'fraction', 'emt.entry_costs'],
  OFEM080300: ['EMT Ex-post Ongoing Costs For Funds', 'fraction', 'emt.ongoing_costs'],
  OFEM081000: ['EMT Ex-post End Of Reference Period', 'day', 'emt.ongoing_costs_date'],
} as const satisfies Readonly<Record<string, readonly [name: string, kind: Kind, goes: string]>>

export type OfId = keyof typeof declared

/** A field of a file. */
export interface OpenField {
  readonly id: OfId
  /** The key of its values in a record: `OFDY000070`, `OFDY000070_USD`, `OFEP000750(de)`. */
  readonly key: string
  /** For messages: `OFST020015 (WKN)`. */
  readonly label: string
  /** The column that it fills, or has a say in. */
  readonly goes: string
  readonly column: TableColumn
}

const isDeclared = (id: string): id is OfId => Object.hasOwn(declared, id)

/** Fields of several countries end with the code of one: OFST6030DE. Some files have the name in the same cell: `OFST020015 WKN`. */
const idForm =
  /^(?<id>OF[A-Z]{2}[0-9]{4}(?:[0-9]{2}|[A-Z]{2}))(?<currency>_[A-Z]{3})?(?<language>\([A-Z-]{2,12}\))?(?:[\s:-].*)?$/i

const idsByName = new Map(Object.entries(declared).map(([id, [name]]) => [headerName(name), id]))

/** Whether a text is an OF-ID, perhaps with a currency (`OFDY000040_USD`) or a language (`OFST020060(de)`). */
export const isOfId = (cell: FileCell): boolean => idForm.test(String(cell).trim())

/** A name that other tables have, too, does not tell openfunds. */
export const isTellingName = (cell: FileCell): boolean => {
  const name = headerName(cell)
  return idsByName.has(name) && name.includes(' ')
}

export const isIsinName = (cell: FileCell): boolean =>
  headerName(cell) === 'isin' || fieldOf(cell)?.id === 'OFST020000'

/** Amounts that are taken in the currency that their field names. */
const ofAnyCurrency: readonly string[] = ['OFDY000060', 'OFDY000070']

/** @param cell of a header: an OF-ID or a name @returns undefined if no table has the field */
export function fieldOf(cell: FileCell): OpenField | undefined {
  const text = String(cell).trim()
  const parts = idForm.exec(text)?.groups ?? {}
  const id = (parts['id'] ?? idsByName.get(headerName(cell)) ?? '').toUpperCase()
  const currency = (parts['currency'] ?? '').toUpperCase()
  const language = parts['language'] ?? ''
  if (!isDeclared(id) || (currency !== '' && !ofAnyCurrency.includes(id))) return undefined
  const [name, kind, goes] = declared[id]
  const key = id + currency + language.toLowerCase()
  const column: TableColumn = {
    name: key,
    field: key,
    ...(kind === 'fraction' ? { kind: 'number', unit: 'fraction' } : { kind }),
    isKey: false,
    isNullable: true,
    download: null,
  }
  return { id, key, label: `${key} (${name})`, goes, column }
}
