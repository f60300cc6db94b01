import { bilingual } from '../../../core/layout/bilingual.ts'
import { unbroken } from '../../../core/layout/formats.ts'

export const startWords = bilingual((say) => ({
  /** @param company null if the text before is its own */
  lead: (count: string, asOf: string, company: string | null) =>
    say(
      `${company === null ? 'Prices' : `${company} publishes prices`}, performance, structure and costs of ${unbroken(count === '1' ? 'one fund' : `${count} funds`)}, on web pages and as data for spreadsheets and programs. ${unbroken(`As of ${asOf}`)}.`,
      `${company === null ? 'Preise' : `${company} veröffentlicht Preise`}, Wertentwicklung, Struktur und Kosten von ${unbroken(`${count === '1' ? 'einem' : count} Fonds`)}, auf Webseiten und als Daten für Tabellenkalkulationen und Programme. ${unbroken(`Stichtag ${asOf}`)}.`,
    ),
  /** For search engines. */
  description: (name: string) =>
    say(
      `${name}: prices, performance, structure, key figures and costs of investment funds, on web pages and as data from an API.`,
      `${name}: Preise, Wertentwicklung, Struktur, Kennzahlen und Kosten von Investmentfonds, auf Webseiten und als Daten über eine API.`,
    ),
  find: say('Find a fund', 'Fonds finden'),
  allFunds: (count: string) => say(`All funds (${count})`, `Alle Fonds (${count})`),
  movers: (day: string) => say(`Largest price changes on ${day}`, `Größte Preisänderungen am ${day}`),
  gains: say('Gains', 'Gewinne'),
  losses: say('Losses', 'Verluste'),
  gainsAndLosses: say('Gains and losses', 'Gewinne und Verluste'),
  withoutYoung: say(
    'Without funds that were launched less than one year ago.',
    'Ohne Fonds, deren Auflegung weniger als ein Jahr zurückliegt.',
  ),
  newest: say('Newest prices', 'Neueste Preise'),
  lines: say(
    '1 year: the net asset value with distributions reinvested, without costs (BVI method); each line has a scale of its own.',
    '1 Jahr: der Nettoinventarwert mit Wiederanlage der Ausschüttungen, ohne Kosten (BVI-Methode); jede Linie hat ihren eigenen Maßstab.',
  ),
  categories: say('Funds by category', 'Fonds nach Kategorie'),
  allCategories: (count: string) => say(`All ${count} categories`, `Alle ${count} Kategorien`),
  overview: say('Data and documentation', 'Daten und Dokumentation'),
  about: {
    docs: say(
      'How programs query the data: addresses, fields, errors and examples.',
      'So rufen Programme die Daten ab: Adressen, Felder, Fehler und Beispiele.',
    ),
    explorer: say('Try the API in the browser.', 'Die API im Browser ausprobieren.'),
    downloads: say(
      'The data of all funds as files, for spreadsheets and data analysis.',
      'Die Daten aller Fonds als Dateien, für Tabellenkalkulationen und Datenanalysen.',
    ),
    status: say('How up to date the prices are.', 'Wie aktuell die Preise sind.'),
  },
  aboutChanges: say(
    'Corrected prices, new funds and other changes, day by day.',
    'Korrigierte Preise, neue Fonds und andere Änderungen, nach Tagen.',
  ),
  /** For the script. Of a fund whose page is gone. */
  gone: {
    since: say(
      'This fund ({isin}) has not been published since {day}.',
      'Dieser Fonds ({isin}) wird seit dem {day} nicht mehr veröffentlicht.',
    ),
    changes: say('Changes on {day}', 'Änderungen vom {day}'),
  },
  missing: say('Page not found', 'Seite nicht gefunden'),
  aboutMissing: say(
    'There is no page at this address. It may have been moved or removed, or there may be a typing error in the address.',
    'Unter dieser Adresse gibt es keine Seite. Vielleicht wurde sie verschoben oder entfernt, oder die Adresse enthält einen Tippfehler.',
  ),
}))
