import { eachFund, endpoint, fail } from '../contract/endpoint.ts'
import { dataDenied, noData, noIsin, unknownIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus } from '../contract/fund.ts'
import { day, nullable, number, record, text, textOf, wholeNumber } from '../contract/shape.ts'

const body = record({
  fund: basicFund,
  emt_data: record({
    srri: nullable(wholeNumber('Risk and reward indicator, 1 to 7 (EMT 04020)', 1, 7)),
    ongoing_costs_date: nullable(day('Day of ongoing_costs')),
    ongoing_costs: nullable(number('Ongoing costs ex post, a fraction: 0.0158 is 1.58 % (EMT 08030)')),
    transaction_costs_date: nullable(day('Day of transaction_costs')),
    transaction_costs: nullable(number('Transaction costs ex ante, a fraction (EMT 07130)')),
    incidental_costs_date: nullable(day('Day of incidental_costs')),
    incidental_costs: nullable(number('Incidental costs ex ante, a fraction (EMT 07140)')),
    entry_costs: nullable(number('Entry costs, a fraction (EMT 08025)')),
    governanceprocess: nullable(
      textOf('Product governance process: A, B, C or D (EMT 00075)', ['A', 'B', 'C', 'D']),
    ),
    compatible_for_clients_with_esg_preferences: nullable(text('Sustainability preferences (EMT 05105)')),
    other_specific_investment_need: nullable(
      textOf('Other specific investment need: N, I or O (EMT 05115)', ['N', 'I', 'O']),
    ),
  }),
})

export default endpoint({
  id: 'emt',
  group: 'emt',
  path: '/api/v2/emt/{isin}/',
  summary: 'EMT data of one fund (European MiFID Template)',
  hasLanguages: true,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'notfound' }) },
  errors: { noisin: noIsin, notfound: unknownIsin, denied: dataDenied, nodata: noData },
  reads: ['emt'],
  body,
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
