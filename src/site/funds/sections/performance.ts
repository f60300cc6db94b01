/** The performance of a fund: per calendar year, in the periods that the law requires, and since its launch. */

import type { Language } from '../../../api/routes/table.ts'
import { escapeHtml, html, raw, type Html } from '../../layout/html.ts'
import { drawing, section, table, wideTable } from '../../layout/parts.ts'
import { wording } from '../../wording.ts'
import { barChart, type BarGroup } from '../chart/bar-chart.ts'
import { changeIn, dayIn, fixedIn } from '../chart/formats.ts'
import { lineChart } from '../chart/time-chart.ts'
import type { FundFacts, Line, PerformanceFacts } from '../facts.ts'

export function performanceSection(facts: FundFacts, language: Language): Html | null {
  const w = wording[language].funds
  const { performance } = facts
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
      <p class="quiet small">${w.past}</p>`,
  )
}

/** The chart draws the newest years only; the table has all of them. */
const mostYears = 15

/** The calendar year of the fund's newest day, unless that day ends it; null if no day is known. */
function runningYear({ fund, price }: FundFacts): string | null {
  const newest = price?.newest.date ?? fund.statusDate
  return newest === null || newest.endsWith('-12-31') ? null : newest.slice(0, 4)
}

function yearsPart({ years }: PerformanceFacts, running: string | null, language: Language): Html {
  const w = wording[language].funds
  const all = years.map(({ year, percent }) => {
    const label = String(year).padStart(4, '0')
    return { label, below: label === running ? w.toDate : null, values: [percent], percent }
  })
  const rows = all
    .toReversed()
    .map(({ label, below, percent }) => [
      below === null ? label : `${label} ${below}`,
      changeIn(language, percent),
    ])
  return html`<h3 id="years">${w.years}</h3>
    ${barFigure('years', w.years, all.slice(-mostYears), language)}
    <details>
      <summary>${w.years} (${years.length})</summary>
      ${table({ kind: 'narrow', columns: [w.year, { content: w.performance, kind: 'number' }], rows })}
    </details> `
}

function periodsPart({ periods }: PerformanceFacts, language: Language): Html {
  const w = wording[language].funds
  const percentOf = (value: number | null) => value !== null && changeIn(language, value)
  const hasFigures = periods.some(({ gross, net }) => gross !== null || net !== null)
  const groups = periods.map(({ label, gross, net }) => ({
    label: escapeHtml(label),
    below: null,
    values: [gross, net],
  }))
  const rows = periods
    .toReversed()
    .map(({ dateFrom, dateTo, gross, net }) => [
      `${dayIn(language, dateFrom)} – ${dayIn(language, dateTo)}`,
      percentOf(gross),
      percentOf(net),
    ])
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
  const description = wording[language].funds.between(
    dayIn(language, line.first),
    dayIn(language, line.last),
    fixedIn(language, line.low, digits),
    fixedIn(language, line.high, digits),
  )
  const shapes = lineChart(line.plot, line.path, language)
  return html`<h3 id="${id}">${heading}</h3>
    <p class="quiet small">${title}</p>
    ${drawing({ id, title, description, height: 220, shapes })}`
}
