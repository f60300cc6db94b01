/** Endpoints 6, 7 and 10 to 13, those with languages: structure, key figures, profile, allocations, EMT data. */

import { readFileSync } from 'node:fs'
import type { Branch, Tree } from './document.ts'
import { type OracleFund, type Question, fundTree, givenAddress } from './funds.ts'
import { problems } from './problems.ts'

type Language = Question['language']
type Names = Readonly<Record<Language, string>>

const namesFile = new URL('../../../core/api/contract/structure-types.json', import.meta.url)

/** The display names of structure types. The oracle shares nothing else with the product. */
export const structureNames = new Map<string, Names>(
  Object.entries(JSON.parse(readFileSync(namesFile, 'utf8')) as Record<string, Names>),
)

export function structureTree({ funds, fund, isin, type, language }: Question): Branch {
  if (fund === undefined || fund.data_permitted === 0) throw problems.noStructure(isin, type)
  const sql =
    'SELECT name_de, name_en, percent FROM structure_item WHERE isin = ? AND type = ? ORDER BY position'
  const rows = funds.select<{ name_de: string; name_en: string | null; percent: number }>(sql, isin, type)
  if (rows.length === 0) throw problems.noStructure(isin, type)
  const data = rows.map((row) => ({
    name: textIn(language, row.name_de, row.name_en),
    percent: row.percent,
  }))
  const structure = { type: structureNames.get(type)?.[language] ?? '', data }
  return { fund: fundTree(fund, 'with status date'), structure }
}

type FigureRow = Readonly<
  Record<'name_de' | 'value', string> & Record<'name_en' | 'value2', string | null> & { has_value2: 0 | 1 }
>

export function figuresTree(question: Question): Branch {
  const { funds, isin, language } = question
  const fund = fundTree(permitted(question, 'figures'), 'with status date')
  const rows = funds.select<FigureRow>('SELECT * FROM key_figure WHERE isin = ? ORDER BY position', isin)
  const figures = rows.map((row) => ({
    name: textIn(language, row.name_de, row.name_en),
    value: row.value,
    value2: row.has_value2 === 1 ? row.value2 : undefined,
  }))
  return { fund, figures }
}

type AllocationRow = Readonly<{ class_de: string; class_en: string | null; date: string; percent: number }>

export const allocationsTree =
  (derivatives: 0 | 1) =>
  (question: Question): Branch => {
    const { funds, isin, language } = question
    const fund = fundTree(permitted(question, 'asset-allocations'), 'with status date')
    const sql = 'SELECT * FROM asset_allocation WHERE isin = ? AND derivatives = ? ORDER BY position, date'
    const rows = funds.select<AllocationRow>(sql, isin, derivatives)
    // Two positions may have the same name.
    const classes = Map.groupBy(rows, (row) => textIn(language, row.class_de, row.class_en))
    const allocations = new Map<string, Tree>()
    for (const [name, dates] of classes) {
      const inOrder = dates.toSorted((a, b) => (a.date < b.date ? -1 : 1))
      allocations.set(name, new Map(inOrder.map(({ date, percent }) => [date, percent])))
    }
    return { fund, allocations }
  }

const emtFields = [
  'srri',
  ...['ongoing_costs', 'transaction_costs', 'incidental_costs'].flatMap((costs) => [`${costs}_date`, costs]),
  'entry_costs',
  'governanceprocess',
  'compatible_for_clients_with_esg_preferences',
  'other_specific_investment_need',
]

export function emtTree(question: Question): Branch {
  const { funds, isin } = question
  const fund = fundTree(permitted(question, 'emt'), 'with status date')
  const [row] = funds.select<Readonly<Record<string, Tree>>>('SELECT * FROM emt WHERE isin = ?', isin)
  if (row === undefined) throw problems.noRow(isin, 'emt')
  return { fund, emt_data: Object.fromEntries(emtFields.map((field) => [field, row[field]])) }
}

/** @throws {OracleProblem} the refusal that endpoints 7 and 10 to 13 share */
function permitted({ fund, isin }: Question, group: string): OracleFund {
  if (fund === undefined) throw problems.unknownFund(isin, group)
  if (fund.data_permitted === 0) throw problems.fundDenied(isin, group)
  return fund
}

/** Both languages have the German text if there is no English one. */
const textIn = (language: Language, german: string, english: string | null): string =>
  language === 'en' && english !== null ? english : german

type Flag = 0 | 1
type Purchase = 'savings_plan' | 'one_time_investment' | 'capital_forming_payments'

type Rate = 'total_expense_ratio' | 'management_fee'
type RateOrNone = 'issue_surcharge' | 'redemption_fee' | 'custodian_bank_fee'
type ProfileRow = Readonly<
  Record<'total_fund_assets' | 'end_of_fiscal_year', string> &
    Record<
      | 'category_de'
      | 'category_en'
      | 'benchmark'
      | 'fund_assets'
      | 'total_fund_assets_currency'
      | `${Purchase}_minimum`,
      string | null
    > &
    Record<'accumulating' | 'performance_fee', Flag> &
    Record<'conformity', Flag | null> &
    Record<Purchase, Flag | null> &
    Record<Rate, number> &
    Record<RateOrNone, number | null>
>

const months = {
  de: ['Jan', 'Feb', 'Mrz', 'Apr', 'Mai', 'Jun', 'Jul', 'Aug', 'Sep', 'Okt', 'Nov', 'Dez'],
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
}

const uses = { de: ['ausschüttend', 'thesaurierend'], en: ['distributing', 'accumulating'] }

export function profileTree(question: Question): Branch {
  const { funds, isin, language } = question
  const fund = permitted(question, 'profile')
  const [row] = funds.select<ProfileRow>('SELECT * FROM profile WHERE isin = ?', isin)
  if (row === undefined) throw problems.noRow(isin, 'profile')
  const [month = 0, day] = row.end_of_fiscal_year.split('-').map(Number)
  const money = (amount: string) => `${amount} ${fund.currency}`
  const offer = (way: Purchase): Branch | undefined => {
    const { [way]: possible, [`${way}_minimum` as const]: minimum } = row
    if (possible === null) return undefined
    return { possible: possible === 1, minimum_investment: minimum === null ? undefined : money(minimum) }
  }
  const profile = {
    name: fund.name,
    isin: fund.isin,
    wkn: fund.wkn,
    category: language === 'en' ? (row.category_en ?? row.category_de) : row.category_de,
    fund_inception_date: fund.fund_inception_date,
    status_date: fund.status_date ?? undefined,
    url: givenAddress(fund.url),
    currency: fund.currency,
    benchmark: row.benchmark ?? undefined,
    fund_assets: row.fund_assets === null ? null : money(row.fund_assets),
    total_fund_assets: `${row.total_fund_assets} ${row.total_fund_assets_currency ?? fund.currency}`,
    end_of_fiscal_year: `${months[language][month - 1] ?? ''} ${String(day)}`,
    dividend_distributions: uses[language][row.accumulating],
    conformity: row.conformity === null ? null : row.conformity === 1,
    issue_surcharge: row.issue_surcharge,
    redemption_fee: row.redemption_fee,
    total_expense_ratio: row.total_expense_ratio,
    management_fee: row.management_fee,
    custodian_bank_fee: row.custodian_bank_fee,
    performance_fee: row.performance_fee === 1,
    savings_plan: offer('savings_plan'),
    one_time_investment: offer('one_time_investment'),
    capital_forming_payments: offer('capital_forming_payments'),
  }
  return { fund: profile }
}
