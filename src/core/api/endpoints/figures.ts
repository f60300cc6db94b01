import { endpoint, fail } from '../contract/endpoint.ts'
import { dataDenied, noIsin, unknownIsin } from '../contract/errors.ts'
import { basicFund, fundWithStatus, inLanguage } from '../contract/fund.ts'
import { list, nullable, optional, record, text } from '../contract/shape.ts'

export default endpoint({
  id: 'figures',
  group: {
    id: 'figures',
    title: { en: 'Key figures', de: 'Kennzahlen' },
    lead: {
      en: 'Volatility, ratios, maturities and other figures, each as a name and a value for display.',
      de: 'Volatilität, Quoten, Laufzeiten und weitere Kennzahlen, jeweils als Name und Wert zur Anzeige.',
    },
  },
  path: '/api/v1/figures/{isin}/',
  name: { en: 'Key figures', de: 'Kennzahlen' },
  summary: { en: 'Key figures of one fund', de: 'Kennzahlen eines Fonds' },
  hasLanguages: true,
  parameters: { isin: { kind: 'isin', missing: 'noisin', unknown: 'notfound' } },
  errors: { noisin: noIsin, notfound: unknownIsin, denied: dataDenied },
  reads: ['keyFigures'],
  body: record({
    fund: basicFund,
    figures: list(
      record({
        name: text('Name of the key figure', 'Name der Kennzahl'),
        value: text(
          'Value as text; may contain a percent sign and a decimal comma',
          'Wert als Text; kann ein Prozentzeichen und ein Dezimalkomma enthalten',
        ),
        value2: optional(nullable(text('Second value', 'Zweiter Wert'))),
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
