/** The style of charts: one sheet for all pages with a chart, and its part for drawings that are files of their own. */

import { seriesWith } from '../../../../core/layout/colours.ts'
import { pageTemplate } from '../../../../core/layout/layout.ts'

export const chartStyleKey = 'funds/chart.css'

const drawingStyle = () => pageTemplate('pages/drawing.css')

export const chartStyle = (): string => drawingStyle() + pageTemplate('pages/chart.css')

/**
 * The rules for what a chart of lines draws, with the light colours themselves and pixels: programs that show images know
 * neither custom properties nor `rem`.
 * @param accent the company's own colour in light, if it has one
 * @throws {Error} for a colour that the style sheet of all pages does not name
 */
export function imageStyle(accent: string | null): string {
  // The first rule names the light colours.
  const [, light = ''] = /^:root \{([^}]*)\}/m.exec(pageTemplate('pages/style.css')) ?? []
  const colours = new Map(
    [...light.matchAll(/^(--[\w-]+): (#\w+);/gm)].map(([, name = '', colour = '']) => [name, colour]),
  )
  if (accent !== null)
    for (const [index, colour] of seriesWith(accent, 'light').entries())
      colours.set(`--series-${index + 1}`, colour)
  return drawingStyle()
    .replace(/var\((--[\w-]+)\)/g, (_, name: string) => {
      const colour = colours.get(name)
      if (colour === undefined) throw new Error(`style.css has no light colour ${name}`)
      return colour
    })
    .replace(/ (\d+(?:\.\d+)?)rem;/g, (_, size: string) => ` ${Number(size) * 16}px;`)
}
