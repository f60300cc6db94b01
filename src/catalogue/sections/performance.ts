/** How a fund has done: per calendar year, in the periods that the law names, and since its launch. */

import { html, raw, type Html } from '../../pages/html.ts'
import { escapeHtml } from '../../pages/html.ts'
import { barChart, type BarGroup } from '../chart/bar-chart.ts'
import { changeIn, dayIn, fixedIn, type Language } from '../chart/formats.ts'
import { lineChart } from '../chart/line-chart.ts'
import type { FundFacts, Line, PerformanceFacts } from '../fund-facts.ts'
import { words } from '../words.ts'

export function performanceSection(facts: FundFacts, language: Language): Html | null {
  const w = words[language]
  const { performance } = facts
  const content =
    performance === 'denied'
      ? html`<p>${w.noPerformance}</p>`
      : performance === 'young'
        ? html`<p>${w.young}</p>`
        : charts(performance, runningYear(facts), language)
  if (content === null) return null
  return html`<section aria-labelledby="performance">
    <h2 id="performance">${w.performance}</h2>
    ${content}
  </section> `
}

/** Beyond this the newest ones are drawn; the table has all of them. */
const mostYears = 15

/** The calendar year that the newest of the fund's days lies in, but on its last day; null where that is not known. */
function runningYear({ fund, price }: FundFacts): string | null {
  const newest = price?.newest.date ?? fund.statusDate
  return newest === null || newest.endsWith('-12-31') ? null : newest.slice(0, 4)
}

function charts(performance: PerformanceFacts, running: string | null, language: Language): Html | null {
  const { years, periods, legal, launch } = performance
  if (years.length === 0 && periods.length === 0 && legal === null && launch === null) return null
  const w = words[language]
  return html`${periods.length === 0 ? null : periodsPart(performance, language)}
    ${legal === null ? null : lineFigure('line', w.line, w.lineTitle, legal, language)}
    ${years.length === 0 ? null : yearsPart(performance, running, language)}
    ${launch === null ? null : lineFigure('launch', w.launch, w.launchTitle, launch, language)}
    <p class="quiet small">${w.past}</p> `
}

function yearsPart({ years }: PerformanceFacts, running: string | null, language: Language): Html {
  const w = words[language]
  const named = (year: number) => String(year).padStart(4, '0')
  const groups = years.slice(-mostYears).map(({ year, percent }): BarGroup => {
    const group = { label: named(year), values: [percent] }
    return named(year) === running ? { ...group, below: w.toDate, isRunning: true } : group
  })
  const rows = [...years].reverse().map(
    ({ year, percent }) =>
      html`<tr>
        <th scope="row">${named(year)}${named(year) === running ? ` ${w.toDate}` : null}</th>
        <td class="number">${changeIn(language, percent)}</td>
      </tr> `,
  )
  return html`<h3 id="years">${w.years}</h3>
    ${barFigure('years', w.years, groups, language)}
    <details>
      <summary>${w.years} (${years.length})</summary>
      <table class="narrow">
        <thead>
          <tr>
            <th scope="col">${w.year}</th>
            <th scope="col" class="number">${w.performance}</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </details> `
}

function periodsPart({ periods }: PerformanceFacts, language: Language): Html {
  const w = words[language]
  const percentOf = (value: number | null) => (value === null ? '' : changeIn(language, value))
  const hasFigures = periods.some(({ gross, net }) => gross !== null || net !== null)
  const groups = periods.map(({ label, gross, net }): BarGroup => ({
    label: escapeHtml(label),
    values: [gross, net],
  }))
  const rows = [...periods].reverse().map(
    ({ dateFrom, dateTo, gross, net }) =>
      html`<tr>
        <th scope="row">${dayIn(language, dateFrom)} – ${dayIn(language, dateTo)}</th>
        <td class="number">${percentOf(gross)}</td>
        <td class="number">${percentOf(net)}</td>
      </tr> `,
  )
  return html`<h3 id="periods">${w.periods}</h3>
    ${hasFigures ? barFigure('periods', w.periods, groups, language) : null}
    <ul class="legend">
      <li><i class="first"></i>${w.gross}</li>
      <li><i class="second"></i>${w.net}</li>
    </ul>
    <div class="scroll" role="region" aria-labelledby="periods" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">${w.period}</th>
            <th scope="col" class="number">${w.gross}</th>
            <th scope="col" class="number">${w.net}</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    <p class="quiet small">${w.netNote}</p> `
}

function barFigure(id: string, title: string, groups: readonly BarGroup[], language: Language): Html {
  const said = groups.map(({ label, below, values }) => {
    const figures = values.filter((value) => value !== null).map((value) => changeIn(language, value))
    return figures.length === 0
      ? ''
      : `${label}${below === undefined ? '' : ` ${below}`}: ${figures.join(' / ')}`
  })
  return html`<svg
    class="canvas bar-canvas ${id}"
    role="img"
    aria-labelledby="${id}-title ${id}-text"
    height="220"
    width="100%"
  >
    <title id="${id}-title">${title}</title>
    <desc id="${id}-text">${raw(said.filter((text) => text !== '').join(', '))}</desc>
    ${raw(barChart(groups, language))}
  </svg> `
}

function lineFigure(id: string, heading: string, title: string, line: Line, language: Language): Html {
  const { digits } = line.plot.axis
  const description = words[language].between(
    dayIn(language, line.first),
    dayIn(language, line.last),
    fixedIn(language, line.low, Math.max(2, digits)),
    fixedIn(language, line.high, Math.max(2, digits)),
  )
  return html`<h3 id="${id}">${heading}</h3>
    <p class="quiet small">${title}</p>
    <svg class="canvas" role="img" aria-labelledby="${id}-title ${id}-text" height="220" width="100%">
      <title id="${id}-title">${title}</title>
      <desc id="${id}-text">${description}</desc>
      ${raw(lineChart(line.plot, line.path, language))}
    </svg> `
}
