/** The words of the status page in both languages. */

import type { Language } from '../routes/table.ts'
import type { Mark } from './assess.ts'

const en = {
  title: 'Status',
  description: (day: string) => `How new the fund data are: the newest price of each fund, as of ${day}.`,
  verdicts: {
    fresh: 'All prices are fresh',
    late: 'Prices are late',
    stale: 'Prices are stale',
    unwatched: 'No prices are watched',
  },
  snapshot: 'Snapshot',
  asOf: 'As of',
  live: 'Live since',
  newest: 'Newest price',
  oldest: 'Oldest price',
  funds: 'Funds',
  documents: 'Documents',
  prices: 'Prices',
  marks: {
    fresh: 'fresh',
    late: 'late',
    stale: 'stale',
    unwatched: 'not watched',
    unpriced: 'without a price',
    withheld: 'not given out',
  } satisfies Readonly<Record<Mark, string>>,
  overdue: 'Overdue prices',
  others: 'All other funds',
  none: 'None.',
  more: (count: string) => `${count} more are in the JSON.`,
  columns: {
    fund: 'Fund',
    mark: 'Status',
    price: 'Price of',
    age: 'Age',
    rhythm: 'Rhythm',
    next: 'Next price',
  },
  note: 'Age and usual rhythm in business days.',
  asData: 'This page as JSON',
}

const de: typeof en = {
  title: 'Status',
  description: (day) => `Wie neu die Fondsdaten sind: der neueste Preis jedes Fonds, Stichtag ${day}.`,
  verdicts: {
    fresh: 'Alle Preise sind aktuell',
    late: 'Preise sind verspätet',
    stale: 'Preise sind veraltet',
    unwatched: 'Keine Preise werden überwacht',
  },
  snapshot: 'Stand',
  asOf: 'Stichtag',
  live: 'Online seit',
  newest: 'Neuester Preis',
  oldest: 'Ältester Preis',
  funds: 'Fonds',
  documents: 'Dokumente',
  prices: 'Preise',
  marks: {
    fresh: 'aktuell',
    late: 'verspätet',
    stale: 'veraltet',
    unwatched: 'nicht überwacht',
    unpriced: 'ohne Preis',
    withheld: 'nicht freigegeben',
  },
  overdue: 'Überfällige Preise',
  others: 'Alle anderen Fonds',
  none: 'Keine.',
  more: (count) => `${count} weitere stehen im JSON.`,
  columns: {
    fund: 'Fonds',
    mark: 'Status',
    price: 'Preis vom',
    age: 'Alter',
    rhythm: 'Rhythmus',
    next: 'Nächster Preis',
  },
  note: 'Alter und üblicher Rhythmus in Bankarbeitstagen.',
  asData: 'Diese Seite als JSON',
}

export type StatusWords = typeof en

export const statusWords: Readonly<Record<Language, StatusWords>> = { de, en }
