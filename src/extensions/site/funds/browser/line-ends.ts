/** Names at the ends of a chart's lines. */

import { lineStyle } from '../chart/charts.ts'
import { apart, inLines, shortened } from '../chart/end-names.ts'

interface LineEnd {
  readonly name: string
  readonly style: number
  /** From the top of the plot, as a share of its height. */
  readonly depth: number
}

/** From the end of a line: the key begins, it ends, and the name begins. In CSS pixels. */
const keyStart = 6
const keyEnd = 26
const nameStart = 32

/**
 * @param svg of the chart; its padding at the right is the room of the names
 * @param others names of all funds: what they all begin with, the name of a single line does not need
 * @returns for each line a key and its name, right of the plot
 */
export function lineEnds(
  svg: Element,
  ends: readonly LineEnd[],
  others: readonly string[],
): readonly SVGElement[] {
  const { fontStyle, fontWeight, fontSize, fontFamily } = getComputedStyle(svg)
  const context = document.createElement('canvas').getContext('2d')
  // The style's own shorthand is empty, since figures of equal width have no place in it.
  if (context !== null) context.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`
  const widthOf = (text: string) => context?.measureText(text).width ?? text.length * parseFloat(fontSize)
  const room = roomOf(svg) - nameStart
  const names = shortened(
    ends.map(({ name }) => name),
    others,
  ).map((name) => inLines(name, (text) => widthOf(text) <= room))
  const depths = apart(ends.map(({ depth }, index) => ({ depth, lines: names[index]?.length ?? 1 })))
  return ends.map(({ style }, index) => {
    const end = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
    end.setAttribute('class', 'end')
    end.setAttribute('x', '100%')
    end.setAttribute('y', `${(depths[index] ?? 0) * 100}%`)
    end.innerHTML = `<line class="${lineStyle(style)}" x1="${keyStart}" x2="${keyEnd}"/>`
    const lines = names[index] ?? []
    end.append(...lines.map((line, place) => textAt(line, place - (lines.length - 1) / 2)))
    return end
  })
}

/** Of names that are not shown on a narrow page, as wide as on a wide one: 13rem in `compare.css`. */
const roomOf = (svg: Element) =>
  Math.max(
    parseFloat(getComputedStyle(svg).paddingRight),
    13 * parseFloat(getComputedStyle(document.documentElement).fontSize),
  )

/** @param place of the line, 0 beside the end of the chart's line */
function textAt(text: string, place: number): SVGElement {
  const made = document.createElementNS('http://www.w3.org/2000/svg', 'text')
  made.setAttribute('x', String(nameStart))
  made.setAttribute('dy', `${0.32 + place * 1.25}em`)
  made.textContent = text
  return made
}
