/** `index.html` of the downloads: what there is, how large, how to open it; and schema.org's Dataset for search engines. */

import { html, jsonForScript, type Html } from '../pages/html.ts'
import { layout } from '../pages/layout.ts'
import { describeFile, isFundFile, kindOf, type PackageFacts } from './data-package.ts'
import type { WrittenFile } from './file-sink.ts'

export interface PageFacts extends PackageFacts {
  /** Whether the snapshot has other pages: this one looks like them, and leads to them. */
  readonly hasPages: boolean
  readonly isSparse: boolean
}

/** @param files all others, in the order of their paths */
export function indexPage(files: readonly WrittenFile[], facts: PageFacts): string {
  const { asOf, licence, hasPages, isSparse } = facts
  const whole = files.filter(({ path }) => !isFundFile(path))
  const plain = whole.filter(({ path }) => !path.startsWith('csv-excel/'))
  const excel = whole.filter(({ path }) => path.startsWith('csv-excel/'))
  const example = files.find(({ path }) => isFundFile(path))?.path.slice(0, 12) ?? null
  return layout({
    key: `downloads/${asOf}/index.html`,
    language: 'en',
    title: `Downloads as of ${asOf}`,
    description: `Fund data as of ${asOf} as CSV, Parquet, SQLite and JSON, free of scripts and sign-ups.`,
    part: 'downloads',
    isAlone: !hasPages,
    translations: null,
    head: html`<script type="application/ld+json">
      ${jsonForScript(dataset(whole, facts))}
    </script>`,
    main: html`<h1>Downloads</h1>
      <p>
        All data as of <time datetime="${asOf}">${asOf}</time>. The address with <code>latest</code> instead
        of the day always has the newest night. Described for programs in
        <a href="datapackage.json">datapackage.json</a>; <a href="SHA256SUMS">SHA256SUMS</a> checks all files
        with <code>sha256sum -c</code>.
      </p>
      ${isSparse ? html`<p>The documents of this night are not here as one file.</p>` : null}
      ${licence === null ? null : html`<p>Licence: ${licenceLink(licence)}</p>`}
      <h2 id="tables">Tables</h2>
      ${fileTable('Files for programs: CSV (UTF-8, commas, decimal points), Parquet, SQLite, ZIP', plain)}
      <h2 id="excel">For Excel in German</h2>
      <p>
        With semicolons, decimal commas and a byte order mark, to open with a double click. In any other
        language, get the files above with Power Query.
      </p>
      ${fileTable('Files for a German Excel', excel)} ${example === null ? null : fundPart(example)}
      <h2 id="open">How to open them</h2>
      <dl>
        <dt>Python</dt>
        <dd><code>pandas.read_parquet("prices.parquet")</code></dd>
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

const fundPart = (isin: string): Html =>
  html`<h2 id="funds">One fund</h2>
    <p>
      Small files in a folder with the ISIN of each fund, with decimal points, for spreadsheets and portfolio
      programs: its newest prices as <a href="${isin}/prices.csv">prices.csv</a> and
      <a href="${isin}/prices.json">prices.json</a>, as many as 32,767 characters hold, and the newest NAV
      alone as <a href="${isin}/nav.txt">nav.txt</a>. The full history is in
      <a href="prices.csv">prices.csv</a>.
    </p>`

function fileTable(caption: string, files: readonly WrittenFile[]): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${caption}">
    <table>
      <caption class="unseen">
        ${caption}
      </caption>
      <thead>
        <tr>
          <th scope="col">File</th>
          <th scope="col">What it is</th>
          <th scope="col" class="number">Rows</th>
          <th scope="col" class="number">Size</th>
          <th scope="col">SHA-256</th>
        </tr>
      </thead>
      <tbody>
        ${files.map(
          ({ path, bytes, rows, sha256 }) =>
            html`<tr>
              <th scope="row"><a href="${path}">${path.replace('csv-excel/', '')}</a></th>
              <td>${describeFile(path)}</td>
              <td class="number">${rows === undefined ? '' : grouped(rows)}</td>
              <td class="number">${size(bytes)}</td>
              <td><code title="${sha256}">${sha256.slice(0, 10)}</code></td>
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`
}

/** `1,211,166` */
const grouped = (count: number) => String(count).replace(/\B(?=(\d{3})+$)/g, ',')

function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}

/** Source: schema.org/Dataset. Addresses are relative to the page. */
function dataset(files: readonly WrittenFile[], { asOf, licence }: PackageFacts): unknown {
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
    distribution: files.map(({ path, bytes, sha256 }) => ({
      '@type': 'DataDownload',
      name: describeFile(path),
      contentUrl: path,
      encodingFormat: kindOf(path).mediatype,
      contentSize: `${bytes} B`,
      sha256,
    })),
  }
}
