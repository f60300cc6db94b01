/** What distributions and splits explain in a fund's prices, and what they do not. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { CorporateActionRow } from '../../src/core/api/contract/rows.ts'
import { type Calendar, openCalendar } from '../../src/core/guards/calendar.ts'
import { figuresOf, type PriceTexts } from '../../src/core/guards/figures.ts'
import { type ImplausiblePrice, implausiblePrices } from '../../src/core/guards/plausibility.ts'

let calendar: Calendar
beforeAll(async () => {
  calendar = await openCalendar('TARGET')
})

const sentence = ({ guard, message }: ImplausiblePrice) => `${guard ?? 'warning'}: ${message}`

describe('a distribution or a split in table corporate_action', () => {
  const none = { amount: null, currency: null, factor: null, successorIsin: null }
  const paid = (amount: string, exDate = '2026-11-17') =>
    ({ ...none, exDate, kind: 'distribution', amount, currency: 'EUR' }) as const
  const split = (factor: string) => ({ ...none, exDate: '2026-11-17', kind: 'split', factor }) as const
  type Figures = readonly [nav: string, change: string, percent: string, performance: string]
  const found = (actions: readonly CorporateActionRow[], [nav, ...figures]: Figures) => {
    const before = [['2026-11-16', '100.00', '100.00', '100.00', '1.00', '1.01', '5.00']] as const
    const prices: PriceTexts[] = [...before, ['2026-11-17', nav, nav, nav, ...figures]]
    return implausiblePrices(prices.map(figuresOf), 1, calendar, {
      inceptionDate: '2000-01-03',
      actions,
    }).map(sentence)
  }

  it.each<[string, readonly CorporateActionRow[], Figures]>([
    ['is left out', [paid('30')], ['70.50', '-29.50', '-29.50', '-25.98']],
    ['is added again', [paid('30')], ['70.50', '0.50', '0.50', '5.53']],
    ['lowers the NAV before', [paid('30')], ['70.50', '0.50', '0.71', '5.75']],
    ['is added to the performance alone', [paid('30')], ['70.50', '-29.50', '-29.50', '5.53']],
    ['is a split', [split('10')], ['10.05', '0.05', '0.50', '5.53']],
    ['is a split of three into one', [split('0.333333333333333')], ['301.50', '1.50', '0.50', '5.53']],
    ['is both on one day, and left out', [paid('0.30'), split('10')], ['9.75', '-0.25', '-2.50', '2.38']],
    ['is both on one day, and added again', [paid('0.30'), split('10')], ['9.75', '0.05', '0.50', '5.53']],
    [
      'is no number, which the checks of values name',
      [paid('x'), split('-')],
      ['100.50', '0.50', '0.50', '5.53'],
    ],
  ])('that %s explains the figures', (_, actions, figures) => {
    expect(found(actions, figures)).toEqual([])
  })

  it.each<[string, readonly CorporateActionRow[], Figures]>([
    [
      'price-change: change 0.60 on 2026-11-17 is not -29.50 or 0.50, from NAV 100.00 of 2026-11-16 to 70.50, with a distribution of 30 in table corporate_action',
      [paid('30')],
      ['70.50', '0.60', '0.50', '5.53'],
    ],
    [
      'price-change: change_percent 1.00 on 2026-11-17 is not -29.50 or 0.50, from NAV 100.00 of 2026-11-16 to 70.50, with a distribution of 30 in table corporate_action',
      [paid('30')],
      ['70.50', '0.50', '1.00', '5.53'],
    ],
    [
      'price-change: performance 6.53 on 2026-11-17 is not -25.98 or 5.52, from performance 5.00 and NAV 100.00 of 2026-11-16 to NAV 70.50, with a distribution of 30 in table corporate_action',
      [paid('30')],
      ['70.50', '0.50', '0.50', '6.53'],
    ],
    [
      'price-change: change -89.95 on 2026-11-17 is not 0.05, from NAV 100.00 of 2026-11-16 to 10.05, with a split by 10 in table corporate_action',
      [split('10')],
      ['10.05', '-89.95', '0.50', '5.53'],
    ],
    // No whole factor is near.
    [
      'price-jump: NAV 23.00 on 2026-11-17 is 77 % below the 100.00 of 2026-11-16, more than 30 %',
      [],
      ['23.00', '-77.00', '-77.00', '-75.85'],
    ],
    // Nobody pays less than nothing.
    [
      'price-change: change -2.00 on 2026-11-17 is not 0.50, from NAV 100.00 of 2026-11-16 to 100.50',
      [paid('3', '2026-11-18')],
      ['100.50', '-2.00', '0.50', '5.53'],
    ],
  ])('%s', (message, actions, figures) => {
    expect(found(actions, figures)).toEqual([message])
  })
})
