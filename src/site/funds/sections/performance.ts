/** Prices and performance of a fund: the price line, calendar years, the periods that the law requires. */

import { mayGiveOutPrices } from '../../../api/contract/fund.ts'
import { priceTitle } from '../../../api/contract/prices.ts'
import { folderKey } from '../../../api/routes/keys.ts'
import type { Language } from '../../../api/routes/table.ts'
import {
  drawing,
  escapeHtml,
  figure,
  html,
  type Html,
  linkTo,
  noValue,
  raw,
  section,
  table,
  wideTable,
} from '../../layout/html.ts'
import { fundWords, isForeign } from '../wording.ts'
import { barChart, type BarGroup, lineChart } from '../chart/charts.ts'
import { amountIn, changeIn, dayIn, decimalIn, fixedIn, unbroken } from '../chart/formats.ts'
import type { FundFacts, Line, PerformanceFacts, PriceFacts } from '../facts.ts'

export function performanceSection(facts: FundFacts, language: Language): Html | null {
  const w = fundWords[language]
  const { fund, performance, price } = facts
  if (typeof performance === 'string') {
    const refusal = performance === 'young' ? w.young : w.noPerformance
    return section('performance', w.performance, html`<p>${refusal}</p>`)
  }
  const { years, periods, legal, launch } = performance
  if (years.length === 0 && periods.length === 0 && legal === null && launch === null) return null
  return section(
    'performance',
    w.performance,
    html`${periods.length > 0 && periodsPart(performance, language)}
      ${legal && lineFigure('line', w.line, w.lineTitle, legal, language)}
      ${years.length > 0 && yearsPart(performance, runningYear(facts), language)}
      ${launch && lineFigure('launch', w.launch, w.launchTitle, launch, language)}
      <p class="quiet small">
        ${typeof price?.oneYearPercent === 'string' && `${w.oneYearNote} `}${w.costs}
        ${isForeign(fund.currency) && `${w.otherCurrency} `}${w.past}
      </p>`,
  )
}

/** Years in the chart; the table has all of them. */
const mostYears = 15

/** The calendar year of the fund's newest day, unless that day ends it; null without a day. */
function runningYear({ fund, price }: FundFacts): string | null {
  const newest = price?.newest.date ?? fund.statusDate
  return newest === null || newest.endsWith('-12-31') ? null : newest.slice(0, 4)
}

function yearsPart({ years }: PerformanceFacts, running: string | null, language: Language): Html {
  const w = fundWords[language]
  const all = years.map(({ year, percent }) => {
    const label = String(year).padStart(4, '0')
    return { label, below: label === running ? w.toDate : null, values: [percent], percent }
  })
  const rows = all.toReversed().map(({ label, below, percent }) => {
    return [below === null ? label : `${label} ${below}`, changeIn(language, percent)]
  })
  return html`<h3 id="years">${w.years}</h3>
    ${barFigure('years', w.years, all.slice(-mostYears), language)}
    <details>
      <summary>${w.years} (${years.length})</summary>
      ${table({ kind: 'narrow', columns: [w.year, { content: w.performance, kind: 'number' }], rows })}
    </details> `
}

function periodsPart({ periods }: PerformanceFacts, language: Language): Html {
  const w = fundWords[language]
  const percentOf = (value: number | null) => (value === null ? noValue(language) : changeIn(language, value))
  const hasFigures = periods.some(({ gross, net }) => gross !== null || net !== null)
  const groups = periods.map(({ label, gross, net }) => {
    return { label: escapeHtml(label), below: null, values: [gross, net] }
  })
  const rows = periods.toReversed().map(({ dateFrom, dateTo, gross, net }) => {
    const period = `${unbroken(dayIn(language, dateFrom))} – ${unbroken(dayIn(language, dateTo))}`
    return [period, percentOf(gross), percentOf(net)]
  })
  return html`<h3 id="periods">${w.periods}</h3>
    ${hasFigures && barFigure('periods', w.periods, groups, language)}
    <ul class="legend">
      <li><i class="first"></i>${w.gross}</li>
      <li><i class="second"></i>${w.net}</li>
    </ul>
    ${wideTable(w.periods, {
      columns: [w.period, { content: w.gross, kind: 'number' }, { content: w.net, kind: 'number' }],
      rows,
    })}
    <p class="quiet small">${w.netNote}</p> `
}

