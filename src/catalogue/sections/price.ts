/** The price of a fund: its line over the whole history, and the newest prices. */

import { mayGiveOutPrices } from '../../contract/fund.ts'
import { html, raw, type Html } from '../../pages/html.ts'
import { linkTo } from '../../pages/link.ts'
import { folderKey } from '../../routes/keys.ts'
import { dayIn, decimalIn, type Language } from '../chart/formats.ts'
import { lineChart } from '../chart/line-chart.ts'
import type { DrawnLine, FundFacts, PriceFacts } from '../fund-facts.ts'
import { words } from '../words.ts'

export function priceSection(facts: FundFacts, language: Language, key: string): Html {
  const w = words[language]
  const { price, fund } = facts
  if (price === null) {
    return html`<section aria-labelledby="price">
      <h2 id="price">${w.price}</h2>
      <p>${mayGiveOutPrices(fund) ? w.withoutPrices : w.noPrices}</p>
    </section> `
  }
  const { newest, overdue } = price
  const row = (name: string, value: string) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${decimalIn(language, value)} ${fund.currency}</dd>
    </div> `
  return html`<section aria-labelledby="price">
    <h2 id="price">${w.price}</h2>
    ${overdue === null ? null : html`<p class="${overdue}">${w.overdueNote[overdue]}</p> `}
    ${price.line === null ? null : chart(facts, price, price.line, language, key)}
    <dl class="facts">
      ${row(w.nav, newest.netAssetValue)}${row(w.issuePrice, newest.issuePrice)}${row(
        w.repurchasePrice,
        newest.repurchasePrice,
      )}
      <div>
        <dt>${w.day}</dt>
        <dd>${dayIn(language, newest.date)}</dd>
      </div>
    </dl>
  </section> `
}

const ranges = {
  en: ['1M', '3M', 'YTD', '1Y', '3Y', '5Y', 'Max'],
  de: ['1M', '3M', 'YTD', '1J', '3J', '5J', 'Max'],
} as const

function chart(facts: FundFacts, price: PriceFacts, line: DrawnLine, language: Language, key: string): Html {
  const w = words[language]
  const { fund } = facts
  const description = w.chartDescription(
    dayIn(language, line.first),
    decimalIn(language, line.sample[0]?.nav ?? ''),
    dayIn(language, line.last),
    decimalIn(language, price.newest.netAssetValue),
  )
  const historic = facts.answers.find(({ route }) => route.series !== undefined)
  const windows = historic === undefined ? '' : linkTo(key, folderKey(historic.route, { isin: fund.isin }))
  return html`<figure
    class="chart"
    id="nav"
    data-windows="${windows}"
    data-currency="${fund.currency}"
    data-nav="${line.flat}"
  >
    <div class="ranges" role="group" aria-label="${w.ranges}">
      ${raw(ranges[language].map((label, index) => `<button type="button" data-range="${ranges.en[index] ?? ''}">${label}</button>`).join(''))}
    </div>
    <div class="stage">
      <svg class="canvas" role="img" aria-labelledby="nav-title nav-text" height="320" width="100%">
        <title id="nav-title">${w.chartTitle(fund.currency)}</title>
        <desc id="nav-text">${description}</desc>
        <g class="drawn">${raw(lineChart(line.plot, line.path, language))}</g>
      </svg>
    </div>
    <figcaption>${w.chartNote} ${w.past}</figcaption>
  </figure> `
}
