import { eachFund, endpoint, fail, oneOf } from '../contract/endpoint.ts'
import { noIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus, inLanguage } from '../contract/fund.ts'
import { list, number, record, text } from '../contract/shape.ts'
import { structureTypeName, structureTypes } from '../contract/structure-types.ts'

export default endpoint({
  id: 'investment_structure',
  group: 'investment_structure',
  path: '/api/v1/investment_structure-{type}/{isin}/',
  summary: 'Investment structure of one fund, by type',
  hasLanguages: true,
  parameters: {
    type: oneOf(structureTypes, { invalid: 'wrongtype' }),
    isin: eachFund({ missing: 'noisin', unknown: 'nodata' }),
  },
  errors: {
    wrongtype: { status: 416, slug: 'wrongtype', title: 'There is no investment structure type: {type}' },
    noisin: noIsin,
    nodata: {
      status: 404,
      slug: 'nodata',
      title: 'No investment structure data found for this fund and type: {isin}, {type}',
    },
  },
  reads: ['structureItems'],
  body: record({
    fund: basicFund,
    structure: record({
      type: text('Name of the structure type'),
      data: list(
        record({
          name: text('Name of the item'),
          percent: number('Percent of the fund, of `correlation` the coefficient; can be negative'),
        }),
      ),
    }),
  }),
  build({ fund, structureItems }, { type, language }) {
    const items = structureItems.filter((item) => item.type === type)
    if (fund.dataPermitted === 0 || items.length === 0) return fail('nodata')
    return {
      fund: fundWithStatus(fund),
      structure: {
        type: structureTypeName(type, language),
        data: items.map(({ nameDe, nameEn, percent }) => ({
          name: inLanguage(language, nameDe, nameEn),
          percent,
        })),
      },
    }
  },
})
