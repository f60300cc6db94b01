/** Lists: files in one format, without parameters. Their only error is 404. A build or a publish writes them. */

import { listShapes } from './list-shapes.ts'
import type { SitePart, SiteParts } from './page.ts'
import type { RecordOf, Texts } from './shape.ts'

export interface PublishedList {
  /** Id of its operation in OpenAPI, its section in the documentation, and its schema. */
  readonly id: string
  /** Relative to the address of the API. `{as_of}` is a day, ISO 8601; `{id}` the name of a schema; `{isin}` a fund. */
  readonly path: string
  readonly title: Texts
  /** Content of the list, and when it is missing. */
  readonly about: Texts
  readonly type: 'application/json' | 'application/atom+xml' | 'text/plain' | 'image/svg+xml'
  /** Null if another standard, or the file itself, defines the shape. */
  readonly body: RecordOf | null
  /** True if a publish writes it, or an edge, and no build. */
  readonly isOfPublish?: true
  /** True if only those who publish ask for it: the explorer offers it to nobody. */
  readonly isForPublisher?: true
  /** The part of the site that it comes with; absent: every snapshot has it. */
  readonly part?: SitePart
}

export const lists: readonly PublishedList[] = [
  {
    id: 'fund-list',
    path: '/funds/index.json',
    title: { en: 'All funds', de: 'Alle Fonds' },
    about: {
      en: 'All published funds with name, currency, category and newest price, sorted by ISIN: one request instead of one per fund. The page of a fund is `/funds/<isin>/`; `/wkn/<wkn>/` leads there, too.',
      de: 'Alle veröffentlichten Fonds mit Name, Währung, Kategorie und neuestem Preis, nach ISIN geordnet: eine Anfrage statt einer je Fonds. Die Seite eines Fonds ist `/funds/<isin>/`; auch `/wkn/<wkn>/` führt dorthin.',
    },
    type: 'application/json',
    body: listShapes.fundList,
    part: 'funds',
  },
  {
    id: 'distributions',
    path: '/funds/{isin}/distributions.json',
    title: { en: 'Distributions of a fund', de: 'Ausschüttungen eines Fonds' },
    about: {
      en: 'Distributions and splits of a fund, the oldest first, with what a total return needs. Both arrays are empty if none are known, or if prices of the fund may not be published. The distributions as CSV: `distributions.csv`. A 404 if no data of the fund are published.',
      de: 'Ausschüttungen und Anteilsplits eines Fonds, die ältesten zuerst, mit allem, was die Wertentwicklung braucht. Beide Arrays sind leer, wenn keine bekannt sind oder Preise des Fonds nicht veröffentlicht werden dürfen. Die Ausschüttungen als CSV: `distributions.csv`. 404, wenn keine Daten des Fonds veröffentlicht sind.',
    },
    type: 'application/json',
    body: listShapes.distributions,
    part: 'funds',
  },
  {
    id: 'documents',
    path: '/funds/{isin}/documents.json',
    title: { en: 'Documents about a fund', de: 'Dokumente zu einem Fonds' },
    about: {
      en: 'Key information documents, prospectuses, reports and factsheets with their addresses, by kind, language and day. The array is empty if none are known. A 404 if no data of the fund are published.',
      de: 'Basisinformationsblätter, Prospekte, Berichte und Factsheets mit ihren Adressen, nach Art, Sprache und Tag. Das Array ist leer, wenn keine bekannt sind. 404, wenn keine Daten des Fonds veröffentlicht sind.',
    },
    type: 'application/json',
    body: listShapes.documents,
    part: 'funds',
  },
  {
    id: 'chart',
    path: '/funds/{isin}/chart.svg',
    title: { en: 'Chart of a fund', de: 'Diagramm eines Fonds' },
    about: {
      en: 'The net asset values of a fund as an SVG image, in English, with the name of the company, for other web pages: `<img src="…/chart.svg" alt="…">`. It changes with each new price. A 404 if the performance of the fund may not be shown, or if there are too few prices.',
      de: 'Die Nettoinventarwerte eines Fonds als SVG-Bild (auf Englisch) mit dem Namen der Gesellschaft, zum Einbinden in andere Webseiten: `<img src="…/chart.svg" alt="…">`. Es ändert sich mit jedem neuen Preis. 404, wenn die Wertentwicklung des Fonds nicht dargestellt werden darf oder zu wenige Preise vorliegen.',
    },
    type: 'image/svg+xml',
    body: null,
    part: 'funds',
  },
  {
    id: 'status',
    path: '/status/index.json',
    title: { en: 'Status of the prices', de: 'Status der Preise' },
    about: {
      en: 'Which data are live, and how recent the newest price of each fund is. `overdue` lists the funds whose price is overdue, `prices` all funds.',
      de: 'Welche Daten online sind und wie aktuell der neueste Preis jedes Fonds ist. `overdue` nennt die Fonds mit überfälligem Preis, `prices` alle Fonds.',
    },
    type: 'application/json',
    body: listShapes.status,
  },
  {
    id: 'staged',
    path: '/status/staged.json',
    title: { en: 'Staged data', de: 'Vorbereitete Daten' },
    about: {
      en: 'Whether new data are staged and awaiting release. Normally, `staged` is null.',
      de: 'Ob neue Daten vorbereitet sind und auf ihre Freigabe warten. Normalerweise ist `staged` null.',
    },
    type: 'application/json',
    body: listShapes.staged,
    isOfPublish: true,
    isForPublisher: true,
  },
  {
    id: 'changes',
    path: '/changes/index.json',
    title: { en: 'Changes: index', de: 'Änderungen: Verzeichnis' },
    about: {
      en: 'The last 30 days on which data were published, the newest first, and what changed on each.',
      de: 'Die letzten 30 Tage, an denen Daten veröffentlicht wurden, der neueste zuerst, und was sich jeweils geändert hat.',
    },
    type: 'application/json',
    body: listShapes.changes,
    isOfPublish: true,
    part: 'changes',
  },
  {
    id: 'changes-of-day',
    path: '/changes/{as_of}.json',
    title: { en: 'Changes of a day', de: 'Änderungen eines Tages' },
    about: {
      en:
        'What the publications of a day changed: new, removed and renamed funds, documents by endpoint, and prices that were corrected, ' +
        'added or removed in the past. The counts are complete; each array has at most 10,000 rows. The response is a 404 for a day without a publication, and for one that is no longer in the index.',
      de:
        'Was die Veröffentlichungen eines Tages geändert haben: neue, entfallene und umbenannte Fonds, Dokumente je Endpunkt sowie rückwirkend ' +
        'korrigierte, nachgetragene und entfallene Preise. Die Anzahlen sind vollständig; jedes Array enthält höchstens 10.000 Zeilen. Für einen Tag ohne Veröffentlichung und für einen, der nicht mehr im Verzeichnis steht, lautet die Antwort 404.',
    },
    type: 'application/json',
    body: listShapes.changesOfDay,
    isOfPublish: true,
    part: 'changes',
  },
  {
    id: 'feed',
    path: '/changes/feed.xml',
    title: { en: 'Changes: feed', de: 'Änderungen: Feed' },
    about: {
      en: 'The changes as an Atom feed (RFC 4287), one entry per publication. In German: `/changes/de/feed.xml`. Each fund has a feed of its newest prices, too: `/funds/<isin>/feed.xml`, in German `feed.de.xml`.',
      de: 'Die Änderungen als Atom-Feed (RFC 4287), ein Eintrag je Veröffentlichung. Auf Deutsch: `/changes/de/feed.xml`. Auch jeder Fonds hat einen Feed mit seinen neuesten Preisen: `/funds/<isin>/feed.de.xml`, auf Englisch `feed.xml`.',
    },
    type: 'application/atom+xml',
    body: null,
    isOfPublish: true,
    part: 'changes',
  },
  {
    id: 'download-days',
    path: '/changes/downloads.json',
    title: { en: 'Days of the downloads', de: 'Tage der Downloads' },
    about: {
      en: 'The days whose files are available below `/downloads/<day>/`, the newest first, and the days whose files were withdrawn. `/downloads/index.json` leads here.',
      de: 'Die Tage, deren Dateien unter `/downloads/<Tag>/` verfügbar sind, der neueste zuerst, und die Tage, deren Dateien zurückgezogen wurden. `/downloads/index.json` führt hierher.',
    },
    type: 'application/json',
    body: listShapes.downloadDays,
    isOfPublish: true,
    part: 'downloads',
  },
  {
    id: 'data-package',
    path: '/downloads/latest/datapackage.json',
    title: { en: 'Description of the downloads', de: 'Beschreibung der Downloads' },
    about: {
      en: 'The files of the downloads with their columns, sizes and checksums, as a Data Package 2.0 (datapackage.org).',
      de: 'Die Dateien der Downloads mit Spalten, Größen und Prüfsummen als Data Package 2.0 (datapackage.org).',
    },
    type: 'application/json',
    body: null,
    part: 'downloads',
  },
  {
    id: 'checksums',
    path: '/downloads/latest/SHA256SUMS',
    title: { en: 'Checksums of the downloads', de: 'Prüfsummen der Downloads' },
    about: {
      en: 'Every file of the downloads with its SHA-256, in the format of `sha256sum`.',
      de: 'Jede Datei der Downloads mit ihrem SHA-256, im Format von `sha256sum`.',
    },
    type: 'text/plain',
    body: null,
    part: 'downloads',
  },
  {
    id: 'openapi',
    path: '/openapi.json',
    title: { en: 'OpenAPI description', de: 'OpenAPI-Beschreibung' },
    about: {
      en: 'All endpoints and lists for programs (OpenAPI 3.1), with examples from the current data.',
      de: 'Alle Endpunkte und Listen für Programme (OpenAPI 3.1), mit Beispielen aus den aktuellen Daten.',
    },
    type: 'application/json',
    body: null,
  },
  {
    id: 'schema',
    path: '/schemas/{id}.json',
    title: { en: 'JSON Schemas', de: 'JSON-Schemas' },
    about: {
      en: 'A JSON Schema (2020-12) for each kind of document, named after the endpoint or list. For XML, `/schemas/<id>.xsd` is an XML Schema (XSD 1.0) of each endpoint and of errors.',
      de: 'Ein JSON-Schema (2020-12) für jede Art von Dokument, benannt nach dem Endpunkt oder der Liste. Für XML beschreibt `/schemas/<id>.xsd` jeden Endpunkt und die Fehler als XML-Schema (XSD 1.0).',
    },
    type: 'application/json',
    body: null,
  },
  {
    id: 'llms',
    path: '/llms.txt',
    title: { en: 'Text for language models', de: 'Text für Sprachmodelle' },
    about: {
      en: 'What an AI assistant needs to use the API, with links to everything else. In English.',
      de: 'Was ein KI-Assistent für die Nutzung der API braucht, mit Links zu allem Weiteren. Auf Englisch.',
    },
    type: 'text/plain',
    body: null,
  },
]

export const listsOf = ({ parts }: { readonly parts: SiteParts }) =>
  lists.filter(({ part }) => part === undefined || parts.includes(part))
