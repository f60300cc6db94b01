import { endpoint, fail } from '../contract/endpoint.ts'
import { dataDenied, noData, noIsin, unknownIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus } from '../contract/fund.ts'
import { day, nullable, number, record, text, textAmong, wholeNumber } from '../contract/shape.ts'

const cost = (en: string, de: string) => nullable(number(en, de))

export const emtRecord = record({
  srri: nullable(
    wholeNumber('Risk and reward indicator, 1 to 7 (EMT 04020)', 'Risikoindikator, 1 bis 7 (EMT 04020)', {
      minimum: 1,
      maximum: 7,
    }),
  ),
  ongoing_costs_date: nullable(day('Date of ongoing_costs', 'Tag von ongoing_costs')),
  ongoing_costs: cost(
    'Ongoing costs ex post, a fraction: 0.0158 is 1.58 % (EMT 08030)',
    'Laufende Kosten ex post, als Bruchteil: 0.0158 sind 1,58 % (EMT 08030)',
  ),
  transaction_costs_date: nullable(day('Day of transaction_costs', 'Tag von transaction_costs')),
  transaction_costs: cost(
    'Transaction costs ex ante, a fraction (EMT 07130)',
    'Transaktionskosten ex ante, als Bruchteil (EMT 07130)',
  ),
  incidental_costs_date: nullable(day('Day of incidental_costs', 'Tag von incidental_costs')),
  incidental_costs: cost(
    'Incidental costs ex ante, a fraction (EMT 07140)',
    'Nebenkosten ex ante, als Bruchteil (EMT 07140)',
  ),
  entry_costs: cost('Entry costs, a fraction (EMT 08025)', 'Einstiegskosten, als Bruchteil (EMT 08025)'),
  governanceprocess: nullable(
    textAmong(
      'Product governance process: A, B, C or D (EMT 00075)',
      'Produktüberwachung: A, B, C oder D (EMT 00075)',
      ['A', 'B', 'C', 'D'],
    ),
  ),
  compatible_for_clients_with_esg_preferences: nullable(
    text('Sustainability preferences (EMT 05105)', 'Nachhaltigkeitspräferenzen (EMT 05105)'),
  ),
  other_specific_investment_need: nullable(
    textAmong(
      'Other specific investment need: N, I or O (EMT 05115)',
      'Sonstiger besonderer Anlagebedarf: N, I oder O (EMT 05115)',
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
      en: 'Fields of the European MiFID Template about risk, costs and target market.',
      de: 'Angaben zu Risiko, Kosten und Zielmarkt nach dem European MiFID Template.',
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
