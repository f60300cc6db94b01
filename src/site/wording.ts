/** The words of all pages in both languages, side by side. Texts of endpoints stand in the endpoints' own files. */

import type { Language } from '../api/routes/table.ts'

type Both = readonly [english: string, german: string]
type Entry = Both | ((...values: never[]) => Both) | { readonly [name: string]: Entry }

const table = {
  /** The shell of every page. */
  shell: {
    brand: ['Fund data', 'Fondsdaten'],
    skip: ['Skip to content', 'Zum Inhalt springen'],
    navigation: ['Site navigation', 'Hauptnavigation'],
    language: ['Language', 'Sprache'],
    made: ['Published with fundpress.', 'Veröffentlicht mit fundpress.'],
    feed: ['Recent changes (feed)', 'Letzte Änderungen (Feed)'],
    onThisPage: ['On this page', 'Auf dieser Seite'],
    parts: {
      funds: ['Funds', 'Fonds'],
      docs: ['Documentation', 'Dokumentation'],
      explorer: ['API explorer', 'API-Explorer'],
      downloads: ['Downloads', 'Downloads'],
      status: ['Status', 'Status'],
    },
  },
  /** The list of the funds, and the page of one. */
  funds: {
    funds: ['Funds', 'Fonds'],
    listLead: (count: number, asOf: string) => [
      `${count} funds with their newest prices as of ${asOf}.`,
      `${count} Fonds mit ihren neuesten Preisen, Stichtag ${asOf}.`,
    ],
    listOverdue: (count: string) => [
      `Late or stale prices: ${count}.`,
      `Verspätete oder veraltete Preise: ${count}.`,
    ],
    overdueNote: {
      late: [
        'The newest price is late: a newer price was expected by now.',
        'Der neueste Preis ist verspätet: Ein neuerer Preis war bereits zu erwarten.',
      ],
      stale: [
        'The newest price is stale: a newer price is long overdue.',
        'Der neueste Preis ist veraltet: Ein neuerer Preis ist seit Langem überfällig.',
      ],
    },
    search: ['Search by name, ISIN or WKN', 'Suche nach Name, ISIN oder WKN'],
    found: ['Funds found:', 'Gefundene Fonds:'],
    more: ['Show all', 'Alle anzeigen'],
    none: ['No fund matches.', 'Keine passenden Fonds gefunden.'],
    fund: ['Fund', 'Fonds'],
    day: ['Date', 'Datum'],
    change: ['Day change', 'Zum Vortag'],
    oneYear: ['1 year', '1 Jahr'],
    oneYearNote: [
      '1 year: for accumulating funds the change of the net asset value; for distributing funds the reported performance of the last twelve months, including distributions.',
      '1 Jahr: bei thesaurierenden Fonds die Veränderung des Nettoinventarwerts, bei ausschüttenden Fonds die gemeldete Wertentwicklung der letzten zwölf Monate einschließlich Ausschüttungen.',
    ],
    past: [
      'Past performance is not a reliable indicator of future performance.',
      'Die frühere Wertentwicklung ist kein verlässlicher Indikator für die künftige Wertentwicklung.',
    ],
    asData: ['This list as JSON', 'Diese Liste als JSON'],
    description: (name: string, isin: string) => [
      `${name} (${isin}): prices, performance, structure, key figures and costs, as a page and as data.`,
      `${name} (${isin}): Preise, Wertentwicklung, Struktur, Kennzahlen und Kosten, als Seite und als Daten.`,
    ],
    nav: ['Net asset value', 'Nettoinventarwert'],
    navShort: ['NAV', 'NAV'],
    ytd: ['Since 31 Dec', 'Seit 31.12.'],
    assets: ['Fund assets', 'Fondsvermögen'],
    inception: ['Launched', 'Auflegung'],
    website: ['Fund website', 'Website des Fonds'],
    statusDate: (day: string) => [
      `Data other than prices as of ${day}.`,
      `Stichtag der Daten außer Preisen: ${day}.`,
    ],
    price: ['Prices', 'Preise'],
    chartTitle: (currency: string) => [`Net asset value in ${currency}`, `Nettoinventarwert in ${currency}`],
    chartDescription: (first: string, then: string, last: string, now: string) => [
      `From ${then} on ${first} to ${now} on ${last}.`,
      `Von ${then} am ${first} auf ${now} am ${last}.`,
    ],
    chartNote: [
      'Net asset value per share. Distributions are not included.',
      'Nettoinventarwert je Anteil, ohne Berücksichtigung von Ausschüttungen.',
    ],
    ranges: ['Period of the chart', 'Zeitraum des Diagramms'],
    issuePrice: ['Issue price', 'Ausgabepreis'],
    repurchasePrice: ['Repurchase price', 'Rücknahmepreis'],
    noPrices: [
      'Prices of this fund are not published.',
      'Für diesen Fonds werden keine Preise veröffentlicht.',
    ],
    withoutPrices: ['No prices are available for this fund.', 'Für diesen Fonds liegen keine Preise vor.'],
    noPerformance: [
      'The performance of this fund may not be shown.',
      'Die Wertentwicklung dieses Fonds darf nicht dargestellt werden.',
    ],
    young: [
      'This fund was launched less than one year ago: its performance may not be shown yet.',
      'Die Auflegung dieses Fonds liegt weniger als ein Jahr zurück. Seine Wertentwicklung darf noch nicht dargestellt werden.',
    ],
    performance: ['Performance', 'Wertentwicklung'],
    years: ['Calendar years', 'Kalenderjahre'],
    year: ['Year', 'Jahr'],
    toDate: ['to date', 'laufend'],
    periods: ['Twelve-month periods', 'Zwölfmonatszeiträume'],
    period: ['Period', 'Zeitraum'],
    gross: ['Gross', 'Brutto'],
    net: ['Net', 'Netto'],
    netNote: ['Net: after deduction of the issue surcharge.', 'Netto: nach Abzug des Ausgabeaufschlags.'],
    line: ['Over these periods together', 'Gesamtzeitraum'],
    launch: ['Since launch', 'Seit Auflegung'],
    launchTitle: [
      'Performance since launch as an index (start: 100)',
      'Wertentwicklung seit Auflegung als Index (Startwert 100)',
    ],
    lineTitle: ['Cumulative performance in percent', 'Kumulierte Wertentwicklung in Prozent'],
    between: (first: string, last: string, low: string, high: string) => [
      `From ${first} to ${last}, between ${low} and ${high}.`,
      `Vom ${first} bis zum ${last}, zwischen ${low} und ${high}.`,
    ],
    structure: ['Investment structure', 'Anlagestruktur'],
    rest: (count: number) => [`${count} more`, `${count} weitere`],
    allocations: ['Asset allocation over time', 'Vermögensaufteilung im Zeitverlauf'],
    withoutDerivatives: ['Without derivatives', 'Ohne Derivate'],
    withDerivatives: ['With derivatives', 'Mit Derivaten'],
    newestShare: (day: string) => [`Share on ${day}`, `Anteil am ${day}`],
    assetClass: ['Asset class', 'Anlageklasse'],
    figures: ['Key figures', 'Kennzahlen'],
    profile: ['Profile and costs', 'Profil und Kosten'],
    emt: ['MiFID data (EMT)', 'MiFID-Daten (EMT)'],
    data: ['Data', 'Daten'],
    dataLead: [
      'All data on this page are available from the API, without a key.',
      'Alle Daten dieser Seite sind ohne Zugangsschlüssel über die API abrufbar.',
    ],
    requests: ['Requests', 'Beispielabfragen'],
    currentRequest: ['newest price', 'neuester Preis'],
    historicRequest: ['prices of one year, as XML', 'Preise eines Jahres als XML'],
    documents: ['Documents', 'Dokumente'],
    document: ['Document', 'Dokument'],
    downloads: [
      'For spreadsheets and other programs, with decimal points:',
      'Für Tabellenkalkulationen und andere Programme, mit Dezimalpunkt:',
    ],
    allDownloads: ['Files with all funds', 'Dateien mit allen Fonds'],
    yes: ['yes', 'ja'],
    no: ['no', 'nein'],
    category: ['Category', 'Kategorie'],
    benchmark: ['Benchmark', 'Vergleichsindex'],
    totalAssets: ['Total fund assets', 'Gesamtes Fondsvermögen'],
    fiscalYear: ['Fiscal year end', 'Geschäftsjahresende'],
    income: ['Use of income', 'Ertragsverwendung'],
    accumulating: ['accumulating', 'thesaurierend'],
    distributing: ['distributing', 'ausschüttend'],
    conformity: ['UCITS', 'OGAW-konform'],
    surcharge: ['Issue surcharge', 'Ausgabeaufschlag'],
    redemption: ['Redemption fee', 'Rücknahmeabschlag'],
    ter: ['Total expense ratio (TER)', 'Gesamtkostenquote (TER)'],
    management: ['Management fee', 'Verwaltungsvergütung'],
    custodian: ['Custodian bank fee', 'Verwahrstellenvergütung'],
    performanceFee: ['Performance fee', 'Erfolgsabhängige Vergütung'],
    savings: ['Savings plan', 'Sparplan'],
    oneTime: ['Lump-sum investment', 'Einmalanlage'],
    capitalForming: ['Capital-forming payments (VL)', 'Vermögenswirksame Leistungen (VL)'],
    from: (amount: string) => [`from ${amount}`, `ab ${amount}`],
    srri: ['Risk and reward indicator (SRRI)', 'Risiko- und Ertragsindikator (SRRI)'],
    srriOf: (risk: number) => [`${risk} of 7`, `${risk} von 7`],
    ongoing: ['Ongoing costs', 'Laufende Kosten'],
    transaction: ['Transaction costs', 'Transaktionskosten'],
    incidental: ['Incidental costs', 'Nebenkosten'],
    entry: ['Entry costs', 'Einstiegskosten'],
    governance: ['Product governance process', 'Produktüberwachung (Product Governance)'],
    esg: [
      'Suitable for clients with sustainability preferences',
      'Für Kunden mit Nachhaltigkeitspräferenzen geeignet',
    ],
    need: ['Other specific investment need', 'Sonstiger besonderer Anlagebedarf'],
    on: (day: string) => [`(${day})`, `(${day})`],
  },
  /** The status page. */
  status: {
    title: ['Status', 'Status'],
    description: (day: string) => [
      `How recent the fund data are: the newest price of each fund as of ${day}.`,
      `Aktualität der Fondsdaten: der neueste Preis jedes Fonds, Stichtag ${day}.`,
    ],
    verdicts: {
      fresh: ['All prices are up to date', 'Alle Preise sind aktuell'],
      late: ['Some prices are late', 'Einige Preise sind verspätet'],
      stale: ['Some prices are stale', 'Einige Preise sind veraltet'],
      unwatched: ['No prices are monitored', 'Es werden keine Preise überwacht'],
    },
    snapshot: ['Snapshot', 'Datenstand'],
    asOf: ['As of', 'Stichtag'],
    live: ['Live since', 'Online seit'],
    newest: ['Newest price', 'Neuester Preis'],
    oldest: ['Oldest price', 'Ältester Preis'],
    funds: ['Funds', 'Fonds'],
    documents: ['Documents', 'Dokumente'],
    prices: ['Prices', 'Preise'],
    marks: {
      fresh: ['fresh', 'aktuell'],
      late: ['late', 'verspätet'],
      stale: ['stale', 'veraltet'],
      unwatched: ['not watched', 'nicht überwacht'],
      unpriced: ['without a price', 'ohne Preis'],
      withheld: ['not given out', 'nicht veröffentlicht'],
    },
    overdue: ['Overdue prices', 'Überfällige Preise'],
    others: ['All other funds', 'Alle übrigen Fonds'],
    none: ['None.', 'Keine.'],
    more: (count: string) => [
      `${count} more funds are in the JSON document.`,
      `${count} weitere Fonds enthält das JSON-Dokument.`,
    ],
    columns: {
      fund: ['Fund', 'Fonds'],
      mark: ['Status', 'Status'],
      price: ['Price of', 'Preis vom'],
      age: ['Age', 'Alter'],
      rhythm: ['Rhythm', 'Rhythmus'],
      next: ['Next price', 'Nächster Preis'],
    },
    note: [
      'Age and rhythm in business days. The rhythm is the usual gap between two prices.',
      'Alter und Rhythmus in Bankarbeitstagen. Der Rhythmus ist der übliche Abstand zwischen zwei Preisen.',
    ],
    asData: ['This page as JSON', 'Diese Seite als JSON'],
  },
  /** The documentation. */
  docs: {
    contents: ['Contents', 'Inhalt'],
    guide: ['Guide', 'Leitfaden'],
    endpoints: ['Endpoints', 'Endpunkte'],
    reference: ['Reference', 'Referenz'],
    overview: ['Overview', 'Überblick'],
    conventions: ['Conventions', 'Konventionen'],
    recipes: ['Recipes', 'Anleitungen'],
    openapi: ['OpenAPI description', 'OpenAPI-Beschreibung'],
    parameters: ['Parameters', 'Parameter'],
    name: ['Name', 'Name'],
    where: ['In', 'Ort'],
    meaning: ['Meaning', 'Bedeutung'],
    path: ['path', 'Pfad'],
    query: ['query', 'Query'],
    request: ['Request', 'Anfrage'],
    answer: ['Answer', 'Antwort'],
    fields: ['Fields', 'Felder'],
    field: ['Field', 'Feld'],
    type: ['Type', 'Typ'],
    errors: ['Errors', 'Fehler'],
    error: ['Error', 'Fehler'],
    status: ['Status', 'Status'],
    title: ['Title', 'Titel'],
    tryIt: ['Open the answer', 'Antwort öffnen'],
    inExplorer: ['Try it in the API explorer', 'Im API-Explorer ausprobieren'],
    schema: ['JSON Schema', 'JSON-Schema'],
    example: ['Example', 'Beispiel'],
    exampleOf: (name: string, isin: string, asOf: string) => [
      `${name} (${isin}), as of ${asOf}.`,
      `${name} (${isin}), Stand ${asOf}.`,
    ],
    excerpt: [
      'Long lists are shortened here; the answer is complete.',
      'Lange Listen sind hier gekürzt, die Antwort ist vollständig.',
    ],
    noExample: [
      'No fund in this snapshot has such an answer.',
      'In diesem Datenstand gibt es für keinen Fonds eine solche Antwort.',
    ],
    more: (hidden: number) => [`… ${hidden} more`, `… ${hidden} weitere`],
    isin: ['ISIN of the fund, in upper or lower case', 'ISIN des Fonds in Groß- oder Kleinbuchstaben'],
    choice: ['One of the types below', 'Eine der unten aufgeführten Arten'],
    format: [
      'json or xml. Takes precedence over the Accept header. Default: JSON',
      'json oder xml. Hat Vorrang vor dem Header Accept. Voreinstellung: JSON',
    ],
    language: [
      'de or en. Takes precedence over the Accept-Language header. Default: German',
      'de oder en. Hat Vorrang vor dem Header Accept-Language. Voreinstellung: Deutsch',
    ],
    optional: ['optional', 'optional'],
    types: ['types', 'Arten'],
    typeNames: ['Name in answers', 'Name in den Antworten'],
    generalErrors: [
      'Every endpoint can also return these:',
      'Jeder Endpunkt kann außerdem folgende Fehler zurückgeben:',
    ],
    when: ['When', 'Wann'],
    reached: ['See it', 'Ansehen'],
    footer: (asOf: string) => [
      `Generated from the snapshot of ${asOf}.`,
      `Erstellt aus dem Datenstand vom ${asOf}.`,
    ],
    kinds: {
      text: ['text', 'Text'],
      decimalPoint: ['decimal as text, with a point', 'Dezimalzahl als Text, mit Punkt'],
      decimalComma: ['decimal as text, with a comma', 'Dezimalzahl als Text, mit Komma'],
      day: ['date, YYYY-MM-DD', 'Datum, JJJJ-MM-TT'],
      number: ['number', 'Zahl'],
      whole: ['integer', 'Ganzzahl'],
      flag: ['true or false (XML: 1 or 0)', 'true oder false (XML: 1 oder 0)'],
      item: ['name and value', 'Name und Wert'],
      record: ['object', 'Objekt'],
      list: ['list', 'Liste'],
      map: ['map', 'Map'],
      orNull: ['or null', 'oder null'],
    },
    always: (name: string) => [`name is always “${name}”.`, `name lautet immer „${name}“.`],
    oneOf: (values: string) => [`One of ${values}.`, `Mögliche Werte: ${values}.`],
    about: {
      overview: {
        title: ['Fund data: documentation', 'Fondsdaten: Dokumentation'],
        description: [
          'Prices, performance, structures and more of every fund, as JSON or XML.',
          'Preise, Wertentwicklung, Anlagestruktur und weitere Daten aller Fonds als JSON oder XML.',
        ],
      },
      conventions: {
        title: ['Conventions', 'Konventionen'],
        description: [
          'Details of the interface: requests, dates, values, XML, errors.',
          'Die Schnittstelle im Detail: Anfragen, Datumsangaben, Werte, XML, Fehler.',
        ],
      },
      recipes: {
        title: ['Recipes', 'Anleitungen'],
        description: [
          'Fund data in curl, Python, R, DuckDB, Excel, Google Sheets and Portfolio Performance.',
          'Fondsdaten in curl, Python, R, DuckDB, Excel, Google Sheets und Portfolio Performance.',
        ],
      },
    },
    explorer: {
      title: ['API explorer', 'API-Explorer'],
      description: [
        'Try every request of the API in the browser.',
        'Alle Anfragen der API im Browser ausprobieren.',
      ],
      lead: [
        'Send any request of the API to the server of this page. For descriptions, see the',
        'Hier lässt sich jede Anfrage der API an den Server senden, der diese Seite ausliefert. Die Bedienoberfläche ist englisch. Beschreibungen enthält die',
      ],
      documentation: ['documentation', 'Dokumentation'],
      noScript: [
        'The explorer needs JavaScript. The API description is',
        'Der Explorer benötigt JavaScript. Die Beschreibung der API steht in',
      ],
      fromFolder: [
        'This page was opened from a folder. The explorer needs a server, for example',
        'Diese Seite wurde aus einem Ordner geöffnet. Der Explorer benötigt einen Server, zum Beispiel',
      ],
    },
  },
} as const satisfies Entry

type Said<E> = E extends Both
  ? string
  : E extends (...values: infer V) => Both
    ? (...values: V) => string
    : { readonly [K in keyof E]: Said<E[K]> }

export type Wording = Said<typeof table>

export const wording: Readonly<Record<Language, Wording>> = { en: say(table, 0), de: say(table, 1) }

function say<E extends Entry>(entry: E, which: 0 | 1): Said<E>
function say(entry: Entry, which: 0 | 1): unknown {
  if (isBoth(entry)) return entry[which]
  if (typeof entry === 'function') return (...values: never[]) => entry(...values)[which]
  return Object.fromEntries(Object.entries(entry).map(([name, part]) => [name, say(part, which)]))
}

function isBoth(entry: Entry): entry is Both {
  return Array.isArray(entry)
}
