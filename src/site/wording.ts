/** The words of all pages in both languages, side by side. Texts of endpoints are in the endpoints' own files. */

const wordsBy = (say: (english: string, german: string) => string) => ({
  /** The shell of every page. */
  shell: {
    brand: say('Fund data', 'Fondsdaten'),
    start: say('Start page', 'Startseite'),
    skip: say('Skip to content', 'Zum Inhalt springen'),
    navigation: say('Site navigation', 'Hauptnavigation'),
    language: say('Language', 'Sprache'),
    made: say('Published with fundpress.', 'Veröffentlicht mit fundpress.'),
    imprint: say('Imprint', 'Impressum'),
    privacy: say('Privacy', 'Datenschutz'),
    contact: say('Contact', 'Kontakt'),
    terms: say('Terms of use', 'Nutzungsbedingungen'),
    homePage: say('Home page', 'Website'),
    feed: say('Recent changes (feed)', 'Letzte Änderungen (Feed)'),
    changes: say('Recent changes', 'Letzte Änderungen'),
    onThisPage: say('On this page', 'Auf dieser Seite'),
    noValue: say('not available', 'keine Angabe'),
    parts: {
      funds: say('Funds', 'Fonds'),
      compare: say('Comparison', 'Vergleich'),
      docs: say('Documentation', 'Dokumentation'),
      explorer: say('API explorer', 'API-Explorer'),
      downloads: say('Downloads', 'Downloads'),
      status: say('Status', 'Status'),
    },
  },
  /** The start page, and the page that is shown in place of missing ones. */
  startPage: {
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
    changes: say('Changes', 'Änderungen'),
    aboutChanges: say('What has changed from day to day.', 'Was sich von Tag zu Tag geändert hat.'),
    missing: say('Page not found', 'Seite nicht gefunden'),
    aboutMissing: say(
      'There is no page at this address. It may have been moved or withdrawn, or the address may contain a typing error.',
      'Unter dieser Adresse gibt es keine Seite. Vielleicht wurde sie verschoben oder entfernt, oder die Adresse enthält einen Tippfehler.',
    ),
  },
  /** The list of the funds, and the page of one. */
  funds: {
    listLead: (count: string, asOf: string) =>
      say(
        `${count} funds with their newest prices as of ${asOf}.`,
        `${count} Fonds mit ihren neuesten Preisen, Stichtag ${asOf}.`,
      ),
    listOverdue: (count: string) =>
      say(`Late or stale prices: ${count}.`, `Verspätete oder veraltete Preise: ${count}.`),
    overdueNote: {
      late: say(
        'The newest price is late: a newer price was expected by now.',
        'Der neueste Preis ist verspätet: Inzwischen war ein neuerer Preis zu erwarten.',
      ),
      stale: say(
        'The newest price is stale: a newer price is long overdue.',
        'Der neueste Preis ist veraltet: Ein neuerer Preis ist seit Langem überfällig.',
      ),
    },
    search: say('Search by name, ISIN or WKN', 'Suche nach Name, ISIN oder WKN'),
    found: say('Funds found:', 'Gefundene Fonds:'),
    more: say('Show all', 'Alle anzeigen'),
    none: say('No fund matches.', 'Keine passenden Fonds gefunden.'),
    all: say('All', 'Alle'),
    currency: say('Currency', 'Währung'),
    select: say('Select for comparison:', 'Für den Vergleich auswählen:'),
    selected: say('Funds selected for comparison:', 'Für den Vergleich ausgewählte Fonds:'),
    selectedMost: say(
      'Five funds are selected, the most that can be compared.',
      'Fünf Fonds sind ausgewählt, mehr lassen sich nicht vergleichen.',
    ),
    compare: say('Compare', 'Vergleichen'),
    compareThis: say('Compare with other funds', 'Mit anderen Fonds vergleichen'),
    deselect: say('Clear selection', 'Auswahl aufheben'),
    fund: say('Fund', 'Fonds'),
    day: say('Date', 'Datum'),
    change: say('Day change', 'Zum Vortag'),
    oneYear: say('1 year', '1 Jahr'),
    oneYearNote: say(
      '1 year: for accumulating funds the change of the net asset value; for distributing funds the reported performance of the last twelve months, including distributions.',
      '1 Jahr: bei thesaurierenden Fonds die Veränderung des Nettoinventarwerts, bei ausschüttenden Fonds die gemeldete Wertentwicklung der letzten zwölf Monate einschließlich Ausschüttungen.',
    ),
    past: say(
      'Past performance is not a reliable indicator of future performance.',
      'Die frühere Wertentwicklung ist kein verlässlicher Indikator für die künftige Wertentwicklung.',
    ),
    asData: say('This list as JSON', 'Diese Liste als JSON'),
    description: (name: string, isin: string) =>
      say(
        `${name} (${isin}): prices, performance, structure, key figures and costs, as a page and as data.`,
        `${name} (${isin}): Preise, Wertentwicklung, Struktur, Kennzahlen und Kosten, als Seite und als Daten.`,
      ),
    nav: say('Net asset value', 'Nettoinventarwert'),
    navShort: say('NAV', 'NAV'),
    ytd: say('Since 31 Dec', 'Seit 31.12.'),
    assets: say('Fund assets', 'Fondsvermögen'),
    inception: say('Launched', 'Auflegung'),
    website: say('Fund website', 'Website des Fonds'),
    statusDate: (day: string) =>
      say(`Data other than prices as of ${day}.`, `Stichtag aller Daten mit Ausnahme der Preise: ${day}.`),
    price: say('Prices', 'Preise'),
    chartTitle: (currency: string) =>
      say(`Net asset value in ${currency}`, `Nettoinventarwert in ${currency}`),
    chartDescription: (first: string, then: string, last: string, now: string) =>
      say(`From ${then} on ${first} to ${now} on ${last}.`, `Von ${then} am ${first} auf ${now} am ${last}.`),
    chartNote: say(
      'Net asset value per share. Distributions are not included.',
      'Nettoinventarwert je Anteil, ohne Berücksichtigung von Ausschüttungen.',
    ),
    ranges: say('Period of the chart', 'Zeitraum des Diagramms'),
    issuePrice: say('Issue price', 'Ausgabepreis'),
    repurchasePrice: say('Repurchase price', 'Rücknahmepreis'),
    noPrices: say(
      'Prices of this fund are not published.',
      'Für diesen Fonds werden keine Preise veröffentlicht.',
    ),
    withoutPrices: say('No prices are available for this fund.', 'Für diesen Fonds liegen keine Preise vor.'),
    noPerformance: say(
      'The performance of this fund may not be shown.',
      'Die Wertentwicklung dieses Fonds darf nicht dargestellt werden.',
    ),
    young: say(
      'This fund was launched less than one year ago: its performance may not be shown yet.',
      'Die Auflegung dieses Fonds liegt weniger als ein Jahr zurück. Seine Wertentwicklung darf noch nicht dargestellt werden.',
    ),
    performance: say('Performance', 'Wertentwicklung'),
    years: say('Calendar years', 'Kalenderjahre'),
    year: say('Year', 'Jahr'),
    toDate: say('to date', 'laufend'),
    periods: say('Twelve-month periods', 'Zwölfmonatszeiträume'),
    period: say('Period', 'Zeitraum'),
    gross: say('Gross', 'Brutto'),
    net: say('Net', 'Netto'),
    netNote: say('Net: after deduction of the issue surcharge.', 'Netto: nach Abzug des Ausgabeaufschlags.'),
    line: say('Over these periods together', 'Gesamtzeitraum'),
    launch: say('Since launch', 'Seit Auflegung'),
    launchTitle: say(
      'Performance since launch as an index (start: 100)',
      'Wertentwicklung seit Auflegung als Index (Startwert 100)',
    ),
    lineTitle: say('Cumulative performance in percent', 'Kumulierte Wertentwicklung in Prozent'),
    between: (first: string, last: string, low: string, high: string) =>
      say(
        `From ${first} to ${last}, between ${low} and ${high}.`,
        `Vom ${first} bis zum ${last}, zwischen ${low} und ${high}.`,
      ),
    structure: say('Investment structure', 'Anlagestruktur'),
    rest: (count: number) => say(`${count} more`, `${count} weitere`),
    allocations: say('Asset allocation over time', 'Vermögensaufteilung im Zeitverlauf'),
    withoutDerivatives: say('Without derivatives', 'Ohne Derivate'),
    withDerivatives: say('With derivatives', 'Mit Derivaten'),
    newestShare: (day: string) => say(`Share on ${day}`, `Anteil am ${day}`),
    assetClass: say('Asset class', 'Anlageklasse'),
    figures: say('Key figures', 'Kennzahlen'),
    profile: say('Profile and costs', 'Profil und Kosten'),
    emt: say('MiFID data (EMT)', 'MiFID-Daten (EMT)'),
    data: say('Data', 'Daten'),
    dataLead: say(
      'All data on this page are available from the API, without a key.',
      'Alle Daten dieser Seite sind ohne Zugangsschlüssel über die API abrufbar.',
    ),
    requests: say('Requests', 'Beispielabfragen'),
    currentRequest: say('newest price', 'neuester Preis'),
    historicRequest: say('prices of one year, as XML', 'Preise eines Jahres als XML'),
    documents: say('Documents', 'Dokumente'),
    document: say('Document', 'Dokument'),
    files: say('Files', 'Dateien'),
    history: say(
      'All prices of this fund, with decimal points:',
      'Alle Preise dieses Fonds, mit Dezimalpunkt:',
    ),
    downloads: say(
      'The newest prices for the web functions of spreadsheets:',
      'Die neuesten Preise für die Webfunktionen von Tabellenkalkulationen:',
    ),
    allDownloads: say('Files with all funds', 'Dateien mit allen Fonds'),
    yes: say('yes', 'ja'),
    no: say('no', 'nein'),
    category: say('Category', 'Kategorie'),
    benchmark: say('Benchmark', 'Vergleichsindex'),
    totalAssets: say('Total fund assets', 'Gesamtes Fondsvermögen'),
    fiscalYear: say('Fiscal year end', 'Geschäftsjahresende'),
    income: say('Use of income', 'Ertragsverwendung'),
    accumulating: say('accumulating', 'thesaurierend'),
    distributing: say('distributing', 'ausschüttend'),
    conformity: say('UCITS', 'OGAW-konform'),
    surcharge: say('Issue surcharge', 'Ausgabeaufschlag'),
    redemption: say('Redemption fee', 'Rücknahmeabschlag'),
    ter: say('Total expense ratio (TER)', 'Gesamtkostenquote (TER)'),
    management: say('Management fee', 'Verwaltungsvergütung'),
    custodian: say('Custodian bank fee', 'Verwahrstellenvergütung'),
    performanceFee: say('Performance fee', 'Erfolgsabhängige Vergütung'),
    savings: say('Savings plan', 'Sparplan'),
    oneTime: say('Lump-sum investment', 'Einmalanlage'),
    capitalForming: say('Capital-forming payments (VL)', 'Vermögenswirksame Leistungen (VL)'),
    from: (amount: string) => say(`from ${amount}`, `ab ${amount}`),
  },
  /** The status page. */
  status: {
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
      say(
        `${count} more funds are in the JSON document.`,
        `Das JSON-Dokument enthält ${count} weitere Fonds.`,
      ),
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
  },
  /** The documentation. */
  docs: {
    contents: say('Contents', 'Inhalt'),
    program: say('Program', 'Programm'),
    guide: say('Guide', 'Leitfaden'),
    endpoints: say('Endpoints', 'Endpunkte'),
    reference: say('Reference', 'Referenz'),
    overview: say('Overview', 'Überblick'),
    conventions: say('Conventions', 'Konventionen'),
    lists: say('Lists', 'Listen'),
    recipes: say('Recipes', 'Anleitungen'),
    terms: say('Use and licence', 'Nutzung und Lizenz'),
    openapi: say('OpenAPI description', 'OpenAPI-Beschreibung'),
    parameters: say('Parameters', 'Parameter'),
    name: say('Name', 'Name'),
    where: say('In', 'Übergabe'),
    meaning: say('Meaning', 'Bedeutung'),
    path: say('path', 'Pfad'),
    query: say('query', 'Query'),
    request: say('Request', 'Anfrage'),
    answer: say('Answer', 'Antwort'),
    fields: say('Fields', 'Felder'),
    field: say('Field', 'Feld'),
    type: say('Type', 'Typ'),
    errors: say('Errors', 'Fehler'),
    error: say('Error', 'Fehler'),
    status: say('Status', 'Status'),
    title: say('Title', 'Titel'),
    tryIt: say('Open the answer', 'Antwort öffnen'),
    inExplorer: say('Try it in the API explorer', 'Im API-Explorer ausprobieren'),
    schema: say('JSON Schema', 'JSON-Schema'),
    example: say('Example', 'Beispiel'),
    exampleOf: (name: string, isin: string, asOf: string) =>
      say(`${name} (${isin}), as of ${asOf}.`, `${name} (${isin}), Stand ${asOf}.`),
    excerpt: say(
      'Long lists are shortened here; the answer is complete.',
      'Lange Listen sind hier gekürzt, die Antwort ist vollständig.',
    ),
    noExample: say(
      'No fund in this snapshot has such an answer.',
      'In diesem Datenstand gibt es für keinen Fonds eine solche Antwort.',
    ),
    licensed: say('Licence of the data:', 'Lizenz der Daten:'),
    noLicence: say(
      'The publisher has not named a licence for the data here.',
      'Der Herausgeber nennt hier keine Lizenz für die Daten.',
    ),
    termsApply: say('Terms of use of the publisher:', 'Nutzungsbedingungen des Herausgebers:'),
    questions: say('Questions about the data:', 'Fragen zu den Daten:'),
    published: (by: string | null) => {
      const [time = '', zone = ''] = by?.split(' ') ?? []
      return by === null
        ? say('New data are published once a night.', 'Neue Daten werden einmal pro Nacht veröffentlicht.')
        : say(
            `New data are published once a night, usually by ${time} (${zone}).`,
            `Neue Daten werden einmal pro Nacht veröffentlicht, in der Regel bis ${time} Uhr (${zone}).`,
          )
    },
    madeUp: say(
      'The example shows the form; its figures are made up.',
      'Das Beispiel zeigt die Form; die Zahlen sind erfunden.',
    ),
    more: (hidden: number) => say(`… ${hidden} more`, `… ${hidden} weitere`),
    isin: say('ISIN of the fund, in upper or lower case', 'ISIN des Fonds in Groß- oder Kleinbuchstaben'),
    choice: say('One of the types below', 'Eine der unten aufgeführten Arten'),
    format: say(
      'json or xml. Takes precedence over the Accept header. Default: JSON',
      'json oder xml. Hat Vorrang vor dem Header Accept. Voreinstellung: JSON',
    ),
    formatOrCsv: say(
      'json, xml or csv. Takes precedence over the Accept header. Default: JSON',
      'json, xml oder csv. Hat Vorrang vor dem Header Accept. Voreinstellung: JSON',
    ),
    language: say(
      'de or en. Takes precedence over the Accept-Language header. Default: German',
      'de oder en. Hat Vorrang vor dem Header Accept-Language. Voreinstellung: Deutsch',
    ),
    optional: say('optional', 'optional'),
    types: say('types', 'Arten'),
    typeNames: say('Name in answers', 'Name in den Antworten'),
    generalErrors: say(
      'Every endpoint can also return these:',
      'Jeder Endpunkt kann außerdem folgende Fehler zurückgeben:',
    ),
    when: say('When', 'Wann'),
    reached: say('See it', 'Ansehen'),
    footer: (asOf: string) =>
      say(`Generated from the snapshot of ${asOf}.`, `Erstellt aus dem Datenstand vom ${asOf}.`),
    kinds: {
      text: say('text', 'Text'),
      decimalPoint: say('decimal as text, with a point', 'Dezimalzahl als Text, mit Punkt'),
      decimalComma: say('decimal as text, with a comma', 'Dezimalzahl als Text, mit Komma'),
      day: say('date, YYYY-MM-DD', 'Datum, JJJJ-MM-TT'),
      number: say('number', 'Zahl'),
      whole: say('integer', 'Ganzzahl'),
      flag: say('true or false (XML: 1 or 0)', 'true oder false (XML: 1 oder 0)'),
      item: say('name and value', 'Name und Wert'),
      record: say('object', 'Objekt'),
      list: say('list', 'Liste'),
      map: say('map', 'Map'),
      orNull: say('or null', 'oder null'),
    },
    always: (name: string) => say(`name is always “${name}”.`, `name lautet immer „${name}“.`),
    oneOf: (values: string) => say(`One of ${values}.`, `Mögliche Werte: ${values}.`),
    front: say('Fund data: documentation', 'Fondsdaten: Dokumentation'),
    descriptions: {
      overview: say(
        'Prices, performance, structures and more of every fund, as JSON or XML.',
        'Preise, Wertentwicklung, Anlagestruktur und weitere Daten aller Fonds als JSON oder XML.',
      ),
      conventions: say(
        'Details of the interface: requests, dates, values, XML, errors.',
        'Die Schnittstelle im Detail: Anfragen, Datumsangaben, Werte, XML, Fehler.',
      ),
      lists: say(
        'Lists of all funds, of the status of prices and of changes, as plain files.',
        'Listen aller Fonds, des Preisstatus und der Änderungen als einfache Dateien.',
      ),
      terms: say(
        'Licence, fair use, time of publication, versions and changes.',
        'Lizenz, faire Nutzung, Zeitpunkt der Veröffentlichung, Versionen und Änderungen.',
      ),
      recipes: say(
        'Fund data in curl, Python, R, DuckDB, Excel, Google Sheets and Portfolio Performance.',
        'Fondsdaten in curl, Python, R, DuckDB, Excel, Google Sheets und Portfolio Performance.',
      ),
    },
    explorer: {
      description: say(
        'Try every request of the API in the browser.',
        'Alle Anfragen der API im Browser ausprobieren.',
      ),
      lead: say(
        'Send any request of the API to the server of this page. For descriptions, see the',
        'Senden Sie beliebige Anfragen der API an den Server, der diese Seite ausliefert. Die Bedienoberfläche ist auf Englisch. Beschreibungen finden Sie in der',
      ),
      documentation: say('documentation', 'Dokumentation'),
      operations: say('Requests', 'Anfragen'),
      loading: say('Loading the explorer …', 'Der Explorer wird geladen …'),
      failed: say(
        'The explorer could not be loaded. Please try again.',
        'Der Explorer konnte nicht geladen werden. Bitte versuchen Sie es erneut.',
      ),
      noScript: say(
        'The explorer needs JavaScript. The API description is',
        'Der Explorer benötigt JavaScript. Die Beschreibung der API steht in',
      ),
      fromFolder: say(
        'This page was opened from a folder. The explorer needs a server, for example',
        'Diese Seite wurde aus einem Ordner geöffnet. Der Explorer benötigt einen Server, zum Beispiel',
      ),
    },
  },
})

export const wording = { en: wordsBy((english) => english), de: wordsBy((_, german) => german) }
