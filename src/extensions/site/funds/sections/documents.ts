/** Documents about a fund: the newest of each kind and language, then the earlier ones. */

import { type DocumentRow, documentKinds } from '../../../../core/api/contract/rows.ts'
import type { Language } from '../../../../core/api/routes/table.ts'
import { html, type Html, linkTo, section, table } from '../../../../core/layout/html.ts'
import { documentsKey } from '../../../../core/layout/layout.ts'
import { dayIn } from '../../../../core/layout/formats.ts'
import type { FundFacts } from '../facts.ts'
import { fundWords } from '../wording.ts'

export function documentsSection(
  { fund, documents }: FundFacts,
  language: Language,
  key: string,
): Html | null {
  if (documents.length === 0) return null
  const w = fundWords[language]
  const sorted = sortedDocuments(documents)
  const isNewest = ({ kind, language }: DocumentRow, index: number) =>
    sorted.findIndex((one) => one.kind === kind && one.language === language) === index
  const newest = sorted.filter(isNewest)
  const earlier = sorted.filter((one) => !newest.includes(one))
  const listed = (some: readonly DocumentRow[], caption: string) =>
    table({
      caption,
      kind: 'papers',
      columns: [w.document, w.language, w.day],
      rows: some.map((document) => rowOf(document, language)),
    })
  return section(
    'papers',
    w.papers,
    html`${listed(newest, w.papers)}${
        earlier.length > 0 &&
        html`<details>
          <summary>${w.earlier} (${earlier.length})</summary>
          ${listed(earlier, w.earlier)}
        </details> `
      }
      <p class="small"><a href="${linkTo(key, documentsKey(fund.isin))}">JSON</a></p>`,
  )
}

/** By kind, then by language, the newest first. */
function sortedDocuments(documents: readonly DocumentRow[]): readonly DocumentRow[] {
  const place = ({ kind, language }: DocumentRow) => `${documentKinds.indexOf(kind)} ${language}`
  return documents.toSorted((one, other) => {
    const here = place(one)
    const there = place(other)
    if (here !== there) return here < there ? -1 : 1
    return one.date > other.date ? -1 : 1
  })
}

function rowOf({ kind, language: of, date, title, url }: DocumentRow, language: Language) {
  const name = fundWords[language].kinds[kind]
  const link = html`<a href="${new URL(url).href}" lang="${of}" hreflang="${of}" rel="noopener"
    >${title.trim() || name}</a
  >`
  const small = title.trim() !== name && html` <small>${name}</small>`
  return [html`${link} ${small}`, of.toUpperCase(), dayIn(language, date)]
}
