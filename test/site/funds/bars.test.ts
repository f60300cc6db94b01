/** Bars and their figures, whatever the values are. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { barChart } from '../../../src/site/funds/chart/charts.ts'
import { times } from '../../support/rounds.ts'

it('a figure stands outside of its bar, and never on the labels below the chart', () => {
  const values = fc.array(fc.double({ min: -99, max: 300, noNaN: true }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(values, (percents) => {
      const groups = percents.map((percent, year) => ({
        label: String(year),
        below: null,
        values: [percent],
      }))
      const markup = barChart(groups, 'en')
      const bars = [
        ...markup.matchAll(
          /<rect [^>]* y="([\d.]+)%"[^>]* height="([\d.]+)%"\/><text class="figure" [^>]*y="([\d.]+)%" dy="(-?)/g,
        ),
      ]
      expect(bars).toHaveLength(percents.length)
      for (const [, top, height, figure, isAbove] of bars) {
        const [upper, lower] = [Number(top), Number(top) + Number(height)]
        expect(Number(figure)).toBeCloseTo(isAbove === '-' ? upper : lower, 1)
        if (isAbove !== '-') expect(Number(figure)).toBeLessThan(93)
      }
    }),
    { numRuns: times(400) },
  )
})
