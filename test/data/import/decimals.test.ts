/** Exact arithmetic with plain decimals. */
import { describe, expect, it } from 'vitest'
import { percentOf, reciprocalOf, sumOf } from '../../../src/extensions/import/decimals.ts'

it('sums decimals with all their digits', () => {
  expect(sumOf(['0.1', '0.20', '-1'])).toBe('-0.70')
  expect(sumOf(['12345678901234567890.1', '0.000000000000001'])).toBe('12345678901234567890.100000000000001')
  expect(sumOf(['5'])).toBe('5')
})

it('writes fractions as percentages', () => {
  const percentages = ['0.035', '0.0158000', '1', '0.5', '0', '-0.002'].map(percentOf)
  expect(percentages).toEqual(['3.5', '1.58000', '100', '50', '0', '-0.2'])
})

describe('reciprocalOf', () => {
  // Old shares for a new one, and new shares for an old one.
  it.each([
    ['0.25', '4'],
    ['0.2', '5'],
    ['0.5', '2'],
    ['2', '0.5'],
    ['4.0000000', '0.25'],
    ['0.3125', '3.2'],
    ['0.3333333', '3'],
    ['0.1666666', '6'],
    ['0.1666667', '6'],
    ['0.6666667', '1.5'],
    ['0.1428571', '7'],
    ['1.3333333', '0.75'],
    ['0.0666667', '15'],
    ['3', '0.333333333333333'],
    ['0.4567891', '2.189194'],
  ])('turns %s around: %s', (ratio, factor) => {
    expect(reciprocalOf(ratio)).toMatch(
      new RegExp(`^${factor.replace('.', '\\.')}${ratio === '0.4567891' ? '' : '$'}`),
    )
  })
  it.each(['0', '-0.5', '0.33', '0.167'])('gives none for %s', (ratio) => {
    expect(reciprocalOf(ratio)).toBeUndefined()
  })
})
