/** The price chart of a fund as a file of its own, for mails and other websites: in English, light, of a fixed size. */

import type { Page } from '../../../core/api/contract/page.ts'
import { html, type Html, raw } from '../../../core/layout/html.ts'
import { fundChartKey } from '../../../core/layout/layout.ts'
import { amountIn, dayIn } from '../../../core/layout/formats.ts'
import { lineStyle } from './chart/charts.ts'
import { priceLineShapes } from './chart/price-line.ts'
import { imageStyle } from './chart/style.ts'
import { distributionsIn, type FundFacts } from './facts.ts'
import { fundWords } from './wording.ts'

/** In CSS pixels: about the shape of previews in chats. */
const width = 800
const height = 420

/** Of text on one line, in the size of the fund's name. */
const mostLetters = 60

/** Without a price, or without the permission to show its performance, only words. */
export function fundChart(facts: FundFacts): Page {
  const { fund, price, performance, publisher } = facts
  const w = fundWords.en
  const line = price?.line ?? null
  const newest =
    price === null
      ? w.withoutPrices
      : `${amountIn('en', price.newest.netAssetValue, fund.currency)}, ${dayIn('en', price.newest.date)}`
  const company = publisher?.name ?? null
  const notes =
    typeof performance === 'string'
      ? [w.noPerformance[performance]]
      : line === null
        ? []
        : [line.reinvested === null ? w.chartNotes[distributionsIn(facts)] : w.imageNoteReinvested, w.past]
  const chart =
    line &&
    html`${line.reinvested !== null && [keyAt(290, 0, w.nav), keyAt(440, 1, w.onChart.reinvested)]}<svg
        x="80"
        y="118"
        width="690"
        height="222"
        overflow="visible"
      >
        ${raw(priceLineShapes(line, 'en'))}
      </svg> `
  const { markup } = html`<svg
    xmlns="http://www.w3.org/2000/svg"
    width="${width}"
    height="${height}"
    role="img"
    aria-labelledby="title"
  >
    <title id="title">
      ${fund.name}: ${w.chartTitle(fund.currency)}${company !== null && ` (${company})`}
    </title>
    <style>
      ${raw(ownStyle + imageStyle(publisher?.accent.light ?? null))}
    </style>
    <rect width="100%" height="100%" fill="#fff" />
    ${company !== null && html`<text class="note from" x="24" y="26">${cut(company)}</text> `}
    <text class="note" x="${width - 30}" y="26" text-anchor="end">${fund.isin}</text>
    <text class="name" x="24" y="52">${cut(fund.name)}</text>
    <text x="24" y="80">${newest}</text>
    ${chart}${notes.map((note, index) => html`<text class="note" x="24" y="${386 + 18 * index}">${note}</text> `)}
  </svg> `
  return { key: fundChartKey(fund.isin), content: markup }
}

function cut(text: string): string {
  const letters = [...text]
  return letters.length > mostLetters ? `${letters.slice(0, mostLetters).join('')}…` : text
}

/** What a line of the chart is. */
const keyAt = (x: number, style: number, name: string): Html =>
  html`<path class="${lineStyle(style)}" d="M${x} 75h28" /><text class="note" x="${x + 36}" y="79"
      >${name}</text
    > `

/** Of the text around the chart. */
const ownStyle = `text { font: 15px sans-serif; fill: #17212b }
.name { font-size: 20px; font-weight: 600 }
.note { font-size: 12px; fill: #55626f }
.from { font-weight: 600 }
`
