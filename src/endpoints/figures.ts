import { eachFund, endpoint, fail } from '../contract/endpoint.ts'
import { dataDenied, noIsin, unknownIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus, inLanguage } from '../contract/fund.ts'
import { list, nullable, optional, record, text } from '../contract/shape.ts'

export default endpoint({
  id: 'figures',
  group: 'figures',
  path: '/api/v1/figures/{isin}/',
  summary: 'Key figures of one fund',
  hasLanguages: true,
  parameters: { isin: eachFund({ missing: 'noisin', unknown: 'notfound' }) },
  errors: { noisin: noIsin, notfound: unknownIsin, denied: dataDenied },
  reads: ['keyFigures'],
  body: record({
    fund: basicFund,
    figures: list(
      record({
        name: text('Name of the key figure'),
        value: text('Value as a text: may carry a percent sign and a decimal comma'),
        value2: optional(nullable(text('Second value'))),
      }),
    ),
  }),
  build({ fund, keyFigures }, { language }) {
    if (fund.dataPermitted === 0) return fail('denied')
    return {
      fund: fundWithStatus(fund),
      figures: keyFigures.map(({ nameDe, nameEn, value, value2, hasValue2 }) => ({
        name: inLanguage(language, nameDe, nameEn),
        value,
        value2: hasValue2 === 1 ? value2 : undefined,
      })),
    }
  },
})
