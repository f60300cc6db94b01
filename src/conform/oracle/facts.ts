/** Endpoints 6, 7 and 10 to 13, those with languages: structure, key figures, profile, allocations, EMT data. */

import { readFileSync } from 'node:fs'
import { type Branch, type Tree, mapTree, listTree, recordTree } from './document.ts'
import { type OracleFund, type OracleFunds, fundTree, givenAddress } from './funds.ts'
import type { OracleLanguage } from './negotiate.ts'
import { type OracleProblem, problems } from './problems.ts'

type Names = Readonly<Record<OracleLanguage, string>>

/** The only thing that the oracle shares with the product: the display names of structure types. */
export const structureNames = new Map<string, Names>(
  Object.entries(
    JSON.parse(
      readFileSync(new URL('../../api/contract/structure-types.json', import.meta.url), 'utf8'),
    ) as Record<string, Names>,
  ),
)

export function structureTree(
  funds: OracleFunds,
  isin: string,
  type: string,
  language: OracleLanguage,
): Branch | OracleProblem {
  const fund = funds.find(isin)
  if (fund === undefined || fund.data_permitted === 0) return problems.noStructure(isin, type)
  const rows = funds.select<{ name_de: string; name_en: string | null; percent: number }>(
    'SELECT name_de, name_en, percent FROM structure_item WHERE isin = ? AND type = ? ORDER BY position',
    isin,
    type,
  )
  if (rows.length === 0) return problems.noStructure(isin, type)
  const items = rows.map((row) =>
    recordTree({ name: textIn(language, row.name_de, row.name_en), percent: row.percent }),
  )
  return recordTree({
    fund: fundTree(fund, 'with status date'),
    structure: recordTree({ type: structureNames.get(type)?.[language] ?? '', data: listTree(items) }),
  })
}

export function figuresTree(
  funds: OracleFunds,
  isin: string,
  language: OracleLanguage,
): Branch | OracleProblem {
  const fund = permitted(funds, isin, 'figures')
  if ('slug' in fund) return fund
  const rows = funds.select<{
    name_de: string
    name_en: string | null
    value: string
    value2: string | null
    has_value2: 0 | 1
  }>('SELECT * FROM key_figure WHERE isin = ? ORDER BY position', isin)
  const items = rows.map((row) =>
    recordTree({
      name: textIn(language, row.name_de, row.name_en),
      value: row.value,
      value2: row.has_value2 === 1 ? row.value2 : undefined,
    }),
  )
  return recordTree({ fund: fundTree(fund, 'with status date'), figures: listTree(items) })
}

export function allocationsTree(
  funds: OracleFunds,
  isin: string,
  derivatives: 0 | 1,
  language: OracleLanguage,
): Branch | OracleProblem {
  const fund = permitted(funds, isin, 'asset-allocations')
  if ('slug' in fund) return fund
  const rows = funds.select<{ class_de: string; class_en: string | null; date: string; percent: number }>(
    'SELECT * FROM asset_allocation WHERE isin = ? AND derivatives = ? ORDER BY position, date',
    isin,
    derivatives,
  )
  const classes = new Map<string, [string, Tree][]>()
  for (const row of rows) {
    const name = textIn(language, row.class_de, row.class_en)
    const dates = classes.get(name) ?? []
    dates.push([row.date, row.percent])
    classes.set(name, dates)
  }
  return recordTree({
    fund: fundTree(fund, 'with status date'),
    allocations: mapTree(
      [...classes].map(([name, dates]) => [name, mapTree(dates.toSorted(([a], [b]) => (a < b ? -1 : 1)))]),
    ),
  })
}

const emtFields = [
  'srri',
  'ongoing_costs_date',
  'ongoing_costs',
  'transaction_costs_date',
  'transaction_costs',
  'incidental_costs_date',
  'incidental_costs',
  'entry_costs',
  'governanceprocess',
  'compatible_for_clients_with_esg_preferences',
  'other_specific_investment_need',
]

