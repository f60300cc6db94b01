/** The line of prices, and the one with distributions reinvested. */
import { expect, it } from 'vitest'
import { dayNumber } from '../../../src/core/system/day-number.ts'
import { indexLine, priceLine, priceLineChange } from '../../../src/extensions/site/funds/chart/price-line.ts'

const day = 20_000
const prices = [100, 104, 108, 106, 110, 112].map((nav, index) => ({ day: day + index, nav: nav.toFixed(2) }))
const distributionOn = (index: number) => ({
  exDay: day + index,
  amount: '4.00',
  reinvested: prices[index] ?? null,
})
const lineWith = (...on: readonly number[]) =>
  priceLine(prices, { distributions: on.map(distributionOn), splits: [] })

/** Where a path begins, and how many points it goes through. */
const formOf = (path = '') => {
  const [, x, , rest = ''] = /^M(\d+) (\d+)l(.*)$/.exec(path) ?? []
  return { from: Number(x), points: (rest.match(/-?\d+/g) ?? []).length / 2 }
}

it('is one line until the first distribution, where the other one leaves it', () => {
  const { paths, reinvested, plot } = lineWith(3, 5)
  expect(paths.map(formOf)).toEqual([
    { from: 0, points: 6 },
    { from: 2, points: 4 },
  ])
  // Both begin at the same height: that of the last price before the distribution, 108.
  const { min, max } = plot.axis
  const height = Math.round(((max - 108) / (max - min)) * 1000)
  expect(paths[1]).toMatch(new RegExp(`^M2 ${height}l0 0 1`))
  expect(reinvested?.map(({ value }) => value.toFixed(2))).toEqual([
    '100.00',
    '104.00',
    '108.00',
    (106 * (1 + 4 / 106)).toFixed(2),
    (110 * (1 + 4 / 106)).toFixed(2),
    (112 * (1 + 4 / 106) * (1 + 4 / 112)).toFixed(2),
  ])
})

it('has its marks on the line, also where it lacks the ex-day', () => {
  const some = prices.filter((_, index) => index !== 3)
  const { marks } = priceLine(some, {
    distributions: [distributionOn(3)],
    splits: [{ exDay: day + 5, factor: '2' }],
  })
  const places = marks.map(({ day: at, value }) => ({ after: at - day, value }))
  expect(places).toEqual([
    { after: 4, value: 110 / 2 },
    { after: 5, value: 112 },
  ])
})

it('has no other line without a distribution within its days', () => {
  expect(lineWith().paths.map(formOf)).toEqual([{ from: 0, points: 6 }])
  expect(lineWith(0).paths.map(formOf)).toEqual([{ from: 0, points: 6 }])
})

it('as performance is 100 on its first day, and has the change of the line with distributions', () => {
  const line = indexLine(prices.slice(1), { distributions: [3, 5].map(distributionOn), splits: [] })
  const shares = (1 + 4 / 106) * (1 + 4 / 112)
  expect(line.navs.map(({ nav }) => nav)).toEqual([
    '100.00',
    ((108 / 104) * 100).toFixed(2),
    (((106 * (1 + 4 / 106)) / 104) * 100).toFixed(2),
    (((110 * (1 + 4 / 106)) / 104) * 100).toFixed(2),
    (((112 * shares) / 104) * 100).toFixed(2),
  ])
  const words = { period: '', nav: 'Performance', reinvested: '', perYear: 'p.a.' }
  expect(priceLineChange(line, 'en', words)).toContain(`+${(((112 * shares) / 104 - 1) * 100).toFixed(2)}%`)
  // A split makes no performance.
  const halved = prices.map(({ day: on, nav }) => ({
    day: on,
    nav: on < day + 3 ? nav : (Number(nav) / 2).toFixed(2),
  }))
  const split = indexLine(halved, { distributions: [], splits: [{ exDay: day + 3, factor: '2' }] })
  expect(split.navs.map(({ nav }) => nav)).toEqual([
    '100.00',
    '104.00',
    '108.00',
    '106.00',
    '110.00',
    '112.00',
  ])
})

it.each([
  ['2025-11-20', '107.27', ['+7.27%']],
  // A year and four days: a price stands in for a week.
  ['2025-11-16', '107.27', ['+7.27%']],
  ['2021-11-20', '130.60', ['+30.60%', '+5.48%']],
  ['2021-11-19', '130.60', ['+30.60%', '+5.48%']],
  ['2026-05-20', '107.27', ['+7.27%']],
])('from %s has a change, and one a year for more than a year, over whole years', (from, nav, percents) => {
  const days = [
    { day: dayNumber(from), nav: '100.00' },
    { day: dayNumber('2026-11-20'), nav },
  ]
  const words = { period: '', nav: 'NAV', reinvested: '', perYear: 'p.a.' }
  const line = priceLine(days, { distributions: [], splits: [] })
  expect(priceLineChange(line, 'en', words).match(/[+\u2212][\d.]+%/g)).toEqual(percents)
})
