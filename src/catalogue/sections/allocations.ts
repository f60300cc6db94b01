/** A fund's asset allocation over time: stacked areas, and the newest shares as their legend. */

import { html, raw, type Html } from '../../pages/html.ts'
import type { Allocation } from '../allocation.ts'
import { areaChart } from '../chart/area-chart.ts'
import { dayIn, percentIn, type Language } from '../chart/formats.ts'
import type { FundFacts } from '../fund-facts.ts'
import { words } from '../words.ts'

export function allocationsSection({ allocations }: FundFacts, language: Language): Html | null {
  if (allocations.length === 0) return null
  return html`<section aria-labelledby="allocations">
    <h2 id="allocations">${words[language].allocations}</h2>
    ${allocations.map((allocation) => part(allocation, language))}
  </section> `
}

function part({ derivatives, stack, first, last, classes }: Allocation, language: Language): Html {
  const w = words[language]
  const id = `allocation-${derivatives}`
  const title = derivatives === 0 ? w.withoutDerivatives : w.withDerivatives
  // What stands on top of the stack comes first.
  const rows = [...classes].reverse().map(
    ({ nameDe, nameEn, colour, newest }) =>
      html`<tr>
        <th scope="row"><i class="${colour}"></i>${language === 'de' ? nameDe : nameEn}</th>
        <td class="number">${newest === null ? '' : percentIn(language, newest)}</td>
      </tr> `,
  )
  const chart =
    stack === null
      ? null
      : html`<svg
          class="canvas"
          role="img"
          aria-labelledby="${id}-title ${id}-text"
          height="260"
          width="100%"
        >
          <title id="${id}-title">${w.allocations}: ${title}</title>
          <desc id="${id}-text">${dayIn(language, first)} – ${dayIn(language, last)}</desc>
          ${raw(areaChart(stack, language))}
        </svg> `
  return html`<h3 id="${id}">${title}</h3>
    <div class="beside">
      ${chart}
      <table class="shares">
        <thead>
          <tr>
            <th scope="col">${w.assetClass}</th>
            <th scope="col" class="number">${w.newestShare(dayIn(language, last))}</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div> `
}
