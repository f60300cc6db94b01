/** The holdings of a fund: a table with bars for each structure type, and its asset allocation over time as stacked areas. */

import { inLanguage } from '../../../api/contract/fund.ts'
import type { StructureItemRow } from '../../../api/contract/rows.ts'
import { correlationType, structureTypeName } from '../../../api/contract/structure-types.ts'
import type { Language } from '../../../api/routes/table.ts'
import { escapeHtml, html, raw, type Html } from '../../layout/html.ts'
import { drawing, section, table } from '../../layout/parts.ts'
import { wording } from '../../wording.ts'
import { dayIn, fixedIn, percentIn } from '../chart/formats.ts'
import { toPercent } from '../chart/scale.ts'
import { areaChart } from '../chart/time-chart.ts'
import type { Allocation, FundFacts } from '../facts.ts'

export function structureSection({ structures }: FundFacts, language: Language): Html | null {
  if (structures.length === 0) return null
  const cards = structures.map(({ type, items }) => card(type, items, language))
  return section('structure', wording[language].funds.structure, html`<div class="cards">${cards}</div>`)
}

/** The largest items show at once, the others on demand. */
const shown = 10

function card(type: string, items: readonly StructureItemRow[], language: Language): Html {
  const bar = barIn(items)
  // A correlation is a coefficient; the values of all other types are percent of the fund.
  const valueOf = (value: number) =>
    type === correlationType ? fixedIn(language, value, 2) : percentIn(language, value)
  const rows = (some: readonly StructureItemRow[]) =>
    some.map(({ nameDe, nameEn, percent }) => {
      const name = escapeHtml(inLanguage(language, nameDe, nameEn))
      return raw(
        `<tr><th scope="row">${name}${bar(percent)}</th><td class="number">${valueOf(percent)}</td></tr>`,
      )
    })
  const rest = items.slice(shown)
  const others = html`<details>
    <summary>${wording[language].funds.rest(rest.length)}</summary>
    <table class="shares">
      <tbody>
        ${rows(rest)}
      </tbody>
    </table>
  </details> `
  return html`<div class="card">
    <table class="shares">
      <caption>
        ${structureTypeName(type, language)}
      </caption>
      <tbody>
        ${rows(items.slice(0, shown))}
      </tbody>
    </table>
    ${rest.length > 0 && others}
  </div> `
}

/** Bars of one table: the longest fills it; values below zero extend to the left. */
function barIn(items: readonly StructureItemRow[]): (value: number) => string {
  const values = items.map(({ percent }) => percent)
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)]
  const room = high - low || 1
  return (value) => {
    const x = (Math.min(0, value) - low) / room
    const kind = value < 0 ? ' class="down"' : ''
    const from = x === 0 ? '' : ` x="${toPercent(x)}"`
    return `<svg class="rate" aria-hidden="true"><rect${kind}${from} width="${toPercent(Math.abs(value) / room)}"/></svg>`
  }
}

export function allocationsSection({ allocations }: FundFacts, language: Language): Html | null {
  if (allocations.length === 0) return null
  const charts = allocations.map((allocation) => allocationPart(allocation, language))
  return section('allocations', wording[language].funds.allocations, charts)
}

/** The newest shares are the legend of the areas. */
function allocationPart(allocation: Allocation, language: Language): Html {
  const { derivatives, stack, first, last, classes } = allocation
  const w = wording[language].funds
  const id = `allocation-${derivatives}`
  const title = derivatives === 0 ? w.withoutDerivatives : w.withDerivatives
  const chart =
    stack &&
    drawing({
      id,
      title: `${w.allocations}: ${title}`,
      description: `${dayIn(language, first)} – ${dayIn(language, last)}`,
      height: 260,
      shapes: areaChart(stack, language),
    })
  return html`<h3 id="${id}">${title}</h3>
    <div class="beside">
      ${chart}
      ${table({
        kind: 'shares',
        columns: [w.assetClass, { content: w.newestShare(dayIn(language, last)), kind: 'number' }],
        // The top of the stack comes first.
        rows: [...classes]
          .reverse()
          .map(({ nameDe, nameEn, colour, newest }) => [
            [html`<i class="${colour}"></i>`, inLanguage(language, nameDe, nameEn)],
            newest !== null && percentIn(language, newest),
          ]),
      })}
    </div> `
}
