/** Reads a chart of a page back: its elements by an XML parser, its values by the labels of its own axis. */
import { create } from 'xmlbuilder2'

interface DrawnElement {
  readonly name: string
  readonly text: string
  readonly attribute: (name: string) => string
}

interface Drawing {
  readonly elements: readonly DrawnElement[]
  /** Of a height, as a percent from the top: the value by the labels of the axis. */
  readonly valueAt: (height: number) => number
  /** The lowest and the highest label. */
  readonly range: readonly [number, number]
}

/** The drawing whose title has the id `<id>-title`. */
export function drawingOf(page: string, id: string): Drawing {
  const elements = elementsOf(svgText(page, id))
  // Labels of values end left of the chart, at a negative x.
  const labels = elements
    .filter(({ name, attribute }) => name === 'text' && attribute('x') === '-8')
    .map(({ text, attribute }) => [parseFloat(attribute('y')), numberIn(text)] as const)
  const top = labels.find(([y]) => y === 0)
  const bottom = labels.find(([y]) => y === 100)
  if (top === undefined || bottom === undefined) throw new Error(`the axis of ${id} has no ends`)
  const isLog = elements.some(({ text }) => text === 'logarithmic scale')
  return {
    elements,
    valueAt: (height) =>
      isLog
        ? top[1] * (bottom[1] / top[1]) ** (height / 100)
        : top[1] + ((bottom[1] - top[1]) * height) / 100,
    range: [bottom[1], top[1]],
  }
}

/** The points of the one line of a drawing, by days since the first one, and half of its finest step. */
export function lineOf({ elements, valueAt, range }: Drawing) {
  const plot = elements.find(({ attribute }) => attribute('class') === 'plot')
  const [, , width, height] = (plot?.attribute('viewBox') ?? '').split(' ').map(Number)
  const path = elements.find(({ name }) => name === 'path')?.attribute('d') ?? ''
  const [, first = '', steps = ''] = /^M([^l]*)l(.*)$/.exec(path) ?? []
  const numbers = (text: string) => (text.match(/-?\d+/g) ?? []).map(Number)
  const points: { readonly day: number; readonly value: number }[] = []
  let [x = NaN, y = NaN] = numbers(first)
  const moves = numbers(steps)
  for (let index = 0; index < moves.length; index += 2) {
    x += moves[index] ?? NaN
    y += moves[index + 1] ?? NaN
    points.push({ day: x, value: valueAt((y / (height ?? NaN)) * 100) })
  }
  // Steps are widest at the top.
  return { days: width ?? NaN, points, precision: (range[1] - valueAt(100 / (height ?? NaN))) * 0.51 }
}

/** From `<svg` to its own end: one lies in another. */
function svgText(page: string, id: string): string {
  const title = page.indexOf(`<title id="${id}-title"`)
  const start = page.lastIndexOf('<svg', title)
  if (title < 0 || start < 0) throw new Error(`there is no drawing ${id}`)
  let depth = 0
  for (const { 0: mark, index } of page.slice(start).matchAll(/<svg\b|<\/svg>/g)) {
    depth += mark === '</svg>' ? -1 : 1
    if (depth === 0) return page.slice(start, start + index + mark.length)
  }
  throw new Error(`the drawing ${id} has no end`)
}

function elementsOf(xml: string): readonly DrawnElement[] {
  const elements: DrawnElement[] = []
  create(xml).each(
    ({ node }) => {
      // An element.
      if ((node.nodeType as number) !== 1) return
      const element = node as unknown as { getAttribute: (name: string) => string | null }
      const attribute = (name: string) => element.getAttribute(name) ?? ''
      elements.push({ name: node.nodeName, text: node.textContent ?? '', attribute })
    },
    true,
    true,
  )
  return elements
}

/** Of an English page: `1,234.50`, `−5 %`. */
const numberIn = (text: string) => Number(text.replace('\u2212', '-').replace(/[,\u00a0%]/g, ''))
