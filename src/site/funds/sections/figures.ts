/** The facts of a fund in words and figures: key figures, profile and costs, MiFID data. */

import { amount, inLanguage } from '../../../api/contract/fund.ts'
import type { Language } from '../../../api/routes/table.ts'
import { html, type Html } from '../../layout/html.ts'
import { figure, section } from '../../layout/parts.ts'
import { wording } from '../../wording.ts'
import { dayIn, decimalIn, months, percentIn } from '../chart/formats.ts'
import type { FundFacts } from '../facts.ts'

/** A name and its value; null hides both. */
type Fact = readonly [name: string, value: string | null]

export function figuresSection({ keyFigures }: FundFacts, language: Language): Html | null {
  // Values are texts, published unchanged.
  const facts = keyFigures.map(({ nameDe, nameEn, value, value2, hasValue2 }): Fact => {
    const second = hasValue2 === 1 && value2 !== null ? ` / ${value2}` : ''
    return [inLanguage(language, nameDe, nameEn), value + second]
  })
  return factsSection('figures', wording[language].funds.figures, facts)
}

export function profileSection({ fund, profile: row }: FundFacts, language: Language): Html | null {
  if (row === null) return null
  const w = wording[language].funds
  const money = (decimal: string) => amount(decimalIn(language, decimal), fund)
  const yesOrNo = (flag: 0 | 1) => (flag === 1 ? w.yes : w.no)
  const way = (flag: 0 | 1 | null, minimum: string | null) => {
    if (flag === null) return null
    return flag === 1 && minimum !== null ? w.from(money(minimum)) : yesOrNo(flag)
  }
  const rate = (value: number) => percentIn(language, value)
  return factsSection('profile', w.profile, [
    [w.category, inLanguage(language, row.categoryDe, row.categoryEn)],
    [w.benchmark, row.benchmark],
    [w.inception, dayIn(language, fund.inceptionDate)],
    [w.assets, money(row.fundAssets)],
    [w.totalAssets, money(row.totalFundAssets)],
    [w.fiscalYear, monthDayIn(language, row.endOfFiscalYear)],
    [w.income, row.accumulating === 1 ? w.accumulating : w.distributing],
    [w.conformity, yesOrNo(row.conformity)],
    [w.surcharge, rate(row.issueSurcharge)],
    [w.redemption, rate(row.redemptionFee)],
    [w.ter, rate(row.totalExpenseRatio)],
    [w.management, rate(row.managementFee)],
    [w.custodian, rate(row.custodianBankFee)],
    [w.performanceFee, yesOrNo(row.performanceFee)],
    [w.savings, way(row.savingsPlan, row.savingsPlanMinimum)],
    [w.oneTime, way(row.oneTimeInvestment, row.oneTimeInvestmentMinimum)],
    [w.capitalForming, way(row.capitalFormingPayments, row.capitalFormingPaymentsMinimum)],
  ])
}

export function emtSection({ emt: row }: FundFacts, language: Language): Html | null {
  if (row === null) return null
  const w = wording[language].funds
  // Costs are fractions: 0.0158 is 1.58 %.
  const cost = (fraction: number | null, day: string | null) => {
    if (fraction === null) return null
    return percentIn(language, fraction * 100) + (day === null ? '' : ` ${w.on(dayIn(language, day))}`)
  }
  return factsSection('emt', w.emt, [
    [w.srri, row.srri === null ? null : w.srriOf(row.srri)],
    [w.ongoing, cost(row.ongoingCosts, row.ongoingCostsDate)],
    [w.transaction, cost(row.transactionCosts, row.transactionCostsDate)],
    [w.incidental, cost(row.incidentalCosts, row.incidentalCostsDate)],
    [w.entry, cost(row.entryCosts, null)],
    [w.governance, row.governanceprocess],
    [w.esg, row.compatibleForClientsWithEsgPreferences],
    [w.need, row.otherSpecificInvestmentNeed],
  ])
}

/** @param monthDay MM-DD */
function monthDayIn(language: Language, monthDay: string): string {
  const [month = '', day = ''] = monthDay.split('-')
  return language === 'de' ? `${day}.${month}.` : `${Number(day)} ${months.en[Number(month) - 1] ?? ''}`
}

function factsSection(id: string, heading: string, facts: readonly Fact[]): Html | null {
  const known = facts.filter(([, value]) => value !== null).map(([name, value]) => figure(name, value))
  return known.length === 0 ? null : section(id, heading, html`<dl class="facts">${known}</dl>`)
}
