/** A line that is as small as a word: no scale, its lowest value at the bottom and its highest at the top. Pure. */

import type { ChartPoint } from './charts.ts'

const width = 100
const height = 28

/** @param points ascending @returns null for fewer than two days, which are no line */
export function smallLine(points: readonly ChartPoint[], label: string): string | null {
  const first = points[0]?.day ?? 0
  const days = (points.at(-1)?.day ?? 0) - first
  if (days === 0) return null
  const values = points.map(({ value }) => value)
  const low = Math.min(...values)
  const span = Math.max(...values) - low
  const steps = points.map(({ day, value }) => {
    const x = ((day - first) / days) * width
    const y = span === 0 ? height / 2 : (1 - (value - low) / span) * height
    return `${Math.round(x * 10) / 10} ${Math.round(y * 10) / 10}`
  })
  return (
    `<svg role="img" aria-label="${label}" viewBox="0 -1 ${width} ${height + 2}" preserveAspectRatio="none">` +
    `<path d="M${steps.join('L')}"/></svg>`
  )
}
