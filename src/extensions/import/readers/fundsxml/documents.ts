/** Documents: those that are public and have an address. */

import type { RowSink } from '../reader.ts'
import type { FoundDocument, Spill } from './spill.ts'
import { day, flag, leaves, linesOf, type Texts } from './texts.ts'
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
  if (texts['DocumentURL'] === undefined)
    return 'a document without an address (DocumentURL): files cannot be held'
  return dayOf(texts) === undefined ? 'a document without a day (ModificationDate, CreationDate)' : undefined
}

const typeOf = ({ ListedType, UnlistedType }: Texts) => ListedType ?? UnlistedType ?? 'none'

const dayOf = ({ ModificationDate, CreationDate }: Texts) => day(ModificationDate ?? CreationDate)

/** The element Documents. Funds stand before it, and documents may name them by an LEI. */
export function documentsElement(sink: RowSink, spill: Spill): Element {
  const document = ({ texts, place }: Found): void => {
    const isins = isinsOf(texts, spill)
    if (isins.length === 0)
      sink.leftOut('a document that names no share class by ISIN, and no fund of the file', place)
    const type = typeOf(texts)
    const values = {
      kind: kinds[type] ?? '',
      // `de-AT` is German, too.
      language: texts['Language']?.replace(/-.*/, '') ?? '',
      date: dayOf(texts) ?? '',
      title: texts['Name'] ?? texts['FileName'] ?? type,
      url: texts['DocumentURL'] ?? '',
      place,
    }
    const countries = [...new Set(linesOf(texts['PublicationCountry']))]
    for (const isin of isins)
      for (const country of countries.length === 0 ? [''] : countries)
        spill.addDocument({ isin, country, ...values })
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

/** Gives the rows of all documents, once all of them are known. */
export function emitDocuments(spill: Spill, sink: RowSink): void {
  let same: FoundDocument[] = []
  for (const document of spill.documents()) {
    const [first] = same
    if (first !== undefined && keyOf(first) !== keyOf(document)) {
      emitSame(same, sink)
      same = []
    }
    same.push(document)
  }
  emitSame(same, sink)
}

const keyOf = ({ isin, kind, language, date, country }: FoundDocument) =>
  JSON.stringify([isin, kind, language, date, country])

/** Names of what a company adds to a document. */
const isSupplement = ({ title }: FoundDocument) => /supplement|addendum|nachtrag|ergänzung/i.test(title)

/** Documents of one kind and day, of which the database has one: the one that is no supplement to another. */
function emitSame(all: readonly FoundDocument[], sink: RowSink): void {
  const wholes = all.filter((one) => !isSupplement(one))
  const addresses = new Set(wholes.map(({ url }) => url))
  const [taken] = all.length === 1 ? all : wholes
  if (taken === undefined || (all.length > 1 && addresses.size > 1)) {
    for (const { place } of all)
      sink.leftOut(
        'one of several documents of a kind, language and day: which one counts is not said',
        place,
      )
    return
  }
  for (const one of all) {
    if (one.url !== taken.url)
      sink.leftOut('a supplement beside its document, of the same kind and day', one.place)
  }
  const { isin, kind, language, date, country, title, url, place } = taken
  const values = { isin, kind, language, date, title, url }
  sink.row('document', country === '' ? values : { ...values, country }, place)
}

/** The narrowest that a document names: classes, else subfunds, else the fund. */
function isinsOf(texts: Texts, spill: Spill): readonly string[] {
  const classes = linesOf(texts['ISIN'])
  if (classes.length > 0) return [...new Set(classes)]
  const funds = linesOf(texts['Subfund'] ?? texts['Fund'])
  return [...new Set(funds.flatMap((fund) => spill.classesOf(fund)))]
}
