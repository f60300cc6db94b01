import { endpoint, fail } from '../contract/endpoint.ts'
import { dataDenied, noData, noIsin, unknownIsin } from '../contract/errors.ts'
import { amount, basicFund, fundWithStatus, inLanguage } from '../contract/fund.ts'
import type { FundRow, ProfileRow } from '../contract/rows.ts'
import { flag, nullable, number, optional, record, text, textAmong } from '../contract/shape.ts'
import type { Language } from '../routes/table.ts'

const investment = optional(
  record({
    possible: flag('Whether the fund offers this way to invest', 'Ob der Fonds diese Anlageform anbietet'),
    minimum_investment: optional(
      text('Minimum amount, `<decimal> <currency>`', 'Mindestbetrag, `<Zahl> <Währung>`'),
    ),
  }),
)

export const profileRecord = record({
  name: basicFund.fields.name,
  isin: basicFund.fields.isin,
  wkn: basicFund.fields.wkn,
  category: nullable(text('Fund category', 'Fondskategorie')),
  fund_inception_date: basicFund.fields.fund_inception_date,
  status_date: basicFund.fields.status_date,
  url: basicFund.fields.url,
  currency: text(
    'Currency of the fund and of its prices, ISO 4217',
    'Fondswährung und Währung der Preise, ISO 4217',
  ),
  benchmark: optional(text('Name of the benchmark', 'Name des Vergleichsindex')),
  fund_assets: nullable(
    text(
      'Fund assets of the share class, `<decimal> <currency>`',
      'Fondsvermögen der Anteilklasse, `<Zahl> <Währung>`',
    ),
  ),
  total_fund_assets: text(
    'Fund assets of all share classes, `<decimal> <currency>`',
    'Fondsvermögen aller Anteilklassen, `<Zahl> <Währung>`',
  ),
  end_of_fiscal_year: text(
    'End of the fiscal year, `<month abbreviation> <day>`',
    'Ende des Geschäftsjahres, `<Monat, abgekürzt> <Tag>`',
  ),
  dividend_distributions: textAmong(
    'Use of income, in the language of the response',
    'Ertragsverwendung, in der Sprache der Antwort',
    ['ausschüttend', 'thesaurierend', 'distributing', 'accumulating'],
  ),
  conformity: nullable(flag('Whether the fund is UCITS compliant', 'Ob der Fonds OGAW-konform ist')),
  issue_surcharge: nullable(number('Issue surcharge in percent', 'Ausgabeaufschlag in Prozent')),
  redemption_fee: nullable(number('Redemption fee in percent', 'Rücknahmeabschlag in Prozent')),
  total_expense_ratio: number('Total expense ratio (TER) in percent', 'Gesamtkostenquote (TER) in Prozent'),
  management_fee: number('Management fee in percent', 'Verwaltungsvergütung in Prozent'),
  custodian_bank_fee: nullable(number('Custodian bank fee in percent', 'Verwahrstellenvergütung in Prozent')),
  performance_fee: flag('Whether there is a performance fee', 'Ob es eine erfolgsabhängige Vergütung gibt'),
  savings_plan: investment,
  one_time_investment: investment,
  capital_forming_payments: investment,
})

export default endpoint({
  id: 'profile',
  group: {
    id: 'profile',
    title: { en: 'Fund profile', de: 'Fondsprofil' },
    lead: {
      en: 'Category, benchmark, fund assets, costs and ways to invest.',
      de: 'Kategorie, Vergleichsindex, Fondsvermögen, Kosten und Anlageformen.',
    },
  },
  path: '/api/v1/profile/{isin}/',
  name: { en: 'Profile', de: 'Profil' },
  summary: { en: 'Profile of one fund', de: 'Profil eines Fonds' },
  hasLanguages: true,
  parameters: { isin: { kind: 'isin', missing: 'noisin', unknown: 'notfound' } },
  errors: { noisin: noIsin, notfound: unknownIsin, denied: dataDenied, nodata: noData },
  reads: ['profile'],
  body: record({ fund: profileRecord }),
  build({ fund, profile: [row] }, { language }) {
    if (fund.dataPermitted === 0) return fail('denied')
    if (row === undefined) return fail('nodata')
    const basic = fundWithStatus(fund)
    return {
      fund: {
        ...basic,
        category: inLanguage(language, row.categoryDe, row.categoryEn),
        currency: fund.currency,
        benchmark: row.benchmark ?? undefined,
        fund_assets: row.fundAssets === null ? null : amount(row.fundAssets, fund.currency),
        total_fund_assets: amount(row.totalFundAssets, row.totalFundAssetsCurrency ?? fund.currency),
        end_of_fiscal_year: monthAndDay(row.endOfFiscalYear, language),
        dividend_distributions: useOfEarnings[language][row.accumulating],
        conformity: row.conformity === null ? null : row.conformity === 1,
        issue_surcharge: row.issueSurcharge,
        redemption_fee: row.redemptionFee,
        total_expense_ratio: row.totalExpenseRatio,
        management_fee: row.managementFee,
        custodian_bank_fee: row.custodianBankFee,
        performance_fee: row.performanceFee === 1,
        savings_plan: possibility('savingsPlan', row, fund),
        one_time_investment: possibility('oneTimeInvestment', row, fund),
        capital_forming_payments: possibility('capitalFormingPayments', row, fund),
      },
    }
  },
})

const useOfEarnings = {
  de: { 0: 'ausschüttend', 1: 'thesaurierend' },
  en: { 0: 'distributing', 1: 'accumulating' },
} as const

const months = {
  de: 'Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez',
  en: 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec',
} as const

/** `Dez 31` of '12-31'. Source: src/core/api/decisions.md, Values. */
function monthAndDay(monthDay: string, language: Language): string {
  const month = months[language].split(' ')[Number(monthDay.slice(0, 2)) - 1] ?? ''
  return `${month} ${Number(monthDay.slice(3))}`
}

type Way = 'savingsPlan' | 'oneTimeInvestment' | 'capitalFormingPayments'

function possibility(way: Way, row: ProfileRow, fund: FundRow) {
  const { [way]: possible, [`${way}Minimum` as const]: minimum } = row
  if (possible === null) return undefined
  return {
    possible: possible === 1,
    minimum_investment: minimum === null ? undefined : amount(minimum, fund.currency),
  }
}
