/** The small line of a fund's year. */
import { expect, it } from 'vitest'
import { smallLine } from '../../../src/extensions/site/funds/chart/small-line.ts'

const pathOf = (values: readonly number[]) =>
  /d="(.*?)"/.exec(
    smallLine(
      values.map((value, day) => ({ day: 20_000 + day, value })),
      '1 year',
    ) ?? '',
  )?.[1]

it('goes from the lowest value at the bottom to the highest at the top, over the whole width', () => {
  expect(pathOf([100, 90, 110])).toBe('M0 14L50 28L100 0')
})

it('is level where all values are the same, and none for a single day', () => {
  expect(pathOf([100, 100])).toBe('M0 14L100 14')
  expect(pathOf([100])).toBe(undefined)
})
