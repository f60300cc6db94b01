/**
 * `index.html` of the downloads, and `de.html` in German: the files, their sizes, how to open them, and schema.org's Dataset for
 * search engines.
 */

import { html, jsonForScript, type Html } from '../site/layout/html.ts'
import { frontPages, layout } from '../site/layout/layout.ts'
import type { Language } from '../api/routes/table.ts'
import type { DescribedFile, PackageFacts } from './data-package.ts'
import type { DownloadFormat } from './formats/format.ts'

export interface PageFacts extends PackageFacts {
  /** Whether the documents are among the files. */
  readonly hasDocuments: boolean
  /** Whether the snapshot has other pages: this one looks like them, and leads to them. */
  readonly hasPages: boolean
}

/** Their names in the folder of the downloads. */
export const indexPages: Readonly<Record<Language, string>> = { en: 'index.html', de: 'de.html' }

/** @param files all others, in the order of their paths */
export function indexPage(files: readonly DescribedFile[], facts: PageFacts, language: Language): string {
  const { asOf, licence, hasPages, hasDocuments, publisher, baseUrl } = facts
  const w = pageWords[language]
  const inSection = (section: DownloadFormat['section']) =>
    files.filter(({ format }) => format.section === section)
  const [plain, excel] = [inSection('plain'), inSection('excel')]
  const [example] = inSection('funds')
  const paragraph = example?.format.paragraph?.[language]
  const keyIn = (other: Language) => `downloads/${asOf}/${indexPages[other]}`
  return layout({
    keys: { en: keyIn('en'), de: keyIn('de') },
    canonicalKeys: frontPages.downloads,
    language,
    baseUrl,
    title: w.title(asOf),
    description: w.description(asOf),
    part: 'downloads',
    hasDownloads: true,
    publisher,
    isAlone: !hasPages,
    head: html`<script type="application/ld+json">
      ${jsonForScript(dataset([...excel, ...plain].sort(byPath), facts))}
    </script>`,
    main: html`<h1>${w.heading}</h1>
      <p>${w.intro(asOf)}</p>
      ${hasDocuments ? null : html`<p>${w.withoutDocuments}</p>`}
      ${licence === null ? null : html`<p>${w.licence}: ${licenceLink(licence)}</p>`}
      <h2 id="tables">${w.tables}</h2>
      ${fileTable(w.plainCaption, plain, language)}
      <h2 id="excel">${w.excel}</h2>
      <p>${w.excelNote}</p>
      ${fileTable(w.excelCaption, excel, language)}
      ${
        example === undefined
          ? null
          : html`<h2 id="funds">${w.fund}</h2>
              <p>${paragraph?.(example.piece.name, (count) => grouped(count, w.thousands)) ?? null}</p>`
      }
      <h2 id="open">${w.open}</h2>
      <dl>
        <dt>Python</dt>
        <dd><code>pandas.read_parquet("prices.parquet").astype({"date": "datetime64[ns]"})</code></dd>
        <dt>R</dt>
        <dd><code>read.csv("prices.csv")</code></dd>
        <dt>DuckDB</dt>
        <dd><code>SELECT * FROM 'prices.parquet'</code></dd>
        <dt>SQLite</dt>
        <dd><code>sqlite3 fundpress.sqlite 'SELECT * FROM funds'</code></dd>
      </dl>`,
  })
}

const licenceLink = ({ name, url }: NonNullable<PackageFacts['licence']>): Html =>
  url === null ? html`${name}` : html`<a href="${url}" rel="license">${name}</a>`

