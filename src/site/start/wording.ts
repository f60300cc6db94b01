/** The words of the start page, and of the page that is shown in place of missing ones, in both languages, side by side. */

const wordsBy = (say: (english: string, german: string) => string) => ({
  lead: (count: string, asOf: string) =>
    say(
      `Prices, performance, structure and costs of ${count === '1' ? 'one fund' : `${count} funds`}, as of ${asOf}: as pages to read, through an API and as files to download.`,
      `Preise, Wertentwicklung, Struktur und Kosten von ${count === '1' ? 'einem' : count} Fonds, Stichtag ${asOf}: als Seiten zum Lesen, über eine API und als Dateien zum Herunterladen.`,
    ),
  /** For search engines. */
  description: (name: string) =>
    say(
      `${name}: prices, performance, structure, key figures and costs of investment funds as pages, through an API and as downloads.`,
      `${name}: Preise, Wertentwicklung, Struktur, Kennzahlen und Kosten von Investmentfonds als Seiten, über eine API und als Downloads.`,
    ),
  find: say('Find a fund', 'Fonds finden'),
  allFunds: (count: string) => say(`All funds (${count})`, `Alle Fonds (${count})`),
  listOfFunds: say('List of all funds', 'Liste aller Fonds'),
  prices: (day: string) => say(`Newest prices: ${day}`, `Neueste Preise: ${day}`),
  overview: say('Overview', 'Überblick'),
  about: {
    funds: say(
      'Prices, charts, performance, structure, key figures and costs of each fund.',
      'Preise, Diagramme, Wertentwicklung, Struktur, Kennzahlen und Kosten jedes Fonds.',
    ),
    compare: say('Up to five funds in one chart.', 'Bis zu fünf Fonds in einem Diagramm.'),
    docs: say(
      'How programs query the data: addresses, fields, errors and examples.',
      'So rufen Programme die Daten ab: Adressen, Felder, Fehler und Beispiele.',
    ),
    explorer: say('Try the API in the browser.', 'Die API im Browser ausprobieren.'),
    downloads: say(
      'The data of all funds as files, for spreadsheets and analyses.',
      'Die Daten aller Fonds als Dateien, für Tabellenkalkulation und Analyse.',
    ),
    status: say('How current the prices are.', 'Wie aktuell die Preise sind.'),
  },
  aboutChanges: say('What has changed from day to day.', 'Was sich von Tag zu Tag geändert hat.'),
  missing: say('Page not found', 'Seite nicht gefunden'),
  aboutMissing: say(
    'There is no page at this address. It may have been moved or withdrawn, or the address may contain a typing error.',
    'Unter dieser Adresse gibt es keine Seite. Vielleicht wurde sie verschoben oder entfernt, oder die Adresse enthält einen Tippfehler.',
  ),
})

export const startWords = { en: wordsBy((english) => english), de: wordsBy((_, german) => german) }