function barFigure(id: string, title: string, groups: readonly BarGroup[], language: Language): Html {
  const described = groups.flatMap(({ label, below, values }) => {
    const figures = values.filter((value) => value !== null).map((value) => changeIn(language, value))
    return figures.length === 0 ? [] : `${label}${below === null ? '' : ` ${below}`}: ${figures.join(' / ')}`
  })
  return drawing({
    id,
    title,
    description: raw(described.join(', ')),
    height: 220,
    shapes: barChart(groups, language),
    kind: ` bar-canvas ${id}`,
  })
}

function lineFigure(id: string, heading: string, title: string, line: Line, language: Language): Html {
  const digits = Math.max(2, line.plot.axis.digits)
  const description = fundWords[language].between(
    dayIn(language, line.first),
    dayIn(language, line.last),
    fixedIn(language, line.low, digits),
    fixedIn(language, line.high, digits),
  )
  const shapes = lineChart(line.plot, [line.path], language)
  return html`<h3 id="${id}">${heading}</h3>
    <p class="quiet small">${title}</p>
    ${drawing({ id, title, description, height: 220, shapes })}`
}

export function priceSection(facts: FundFacts, language: Language, key: string): Html {
  const w = fundWords[language]
  const { price, fund } = facts
  if (price === null)
    return section('price', w.price, html`<p>${mayGiveOutPrices(fund) ? w.withoutPrices : w.noPrices}</p>`)
  const { newest, overdue } = price
  const row = (name: string, value: string) => figure(name, amountIn(language, value, fund.currency))
  return section(
    'price',
    w.price,
    html`${overdue !== null && html`<p class="${overdue}">${w.overdueNote[overdue]}</p> `}
      ${chart(facts, price, language, key)}
      <dl class="facts">
        ${row(w.nav, newest.netAssetValue)}${row(priceTitle('issue_price', language), newest.issuePrice)}${row(priceTitle('repurchase_price', language), newest.repurchasePrice)}${figure(w.day, dayIn(language, newest.date))}
      </dl>`,
  )
}

function chart(facts: FundFacts, price: PriceFacts, language: Language, key: string): Html | null {
  const w = fundWords[language]
  const { fund, historic } = facts
  const { line } = price
  if (line === null) return null
  const description = w.chartDescription(
    dayIn(language, line.first),
    decimalIn(language, line.firstNav),
    dayIn(language, line.last),
    decimalIn(language, price.newest.netAssetValue),
  )
  const windows = historic === undefined ? '' : linkTo(key, folderKey(historic.route, { isin: fund.isin }))
  return html`<figure
    class="chart"
    id="nav"
    data-windows="${windows}"
    data-currency="${fund.currency}"
    data-nav="${line.flat}"
  >
    ${rangeButtons(language)}
    <div class="stage">
      ${drawing({
        id: 'nav',
        title: w.chartTitle(fund.currency),
        description,
        height: 320,
        shapes: `<g class="drawn">${lineChart(line.plot, [line.path], language)}</g>`,
      })}
    </div>
    <figcaption>${w.chartNote} ${w.past}</figcaption>
  </figure> `
}

const ranges = {
  en: ['1M', '3M', 'YTD', '1Y', '3Y', '5Y', 'Max'],
  de: ['1M', '3M', 'Lfd. Jahr', '1J', '3J', '5J', 'Max'],
} as const

/** Ranges of a chart over days. A script makes the buttons work. */
export const rangeButtons = (language: Language): Html =>
  html`<div class="ranges" role="group" aria-label="${fundWords[language].ranges}">
    ${ranges[language].map((label, index) => html`<button type="button" data-range="${ranges.en[index]}">${label}</button>`)}
  </div>`
