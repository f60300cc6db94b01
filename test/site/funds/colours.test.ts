/** The colours of asset classes: one for each class, wherever it stands, that readers can tell from its neighbours. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { leastContrast, minContrast, seriesColours, seriesWith } from '../../../src/core/layout/colours.ts'
import { repository } from '../../support/product.ts'
import { buildDemoSite, type Site } from '../../support/site.ts'

let site: Site
beforeAll(async () => {
  site = await buildDemoSite()
})

/** Of each fund's pages: German and English names of classes and their colours, in tables and legends, in the order of the page. */
async function coloursIn(name: 'de.html' | 'index.html') {
  const list = (await (await fetch(`${site.base}/funds/index.json`)).json()) as {
    readonly funds: readonly { readonly isin: string }[]
  }
  const pages = await Promise.all(
    list.funds.map(async ({ isin }) => (await fetch(`${site.base}/funds/${isin}/${name}`)).text()),
  )
  return pages.map((page) => ({
    legends: [...page.matchAll(/<i class="(c\d+)"><\/i>([^<]+)/g)].map(([, colour, text]) => [text, colour]),
    bars: [
      ...page.matchAll(/<th scope="row">([^<]+)<\/th><td><svg aria-hidden="true"><rect class="(c\d+)"/g),
    ].map(([, text, colour]) => [text, colour]),
    areas: [...page.matchAll(/<path class="(c\d+)"/g)].map(([, colour]) => colour),
  }))
}

it('gives a class the same colour on all pages, in charts, legends and tables, and no two classes of a chart the same', async () => {
  const german = await coloursIn('de.html')
  const english = await coloursIn('index.html')
  for (const pages of [german, english]) {
    const byName = new Map<string | undefined, Set<string | undefined>>()
    for (const [name, colour] of pages.flatMap(({ legends, bars }) => [...legends, ...bars]))
      byName.set(name, (byName.get(name) ?? new Set()).add(colour))
    expect(byName.size).toBeGreaterThan(6)
    expect([...byName].filter(([, colours]) => colours.size > 1)).toEqual([])
    for (const { legends, areas } of pages) {
      const colours = legends.map(([, colour]) => colour)
      expect(new Set(areas)).toEqual(new Set(colours))
      expect(new Set(colours).size).toBe(new Set(legends.map(([name]) => name)).size)
    }
  }
  const sequence = (pages: typeof german) =>
    pages.map(({ legends, bars, areas }) => [
      ...legends.map(([, each]) => each),
      ...bars.map(([, each]) => each),
      ...areas,
    ])
  expect(sequence(english)).toEqual(sequence(german))
  expect(Object.fromEntries(german.flatMap(({ legends }) => legends))).toMatchObject({
    Aktien: 'c1',
    Anleihen: 'c2',
    Liquidität: 'c6',
    Derivate: 'c7',
  })
})

const style = readFileSync(join(repository, 'templates/pages/style.css'), 'utf8')
const charts = readFileSync(join(repository, 'templates/pages/chart.css'), 'utf8')
const valuesOf = (css: string, name: RegExp) =>
  [...css.matchAll(name)].map(([, value = '']) => channelsOf(value))
const channelsOf = (colour: string) => [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16) / 255)

