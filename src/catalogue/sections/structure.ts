/** What a fund holds: a table with bars for each structure type, the largest ten shown, the rest on demand. */

import type { StructureItemRow } from '../../contract/rows.ts'
import { inLanguage } from '../../contract/fund.ts'
import { correlationType, structureTypeName } from '../../contract/structure-types.ts'
import { escapeHtml, html, raw, type Html } from '../../pages/html.ts'
import { fixedIn, percentIn, type Language } from '../chart/formats.ts'
import { percent } from '../chart/line-chart.ts'
import type { FundFacts } from '../fund-facts.ts'
import { words } from '../words.ts'

export function structureSection({ structures }: FundFacts, language: Language): Html | null {
  if (structures.length === 0) return null
  return html`<section aria-labelledby="structure">
    <h2 id="structure">${words[language].structure}</h2>
    <div class="cards">${structures.map(({ type, items }) => card(type, items, language))}</div>
  </section> `
}

const shown = 10

/** Of a correlation the value is a coefficient. Of all other types it is a percent of the fund. */
const valueIn = (type: string, language: Language, value: number) =>
  type === correlationType ? fixedIn(language, value, 2) : percentIn(language, value)

function card(type: string, items: readonly StructureItemRow[], language: Language): Html {
  const name = structureTypeName(type, language)
  const bar = barIn(items)
  const rows = (some: readonly StructureItemRow[]) =>
    raw(
      some
        .map((item) => {
          const text = escapeHtml(inLanguage(language, item.nameDe, item.nameEn))
          return `<tr><th scope="row">${text}${bar(item.percent)}</th><td class="number">${valueIn(type, language, item.percent)}</td></tr>`
        })
        .join(''),
    )
  const rest = items.slice(shown)
  return html`<div class="card">
    <table class="shares">
      <caption>
        ${name}
      </caption>
      <tbody>
        ${rows(items.slice(0, shown))}
      </tbody>
    </table>
    ${
      rest.length === 0
        ? null
        : html`<details>
            <summary>${words[language].rest(rest.length)}</summary>
            <table class="shares">
              <tbody>
                ${rows(rest)}
              </tbody>
            </table>
          </details> `
    }
  </div> `
}

/** Bars of one table: the longest fills it, and what is below zero reaches to the left. */
function barIn(items: readonly StructureItemRow[]): (value: number) => string {
  const [low, high] = [
    Math.min(0, ...items.map((item) => item.percent)),
    Math.max(0, ...items.map((item) => item.percent)),
  ]
  const room = high - low || 1
  return (value) => {
    const x = (Math.min(0, value) - low) / room
    const kind = value < 0 ? ' class="down"' : ''
    const from = x === 0 ? '' : ` x="${percent(x)}"`
    return `<svg class="rate" aria-hidden="true"><rect${kind}${from} width="${percent(Math.abs(value) / room)}"/></svg>`
  }
}