export function emtTree(funds: OracleFunds, isin: string): Branch | OracleProblem {
  const fund = permitted(funds, isin, 'emt')
  if ('slug' in fund) return fund
  const [row] = funds.select<Readonly<Record<string, string | number | null>>>(
    'SELECT * FROM emt WHERE isin = ?',
    isin,
  )
  if (row === undefined) return problems.noRow(isin, 'emt')
  return recordTree({
    fund: fundTree(fund, 'with status date'),
    emt_data: recordTree(Object.fromEntries(emtFields.map((field) => [field, row[field] ?? null]))),
  })
}

/** A fund whose data may be given out, or the refusal that endpoints 7 and 10 to 13 share. */
export function permitted(funds: OracleFunds, isin: string, group: string): OracleFund | OracleProblem {
  const fund = funds.find(isin)
  if (fund === undefined) return problems.unknownFund(isin, group)
  return fund.data_permitted === 1 ? fund : problems.fundDenied(isin, group)
}

/** If there is no English text, both languages have the German one. */
export function textIn(language: OracleLanguage, german: string, english: string | null): string {
  return language === 'en' && english !== null ? english : german
}

type Flag = 0 | 1

interface ProfileRow {
  readonly category_de: string
  readonly category_en: string | null
  readonly benchmark: string | null
  readonly fund_assets: string
  readonly total_fund_assets: string
  readonly end_of_fiscal_year: string
  readonly accumulating: Flag
  readonly conformity: Flag
  readonly issue_surcharge: number
  readonly redemption_fee: number
  readonly total_expense_ratio: number
  readonly management_fee: number
  readonly custodian_bank_fee: number
  readonly performance_fee: Flag
  readonly savings_plan: Flag | null
  readonly savings_plan_minimum: string | null
  readonly one_time_investment: Flag | null
  readonly one_time_investment_minimum: string | null
  readonly capital_forming_payments: Flag | null
  readonly capital_forming_payments_minimum: string | null
}

const months = {
  de: ['Jan', 'Feb', 'Mrz', 'Apr', 'Mai', 'Jun', 'Jul', 'Aug', 'Sep', 'Okt', 'Nov', 'Dez'],
  en: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
} as const

export function profileTree(
  funds: OracleFunds,
  isin: string,
  language: OracleLanguage,
): Branch | OracleProblem {
  const fund = permitted(funds, isin, 'profile')
  if ('slug' in fund) return fund
  const [row] = funds.select<ProfileRow>('SELECT * FROM profile WHERE isin = ?', isin)
  return row === undefined
    ? problems.noRow(isin, 'profile')
    : recordTree({ fund: profileFund(fund, row, language) })
}

function profileFund(fund: OracleFund, row: ProfileRow, language: OracleLanguage): Branch {
  const [month, day] = row.end_of_fiscal_year.split('-').map(Number)
  const use = {
    de: ['ausschüttend', 'thesaurierend'],
    en: ['distributing', 'accumulating'],
  } as const
  const money = (amount: string): string => `${amount} ${fund.currency}`
  const offer = (possible: Flag | null, minimum: string | null): Branch | undefined =>
    possible === null
      ? undefined
      : recordTree({
          possible: possible === 1,
          minimum_investment: minimum === null ? undefined : money(minimum),
        })
  return recordTree({
    name: fund.name,
    isin: fund.isin,
    wkn: fund.wkn,
    category: textIn(language, row.category_de, row.category_en),
    fund_inception_date: fund.fund_inception_date,
    status_date: fund.status_date ?? undefined,
    url: givenAddress(fund.url),
    currency: fund.currency,
    benchmark: row.benchmark ?? undefined,
    fund_assets: money(row.fund_assets),
    total_fund_assets: money(row.total_fund_assets),
    end_of_fiscal_year: `${months[language][(month ?? 0) - 1] ?? ''} ${String(day)}`,
    dividend_distributions: use[language][row.accumulating],
    conformity: row.conformity === 1,
    issue_surcharge: row.issue_surcharge,
    redemption_fee: row.redemption_fee,
    total_expense_ratio: row.total_expense_ratio,
    management_fee: row.management_fee,
    custodian_bank_fee: row.custodian_bank_fee,
    performance_fee: row.performance_fee === 1,
    savings_plan: offer(row.savings_plan, row.savings_plan_minimum),
    one_time_investment: offer(row.one_time_investment, row.one_time_investment_minimum),
    capital_forming_payments: offer(row.capital_forming_payments, row.capital_forming_payments_minimum),
  })
}
