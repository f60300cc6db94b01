/** Endpoint 10: the fund's profile. */
import { record, type Branch } from './document.ts'
import { inLanguage, permitted } from './facts.ts'
import { givenAddress, type FundRow, type Funds } from './funds.ts'
import type { Language } from './negotiate.ts'
import { problems, type Problem } from './problems.ts'

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

export function profile(funds: Funds, isin: string, language: Language): Branch | Problem {
  const fund = permitted(funds, isin, 'profile')
  if ('slug' in fund) return fund
  const [row] = funds.select<ProfileRow>('SELECT * FROM profile WHERE isin = ?', isin)
  return row === undefined
    ? problems.noRow(isin, 'profile')
    : record({ fund: profileFund(fund, row, language) })
}

function profileFund(fund: FundRow, row: ProfileRow, language: Language): Branch {
  const [month, day] = row.end_of_fiscal_year.split('-').map(Number)
  const use = {
    de: ['ausschüttend', 'thesaurierend'],
    en: ['distributing', 'accumulating'],
  } as const
  const money = (amount: string): string => `${amount} ${fund.currency}`
  const offer = (possible: Flag | null, minimum: string | null): Branch | undefined =>
    possible === null
      ? undefined
      : record({
          possible: possible === 1,
          minimum_investment: minimum === null ? undefined : money(minimum),
        })
  return record({
    name: fund.name,
    isin: fund.isin,
    wkn: fund.wkn,
    category: inLanguage(language, row.category_de, row.category_en),
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
