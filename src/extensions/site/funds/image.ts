/** The price chart of a fund as a file of its own, for mails and other websites: in English, light, of a fixed size. */

import type { Page } from '../../../core/api/contract/page.ts'
import { html, raw } from '../../../core/layout/html.ts'
import { accentOf, fundChartKey } from '../../../core/layout/layout.ts'
import { amountIn, dayIn } from '../../../core/layout/formats.ts'
import { priceLineShapes } from './chart/price-line.ts'
import type { FundFacts } from './facts.ts'
import { fundWords } from './wording.ts'

/** In CSS pixels: about the shape of previews in chats. */
const width = 800
const height = 420

/** A longer name does not fit on its line. */
const mostLetters = 60

/** Without a price, or without the permission to show its performance, only words. */
export function fundChart({ fund, price, performance, publisher }: FundFacts): Page {
  const w = fundWords.en
  const line = price?.line ?? null
  const letters = [...fund.name]
  const name = letters.length > mostLetters ? `${letters.slice(0, mostLetters).join('')}…` : fund.name
  const newest =
    price === null
      ? w.withoutPrices
      : `${amountIn('en', price.newest.netAssetValue, fund.currency)}, ${dayIn('en', price.newest.date)}`
  const refused = typeof performance === 'string' && [w.noPerformance[performance]]
  const notes =
    refused || (line === null ? [] : [line.reinvested === null ? w.chartNote : w.imageNoteReinvested, w.past])
  const chart =
    line &&
    html`<svg x="80" y="110" width="690" height="230" overflow="visible">
      ${raw(priceLineShapes(line, 'en'))}
    </svg> `
  const { markup } = html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${width}"
    height="${height}"
    role="img"
    aria-labelledby="title"
  >
    <title id="title">${fund.name}: ${w.chartTitle(fund.currency)}</title>
    <style>
      ${raw(styleOf(accentOf(publisher)))}
    </style>
    <rect width="100%" height="100%" fill="#fff" />
    <text class="name" x="24" y="44">${name}</text>
    <text x="24" y="72">${newest}</text>
    ${chart}${notes.map((note, index) => html`<text class="note" x="24" y="${386 + 18 * index}">${note}</text> `)}
  </svg> `
  return { key: fundChartKey(fund.isin), content: markup }
}

/** As in `templates/pages/catalogue.css`, which has the colours of both themes. */
const styleOf = (accent: string) => `
text { font: 15px sans-serif; fill: #17212b }
.name { font-size: 20px; font-weight: 600 }
.note, .x text, .y text { font-size: 12px; fill: #55626f }
.y text { text-anchor: end }
.x text { text-anchor: middle }
.x line, .y line { stroke: #dfe4e8 }
.line { fill: none; stroke: ${accent}; stroke-width: 1.75; vector-effect: non-scaling-stroke }
.l2 { stroke-dasharray: 7 5 }
.event { fill: ${accent} }
`
