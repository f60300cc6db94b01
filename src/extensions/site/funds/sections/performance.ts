/** Prices and performance of a fund: the price line, calendar years, the periods that the law requires. */

import { priceTitle } from '../../../../core/api/contract/prices.ts'
import { folderKey } from '../../../../core/api/routes/keys.ts'
import type { Language } from '../../../../core/api/routes/table.ts'
import {
  drawing,
  figure,
  html,
  type Html,
  linkTo,
  noValue,
  raw,
  section,
  table,
  twoViews,
} from '../../../../core/layout/html.ts'
import { isoOf } from '../../../../core/system/day-number.ts'
import { distributionKeys } from '../../../../core/layout/layout.ts'
import { wording } from '../../../../core/layout/wording.ts'
import { fundWords, isForeign } from '../wording.ts'
import { inRow } from './data.ts'
import { barChart } from '../chart/charts.ts'
import { amountIn, changeIn, dayIn, decimalIn, monthDayIn } from '../../../../core/layout/formats.ts'
import { type ChangeWords, priceLineChange, priceLineShapes } from '../chart/price-line.ts'
import type { DayPrice } from '../../../../core/layout/total-return.ts'
import {
  distributionsIn,
  type FundFacts,
  type Line,
  type PartOfYear,
  type PerformanceFacts,
  type PriceFacts,
} from '../facts.ts'

export function performanceSection(facts: FundFacts, language: Language): Html | null {
  const w = fundWords[language]
  const { fund, performance, price } = facts
  if (typeof performance === 'string')
    return section('performance', w.performance, html`<p>${w.noPerformance[performance]}</p>`)
  const { years, periods, index } = performance
  const notes = price === null ? [] : returnNotes(price, language)
  if (years.length === 0 && periods.length === 0 && index === null && notes.length === 0) return null
  return section(
    'performance',
    w.performance,
    html`${
        years.length + periods.length > 0 &&
        html`<div class="beside">
          ${years.length > 0 && yearsPart(performance, language)}
          ${periods.length > 0 && periodsPart(performance, language)}
        </div> `
      }
      ${price === null && index && indexFigure(index, 'none', language)}
      <p class="quiet small">
        ${periods.length > 0 && `${w.grossNote} `}${periods.some(({ net }) => net !== null) && `${w.netNote} `}${notes.map((note) => `${note} `)}${w.costs}
        ${isForeign(fund.currency) && `${w.otherCurrency} `}${w.past}
      </p>`,
  )
}

/** A sentence or two for each kind of return in the head. */
function returnNotes({ oneYear, fiveYears, newest }: PriceFacts, language: Language): readonly string[] {
  const w = fundWords[language]
  const returns = [oneYear, fiveYears].filter((each) => each !== null)
  const notes = returns.map(({ from, until }) => {
    if (from !== 'reported') return w.returnNotes[from]
    const chart =
      until === null ? w.chartDiffers : w.chartEnds(dayIn(language, until), dayIn(language, newest.date))
    return `${w.returnNotes.reported} ${chart}`
  })
  return [...new Set(notes)]
}

/** Years in the chart; the table has all of them. */
const mostYears = 10

function yearsPart({ years }: PerformanceFacts, language: Language): Html {
  const w = fundWords[language]
  const labelOf = (year: number) => String(year).padStart(4, '0')
  const shortDay = (day: string) => monthDayIn(language, day.slice(5))
  const bars = years.map(({ year, percent, part }) => {
    const below = part === null ? null : partName(part, shortDay, language)
    return { label: labelOf(year), shortLabel: `’${labelOf(year).slice(2)}`, below, percent }
  })
  const rows = years.toReversed().map(({ year, percent, part }) => {
    const name = part === null ? '' : ` ${partName(part, (day) => dayIn(language, day), language)}`
    return [`${labelOf(year)}${name}`, changeIn(language, percent)]
  })
  const shapes = barChart(bars.slice(-mostYears), language)
  return html`<figure class="bar-chart">
    <h3 id="years">${w.yearsInPercent}</h3>
    ${drawing({ id: 'years', title: w.years, height: 220, shapes, kind: ' years' })}
    <details>
      <summary>${w.years} (${years.length})</summary>
      ${table({
        caption: w.years,
        kind: 'narrow',
        columns: [w.year, { content: w.performance, kind: 'number' }],
        rows,
      })}
    </details>
  </figure> `
}

