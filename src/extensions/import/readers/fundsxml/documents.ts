/** Documents: those that are public and have an address. */

import type { RowSink } from '../reader.ts'
import type { Spill } from './spill.ts'
import { day, flag, leaves, linesOf, present, type Texts } from './texts.ts'
import { unless } from './unless.ts'
import type { Element, Found } from './xml.ts'

/** By the listed types of FundsXML. */
const kinds: Readonly<Record<string, string>> = {
  'PRIIPS-KID': 'kid',
  'KID / Simplified Prospectus': 'kid',
  Prospectus: 'prospectus',
  AnnualReport: 'annual_report',
  HalfYearReport: 'half_year_report',
  Factsheet: 'factsheet',
}

function whyNot({ texts }: Found): string | undefined {
  const type = typeOf(texts)
  if (kinds[type] === undefined) return `a document of type ${type}: the schema has no such kind`
  if (flag(texts['ForPublicUsage']) !== 1) return 'a document that is not said to be public (ForPublicUsage)'
  return texts['DocumentURL'] === undefined
    ? 'a document without an address (DocumentURL): files cannot be held'
    : undefined
}

const typeOf = ({ ListedType, UnlistedType }: Texts) => ListedType ?? UnlistedType ?? 'none'

/** The element Documents. Funds stand before it, and documents may name them by an LEI. */
export function documentsElement(sink: RowSink, spill: Spill): Element {
  const document = ({ texts, place }: Found): void => {
    const isins = isinsOf(texts, spill)
    if (isins.length === 0)
      sink.leftOut('a document that names no share class by ISIN, and no fund of the file', place)
    const type = typeOf(texts)
    const values = {
      kind: kinds[type],
      // `de-AT` is German, too.
      language: texts['Language']?.replace(/-.*/, ''),
      date: day(texts['ModificationDate'] ?? texts['CreationDate']) ?? null,
      title: texts['Name'] ?? texts['FileName'] ?? type,
      url: texts['DocumentURL'],
    }
    const countries = [...new Set(linesOf(texts['PublicationCountry']))]
    for (const isin of isins)
      for (const country of countries.length === 0 ? [undefined] : countries)
        sink.row('document', { isin, ...present({ ...values, country }) }, place)
  }
  return {
    below: {
      Document: {
        below: {
          Type: { below: leaves('ListedType UnlistedType') },
          ...leaves('Language Name FileName ForPublicUsage CreationDate ModificationDate DocumentURL'),
          PublicationCountries: { below: { Country: { text: 'PublicationCountry' } } },
          Fund: { below: { Identifiers: { below: { LEI: { text: 'Fund' }, ISIN: { text: 'Fund' } } } } },
          Subfunds: {
            below: {
              Subfund: {
                below: { Identifiers: { below: { LEI: { text: 'Subfund' }, ISIN: { text: 'Subfund' } } } },
              },
            },
          },
          ShareClasses: { below: { ShareClass: { below: { Identifiers: { below: leaves('ISIN') } } } } },
        },
        ends: unless(sink, whyNot, document),
      },
    },
  }
}

/** The narrowest that a document names: classes, else subfunds, else the fund. */
function isinsOf(texts: Texts, spill: Spill): readonly string[] {
  const classes = linesOf(texts['ISIN'])
  if (classes.length > 0) return [...new Set(classes)]
  const funds = linesOf(texts['Subfund'] ?? texts['Fund'])
  return [...new Set(funds.flatMap((fund) => spill.classesOf(fund)))]
}
