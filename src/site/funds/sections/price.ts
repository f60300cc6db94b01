/** The price of a fund: its line over the whole history, and the newest prices. */

import { mayGiveOutPrices } from '../../../api/contract/fund.ts'
import { folderKey } from '../../../api/routes/keys.ts'
import type { Language } from '../../../api/routes/table.ts'
import { html, linkTo, type Html } from '../../layout/html.ts'
import { drawing, figure, section } from '../../layout/parts.ts'
import { wording } from '../../wording.ts'
import { dayIn, decimalIn } from '../chart/formats.ts'
import { lineChart } from '../chart/time-chart.ts'
import type { FundFacts, PriceFacts } from '../facts.ts'

export function priceSection(facts: FundFacts, language: Language, key: string): Html {
  const w = wording[language].funds
  const { price, fund } = facts
  if (price === null)
    return section('price', w.price, html`<p>${mayGiveOutPrices(fund) ? w.withoutPrices : w.noPrices}</p>`)
  const { newest, overdue } = price
  const row = (name: string, value: string) => figure(name, `${decimalIn(language, value)} ${fund.currency}`)
  return section(
    'price',
    w.price,
    html`${overdue !== null && html`<p class="${overdue}">${w.overdueNote[overdue]}</p> `}
      ${chart(facts, price, language, key)}
      <dl class="facts">
        ${row(w.nav, newest.netAssetValue)}${row(w.issuePrice, newest.issuePrice)}${row(
          w.repurchasePrice,
          newest.repurchasePrice,
        )}${figure(w.day, dayIn(language, newest.date))}
      </dl>`,
  )
}

const ranges = {
  en: ['1M', '3M', 'YTD', '1Y', '3Y', '5Y', 'Max'],
  de: ['1M', '3M', 'YTD', '1J', '3J', '5J', 'Max'],
} as const

function chart(facts: FundFacts, price: PriceFacts, language: Language, key: string): Html | null {
  const w = wording[language].funds
  const { fund } = facts
  const { line } = price
  if (line === null) return null
  const description = w.chartDescription(
    dayIn(language, line.first),
    decimalIn(language, line.firstNav),
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
      ${ranges[language].map((label, index) => html`<button type="button" data-range="${ranges.en[index]}">${label}</button>`)}
    </div>
    <div class="stage">
      ${drawing({
        id: 'nav',
        title: w.chartTitle(fund.currency),
        description,
        height: 320,
        shapes: `<g class="drawn">${lineChart(line.plot, line.path, language)}</g>`,
      })}
    </div>
    <figcaption>${w.chartNote} ${w.past}</figcaption>
  </figure> `
}