function partName({ from, until }: PartOfYear, day: (day: string) => string, language: Language): string {
  const w = fundWords[language]
  if (from !== null) return w.since(day(from))
  return until === null ? w.toDate : w.until(day(until))
}

function periodsPart({ periods }: PerformanceFacts, language: Language): Html {
  const w = fundWords[language]
  const percentOf = (value: number | null) => (value === null ? noValue(language) : changeIn(language, value))
  // A column without a value tells nothing.
  const kinds = (['gross', 'net'] as const).filter((kind) => periods.some((period) => period[kind] !== null))
  const rows = periods
    .toReversed()
    .map((period) => [
      `${dayIn(language, period.dateFrom)} – ${dayIn(language, period.dateTo)}`,
      ...kinds.map((kind) => percentOf(period[kind])),
    ])
  return html`<div>
    <h3 id="periods">${w.periods}</h3>
    ${table({
      caption: w.periods,
      kind: 'periods',
      columns: [w.period, ...kinds.map((kind) => ({ content: w[kind], kind: 'number' }))],
      rows,
    })}
  </div> `
}

/** @returns null without a price: the head says why */
export function priceSection(facts: FundFacts, language: Language, key: string): Html | null {
  const w = fundWords[language]
  const { price, fund, performance } = facts
  if (price === null) return null
  const { newest, line } = price
  const index = typeof performance === 'string' ? null : performance.index
  const prices = line && priceFigure(facts, line, language, key)
  const ranges = prices === null ? 'none' : price.isTotalReturnKnown ? 'ofPrices' : 'unknown'
  const row = (name: string, value: string) => figure(name, amountIn(language, value, fund.currency))
  const onDay = (name: string, { day, nav }: DayPrice) =>
    figure(
      name,
      html`${amountIn(language, nav, fund.currency)} <small>${dayIn(language, isoOf(day))}</small>`,
    )
  return section(
    'price',
    w.price,
    html`${
        prices !== null && index !== null
          ? twoViews('chart', w.chart, [
              [w.nav, prices],
              [w.performance, indexFigure(index, ranges, language)],
            ])
          : (prices ?? (index && indexFigure(index, ranges, language)))
      }
      <dl class="facts">
        ${row(priceTitle('issue_price', language), newest.issuePrice)}${row(priceTitle('repurchase_price', language), newest.repurchasePrice)}
        ${price.year !== null && [onDay(w.yearHigh, price.year.high), onDay(w.yearLow, price.year.low)]}
      </dl>
      ${actionsPart(facts, language, key)}`,
  )
}

function actionsPart({ fund, actions }: FundFacts, language: Language, key: string): Html | null {
  const { distributions, splits } = actions
  if (distributions.length + splits.length === 0) return null
  const w = fundWords[language]
  const rows = [
    ...distributions.map(({ exDay, amount }) => ({ exDay, text: amountIn(language, amount, fund.currency) })),
    ...splits.map(({ exDay, factor }) => ({ exDay, text: w.split(splitRatio(language, factor)) })),
  ].sort((one, other) => other.exDay - one.exDay)
  const name = splits.length === 0 ? w.distributions : w.actions
  return html`<details id="distributions">
    <summary>${name} (${rows.length})</summary>
    ${table({
      caption: name,
      kind: 'narrow',
      columns: [w.exDate, { content: w.perShare, kind: 'number' }],
      rows: rows.map(({ exDay, text }) => [dayIn(language, isoOf(exDay)), text]),
    })}
    <p>
      ${inRow([
        html`<a href="${linkTo(key, distributionKeys(fund.isin).csv)}">CSV</a>`,
        html`<a href="${linkTo(key, distributionKeys(fund.isin).json)}">JSON</a>`,
      ])}
    </p>
  </details> `
}

/** `1:10` for ten new shares for an old one, `10:1` for a reverse split. */
function splitRatio(language: Language, factor: string): string {
  const shown = (value: number) => decimalIn(language, String(Number(value.toFixed(6))))
  const value = Number(factor)
  return value >= 1 ? `1:${shown(value)}` : `${shown(1 / value)}:1`
}

