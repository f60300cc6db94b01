import { endpoint, fail } from '../contract/endpoint.ts'
import { noIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus, inLanguage } from '../contract/fund.ts'
import { list, number, record, text } from '../contract/shape.ts'
import { structureTypeName, structureTypes } from '../contract/structure-types.ts'

export default endpoint({
  id: 'investment_structure',
  group: {
    id: 'investment_structure',
    title: { en: 'Investment structure', de: 'Anlagestruktur' },
    lead: {
      en: 'What a fund is invested in, as 33 types of breakdown: by country, currency or industry, top holdings and more.',
      de: 'Worin ein Fonds investiert ist, in 33 Arten von Aufstellungen: nach Ländern, Währungen oder Branchen, größte Positionen und weitere.',
    },
  },
  path: '/api/v1/investment_structure-{type}/{isin}/',
  name: { en: 'Investment structure', de: 'Anlagestruktur' },
  summary: { en: 'Investment structure of one fund, by type', de: 'Anlagestruktur eines Fonds, nach Art' },
  hasLanguages: true,
  parameters: {
    type: { kind: 'choice', choices: structureTypes, invalid: 'wrongtype', nameOf: structureTypeName },
    isin: { kind: 'isin', missing: 'noisin', unknown: 'nodata' },
  },
  errors: {
    wrongtype: {
      status: 416,
      slug: 'wrongtype',
      title: 'There is no investment structure type: {type}',
      when: {
        en: 'The type in the path is not one of the listed types.',
        de: 'Die Art im Pfad ist keine der aufgeführten Arten.',
      },
    },
    noisin: noIsin,
    nodata: {
      status: 404,
      slug: 'nodata',
      title: 'No investment structure data found for this fund and type: {isin}, {type}',
      when: {
        en: 'The fund has no data of this type, its data may not be published, or the ISIN is unknown.',
        de: 'Der Fonds hat keine Daten dieser Art, seine Daten sind nicht freigegeben, oder die ISIN ist unbekannt.',
      },
    },
  },
  reads: ['structureItems'],
  body: record({
    fund: basicFund,
    structure: record({
      type: text('Name of the structure type', 'Name der Art der Anlagestruktur'),
      data: list(
        record({
          name: text('Name of the item', 'Name der Position'),
          percent: number(
            'Share in the fund in percent; for `correlation`, the correlation coefficient. Can be negative',
            'Anteil am Fonds in Prozent; bei `correlation` der Korrelationskoeffizient. Kann negativ sein',
          ),
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