function fileTable(caption: string, files: readonly DescribedFile[], language: Language): Html {
  const w = pageWords[language]
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">${w.file}</th>
          <th scope="col">${w.meaning}</th>
          <th scope="col" class="number">${w.rows}</th>
          <th scope="col" class="number">${w.size}</th>
          <th scope="col">SHA-256</th>
        </tr>
      </thead>
      <tbody>
        ${files.map(
          ({ path, bytes, rows, sha256, piece }) =>
            html`<tr>
              <th scope="row"><a href="${path}">${path.slice(path.lastIndexOf('/') + 1)}</a></th>
              <td>${piece.describe[language]}</td>
              <td class="number">${rows === undefined ? '' : grouped(rows, w.thousands)}</td>
              <td class="number">${size(bytes, w)}</td>
              <td><code class="digest" title="${sha256}">${sha256}</code></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

function size(bytes: number, { decimal }: PageWords): string {
  if (bytes < 1000) return `${bytes} B`
  const text = bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
  return text.replace('.', decimal)
}

/** Source: schema.org/Dataset. Addresses are relative to the page. */
function dataset(files: readonly DescribedFile[], { asOf, licence }: PackageFacts): unknown {
  return {
    '@context': 'https://schema.org/',
    '@type': 'Dataset',
    name: `Fund data as of ${asOf}`,
    description:
      'Prices, performance, investment structures, asset allocations, key figures, profiles and EMT data of investment ' +
      'funds, by ISIN, as CSV, Parquet, SQLite and JSON.',
    identifier: `fund-data-${asOf}`,
    version: asOf,
    dateModified: asOf,
    isAccessibleForFree: true,
    ...(licence === null ? {} : { license: licence.url ?? licence.name }),
    keywords: ['investment funds', 'net asset value', 'fund prices', 'ISIN', 'EMT'],
    distribution: files.map(({ path, bytes, sha256, format, piece }) => ({
      '@type': 'DataDownload',
      name: piece.describe.en,
      contentUrl: path,
      encodingFormat: format.mediatype,
      contentSize: `${bytes} B`,
      sha256,
    })),
  }
}

const byPath = (one: DescribedFile, other: DescribedFile) => (one.path < other.path ? -1 : 1)

const en = {
  title: (asOf: string) => `Downloads as of ${asOf}`,
  description: (asOf: string) =>
    `Fund data as of ${asOf} as CSV, Parquet, SQLite and JSON, free of scripts and sign-ups.`,
  heading: 'Downloads',
  intro: (asOf: string) =>
    html`All data as of <time datetime="${asOf}">${asOf}</time>. The address with <code>latest</code> instead
      of the day always has the newest data. Described for programs in
      <a href="datapackage.json">datapackage.json</a>; <a href="SHA256SUMS">SHA256SUMS</a> checks all files
      with <code>sha256sum -c</code>.`,
  withoutDocuments: 'The documents of this day are not available as one file.',
  licence: 'Licence',
  tables: 'Tables',
  plainCaption: 'Files for programs: CSV (UTF-8, commas, decimal points), Parquet, SQLite, ZIP',
  excel: 'For Excel in German',
  excelNote:
    'With semicolons, decimal commas and a byte order mark, to open with a double click. An apostrophe keeps texts such ' +
    'as 12-31 from becoming something else. In any other language, get the files above with Power Query.',
  excelCaption: 'Files for a German Excel',
  fund: 'One fund',
  open: 'How to open them',
  file: 'File',
  meaning: 'What it is',
  rows: 'Rows',
  size: 'Size',
  /** Between thousands, and before parts of one. */
  thousands: ',',
  decimal: '.',
}

type PageWords = typeof en

const de: PageWords = {
  title: (asOf) => `Downloads, Stand ${asOf}`,
  description: (asOf) =>
    `Fondsdaten als CSV, Parquet, SQLite und JSON, Stand ${asOf}, ohne Anmeldung und ohne Skripte abrufbar.`,
  heading: 'Downloads',
  intro: (asOf) =>
    html`Alle Daten haben den Stand <time datetime="${asOf}">${asOf}</time>. Unter der Adresse mit
      <code>latest</code> anstelle des Datums finden Sie immer die neuesten Daten.
      <a href="datapackage.json">datapackage.json</a> beschreibt die Dateien maschinenlesbar. Mit
      <a href="SHA256SUMS">SHA256SUMS</a> und <code>sha256sum -c</code> lassen sich alle Dateien prüfen.`,
  withoutDocuments: 'Die Dokumente dieses Stands sind nicht als eine Datei verfügbar.',
  licence: 'Lizenz',
  tables: 'Tabellen',
  plainCaption:
    'Dateien für Programme: CSV (UTF-8, Komma als Trennzeichen, Dezimalpunkt), Parquet, SQLite, ZIP',
  excel: 'Für die deutsche Version von Excel',
  excelNote:
    'Mit Semikolon als Trennzeichen, Dezimalkomma und Byte Order Mark, zum Öffnen per Doppelklick. Ein ' +
    'vorangestellter Apostroph verhindert, dass Excel Texte wie 12-31 umwandelt. In anderen Sprachversionen rufen Sie ' +
    'die oben genannten Dateien mit Power Query ab.',
  excelCaption: 'Dateien für die deutsche Version von Excel',
  fund: 'Dateien je Fonds',
  open: 'So öffnen Sie die Dateien',
  file: 'Datei',
  meaning: 'Inhalt',
  rows: 'Zeilen',
  size: 'Größe',
  thousands: '.',
  decimal: ',',
}

export const pageWords: Readonly<Record<Language, PageWords>> = { en, de }

/** `1,211,166` */
const grouped = (count: number, thousands: string) =>
  // eslint-disable-next-line regexp/no-super-linear-move -- A number has a few digits.
  String(count).replace(/\B(?=(\d{3})+$)/g, thousands)
