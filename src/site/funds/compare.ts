/** The comparison of funds: a page in each language. A script asks the API for the prices and draws them. */

import type { SitePages, SitePageSource } from '../../api/contract/page.ts'
import { folderKey } from '../../api/routes/keys.ts'
import { type Language, languages } from '../../api/routes/table.ts'
import { drawing, html, type Html, linkTo, table } from '../layout/html.ts'
import { frontPages, layout, pageTemplate } from '../layout/layout.ts'
import { wording } from '../wording.ts'
import { compareWording } from './compare-wording.ts'
import { fundListKey } from './list.ts'
import { rangeButtons } from './sections/performance.ts'
import { fundWords } from './wording.ts'

const keys = frontPages.compare
const scriptKey = 'compare/compare.js'
const styleKey = 'compare/compare.css'

export const comparePages: SitePages = (source) => [
  ...languages.map((language) => ({ key: keys[language], content: comparePage(source, language) })),
  { key: scriptKey, content: pageTemplate('pages/compare.js') },
  { key: styleKey, content: pageTemplate('pages/compare.css') },
]

function comparePage(source: SitePageSource, language: Language): string {
  const w = compareWording[language]
  const key = keys[language]
  const title = wording[language].shell.parts.compare
  return layout({
    keys,
    language,
    title,
    description: w.description,
    part: 'compare',
    hasDownloads: source.hasDownloads,
    baseUrl: source.baseUrl,
    publisher: source.publisher,
    styles: ['funds/catalogue.css', styleKey],
    scripts: [scriptKey],
    main: html`<h1>${title}</h1>
      <p class="lead">${w.lead}</p>
      <noscript><p>${w.noScript} ${listLink(language, key)}</p></noscript>
      ${tool(source, language, key)}`,
  })
}

const listLink = (language: Language, key: string): Html =>
  html`<a href="${linkTo(key, frontPages.funds[language])}">${fundWords[language].list}</a>`

/** A heading without its day, and with it, once the script knows the day. */
const dated = (text: string, filled: string): Html => html`<span data-text="${filled}">${text}</span>`

/** Search, messages, chart and table for the script. Hidden until it runs. */
function tool({ table: { routes } }: SitePageSource, language: Language, key: string): Html {
  const [w, funds] = [compareWording[language], fundWords[language]]
  const historic = routes.find(({ series }) => series !== undefined)
  if (historic === undefined) throw new Error('no route has historic prices')
  // The script replaces this by an ISIN.
  const prices = linkTo(key, folderKey(historic, { isin: 'ISIN' }))
  return html`<div
    id="compare"
    hidden
    data-list="${linkTo(key, fundListKey)}"
    data-prices="${prices}"
    data-words="${JSON.stringify(w.says)}"
  >
    <div class="search" role="search">
      <div class="wide-field picker">
        <label for="search">${w.add}</label>
        <input
          id="search"
          type="text"
          role="combobox"
          aria-expanded="false"
          aria-controls="options"
          aria-autocomplete="list"
          autocomplete="off"
          spellcheck="false"
        />
        <ul class="options" id="options" role="listbox" aria-label="${w.add}" hidden></ul>
      </div>
      <p role="status" id="found"></p>
    </div>
    <div role="status" id="messages"></div>
    <figure class="chart" data-busy="${w.loading}" hidden>
      ${rangeButtons(language)}
      ${drawing({ id: 'index', title: w.chartTitle, height: 360, shapes: '<g class="drawn"></g>' })}
      <figcaption id="period" data-text="${w.period('{first}', '{last}')}"></figcaption>
    </figure>
    <div
      class="scroll"
      id="compared"
      tabindex="0"
      role="group"
      aria-label="${wording[language].shell.parts.compare}"
      hidden
    >
      ${table({
        kind: 'compared',
        columns: [
          funds.fund,
          { content: funds.currency, kind: 'wide' },
          { content: dated(w.atStart, w.onDay('{first}')), kind: 'number wide' },
          { content: dated(w.atEnd, w.onDay('{last}')), kind: 'number wide' },
          { content: funds.performance, kind: 'number' },
          html`<span class="unseen">${w.removal}</span>`,
        ],
        rows: [],
      })}
    </div>
    ${
      // Shown with the chart, which would push the notes down.
      html`<div id="notes" hidden>
        <p class="quiet small">${w.noteDistributions}</p>
        <p class="quiet small">${w.noteYoung} ${funds.costs} ${funds.past}</p>
        <p>${listLink(language, key)}</p>
      </div>`
    }
  </div> `
}
