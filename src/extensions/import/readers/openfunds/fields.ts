/**
 * The fields of openfunds that tables of the schema have, by their OF-IDs. Source: the field list of openfunds, version 1.28
 * (openfunds.org), with its names and types. Percentages are fractions there.
 */

import type { TableColumn } from '../../../../core/data/model/columns.ts'
import type { FileCell } from '../../values.ts'
import { headerName } from '../../layout.ts'

type Kind = TableColumn['kind']

const declared = {
  OFST020000: ['ISIN', 'isin'],
  OFST020015: ['WKN', 'wkn'],
  OFST020060: ['Full Share Class Name', 'text'],
  OFST020540: ['Share Class Currency', 'currency'],
  OFST020560: ['Share Class Launch Date', 'day'],
  OFST010240: ['Fund Launch Date', 'day'],
  OFST020562: ['Dormant Start Date', 'day'],
  OFST020563: ['Dormant End Date', 'day'],
  OFST020566: ['Termination Date', 'day'],
  OFST020575: ['Absorbing Fund Share Class ISIN', 'isin'],
  OFST023100: ['Investment Status', 'text'],
  OFST023110: ['Investment Status Date', 'day'],
  OFDY000020: ['Bid NAV', 'decimal'],
  OFDY000021: ['Bid NAV Date', 'day'],
  OFDY000025: ['Ask NAV', 'decimal'],
  OFDY000026: ['Ask NAV Date', 'day'],
  OFDY000035: ['Valuation NAV', 'decimal'],
  OFDY000036: ['Valuation NAV Date', 'day'],
  OFDY000040: ['Transaction NAV', 'decimal'],
  OFDY000041: ['Transaction NAV Date', 'day'],
  OFDY005000: ['Dividend Currency', 'currency'],
  OFDY005010: ['Dividend Ex Date', 'day'],
  OFDY005015: ['Dividend Payment Date', 'day'],
  OFDY005020: ['Dividend Gross', 'decimal'],
  OFDY005030: ['Is Dividend Final', 'flag'],
  OFDY005060: ['Split Reference Date', 'day'],
  OFDY005062: ['Split Ratio', 'decimal'],
  OFEP000700: ['EPT PRIIPs KID Publication Date', 'day'],
  OFEP000750: ['EPT PRIIPs KID Web Address', 'address'],
  OFST350100: ['EFAMA Main EFC Category', 'text'],
  OFST730010: ['BVI Fund Sub-Category', 'text'],
  OFST023200: ['Benchmark', 'text'],
  OFST010410: ['Fund Currency', 'currency'],
  OFDY000060: ['AuM Fund', 'decimal'],
  OFDY000061: ['AuM Fund Date', 'day'],
  OFDY000070: ['AuM Share Class', 'decimal'],
  OFDY000071: ['AuM Share Class Date', 'day'],
  OFST010440: ['Fiscal Year End', 'dayOfYear'],
  OFST020400: ['Share Class Distribution Policy', 'text'],
  OFST160040: ['Type Of EU Directive', 'text'],
  OFST400230: ['Minimal Initial Subscription In Amount', 'decimal'],
  OFST400240: ['Currency Of Minimal Subscription', 'currency'],
  OFST451027: ['Has Performance Fee', 'flag'],
  OFST451040: ['Custodian Fee Applied', 'decimal'],
  OFST451320: ['Maximum Subscription Fee In Favour Of Distributor', 'decimal'],
  OFST451340: ['Maximum Subscription Fee In Favour Of Fund', 'decimal'],
  OFST451420: ['Maximum Redemption Fee In Favour Of Distributor', 'decimal'],
  OFST451440: ['Maximum Redemption Fee In Favour Of Fund', 'decimal'],
  OFST452000: ['Management Fee Applied', 'decimal'],
  OFST452120: ['TER Including Performance Fee', 'decimal'],
  OFST452200: ['Ongoing Charges', 'decimal'],
  OFST024000: ['SRRI', 'integer'],
  OFEM000650: ['EMT Maturity Date', 'day'],
  OFEM000750: ['EMT Manufacturer Product Governance Process', 'text'],
  OFEM040200: ['EMT SRRI', 'integer'],
  OFEM051050: ['EMT Considers Client Sustainability Preferences', 'text'],
  OFEM051150: ['EMT Other Specific Investment Needs', 'text'],
  OFEM071300: ['EMT Ex-ante Transaction Costs', 'decimal'],
  OFEM071400: ['EMT Ex-ante Incidental Costs For Funds', 'decimal'],
  OFEM071600: ['EMT Ex-ante Costs Reference Date', 'day'],
  OFEM080250: ['EMT Ex-post One-off Entry Costs Acquired For Funds', 'decimal'],
  OFEM080300: ['EMT Ex-post Ongoing Costs For Funds', 'decimal'],
  OFEM081000: ['EMT Ex-post End Of Reference Period', 'day'],
} as const satisfies Readonly<Record<string, readonly [name: string, kind: Kind]>>

export type OfId = keyof typeof declared

/** A field of a file. */
export interface OpenField {
  readonly id: OfId
  /** The key of its values in a record: `OFDY000070`, `OFDY000070_USD`, `OFEP000750(de)`. */
  readonly key: string
  /** For messages: `OFST020015 (WKN)`. */
  readonly label: string
  readonly column: TableColumn
}

const isDeclared = (id: string): id is OfId => Object.hasOwn(declared, id)

/** Fields of several countries end with the code of one: OFST6030DE. */
const idForm =
  /^(?<id>OF[A-Z]{2}[0-9]{4}(?:[0-9]{2}|[A-Z]{2}))(?<currency>_[A-Z]{3})?(?<language>\([A-Za-z-]{2,12}\))?$/

const idsByName = new Map(Object.entries(declared).map(([id, [name]]) => [headerName(name), id]))

/** Whether a text is an OF-ID, perhaps with a currency (`OFDY000040_USD`) or a language (`OFST020060(de)`). */
export const isOfId = (cell: FileCell): boolean => idForm.test(String(cell).trim())

/** A name that other tables have, too, does not tell openfunds. */
export const isTellingName = (cell: FileCell): boolean => {
  const name = headerName(cell)
  return idsByName.has(name) && name.includes(' ')
}

export const isIsinName = (cell: FileCell): boolean => ['isin', 'ofst020000'].includes(headerName(cell))

/** Amounts that are taken in the currency that their field names. */
const ofAnyCurrency: readonly string[] = ['OFDY000060', 'OFDY000070']

/** @param cell of a header: an OF-ID or a name @returns undefined if no table has the field */
export function fieldOf(cell: FileCell): OpenField | undefined {
  const text = String(cell).trim()
  const {
    id = idsByName.get(headerName(cell)) ?? '',
    currency = '',
    language = '',
  } = idForm.exec(text)?.groups ?? {}
  if (!isDeclared(id) || (currency !== '' && !ofAnyCurrency.includes(id))) return undefined
  const [name, kind] = declared[id]
  const key = id + currency + language.toLowerCase()
  const column = { name: key, field: key, kind, isKey: false, isNullable: true, download: null }
  return { id, key, label: `${key} (${name})`, column }
}
