/** The words of the downloads' page, in both languages. */

import { maxCharacters } from '../contract/fund-files.ts'
import { html, type Html } from '../pages/html.ts'
import type { Language } from '../routes/table.ts'

export interface PageWords {
  readonly title: (asOf: string) => string
  readonly description: (asOf: string) => string
  readonly heading: string
  readonly intro: (asOf: string) => Html
  readonly withoutDocuments: string
  readonly licence: string
  readonly tables: string
  readonly plainCaption: string
  readonly excel: string
  readonly excelNote: string
  readonly excelCaption: string
  readonly fund: string
  /** @param isin names the folder of an example */
  readonly fundNote: (isin: string) => Html
  readonly open: string
  readonly file: string
  readonly meaning: string
  readonly rows: string
  readonly size: string
  /** Between thousands, and before parts of one. */
  readonly thousands: string
  readonly decimal: string
}

export const pageWords: Readonly<Record<Language, PageWords>> = {
  en: {
    title: (asOf) => `Downloads as of ${asOf}`,
    description: (asOf) =>
      `Fund data as of ${asOf} as CSV, Parquet, SQLite and JSON, free of scripts and sign-ups.`,
    heading: 'Downloads',
    intro: (asOf) =>
      html`All data as of <time datetime="${asOf}">${asOf}</time>. The address with
        <code>latest</code> instead of the day always has the newest night. Described for programs in
        <a href="datapackage.json">datapackage.json</a>; <a href="SHA256SUMS">SHA256SUMS</a> checks all files
        with <code>sha256sum -c</code>.`,
    withoutDocuments: 'The documents of this night are not here as one file.',
    licence: 'Licence',
    tables: 'Tables',
    plainCaption: 'Files for programs: CSV (UTF-8, commas, decimal points), Parquet, SQLite, ZIP',
    excel: 'For Excel in German',
    excelNote:
      'With semicolons, decimal commas and a byte order mark, to open with a double click. An apostrophe keeps texts such ' +
      'as 12-31 from becoming something else. In any other language, get the files above with Power Query.',
    excelCaption: 'Files for a German Excel',
    fund: 'One fund',
    fundNote: (isin) =>
      html`Small files in a folder with the ISIN of each fund, with decimal points, for spreadsheets and
        portfolio programs: its newest prices as <a href="${isin}/prices.csv">prices.csv</a> and
        <a href="${isin}/prices.json">prices.json</a>, as many as ${grouped(maxCharacters, ',')} characters
        hold, and the newest NAV alone as <a href="${isin}/nav.txt">nav.txt</a>. The full history is in
        <a href="prices.csv">prices.csv</a>.`,
    open: 'How to open them',
    file: 'File',
    meaning: 'What it is',
    rows: 'Rows',
    size: 'Size',
    thousands: ',',
    decimal: '.',
  },
  de: {
    title: (asOf) => `Downloads, Stand ${asOf}`,
    description: (asOf) =>
      `Fondsdaten, Stand ${asOf}, als CSV, Parquet, SQLite und JSON, ohne Skripte und Anmeldung.`,
    heading: 'Downloads',
    intro: (asOf) =>
      html`Alle Daten, Stand <time datetime="${asOf}">${asOf}</time>. Unter der Adresse mit
        <code>latest</code> statt des Tages liegt immer der neueste Stand. Für Programme beschreibt
        <a href="datapackage.json">datapackage.json</a> die Dateien; mit
        <a href="SHA256SUMS">SHA256SUMS</a> prüft <code>sha256sum -c</code> sie alle.`,
    withoutDocuments: 'Die Dokumente dieses Stands gibt es hier nicht als eine Datei.',
    licence: 'Lizenz',
    tables: 'Tabellen',
    plainCaption: 'Dateien für Programme: CSV (UTF-8, Kommas, Dezimalpunkte), Parquet, SQLite, ZIP',
    excel: 'Für ein deutsches Excel',
    excelNote:
      'Mit Semikolons, Dezimalkommas und Byte Order Mark, zum Öffnen mit einem Doppelklick. Ein Apostroph bewahrt Texte ' +
      'wie 12-31 davor, etwas anderes zu werden. In jeder anderen Sprache holt Power Query die Dateien oben.',
    excelCaption: 'Dateien für ein deutsches Excel',
    fund: 'Ein Fonds',
    fundNote: (isin) =>
      html`Kleine Dateien in einem Ordner mit der ISIN jedes Fonds, mit Dezimalpunkten, für Tabellen und
        Depotprogramme: die neuesten Preise als <a href="${isin}/prices.csv">prices.csv</a> und
        <a href="${isin}/prices.json">prices.json</a>, so viele, wie ${grouped(maxCharacters, '.')} Zeichen
        fassen, und der neueste Anteilwert allein als <a href="${isin}/nav.txt">nav.txt</a>. Alle Preise
        stehen in <a href="prices.csv">prices.csv</a>.`,
    open: 'So öffnet man sie',
    file: 'Datei',
    meaning: 'Inhalt',
    rows: 'Zeilen',
    size: 'Größe',
    thousands: '.',
    decimal: ',',
  },
}

