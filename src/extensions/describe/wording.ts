/** Words of the documentation and of the explorer. Guides, endpoints and lists have their own. */

import { bilingual } from '../../core/layout/bilingual.ts'

export const docWords = bilingual((say) => ({
  contents: say('Contents', 'Inhalt'),
  pages: say('Previous and next page', 'Vorige und nächste Seite'),
  previous: say('Previous', 'Zurück'),
  next: say('Next', 'Weiter'),
  search: {
    open: say('Search', 'Suche'),
    title: say('Search the documentation', 'Dokumentation durchsuchen'),
    close: say('Close', 'Schließen'),
    /** Texts of the script. */
    says: {
      waiting: say('Loading …', 'Wird geladen …'),
      failed: say('The search could not be loaded.', 'Die Suche konnte nicht geladen werden.'),
      folder: say(
        'This page was opened from a folder. The search needs a server, for example: fundpress serve --out FOLDER',
        'Diese Seite wurde aus einem Ordner geöffnet. Die Suche benötigt einen Server, zum Beispiel: fundpress serve --out ORDNER',
      ),
      none: say(
        'Nothing found. Try fewer or other words.',
        'Nichts gefunden. Versuchen Sie es mit weniger oder anderen Wörtern.',
      ),
      pages: say('All pages', 'Alle Seiten'),
      one: say('1 result', '1 Treffer'),
      many: say('{count} results', '{count} Treffer'),
      first: say('The first {count} results', 'Die ersten {count} Treffer'),
    },
  },
  program: say('Program', 'Programm'),
  guide: say('Guide', 'Leitfaden'),
  endpoints: say('Endpoints', 'Endpunkte'),
  reference: say('Reference', 'Referenz'),
  overview: say('Overview', 'Überblick'),
  conventions: say('Conventions', 'Konventionen'),
  lists: say('Lists', 'Listen'),
  recipes: say('Recipes', 'Anleitungen'),
  clients: say('Client programs', 'Programmbeispiele'),
  terms: say('Use and licence', 'Nutzung und Lizenz'),
  openapi: say('OpenAPI description', 'OpenAPI-Beschreibung'),
  parameters: say('Parameters', 'Parameter'),
  name: say('Name', 'Name'),
  where: say('In', 'Übergabe'),
  meaning: say('Meaning', 'Bedeutung'),
  path: say('path', 'Pfad'),
  query: say('query', 'Query'),
  request: say('Request', 'Anfrage'),
  answer: say('Response', 'Antwort'),
  fields: say('Fields', 'Felder'),
  field: say('Field', 'Feld'),
  type: say('Type', 'Typ'),
  errors: say('Errors', 'Fehler'),
  error: say('Error', 'Fehler'),
  errorsOf: (count: number) => say(count === 1 ? '1 error' : `${count} errors`, `${count} Fehler`),
  status: say('Status', 'Status'),
  title: say('Title', 'Titel'),
  tryIt: say('Open the response', 'Antwort öffnen'),
  makeRequest: say('Quick start', 'Zum Schnelleinstieg'),
  openExplorer: say('Open the API explorer', 'API-Explorer öffnen'),
  inExplorer: say('Try it in the API explorer', 'Im API-Explorer ausprobieren'),
  schema: say('JSON Schema', 'JSON-Schema'),
  example: say('Example', 'Beispiel'),
  exampleOf: (name: string, isin: string) =>
    say(`Example fund: ${name} (${isin}).`, `Beispielfonds: ${name} (${isin}).`),
  excerpt: say(
    'Long arrays are shortened here; the response is complete.',
    'Lange Arrays sind hier gekürzt, die Antwort ist vollständig.',
  ),
  noExample: say(
    'No fund in this snapshot has such a response.',
    'In diesem Datenstand gibt es für keinen Fonds eine solche Antwort.',
  ),
  licensed: say('Licence of the data:', 'Lizenz der Daten:'),
  age: {
    answers: (time: string) =>
      say(
        `After an update, a response may still be the one before for up to ${time}.`,
        `Nach einer Aktualisierung kann eine Antwort noch bis zu ${time} lang die vorherige sein.`,
      ),
    whileRevalidate: (time: string) =>
      say(
        `A cache that supports stale-while-revalidate may give it out for ${time} more while it asks for the new one.`,
        `Ein Cache, der stale-while-revalidate unterstützt, darf sie weitere ${time} lang ausliefern, während er die neue anfragt.`,
      ),
    ifError: (time: string) =>
      say(
        `If the server cannot be reached, a cache that supports stale-if-error may do so for ${time}.`,
        `Ist der Server nicht erreichbar, darf es ein Cache, der stale-if-error unterstützt, ${time} lang.`,
      ),
    errors: (time: string) =>
      say(
        `Errors and the status page are at most ${time} old.`,
        `Fehler und die Statusseite sind höchstens ${time} alt.`,
      ),
    days: (count: number) =>
      say(count === 1 ? '1 day' : `${count} days`, count === 1 ? '1 Tag' : `${count} Tage`),
    hours: (count: number) =>
      say(count === 1 ? '1 hour' : `${count} hours`, count === 1 ? '1 Stunde' : `${count} Stunden`),
    minutes: (count: number) =>
      say(count === 1 ? '1 minute' : `${count} minutes`, count === 1 ? '1 Minute' : `${count} Minuten`),
    seconds: (count: number) =>
      say(count === 1 ? '1 second' : `${count} seconds`, count === 1 ? '1 Sekunde' : `${count} Sekunden`),
  },
  noLicence: say(
    'The publisher states no licence for the data.',
    'Der Herausgeber gibt keine Lizenz für die Daten an.',
  ),
  termsApply: say('Terms of use of the publisher:', 'Nutzungsbedingungen des Herausgebers:'),
  questions: say('Questions about the data:', 'Fragen zu den Daten:'),
  published: (by: string | null) => {
    const [time = '', zone = ''] = by?.split(' ') ?? []
    return by === null
      ? say(
          'New data are usually published once a night.',
          'Neue Daten werden in der Regel einmal pro Nacht veröffentlicht.',
        )
      : say(
          `New data are published once a night, usually by ${time} (time zone ${zone}).`,
          `Neue Daten werden einmal pro Nacht veröffentlicht, in der Regel bis ${time}\u00a0Uhr (Zeitzone ${zone}).`,
        )
  },
  madeUp: say(
    'The example shows the structure; its figures are fictitious.',
    'Das Beispiel zeigt den Aufbau; die Zahlen sind fiktiv.',
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
  inPath: say('In the path', 'Im Pfad'),
  typeNames: say('Name in responses', 'Name in den Antworten'),
  generalErrors: say(
    'Errors that any endpoint can return are listed under',
    'Fehler, die jeder Endpunkt zurückgeben kann, stehen unter',
  ),
  when: say('When', 'Wann'),
  kinds: {
    text: say('string', 'String'),
    decimalPoint: say('string (decimal point)', 'String (Dezimalpunkt)'),
    decimalComma: say('string (decimal comma)', 'String (Dezimalkomma)'),
    day: say('string (YYYY-MM-DD)', 'String (JJJJ-MM-TT)'),
    number: say('number', 'Zahl'),
    whole: say('integer', 'Ganzzahl'),
    flag: say('boolean', 'Boolean'),
    item: say('object with name and value', 'Objekt mit Name und Wert'),
    record: say('object', 'Objekt'),
    list: say('array', 'Array'),
    map: say('map', 'Map'),
    orNull: say('or null', 'oder null'),
  },
  always: (name: string) => say(`\`name\` is always “${name}”.`, `\`name\` lautet immer „${name}“.`),
  oneOf: (values: string) => say(`One of ${values}.`, `Mögliche Werte: ${values}.`),
  portfolioPerformance: {
    provider: say('Provider', 'Kurslieferant'),
    url: say('Feed URL', 'Kurs-URL'),
    date: say('Path to date', 'Pfad zu Datum'),
    close: say('Path to close', 'Pfad zu Kurs'),
    dateFormat: say('Date format', 'Datumsformat'),
    leaveEmpty: say('leave it empty', 'leer lassen'),
  },
  front: say('Fund data: documentation', 'Fondsdaten: Dokumentation'),
  descriptions: {
    overview: say(
      'Prices, performance, investment structure and more of all funds as JSON and XML, prices also as CSV.',
      'Preise, Wertentwicklung, Anlagestruktur und weitere Daten aller Fonds als JSON und XML, Preise auch als CSV.',
    ),
    conventions: say(
      'Details of the interface: requests, date ranges, values, XML, CSV, errors, permissions.',
      'Die Schnittstelle im Detail: Anfragen, Zeiträume, Werte, XML, CSV, Fehler, Freigaben.',
    ),
    lists: say(
      'All funds, the status of the prices and the changes, as plain files.',
      'Alle Fonds, der Status der Preise und die Änderungen als einfache Dateien.',
    ),
    clients: say(
      'Programs that use the API in TypeScript, Python, R, Java and Excel, with types from OpenAPI.',
      'Programme, die die API nutzen, in TypeScript, Python, R, Java und Excel, mit Typen aus OpenAPI.',
    ),
    terms: say(
      'Licence, fair use, time of publication, versions and changes to the data.',
      'Lizenz, faire Nutzung, Zeitpunkt der Veröffentlichung, Versionen und Änderungen der Daten.',
    ),
    recipes: say(
      'Fund prices with curl, Python, R, DuckDB, Excel, Google Sheets and Portfolio Performance.',
      'Fondspreise mit curl, Python, R, DuckDB, Excel, Google Sheets und Portfolio Performance.',
    ),
  },
  explorer: {
    description: say(
      'Try every request of the API in the browser.',
      'Alle Anfragen der API im Browser ausprobieren.',
    ),
    lead: say(
      'Try any request here; it goes to this server. Copy it for curl, JavaScript, Python, R or Excel.',
      'Probieren Sie hier jede Anfrage aus; sie geht an diesen Server. Kopieren Sie sie für curl, JavaScript, Python, R oder Excel.',
    ),
    documentation: say('Parameters, fields and errors', 'Parameter, Felder und Fehler'),
    send: say('Send request', 'Anfrage senden'),
    headers: say('Headers', 'Header'),
    byDefault: (value: string) => say(`${value} (default)`, `${value} (Voreinstellung)`),
    filter: say('Filter requests', 'Anfragen filtern'),
    notSent: say(
      'Send the request to see its response here.',
      'Senden Sie die Anfrage: Hier erscheint die Antwort.',
    ),
    permalink: say('Link to this request', 'Link zu dieser Anfrage'),
    body: say('Body', 'Inhalt'),
    errorFields: say('Fields of an error', 'Felder eines Fehlers'),
    /** Texts of the script. */
    says: {
      waiting: say('Waiting for the response …', 'Warten auf die Antwort …'),
      failed: say('The server could not be reached.', 'Der Server ist nicht erreichbar.'),
      example: say(
        'An example; long arrays are shortened. Send the request to see its response here.',
        'Ein Beispiel; lange Arrays sind gekürzt. Senden Sie die Anfrage: Hier erscheint die Antwort.',
      ),
      tooLong: say('Only its beginning is shown.', 'Gezeigt wird nur der Anfang.'),
      whole: say('Open the whole response', 'Ganze Antwort öffnen'),
      missing: say('Fill in {name}.', 'Geben Sie {name} an.'),
      noIsin: say(
        'An ISIN has 2 letters, 9 letters or digits, and a check digit that fits them. The server will answer 404.',
        'Eine ISIN hat 2 Buchstaben, 9 Buchstaben oder Ziffern und eine Prüfziffer, die dazu passt. Der Server wird mit 404 antworten.',
      ),
      wrongOrder: say('{last} must not be before {first}.', '{last} darf nicht vor {first} liegen.'),
      found: say('{count} of {all}', '{count} von {all}'),
      noneFound: say(
        'No request has these words. Try fewer or other ones.',
        'Keine Anfrage hat diese Wörter. Versuchen Sie weniger oder andere.',
      ),
      clear: say('Clear filter', 'Filter zurücksetzen'),
      excel: say(
        'Data > Get Data > From Other Sources > Blank Query > Advanced Editor',
        'Daten > Daten abrufen > Aus anderen Quellen > Leere Abfrage > Erweiterter Editor',
      ),
    },
    noScript: say(
      'Sending requests needs JavaScript. The API is described by',
      'Zum Senden von Anfragen ist JavaScript nötig. Die API beschreibt die Datei',
    ),
    fromFolder: say(
      'This page was opened from a folder. Sending requests needs a server, for example',
      'Diese Seite wurde aus einem Ordner geöffnet. Zum Senden von Anfragen ist ein Server nötig, zum Beispiel',
    ),
  },
}))
