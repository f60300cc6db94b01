/** A fund's MiFID data with their meaning. Source: FinDatEx, European MiFID Template (EMT) V4.3. */

import type { EmtRow } from '../../../../core/api/contract/rows.ts'
import type { Texts } from '../../../../core/api/contract/shape.ts'
import type { Language } from '../../../../core/api/routes/table.ts'
import { figure, html, type Html, type HtmlContent, noValue, section } from '../../../../core/layout/html.ts'
import { fundWords } from '../wording.ts'
import { dayIn, percentIn, unbroken } from '../../../../core/layout/formats.ts'
import type { FundFacts } from '../facts.ts'

export function emtSection({ emt: row }: FundFacts, language: Language): Html | null {
  if (row === null || fields.every(({ id }) => row[id] === null)) return null
  const figures = fields.map((field) => {
    const name = html`${field.name[language]} <small>EMT ${field.number}</small>`
    return figure(name, valueOf(field, row, language), field.meaning[language])
  })
  const w = fundWords[language]
  return section(
    'emt',
    w.emt,
    html`<details>
      <summary>${w.emtFields(fields.length)}</summary>
      <dl class="facts explained">${figures}</dl>
    </details>`,
  )
}

type Codes = Readonly<Record<string, Texts>>

interface Field {
  readonly id: keyof EmtRow
  readonly number: string
  readonly name: Texts
  readonly meaning: Texts
  /** Meanings of its codes; without them the value is a number. */
  readonly codes?: Codes
  readonly day?: 'ongoingCostsDate' | 'transactionCostsDate' | 'incidentalCostsDate'
}

function valueOf({ id, codes, day }: Field, row: EmtRow, language: Language): HtmlContent {
  const value = row[id]
  if (value === null) return noValue(language)
  if (codes !== undefined) {
    const text = codes[value]?.[language]
    return text === undefined ? String(value) : `${text} (${value})`
  }
  if (id === 'srri') return unbroken(language === 'de' ? `${value} von 7` : `${value} of 7`)
  const date = day === undefined ? null : row[day]
  // Costs are fractions: 0.0158 is 1.58 %.
  const percent = percentIn(language, Number(value) * 100)
  return date === null ? percent : `${percent} (${dayIn(language, date)})`
}

const say = (en: string, de: string): Texts => ({ en, de })

const fields: readonly Field[] = [
  {
    id: 'srri',
    number: '04020',
    name: say('Risk and reward indicator (SRRI)', 'Risiko- und Ertragsindikator (SRRI)'),
    meaning: say(
      '1: lower risk, typically lower rewards. 7: higher risk, typically higher rewards.',
      '1: geringeres Risiko, typischerweise geringerer Ertrag. 7: höheres Risiko, typischerweise höherer Ertrag.',
    ),
  },
  {
    id: 'ongoingCosts',
    number: '08030',
    name: say('Ongoing costs', 'Laufende Kosten'),
    meaning: say(
      'Ex post: costs charged in the reporting period that ended on the day shown, in percent of the net asset value per year.',
      'Ex post: Kosten des Berichtszeitraums, der am genannten Tag endete, in Prozent des Nettoinventarwerts pro Jahr.',
    ),
    day: 'ongoingCostsDate',
  },
  {
    id: 'transactionCosts',
    number: '07130',
    name: say('Transaction costs', 'Transaktionskosten'),
    meaning: say(
      'Ex ante: expected costs of the fund’s purchases and sales, in percent of the net asset value per year.',
      'Ex ante: erwartete Kosten der Käufe und Verkäufe des Fonds, in Prozent des Nettoinventarwerts pro Jahr.',
    ),
    day: 'transactionCostsDate',
  },
  {
    id: 'incidentalCosts',
    number: '07140',
    name: say('Incidental costs', 'Nebenkosten'),
    meaning: say(
      'Ex ante: expected performance fees and similar costs, in percent of the net asset value per year.',
      'Ex ante: erwartete erfolgsabhängige Vergütungen und ähnliche Kosten, in Prozent des Nettoinventarwerts pro Jahr.',
    ),
    day: 'incidentalCostsDate',
  },
  {
    id: 'entryCosts',
    number: '08025',
    name: say('Entry costs', 'Einstiegskosten'),
    meaning: say(
      'Charged once on purchase and paid into the fund, in percent of the net asset value.',
      'Fallen einmalig beim Kauf an und fließen dem Fonds zu, in Prozent des Nettoinventarwerts.',
    ),
  },
  {
    id: 'governanceprocess',
    number: '00075',
    name: say('Product governance process', 'Produktüberwachung (Product Governance)'),
    meaning: say(
      'How the manufacturer’s product governance relates to MiFID II.',
      'Verhältnis der Produktüberwachung des Herstellers zu den Vorgaben der MiFID II.',
    ),
    codes: {
      A: say('in accordance with MiFID II', 'gemäß MiFID II'),
      B: say('comparable to MiFID II', 'vergleichbar mit MiFID II'),
      C: say('not in accordance with MiFID II', 'nicht gemäß MiFID II'),
      D: say('no information requested from the issuer', 'keine Angaben beim Emittenten angefordert'),
    },
  },
  {
    id: 'compatibleForClientsWithEsgPreferences',
    number: '05105',
    name: say('Sustainability preferences', 'Nachhaltigkeitspräferenzen'),
    meaning: say(
      'Whether the fund takes account of investors’ sustainability preferences. Details are in the European ESG Template (EET).',
      'Ob der Fonds Nachhaltigkeitspräferenzen der Anleger berücksichtigt. Einzelheiten enthält das European ESG Template (EET).',
    ),
    codes: {
      Y: say('yes', 'ja'),
      N: say('no', 'nein'),
      Neutral: say('neutral', 'neutral'),
    },
  },
  {
    id: 'otherSpecificInvestmentNeed',
    number: '05115',
    name: say('Other specific investment need', 'Sonstiger besonderer Anlagebedarf'),
    meaning: say(
      'A need beyond the usual investment objectives for which the fund is designed.',
      'Ein Bedarf über die üblichen Anlageziele hinaus, für den der Fonds konzipiert ist.',
    ),
    codes: {
      N: say('none', 'keiner'),
      I: say('Islamic banking', 'Islamic Banking'),
      O: say('other', 'anderer'),
    },
  },
]