/** By what the files say of themselves in English. */
const german: Readonly<Record<string, string>> = {
  'Every fund that data may be given out of': 'Alle Fonds, deren Daten herausgegeben werden dürfen',
  'All prices of all funds, by fund and day': 'Alle Preise aller Fonds, nach Fonds und Tag',
  'Performance by calendar year; of funds that are a year old':
    'Wertentwicklung nach Kalenderjahren; von Fonds, die ein Jahr alt sind',
  'Performance by the periods that the law asks for; of funds that are a year old':
    'Wertentwicklung in den gesetzlichen Zeiträumen; von Fonds, die ein Jahr alt sind',
  'Cumulative performance in percent, the line beside the legal periods; of funds that are a year old':
    'Kumulierte Wertentwicklung in Prozent, die Linie zu den gesetzlichen Zeiträumen; von Fonds, die ein Jahr alt sind',
  'Performance since launch, an index that starts at 100; of funds that are a year old':
    'Wertentwicklung seit Auflage, ein Index ab 100; von Fonds, die ein Jahr alt sind',
  'Investment structures: the parts of a fund by country, branch and so on':
    'Anlagestrukturen: die Anteile eines Fonds nach Land, Branche und so weiter',
  'Asset allocations over time': 'Vermögensaufteilung im Zeitverlauf',
  'Key figures, as texts that are ready to be shown': 'Kennzahlen, als fertige Texte zum Anzeigen',
  'Profile of each fund: category, volume, costs, ways to invest':
    'Profil jedes Fonds: Kategorie, Volumen, Kosten, Anlagewege',
  'Data of the European MiFID Template (EMT), by the names of the API':
    'Daten des European MiFID Template (EMT), mit den Namen der API',
  '15 of the 114 fields of the European MiFID Template (FinDatEx EMT V4.3), by its names: those that the API has. 00001 is the version that the names are of; it is no complete EMT to be delivered':
    '15 der 114 Felder des European MiFID Template (FinDatEx EMT V4.3), mit dessen Namen: die der API. 00001 ist die Fassung, aus der die Namen sind; ein vollständiges EMT zum Ausliefern ist es nicht',
  'The JSON answers of the API, as a tree of files': 'Die JSON-Antworten der API, als Baum von Dateien',
  'All tables in one SQLite file; amounts are numbers there (CSV and Parquet have every digit)':
    'Alle Tabellen in einer SQLite-Datei; Beträge sind dort Zahlen (CSV und Parquet haben jede Ziffer)',
}

/** `1,211,166` */
export const grouped = (count: number, thousands: string) =>
  // eslint-disable-next-line regexp/no-super-linear-move -- A number has a few digits.
  String(count).replace(/\B(?=(\d{3})+$)/g, thousands)

/** @param described as `describeFile` gives it @throws {Error} if nobody has translated it */
export function describedIn(language: Language, described: string): string {
  if (language === 'en') return described
  const text = german[described]
  if (text === undefined) throw new Error(`there is no German text for: ${described}`)
  return text
}
