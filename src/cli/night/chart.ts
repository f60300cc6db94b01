/** The last nights as charts, in the form that GitHub draws: Mermaid. */

import type { NightFigures } from '../../night/figures.ts'

/** More bars than this cannot be told apart in the width of a page. */
const nightsShown = 30

/** Two charts, each but where there is no night to compare with. */
export function describeNights(nights: readonly NightFigures[]): string {
  // Nights of earlier versions counted what they wrote.
  const changes = nights.flatMap(({ asOf, changed, written }) =>
    changed === null || written === undefined ? [] : [{ asOf, figure: changed }],
  )
  const durations = nights.map(({ asOf, seconds }) => ({ asOf, figure: Math.round(seconds) }))
  return chart(changes, 'Documents changed', 'documents') + chart(durations, 'Duration', 'seconds')
}

interface Bar {
  /** ISO 8601 day. */
  readonly asOf: string
  readonly figure: number
}

function chart(bars: readonly Bar[], title: string, unit: string): string {
  const shown = bars.slice(-nightsShown)
  if (shown.length < 2) return ''
  const values = shown.map(({ figure }) => figure)
  const days = shown.map(({ asOf }) => `"${asOf.slice(5)}"`)
  return [
    '',
    '```mermaid',
    'xychart-beta',
    `  title "${title}, the last ${shown.length} nights"`,
    `  x-axis [${days.join(', ')}]`,
    // An axis from zero to zero cannot be drawn.
    `  y-axis "${unit}" 0 --> ${Math.max(1, ...values)}`,
    `  bar [${values.join(', ')}]`,
    '```',
    '',
  ].join('\n')
}
