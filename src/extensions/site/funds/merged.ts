/** The page of a fund that is gone because it merged: what it became. It stays for a year. */

import type { Merger, Page, Publisher, SitePageSource } from '../../../core/api/contract/page.ts'
import { type Language, languages } from '../../../core/api/routes/table.ts'
import { fundName, html, type Html, linkTo } from '../../../core/layout/html.ts'
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
  const name = successorLink({ isin: successorIsin, name: successor?.name ?? null }, publisher, language, key)
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
      <p class="callout">
        ${withLink((into) => w.mergedInto(w.thisFund, into, dayIn(language, exDate)), name)} ${w.mergedData}
      </p>
      <p><a href="${linkTo(key, frontPages.funds[language])}">${w.list}</a></p>`,
  })
}

/** @param say makes a sentence of the text of a link @returns the sentence with the link */
export function withLink(say: (text: string) => string, link: Html): Html {
  const [before = '', after = ''] = say('\n').split('\n')
  return html`${before}${link}${after}`
}

/** @param successor without a name if it has no page @param key of the page with the link */
export const successorLink = (
  { isin, name }: Readonly<{ isin: string; name: string | null }>,
  publisher: Publisher | null,
  language: Language,
  key: string,
): Html =>
  name === null
    ? html`<code>${isin}</code>`
    : html`<a href="${linkTo(key, fundPageKeys(isin)[language])}">${fundName(publisher, name)}</a> (<span
          class="whole"
          >${isin}</span
        >)`
