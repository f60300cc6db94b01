import { endpoint, fail } from '../contract/endpoint.ts'
import { dataDenied, noData, noIsin, unknownIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus } from '../contract/fund.ts'
import { day, nullable, number, record, textAmong, wholeNumber } from '../contract/shape.ts'

const cost = (en: string, de: string) => nullable(number(en, de))

export const emtRecord = record({
  srri: nullable(
    wholeNumber(
      'Risk and reward indicator (SRRI), 1 to 7 (EMT 04020)',
      'Risiko- und Ertragsindikator (SRRI), 1 bis 7 (EMT 04020)',
      { minimum: 1, maximum: 7 },
    ),
  ),
  ongoing_costs_date: nullable(
    day(
      'End of the reference period of `ongoing_costs` (EMT 08100)',
      'Ende des Bezugszeitraums von `ongoing_costs` (EMT 08100)',
    ),
  ),
  ongoing_costs: cost(
    'Ongoing costs ex post, as a fraction: 0.0158 is 1.58% (EMT 08030)',
    'Laufende Kosten ex post, als Bruchteil: 0.0158 sind 1,58\u00a0% (EMT 08030)',
  ),
  transaction_costs_date: nullable(
    day('Reference date of `transaction_costs` (EMT 07160)', 'Stichtag von `transaction_costs` (EMT 07160)'),
  ),
  transaction_costs: cost(
    'Transaction costs ex ante, as a fraction (EMT 07130)',
    'Transaktionskosten ex ante, als Bruchteil (EMT 07130)',
  ),
  incidental_costs_date: nullable(
    day('Reference date of `incidental_costs` (EMT 07160)', 'Stichtag von `incidental_costs` (EMT 07160)'),
  ),
  incidental_costs: cost(
    'Incidental costs ex ante, as a fraction (EMT 07140)',
    'Nebenkosten ex ante, als Bruchteil (EMT 07140)',
  ),
  entry_costs: cost(
    'Entry costs paid into the fund, as a fraction (EMT 08025)',
    'Einstiegskosten, die dem Fonds zufließen, als Bruchteil (EMT 08025)',
  ),
  governanceprocess: nullable(
    textAmong(
      'Product governance process (EMT 00075): A is in accordance with MiFID II, B comparable to it, C not in accordance with it; D: no information requested from the issuer',
      'Produktüberwachung (EMT 00075): A gemäß MiFID II, B damit vergleichbar, C nicht gemäß MiFID II; D: keine Angaben beim Emittenten angefordert',
      ['A', 'B', 'C', 'D'],
    ),
  ),
  compatible_for_clients_with_esg_preferences: nullable(
    textAmong(
      'Whether the fund takes account of investors’ sustainability preferences: Y, N or Neutral (EMT 05105)',
      'Ob der Fonds Nachhaltigkeitspräferenzen der Anleger berücksichtigt: Y, N oder Neutral (EMT 05105)',
      ['Y', 'N', 'Neutral'],
    ),
  ),
  other_specific_investment_need: nullable(
    textAmong(
      'Other specific investment need (EMT 05115): N is none, I Islamic banking, O other',
      'Sonstiger besonderer Anlagebedarf (EMT 05115): N keiner, I Islamic Banking, O anderer',
      ['N', 'I', 'O'],
    ),
  ),
})

export default endpoint({
  id: 'emt',
  group: {
    id: 'emt',
    title: { en: 'EMT data', de: 'EMT-Daten' },
    lead: {
      en: 'Data on risk, costs and target market from the European MiFID Template (EMT).',
      de: 'Angaben zu Risiko, Kosten und Zielmarkt aus dem European MiFID Template (EMT).',
    },
  },
  path: '/api/v2/emt/{isin}/',
  name: { en: 'MiFID data (EMT)', de: 'MiFID-Daten (EMT)' },
  summary: {
    en: 'EMT data of one fund (European MiFID Template)',
    de: 'EMT-Daten eines Fonds (European MiFID Template)',
  },
  hasLanguages: true,
  parameters: { isin: { kind: 'isin', missing: 'noisin', unknown: 'notfound' } },
  errors: { noisin: noIsin, notfound: unknownIsin, denied: dataDenied, nodata: noData },
  reads: ['emt'],
  body: record({ fund: basicFund, emt_data: emtRecord }),
  build({ fund, emt: [row] }) {
    if (fund.dataPermitted === 0) return fail('denied')
    if (row === undefined) return fail('nodata')
    return {
      fund: fundWithStatus(fund),
      emt_data: {
        srri: row.srri,
        ongoing_costs_date: row.ongoingCostsDate,
        ongoing_costs: row.ongoingCosts,
        transaction_costs_date: row.transactionCostsDate,
        transaction_costs: row.transactionCosts,
        incidental_costs_date: row.incidentalCostsDate,
        incidental_costs: row.incidentalCosts,
        entry_costs: row.entryCosts,
        governanceprocess: row.governanceprocess,
        compatible_for_clients_with_esg_preferences: row.compatibleForClientsWithEsgPreferences,
        other_specific_investment_need: row.otherSpecificInvestmentNeed,
      },
    }
  },
})
