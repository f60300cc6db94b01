/** Names of the data that `changes/<as-of>.json` tells of beside prices, in both languages, and how their values are shown. Pure. */

import type { ChangedData } from '../../core/api/contract/changes.ts'
import type { Language } from '../../core/api/routes/table.ts'
import { bilingual } from '../../core/layout/bilingual.ts'
import { dayIn, decimalIn, percentIn, percentSign } from '../../core/layout/formats.ts'
import { isDay } from '../../core/api/routes/values.ts'
import { changeWords } from './wording.ts'

const words = bilingual((say) => ({
  tables: {
    funds: say('Master data', 'Stammdaten'),
    profiles: say('Profile', 'Profil'),
    emt: say('EMT data', 'EMT-Daten'),
    documents: say('Documents', 'Dokumente'),
    distributions: say('Distributions', 'Ausschüttungen'),
    structures: say('Investment structure', 'Anlagestruktur'),
    allocations: say('Asset allocation', 'Vermögensaufteilung'),
  },
  items: {
    wkn: say('WKN', 'WKN'),
    fund_inception_date: say('Inception date', 'Auflegung'),
    url: say('Web page', 'Webseite'),
    currency: say('Currency', 'Währung'),
    category_de: say('Category (German)', 'Kategorie'),
    category_en: say('Category', 'Kategorie (englisch)'),
    benchmark: say('Benchmark', 'Vergleichsindex'),
    total_fund_assets_currency: say('Currency of the fund assets', 'Währung des Fondsvermögens'),
    end_of_fiscal_year: say('End of the fiscal year', 'Ende des Geschäftsjahres'),
    accumulating: say('Accumulating', 'Thesaurierend'),
    conformity: say('UCITS', 'OGAW'),
    issue_surcharge: say('Issue surcharge', 'Ausgabeaufschlag'),
    redemption_fee: say('Redemption fee', 'Rücknahmeabschlag'),
    total_expense_ratio: say('Total expense ratio (TER)', 'Gesamtkostenquote (TER)'),
    management_fee: say('Management fee', 'Verwaltungsvergütung'),
    custodian_bank_fee: say('Custodian bank fee', 'Verwahrstellenvergütung'),
    performance_fee: say('Performance fee', 'Erfolgsabhängige Vergütung'),
    savings_plan: say('Savings plan', 'Sparplan'),
    savings_plan_minimum: say('Savings plan, minimum', 'Sparplan, Mindestbetrag'),
    one_time_investment: say('Lump-sum investment', 'Einmalanlage'),
    one_time_investment_minimum: say('Lump-sum investment, minimum', 'Einmalanlage, Mindestbetrag'),
    capital_forming_payments: say('Capital-forming payments', 'Vermögenswirksame Leistungen'),
    capital_forming_payments_minimum: say(
      'Capital-forming payments, minimum',
      'Vermögenswirksame Leistungen, Mindestbetrag',
    ),
    srri: say('Risk indicator (SRRI)', 'Risikoindikator (SRRI)'),
    ongoing_costs: say('Ongoing costs', 'Laufende Kosten'),
    ongoing_costs_date: say('Ongoing costs, date', 'Laufende Kosten, Datum'),
    transaction_costs: say('Transaction costs', 'Transaktionskosten'),
    transaction_costs_date: say('Transaction costs, date', 'Transaktionskosten, Datum'),
    incidental_costs: say('Incidental costs', 'Nebenkosten'),
    incidental_costs_date: say('Incidental costs, date', 'Nebenkosten, Datum'),
    entry_costs: say('Entry costs', 'Einstiegskosten'),
    governanceprocess: say('Product governance process', 'Produktfreigabeverfahren'),
    compatible_for_clients_with_esg_preferences: say(
      'Compatible with ESG preferences',
      'Vereinbar mit ESG-Präferenzen',
    ),
    other_specific_investment_need: say(
      'Other specific investment need',
      'Anderes besonderes Anlagebedürfnis',
    ),
    kid: say('Key information document', 'Basisinformationsblatt'),
    prospectus: say('Prospectus', 'Verkaufsprospekt'),
    annual_report: say('Annual report', 'Jahresbericht'),
    half_year_report: say('Half-year report', 'Halbjahresbericht'),
    factsheet: say('Factsheet', 'Factsheet'),
    distribution: say('Distribution', 'Ausschüttung'),
    split: say('Split', 'Anteilsplit'),
  },
  yes: say('yes', 'ja'),
  no: say('no', 'nein'),
  changed: say('changed', 'geändert'),
  removed: say('removed', 'entfernt'),
  longText: say('a long text', 'ein langer Text'),
}))

type Row = Omit<ChangedData, 'isin' | 'name'>

const among = (texts: Readonly<Record<string, string>>, name: string) =>
  Object.hasOwn(texts, name) ? texts[name] : undefined

/** `Total expense ratio (TER)`, `Factsheet (DE)`; the name of the table for what has no name of its own. */
export function dataName({ table, item, language: own }: Row, language: Language): string {
  const { tables, items } = words[language]
  // A later version may have written it.
  const name = (item === null ? undefined : among(items, item)) ?? among(tables, table) ?? table
  return own === undefined ? name : `${name} (${own.toUpperCase()})`
}

/** Several kinds of rows without a name of their own, such as structures, are told once. @param rows of one fund */
export const toldOnce = <Told extends Row>(rows: readonly Told[], language: Language): readonly Told[] => [
  ...new Map(rows.map((row) => [dataName(row, language), row])).values(),
]

const percentages = [
  'issue_surcharge',
  'redemption_fee',
  'total_expense_ratio',
  'management_fee',
  'custodian_bank_fee',
]
const fractions = ['ongoing_costs', 'transaction_costs', 'incidental_costs', 'entry_costs']
const flags = ['accumulating', 'conformity', 'performance_fee', 'savings_plan', 'one_time_investment'].concat(
  ['capital_forming_payments'],
)

/** The values of a row as readers write them; of values that are not known, there is only that they changed. */
export function dataValues(row: Row, language: Language): Readonly<Record<'before' | 'after', string>> {
  const { table, before, after } = row
  const { changed, removed } = words[language]
  if (before === undefined && after === undefined) return { before: '', after: changed }
  return {
    before: valueIn(row, before, language),
    after: table === 'documents' && after === null ? removed : valueIn(row, after, language),
  }
}

/** @param value as the database has it; undefined for a long text, which may follow or precede a short one */
function valueIn({ item }: Row, value: string | null | undefined, language: Language): string {
  const w = words[language]
  if (value === undefined) return w.longText
  if (value === null) return changeWords[language].none
  const name = item ?? ''
  if (flags.includes(name)) return value === '1' ? w.yes : w.no
  if (percentages.includes(name)) return decimalIn(language, value) + percentSign(language)
  if (fractions.includes(name)) return percentIn(language, Number(value) * 100, 2)
  if (isDay(value)) return dayIn(language, value)
  if (name.endsWith('_minimum')) return decimalIn(language, value)
  return value
}

/** `1.50% → 1.99%`, or `changed`. */
export function dataChange(row: Row, language: Language): string {
  const { before, after } = dataValues(row, language)
  return before === '' ? after : `${before} → ${after}`
}