const priceFigureId = 'nav'

/** Texts of the script of a line. */
function lineWords(language: Language): Html {
  const { onChart, measured } = fundWords[language]
  const words = { ...onChart, ...measured, again: wording[language].shell.again }
  return html` data-words="${JSON.stringify(words)}"`
}

function priceFigure(facts: FundFacts, line: Line, language: Language, key: string): Html {
  const { fund, historic } = facts
  const w = fundWords[language]
  const hasActions = line.distributions + line.splits !== ''
  const windows = historic === undefined ? '' : linkTo(key, folderKey(historic.route, { isin: fund.isin }))
  return html`<figure
    class="chart"
    id="${priceFigureId}"
    data-windows="${windows}"
    data-currency="${fund.currency}"
    data-points="${line.flat}"
    data-busy="${w.loading}"
    data-name="${w.nav}"
    ${lineWords(language)}${hasActions && html` data-distributions="${line.distributions}" data-splits="${line.splits}"`}
  >
    ${rangeButtons(language)}${drawnLine(priceFigureId, w.chartTitle(fund.currency), line, { period: w.rangeNames.Max.name, nav: w.nav }, language)}
    <figcaption>
      <p class="of-script">${w.chartMeasures}</p>
      <p>${w.past}</p>
      <p>
        ${w.chartNotes[distributionsIn(facts)]}
        ${line.splits !== '' && `${w.chartNoteSplits} `}${
          // Where it is hidden, it leaves no gap between other texts.
          line.reinvested !== null && html`<span class="of-reinvested">${w.chartNoteReinvested}</span>`
        }
      </p>
    </figcaption>
  </figure> `
}

/**
 * The index of the whole time since the launch, or of as much as is published. A script gives it the ranges and the texts of
 * the prices, from which it computes shorter periods if all distributions are known.
 */
function indexFigure(line: Line, ranges: 'ofPrices' | 'unknown' | 'none', language: Language): Html {
  const w = fundWords[language]
  const hasRanges = ranges === 'ofPrices'
  const period = hasRanges ? w.rangeNames.Max.name : ''
  return html`<figure
    class="chart"
    id="index"
    data-points="${line.flat}"
    data-name="${w.performance}"
    ${hasRanges ? html` data-prices-of="${priceFigureId}" data-busy="${w.loading}"` : lineWords(language)}
  >
    ${drawnLine('index', w.indexTitle, line, { period, nav: w.performance }, language)}
    <figcaption>
      <p class="of-script">${w.chartMeasures}</p>
      <p>${w.past}</p>
      <p>${w.indexNote} ${ranges !== 'none' && w.indexRanges[ranges]}</p>
    </figcaption>
  </figure> `
}

function drawnLine(
  id: string,
  title: string,
  line: Line,
  { period, nav }: Pick<ChangeWords, 'period' | 'nav'>,
  language: Language,
): Html {
  const w = fundWords[language]
  const words = { period, nav, reinvested: w.onChart.reinvested, perYear: w.measured.perYear }
  const first = line.navs[0]
  const last = line.navs.at(-1)
  const day = (price = first) => dayIn(language, isoOf(price?.day ?? 0))
  const value = (price = first) => decimalIn(language, price?.nav ?? '')
  return html`<p class="change" role="status">${raw(priceLineChange(line, language, words))}</p>
    ${drawing({
      id,
      title,
      description: w.chartDescription(day(), value(), day(last), value(last)),
      height: 320,
      shapes: `<g class="drawn">${priceLineShapes(line, language)}</g>`,
    })}`
}

const ranges = ['1M', '3M', 'YTD', '1Y', '3Y', '5Y', 'Max'] as const

/** Ranges of a chart over days. A script makes the buttons work. */
export function rangeButtons(language: Language): Html {
  const { ranges: label, rangeNames } = fundWords[language]
  const buttons = ranges.map((range) => {
    const { short, name } = rangeNames[range]
    return html`<button type="button" data-range="${range}" title="${name}">${short}</button>`
  })
  return html`<div class="ranges" role="group" aria-label="${label}">${buttons}</div> `
}
