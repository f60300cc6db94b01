/** The last nights as charts, in the form that GitHub draws: Mermaid. */

import type { NightFigures } from '../../night/figures.ts'

/** More bars than this cannot be told apart in the width of a page. */
const nightsShown = 30

/** Two charts, or nothing where there is no night to compare with. */
export function describeNights(nights: readonly NightFigures[]): string {
  const shown = nights.slice(-nightsShown)
  if (shown.length < 2) return ''
  return (
    chart(shown, 'Documents changed', 'documents', ({ changed }) => changed) +
    chart(shown, 'Duration', 'seconds', ({ seconds }) => Math.round(seconds))
  )
}

function chart(
  nights: readonly NightFigures[],
  title: string,
  unit: string,
  figure: (night: NightFigures) => number,
): string {
  const values = nights.map(figure)
  const days = nights.map(({ asOf }) => `"${asOf.slice(5)}"`)
  return [
    '',
    '```mermaid',
    'xychart-beta',
    `  title "${title}, the last ${nights.length} nights"`,
    `  x-axis [${days.join(', ')}]`,
    // An axis from zero to zero cannot be drawn.
    `  y-axis "${unit}" 0 --> ${Math.max(1, ...values)}`,
    `  bar [${values.join(', ')}]`,
    '```',
    '',
  ].join('\n')
}