describe.each(['light', 'dark'] as const)('in the %s scheme', (scheme) => {
  const isDark = scheme === 'dark'
  const colours = valuesOf(charts, /--class-\d+: (#[\da-f]{6})/g).slice(isDark ? 12 : 0, isDark ? 24 : 12)
  const paper = valuesOf(style, /--paper: (#[\da-f]{6})/g)[isDark ? 1 : 0] ?? []
  const series = valuesOf(style, /--series-\d: (#[\da-f]{6})/g).slice(isDark ? 5 : 0, isDark ? 10 : 5)

  it('each colour has a contrast of 3 to the page', () => {
    expect(colours).toHaveLength(12)
    expect(colours.map((colour) => contrast(colour, paper)).filter((each) => each < 3)).toEqual([])
  })

  it('lines and bars have it, too, pale bars by their outline', () => {
    expect(series).toHaveLength(5)
    expect(series.map((colour) => contrast(colour, paper)).filter((each) => each < 3)).toEqual([])
    const rules = [...charts.matchAll(/^(\.[^{}]*) \{\n([^}]*)\}/gm)]
    const pale = rules.filter(([, , rule = '']) => rule.includes('fill: color-mix(in srgb, var(--series'))
    expect(pale.length).toBeGreaterThan(1)
    for (const [, selector, rule] of pale)
      expect({ selector, rule }).toEqual({
        selector,
        rule: expect.stringMatching(/stroke: var\(--series-[12]\)/),
      })
  })

  it('any two lines of a comparison differ by colour alone, for colour-blind readers, too', () => {
    const pairs = series.flatMap((one, index) =>
      series.slice(index + 1).map((other) => [one, other] as const),
    )
    expect(pairs).toHaveLength(10)
    const least = (sight: readonly Numbers[]) =>
      Math.min(...pairs.map(([one, other]) => distance(one, other, sight)))
    for (const sight of Object.values(sights)) expect(least(sight)).toBeGreaterThan(0.11)
    expect(least(allColours)).toBeGreaterThan(0.2)
  })

  it('the first line has the accent of a company, and any two lines still differ, as does each from the page', () => {
    expect(seriesColours[scheme].map(channelsOf)).toEqual(series)
    const steps = Array.from({ length: 9 }, (_, step) =>
      Math.min(255, step * 32)
        .toString(16)
        .padStart(2, '0'),
    )
    const accents = steps.flatMap((red) =>
      steps.flatMap((green) => steps.map((blue) => `#${red}${green}${blue}`)),
    )
    const allowed = accents.filter((accent) => leastContrast(accent, scheme).ratio >= minContrast)
    expect(allowed.length).toBeGreaterThan(200)
    for (const accent of allowed) {
      const all = seriesWith(accent, scheme)
      expect({ accent, first: all[0], count: all.length }).toEqual({ accent, first: accent, count: 5 })
      const lines = all.map(channelsOf)
      const near = lines.flatMap((one, index) =>
        lines.slice(index + 1).filter((other) => distance(one, other, allColours) < 0.11),
      )
      const pale = lines.filter((each) => contrast(each, paper) < 3)
      expect({ accent, near, pale }).toEqual({ accent, near: [], pale: [] })
    }
  })

  // From the bottom of the stack to its top, as the demo's funds have them.
  it.each(['1 4 6 7', '2 3 6 7', '1 2 4 5 6 7', '8 9 6 7', '10 11 12 6 7'])(
    'neighbours in a stack differ for colour-blind readers, too: %s',
    (stack) => {
      const order = stack.split(' ').map((number) => colours[Number(number) - 1] ?? [])
      for (const sight of Object.values(sights)) {
        const differences = order.slice(1).map((colour, index) => distance(colour, order[index] ?? [], sight))
        expect(Math.min(...differences)).toBeGreaterThan(0.08)
      }
    },
  )
})

type Numbers = readonly number[]
const linear = (value: number) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4)
const dot = (one: Numbers, other: Numbers) =>
  one.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)

/** Source: WCAG 2.2, contrast ratio. */
function contrast(one: Numbers, other: Numbers): number {
  const [high = 0, low = 0] = [one, other]
    .map((colour) => dot(colour.map(linear), [0.2126, 0.7152, 0.0722]))
    .sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

const allColours: readonly Numbers[] = [
  [1, 0, 0],
  [0, 1, 0],
  [0, 0, 1],
]

/** Source: Machado, Oliveira, Fernandes: A physiologically-based model for simulation of color vision deficiency, 2009. */
const sights: Readonly<Record<string, readonly Numbers[]>> = {
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
}

/** In the colour space Oklab, after what a colour-blind eye makes of both: from 0 to about 1. */
function distance(one: Numbers, other: Numbers, sight: readonly Numbers[]): number {
  const [first, second] = [one, other].map((colour) => {
    const light = colour.map(linear)
    const seen = sight.map((row) => Math.min(1, Math.max(0, dot(row, light))))
    const cones = [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ].map((row) => Math.cbrt(dot(row, seen)))
    return [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ].map((row) => dot(row, cones))
  })
  return Math.hypot(...(first ?? []).map((value, index) => value - (second?.[index] ?? 0)))
}
