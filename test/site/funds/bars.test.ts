/** Bars and their figures, and the scale of lines, whatever the values are. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  areaChart,
  barChart,
  lineChart,
  plotOf,
  stackOf,
} from '../../../src/extensions/site/funds/chart/charts.ts'
import { times } from '../../support/rounds.ts'

it('a figure stands outside of its bar, and never on the labels below the chart', () => {
  const values = fc.array(fc.double({ min: -99, max: 300, noNaN: true }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(values, (percents) => {
      const years = percents.map((percent, year) => ({
        label: String(year),
        shortLabel: String(year),
        below: null,
        percent,
      }))
      const markup = barChart(years, 'en')
      const bars = [
        ...markup.matchAll(
          /<rect [^>]* y="([\d.]+)%"[^>]* height="([\d.]+)%"\/><text class="figure(?: exact)?" [^>]*y="([\d.]+)%" dy="(-?)/g,
        ),
      ]
      expect(bars).toHaveLength(percents.length)
      for (const [, top, height, figure, isAbove] of bars) {
        const upper = Number(top)
        const lower = Number(top) + Number(height)
        expect(Number(figure)).toBeCloseTo(isAbove === '-' ? upper : lower, 1)
        if (isAbove !== '-') expect(Number(figure)).toBeLessThan(93)
      }
    }),
    { numRuns: times(400), examples: [[[-5e-324]], [[0, 0]], [[1e-12]]] },
  )
})

it('a narrow chart has each year below its bar, in two digits where there are many', () => {
  const namesIn = (count: number) => {
    const years = Array.from({ length: count }, (_, index) => ({
      label: String(2017 + index),
      shortLabel: `’${17 + index}`,
      below: index === count - 1 ? 'to 20 Nov' : null,
      percent: index + 1,
    }))
    return [
      ...barChart(years, 'en').matchAll(/<text(?: class="(\w+)")? x="[\d.]+%" y="100%"[^>]*>([^<]*)</g),
    ].map(([, kind = '', name = '']) => `${kind}:${name}`)
  }
  expect(namesIn(2)).toEqual([':2017', ':2018', ':to 20 Nov'])
  const short = namesIn(10).filter((name) => name.startsWith('rounded:'))
  expect(short.map((name) => name.slice(-3))).toEqual([
    '’17',
    '’18',
    '’19',
    '’20',
    '’21',
    '’22',
    '’23',
    '’24',
    '’25',
    '’26',
  ])
  expect(namesIn(10).filter((name) => name.startsWith('exact:20'))).toHaveLength(10)
})

it.each([
  ['15 years', 15 * 365, 2, false],
  ['more than 15 years', 15 * 366, 2, true],
  ['a factor of ten', 300, 10, false],
  ['more than a factor of ten', 300, 11, true],
])('has a logarithmic scale for many years and for a wide range: %s', (_, days, factor, isLog) => {
  const chart = lineChart(
    plotOf([
      { day: 0, value: 100 },
      { day: days, value: 100 * factor },
    ]),
    [],
    'en',
  )
  expect(chart.includes('logarithmic scale')).toBe(isLog)
})

it('has an even scale where values are not above zero', () => {
  const chart = lineChart(
    plotOf([
      { day: 0, value: 0 },
      { day: 9999, value: 100 },
    ]),
    [],
    'en',
  )
  expect(chart).not.toContain('logarithmic scale')
})

it.each([
  ['a class that never has less than half', [90, 92, 91], [10, 8, 9], 0],
  ['a class that has less than half once', [90, 49, 91], [10, 51, 9], 0],
  ['a class below zero', [90, 92, 91], [10, 8, -9], -25],
  ['one class alone', [100, 100, 100], [0, 0, 0], 0],
])('areas begin at zero, and an area is as high as its share: %s', (_, lower, upper, low) => {
  const layers = [
    { colour: 'c1', values: lower },
    { colour: 'c2', values: upper },
  ]
  const chart = areaChart(stackOf([0, 100, 200], layers), 'en')
  const labels = [...chart.matchAll(/<text x="-8"[^>]*>([\d.\u2212]+)%/g)].map(([, label = '']) =>
    Number(label.replace('\u2212', '-')),
  )
  expect({ low: Math.min(...labels), high: Math.max(...labels) }).toEqual({ low, high: 100 })
  // From zero to the share of the first day, in thousandths of the axis.
  const [, zero = '', edge = ''] = /<path class="c1" d="M0 (\d+)l0 ?(-?\d+)/.exec(chart) ?? []
  const ofAxis = (share: number) => Math.round((share / (100 - low)) * 1000)
  expect({ zero: Number(zero), edge: Number(edge) }).toEqual({
    zero: ofAxis(100),
    edge: -ofAxis(lower[0] ?? NaN),
  })
  // The grid lies behind the areas.
  expect(chart.indexOf('<path')).toBeGreaterThan(chart.lastIndexOf('<line'))
})
