/** Labels of charts, laid out by a browser in the pages' own style: none lies on another, at any width. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  areaChart,
  barChart,
  lineChart,
  linePath,
  plotOf,
  stackOf,
} from '../../../src/extensions/site/funds/chart/charts.ts'
import { chartStyle } from '../../../src/extensions/site/funds/chart/style.ts'
import { drawing } from '../../../src/core/layout/html.ts'
import { pageTemplate } from '../../../src/core/layout/layout.ts'
import { openBrowser, whyNoBrowser } from '../../support/browser.ts'

/** A walk of up to 40 years, whatever its size and range. */
const walk = fc
  .record({
    first: fc.integer({ min: 0, max: 20_000 }),
    days: fc.integer({ min: 2, max: 15_000 }),
    size: fc.integer({ min: -3, max: 8 }),
    drift: fc.double({ min: -0.2, max: 0.4, noNaN: true }),
    steps: fc.array(fc.double({ min: -0.3, max: 0.3, noNaN: true }), { minLength: 2, maxLength: 40 }),
  })
  .map(({ first, days, size, drift, steps }) => {
    let value = 10 ** size
    return steps.map((step, index) => {
      value *= Math.exp(drift + step)
      return {
        day: first + Math.round((index * days) / (steps.length - 1)),
        value: Number(value.toPrecision(8)),
      }
    })
  })
const bars = fc.array(fc.double({ min: -99, max: 400, noNaN: true }), { minLength: 1, maxLength: 10 })
/** Below the year of the launch, and below the running one. */
function belowBar(index: number, count: number, word: 'de' | 'en'): string | null {
  if (index === count - 1) return word === 'de' ? 'bis 27.11.' : 'to 27\u00a0Nov'
  if (index === 0) return word === 'de' ? 'ab 21.10.' : 'from 21\u00a0Oct'
  return null
}
const shares = fc.array(fc.double({ min: -20, max: 120, noNaN: true }), { minLength: 2, maxLength: 60 })
const language = fc.constantFrom('de' as const, 'en' as const)

const shapes = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.tuple(walk, language).map(([points, word]) => {
      const plot = plotOf(points)
      return lineChart(plot, [linePath(points, plot)], word)
    }),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(bars, language).map(([percents, word]) =>
      barChart(
        percents.map((percent, index) => ({
          label: String(2017 + index),
          shortLabel: `’${17 + index}`,
          percent,
          below: belowBar(index, percents.length, word),
        })),
        word,
      ),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(shares, fc.integer({ min: 1, max: 400 }), language).map(([values, step, word]) => {
      const days = values.map((_, index) => 18_000 + index * step)
      return areaChart(stackOf(days, [{ colour: 'c1', values }]), word)
    }),
  },
)

it.skipIf(whyNoBrowser !== undefined)(
  'no label of 200 random charts lies on another, on a phone or a desktop',
  async () => {
    const charts = fc.sample(shapes, { numRuns: 200, seed: 32 })
    const style = pageTemplate('pages/style.css') + chartStyle()
    const drawn = charts.map((each, index) =>
      drawing({
        id: `chart-${index}`,
        title: '',
        height: 220,
        shapes: each,
        kind: each.includes('class="bars"') ? ' years' : '',
      }),
    )
    const browser = await openBrowser()
    try {
      const page = await browser.newPage()
      await page.setContent(
        `<style>${style}</style><main>${drawn.map(({ markup }) => markup).join('')}</main>`,
      )
      for (const width of [288, 358, 452, 600, 840]) {
        await page.setViewportSize({ width: width + 32, height: 800 })
        const clashes = await page.evaluate<string[]>(`(() => {
        document.querySelector('main').style.cssText = 'width: ${width}px; margin: 16px'
        const range = document.createRange()
        const lines = (label) => [...label.childNodes].map((part) => {
          range.selectNodeContents(part)
          return { text: part.textContent, box: range.getBoundingClientRect() }
        })
        return [...document.querySelectorAll('svg.canvas')].flatMap((svg) => {
          const labels = [...svg.querySelectorAll('text')].filter((each) => each.checkVisibility()).flatMap(lines)
          return labels.flatMap((one, index) => labels.slice(0, index).filter((other) => {
            const across = Math.min(one.box.right, other.box.right) - Math.max(one.box.left, other.box.left)
            const down = Math.min(one.box.bottom, other.box.bottom) - Math.max(one.box.top, other.box.top)
            return across > 0 && down > 1
          }).map((other) => one.text + ' on ' + other.text))
        })
      })()`)
        expect({ width, clashes }).toEqual({ width, clashes: [] })
      }
    } finally {
      await browser.close()
    }
  },
)
