/** `index.html` of the downloads, `de.html` in German: what there is, how large, how to open it; and schema.org's Dataset for search engines. */

import { html, jsonForScript, type Html } from '../pages/html.ts'
import { layout } from '../pages/layout.ts'
import { documentsName } from '../routes/pages.ts'
import type { Language } from '../routes/table.ts'
import { describeFile, isFundFile, kindOf, type PackageFacts } from './data-package.ts'
import type { WrittenFile } from './file-sink.ts'
import { describedIn, grouped, pageWords, type PageWords } from './page-words.ts'

export interface PageFacts extends PackageFacts {
  /** Whether the snapshot has other pages: this one looks like them, and leads to them. */
  readonly hasPages: boolean
}

/** Beside each other, in the folder of the night. */
export const indexPages: Readonly<Record<Language, string>> = { en: 'index.html', de: 'de.html' }

/** @param files all others, in the order of their paths */
export function indexPage(files: readonly WrittenFile[], facts: PageFacts, language: Language): string {
  const { asOf, licence, hasPages } = facts
  const w = pageWords[language]
  const whole = files.filter(({ path }) => !isFundFile(path))
  const plain = whole.filter(({ path }) => !path.startsWith('csv-excel/'))
  const excel = whole.filter(({ path }) => path.startsWith('csv-excel/'))
  const example = files.find(({ path }) => isFundFile(path))?.path.slice(0, 12) ?? null
  const keyIn = (other: Language) => `downloads/${asOf}/${indexPages[other]}`
  return layout({
    key: keyIn(language),
    language,
    title: w.title(asOf),
    description: w.description(asOf),
    part: 'downloads',
    isAlone: !hasPages,
    translations: { en: keyIn('en'), de: keyIn('de') },
    head: html`<script type="application/ld+json">
      ${jsonForScript(dataset(whole, facts))}
    </script>`,
    main: html`<h1>${w.heading}</h1>
      <p>${w.intro(asOf)}</p>
      ${files.some(({ path }) => path === documentsName) ? null : html`<p>${w.withoutDocuments}</p>`}
      ${licence === null ? null : html`<p>${w.licence}: ${licenceLink(licence)}</p>`}
      <h2 id="tables">${w.tables}</h2>
      ${fileTable(w.plainCaption, plain, language)}
      <h2 id="excel">${w.excel}</h2>
      <p>${w.excelNote}</p>
      ${fileTable(w.excelCaption, excel, language)}
      ${
        example === null
          ? null
          : html`<h2 id="funds">${w.fund}</h2>
              <p>${w.fundNote(example)}</p>`
      }
      <h2 id="open">${w.open}</h2>
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

function fileTable(caption: string, files: readonly WrittenFile[], language: Language): Html {
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
          ({ path, bytes, rows, sha256 }) =>
            html`<tr>
              <th scope="row"><a href="${path}">${path.replace('csv-excel/', '')}</a></th>
              <td>${describedIn(language, describeFile(path))}</td>
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
