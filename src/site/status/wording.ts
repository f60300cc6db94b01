/** The words of the status page in both languages, side by side. Other pages, and the terminal, share the names of marks. */

const wordsBy = (say: (english: string, german: string) => string) => ({
  description: (day: string) =>
    say(
      `How recent the fund data are: the newest price of each fund as of ${day}.`,
      `Aktualität der Fondsdaten: der neueste Preis jedes Fonds, Stichtag ${day}.`,
    ),
  verdicts: {
    fresh: say('All prices are up to date', 'Alle Preise sind aktuell'),
    late: say('Some prices are late', 'Einige Preise sind verspätet'),
    stale: say('Some prices are stale', 'Einige Preise sind veraltet'),
    unwatched: say('No prices are monitored', 'Es werden keine Preise überwacht'),
  },
  snapshot: say('Snapshot', 'Datenstand'),
  asOf: say('As of', 'Stichtag'),
  live: say('Live since', 'Online seit'),
  staged: say('Staged, not live yet', 'Vorbereitet, noch nicht online'),
  newest: say('Newest price', 'Neuester Preis'),
  oldest: say('Oldest price', 'Ältester Preis'),
  funds: say('Funds', 'Fonds'),
  documents: say('Documents', 'Dokumente'),
  prices: say('Prices', 'Preise'),
  marks: {
    fresh: say('fresh', 'aktuell'),
    late: say('late', 'verspätet'),
    stale: say('stale', 'veraltet'),
    unwatched: say('not watched', 'nicht überwacht'),
    unpriced: say('without a price', 'ohne Preis'),
    withheld: say('not given out', 'nicht veröffentlicht'),
  },
  withheld: say('Prices that are held back', 'Zurückgehaltene Preise'),
  withheldNote: say(
    'The new prices of these funds are being checked. Until then their prices stay as they were.',
    'Die neuen Preise dieser Fonds werden geprüft. Bis dahin bleiben ihre Preise unverändert.',
  ),
  overdue: say('Overdue prices', 'Überfällige Preise'),
  others: say('All other funds', 'Alle übrigen Fonds'),
  none: say('None.', 'Keine.'),
  more: (count: string) =>
    say(`${count} more funds are in the JSON document.`, `Das JSON-Dokument enthält ${count} weitere Fonds.`),
  columns: {
    fund: say('Fund', 'Fonds'),
    mark: say('Status', 'Status'),
    price: say('Price of', 'Preis vom'),
    age: say('Age', 'Alter'),
    rhythm: say('Rhythm', 'Turnus'),
    next: say('Next price', 'Nächster Preis'),
  },
  businessDays: (count: string) =>
    say(
      `${count} business day${count === '1' ? '' : 's'}`,
      `${count} Bankarbeitstag${count === '1' ? '' : 'e'}`,
    ),
  note: say(
    'The age counts from the day of the newest price. The rhythm is the usual gap between two prices.',
    'Das Alter zählt ab dem Tag des neuesten Preises. Der Turnus ist der übliche Abstand zwischen zwei Preisen.',
  ),
  asData: say('This page as JSON', 'Diese Seite als JSON'),
})

export const statusWords = { en: wordsBy((english) => english), de: wordsBy((_, german) => german) }
