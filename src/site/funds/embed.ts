/** A fund in a frame on other websites: its price and its chart, without scripts. Only with the setting `site.frameAncestors`. */

import { mayGiveOutPrices } from '../../api/contract/fund.ts'
import type { FundPages, Page, SitePageSource } from '../../api/contract/page.ts'
import { type Language, languages } from '../../api/routes/table.ts'
import { colourRules } from '../layout/colours.ts'
import { addressOf } from '../layout/head.ts'
import { fundName, html, type Html, linkTo } from '../layout/html.ts'
import { commonHead, embeddedKeys, fundPageKeys, pageTemplate } from '../layout/layout.ts'
import { amountIn } from './chart/formats.ts'
import { factReads, fundFacts, type FundFacts } from './facts.ts'
import { dayOfPrice } from './page.ts'
import { drawnLine } from './sections/performance.ts'
import { fundWords } from './wording.ts'

const styleKey = 'embed/embed.css'

export const embeddedFundPages: FundPages = {
  folder: 'embed/',
  names: ['de.html', 'index.html'],
  reads: factReads,
  isFor: ({ fund, publisher }) => fund.dataPermitted === 1 && Boolean(publisher?.frameAncestors),
  render: (source) => {
    const facts = fundFacts(source)
    return languages.map((language) => ({
      key: embeddedKeys(source.fund.isin)[language],
      content: embeddedPage(facts, language).markup,
    }))
  },
  entry: () => null,
}

export function* embeddedPages({ publisher }: SitePageSource): Generator<Page> {
  if (publisher?.frameAncestors)
    yield { key: styleKey, content: pageTemplate('pages/embed.css') + colourRules(publisher) }
}

function embeddedPage(facts: FundFacts, language: Language): Html {
  const { fund, price, performance, publisher, baseUrl } = facts
  const w = fundWords[language]
  const key = embeddedKeys(fund.isin)[language]
  const page = fundPageKeys(fund.isin)[language]
  const line = price?.line ?? null
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        ${commonHead}
        <meta name="robots" content="noindex" />
        <title>${fund.name} (${fund.isin})</title>
        <link rel="canonical" href="${addressOf(baseUrl, page)}" />
        <link rel="stylesheet" href="${linkTo(key, styleKey)}" />
      </head>
      <body>
        <main>
          <h1>${fundName(publisher, fund.name)}</h1>
          ${
            price === null
              ? html`<p>${mayGiveOutPrices(fund) ? w.withoutPrices : w.noPrices}</p> `
              : html`<p>
                  <b class="price">${amountIn(language, price.newest.netAssetValue, fund.currency)}</b>
                  ${dayOfPrice(facts, price, language)}
                </p> `
          }${line && drawnLine('nav', w.chartTitle(fund.currency), line, w.rangeNames.Max.name, language)}
          ${typeof performance === 'string' && html`<p class="note">${w.noPerformance[performance]}</p> `}${line && html`<p class="note">${line.reinvested === null ? w.chartNote : w.imageNoteReinvested} ${w.past}</p> `}
          <p>
            <a href="${linkTo(key, page)}" target="_blank" rel="noopener">${w.allData}</a
            >${publisher?.name && ` · ${publisher.name}`}
          </p>
        </main>
      </body>
    </html> `
}
