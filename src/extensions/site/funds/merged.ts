/** The page of a fund that is gone because it merged: what it became. It stays for a year. */

import type { Merger, Page, SitePageSource } from '../../../core/api/contract/page.ts'
import { type Language, languages } from '../../../core/api/routes/table.ts'
import { fundName, html, linkTo } from '../../../core/layout/html.ts'
import { frontPages, fundPageKeys, layout } from '../../../core/layout/layout.ts'
import { dayIn } from '../../../core/layout/formats.ts'
import { fundWords } from './wording.ts'

export function* mergedFundPages(source: SitePageSource): Generator<Page> {
  for (const merger of source.mergers)
    for (const language of languages)
      yield { key: fundPageKeys(merger.isin)[language], content: mergedPage(merger, source, language) }
}

function mergedPage(
  { isin, exDate, successorIsin }: Merger,
  source: SitePageSource,
  language: Language,
): string {
  const { baseUrl, parts, publisher, funds } = source
  const keys = fundPageKeys(isin)
  const key = keys[language]
  const w = fundWords[language]
  const successor = funds.find((fund) => fund.isin === successorIsin)
  const name =
    successor === undefined
      ? html`<code>${successorIsin}</code>`
      : html`<a href="${linkTo(key, fundPageKeys(successorIsin)[language])}"
            >${fundName(publisher, successor.name)}</a
          >
          (<code>${successorIsin}</code>)`
  return layout({
    keys,
    language,
    baseUrl,
    parts,
    publisher,
    title: isin,
    description: w.mergedInto(isin, successor?.name ?? successorIsin, dayIn(language, exDate)),
    part: 'funds',
    head: html`<meta name="robots" content="noindex" /> `,
    main: html`<h1>${isin}</h1>
      <p class="lead">${w.merged(dayIn(language, exDate))} ${name}.</p>
      <p>${w.mergedData}</p>
      <p><a href="${linkTo(key, frontPages.funds[language])}">${w.list}</a></p>`,
  })
}
