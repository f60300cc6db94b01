/** What the objects, arrays and maps of documents hold, by the name of their field: a shape describes single values only. */

import type { Texts } from '../../core/api/contract/shape.ts'

/** @param parent name of the field around it; '' for a field of the document @returns null for a name that is not listed */
export const memberText = (parent: string, name: string): Texts | null =>
  members[`${parent}.${name}`] ?? members[name] ?? null

/** A name that means something else within another field has an entry with that field. */
const members: Readonly<Record<string, Texts>> = {
  fund: { en: 'The fund of the response', de: 'Der Fonds der Antwort' },
  prices: { en: 'The prices of the fund', de: 'Die Preise des Fonds' },
  performance: { en: 'The performance of the fund', de: 'Die Wertentwicklung des Fonds' },
  'prices.performance': {
    en: 'Performance since the end of the previous year',
    de: 'Wertentwicklung seit dem Ende des Vorjahres',
  },
  structure: { en: 'The structure of the requested type', de: 'Die Aufstellung der angefragten Art' },
  data: { en: 'The items of the structure, the largest first', de: 'Die Positionen, die größte zuerst' },
  figures: {
    en: 'The key figures, in the order of the publisher',
    de: 'Die Kennzahlen in der Reihenfolge des Herausgebers',
  },
  line: { en: 'The points of the line, the oldest first', de: 'Die Punkte der Linie, der älteste zuerst' },
  savings_plan: { en: 'Savings plan', de: 'Sparplan' },
  one_time_investment: { en: 'Lump-sum investment', de: 'Einmalanlage' },
  capital_forming_payments: {
    en: 'Capital-forming payments (a German savings scheme)',
    de: 'Vermögenswirksame Leistungen',
  },
  emt_data: { en: 'The fields of the European MiFID Template', de: 'Die Felder des European MiFID Template' },
  funds: { en: 'The funds', de: 'Die Fonds' },
  category: { en: 'Category in both languages', de: 'Kategorie in beiden Sprachen' },
  price: { en: 'The newest price', de: 'Der neueste Preis' },
  page: { en: 'The page of the fund in each language', de: 'Die Seite des Fonds in jeder Sprache' },
  distributions: { en: 'The distributions, the oldest first', de: 'Die Ausschüttungen, die älteste zuerst' },
  splits: { en: 'The splits, the oldest first', de: 'Die Anteilsplits, der älteste zuerst' },
  documents: { en: 'The documents', de: 'Die Dokumente' },
  countries: { en: 'The countries that it is for', de: 'Die Länder, für die es gilt' },
  freshness: { en: 'How many funds have which mark', de: 'Wie viele Fonds welche Kennzeichnung haben' },
  overdue: { en: 'The funds whose price is overdue', de: 'Die Fonds mit überfälligem Preis' },
  held_back: {
    en: 'The funds whose new prices are being checked',
    de: 'Die Fonds, deren neue Preise geprüft werden',
  },
  awaited: {
    en: 'The first ten funds whose price is late, stale or being checked',
    de: 'Die ersten zehn Fonds, deren Preis verspätet oder veraltet ist oder geprüft wird',
  },
  staged: { en: 'The data that await their release', de: 'Die Daten, die auf ihre Freigabe warten' },
  nights: {
    en: 'The days with publications, the newest first',
    de: 'Die Tage mit Veröffentlichungen, der neueste zuerst',
  },
  before: { en: 'What was published before', de: 'Was zuvor veröffentlicht war' },
  after: { en: 'What has been published since', de: 'Was seitdem veröffentlicht ist' },
  successor: {
    en: 'The fund that it was merged into; null if it was not',
    de: 'Der Fonds, auf den er verschmolzen wurde; sonst null',
  },
  newest_correction: {
    en: 'The corrected value of the newest day; null without one',
    de: 'Der korrigierte Wert des neuesten Tages; null ohne einen',
  },
  lines: { en: 'What has changed, a sentence each', de: 'Was sich geändert hat, je ein Satz' },
  remarks: {
    en: 'Those of the lines that say what was checked and released, or what is not known',
    de: 'Die Sätze darunter, die nennen, was geprüft und freigegeben wurde oder nicht bekannt ist',
  },
  de: { en: 'The same in German', de: 'Dasselbe auf Deutsch' },
  earlier: { en: 'Earlier publications of the same day', de: 'Frühere Veröffentlichungen desselben Tages' },
  added: { en: 'What has been added', de: 'Was hinzugekommen ist' },
  removed: { en: 'What has been removed', de: 'Was entfallen ist' },
  renamed: { en: 'The funds with a new name', de: 'Die Fonds mit neuem Namen' },
  ending: {
    en: 'The funds whose end has become known, is another one, or is no longer known',
    de: 'Die Fonds, deren Ende bekannt geworden ist, ein anderes ist oder nicht mehr bekannt ist',
  },
  suspended: {
    en: 'The funds whose suspension has become known, is another one, or is no longer known',
    de: 'Die Fonds, deren Aussetzung bekannt geworden ist, eine andere ist oder nicht mehr bekannt ist',
  },
  suspension: {
    en: 'From when and until when the fund is suspended',
    de: 'Von wann bis wann der Fonds ausgesetzt ist',
  },
  end: { en: 'How and when the fund ends', de: 'Wie und wann der Fonds endet' },
  endpoints: { en: 'The documents by endpoint', de: 'Die Dokumente je Endpunkt' },
  counts: { en: 'How many values', de: 'Wie viele Werte' },
  totals: { en: 'How many prices and funds', de: 'Wie viele Preise und Fonds' },
  corrected: { en: 'The values that were corrected', de: 'Die korrigierten Werte' },
  other_data: { en: 'What else has changed than prices', de: 'Was sich außer Preisen geändert hat' },
  changed: { en: 'The changes, a row each', de: 'Die Änderungen, je eine Zeile' },
  not_compared: {
    en: 'The files whose changes are not known',
    de: 'Die Dateien, deren Änderungen nicht bekannt sind',
  },
  allowed: {
    en: 'Unusual values that were checked and approved',
    de: 'Ungewöhnliche Werte, die geprüft und freigegeben sind',
  },
  days: { en: 'The days, the newest first', de: 'Die Tage, der neueste zuerst' },
  withdrawn: {
    en: 'The days whose files were withdrawn',
    de: 'Die Tage, deren Dateien zurückgezogen wurden',
  },
  years: { en: 'A value for each year', de: 'Ein Wert für jedes Jahr' },
  periods: { en: 'The periods', de: 'Die Zeiträume' },
}
