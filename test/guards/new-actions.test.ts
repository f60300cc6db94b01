/** Corporate actions that the NAVs of their fund contradict, and those that they show. */
import { describe, expect, it } from 'vitest'
import type { CorporateActionRow } from '../../src/core/api/contract/rows.ts'
import type { PriceTexts } from '../../src/core/guards/figures.ts'
import { doubtfulActions } from '../../src/core/guards/new-actions.ts'

const empty = { amount: null, currency: null, factor: null, successorIsin: null }
const split = (factor: string, exDate = exDay): CorporateActionRow => ({
  ...empty,
  exDate,
  kind: 'split',
  factor,
})
const paid = (amount: string, exDate = exDay): CorporateActionRow => {
  return { ...empty, exDate, kind: 'distribution', amount, currency: 'EUR' }
}

/** Business days from Monday, 1 June 2026. */
const days = Array.from({ length: 84 }, (_, index) =>
  new Date(Date.UTC(2026, 5, 1 + index)).toISOString().slice(0, 10),
).filter((day) => ![0, 6].includes(new Date(`${day}T00:00Z`).getUTCDay()))
const exAt = 30
const exDay = days[exAt] ?? ''

/**
 * Prices that move by 0.4 to 1.6 % a day, up and down.
 * @param then what happens to the NAV on the ex-day, beside the usual move
 */
function pricesOf(
  then: (nav: number) => number = (nav) => nav,
  { at = exAt, times = 1, until = days.length } = {},
) {
  let nav = 100
  return days.slice(0, until).map((day, index): PriceTexts => {
    nav *= 1 + times * (index % 2 === 0 ? 1 : -1) * (0.004 + 0.003 * (index % 5))
    if (index === at) nav = then(nav)
    const text = nav.toFixed(4)
    return [day, text, text, text, '0', '0', null]
  })
}

const found = (actions: readonly CorporateActionRow[], prices: readonly PriceTexts[]) =>
  doubtfulActions(prices, actions).map(({ isRefused, message }) =>
    isRefused ? message : `warning: ${message}`,
  )

const merger: CorporateActionRow = { ...empty, exDate: exDay, kind: 'merger', successorIsin: 'LU0048578792' }

describe('rows that the NAVs show', () => {
  it.each<[string, readonly CorporateActionRow[], readonly PriceTexts[]]>([
    ['a split', [split('5')], pricesOf((nav) => nav / 5)],
    ['a reverse split', [split('0.1')], pricesOf((nav) => nav * 10)],
    ['a small split', [split('1.1')], pricesOf((nav) => nav / 1.1)],
    [
      'a split of yesterday, of which today has the first price',
      [split('5')],
      pricesOf((nav) => nav / 5, { until: exAt + 1 }),
    ],
    ['a split of tomorrow', [split('5')], pricesOf(undefined, { until: exAt })],
    ['a split before the first price', [split('5', '2020-01-02')], pricesOf()],
    ['a distribution', [paid('3')], pricesOf((nav) => nav - 3)],
    ['a distribution of a third', [paid('33')], pricesOf((nav) => nav - 33)],
    ['a distribution inside the noise', [paid('1')], pricesOf()],
    [
      'a distribution on a day on which the market rises by more',
      [paid('4')],
      pricesOf((nav) => nav * 1.05 - 4),
    ],
    [
      'a distribution on a day on which the market falls by 8 %',
      [paid('1')],
      pricesOf((nav) => nav * 0.92 - 1),
    ],
    ['a split and a distribution of one day', [split('5'), paid('2')], pricesOf((nav) => nav / 5 - 2)],
    ['a split on a day of a crash', [split('2')], pricesOf((nav) => (nav * 0.85) / 2)],
    ['a merger', [merger], pricesOf()],
    [
      'a split of a fund with two prices',
      [split('5', days[1])],
      pricesOf((nav) => nav / 5, { at: 1, until: 2 }),
    ],
    ['a distribution of a calm fund', [paid('0.5')], pricesOf((nav) => nav - 0.5, { times: 0.02 })],
  ])('%s', (_, actions, prices) => {
    expect(found(actions, prices)).toEqual([])
  })
})

describe('rows that the NAVs contradict', () => {
  it.each<[string, readonly CorporateActionRow[], readonly PriceTexts[], RegExp]>([
    [
      'a split of another fund',
      [split('5')],
      pricesOf(),
      /^the split by 5 on 2026-07-13 would make about \d+\.\d+ of NAV \S+ of 2026-07-10, and NAV \S+ of 2026-07-13 does not show it: is the row of another fund or day, are the NAVs in the new shares already, or are they wrong$/,
    ],
    ['a small split of another fund', [split('1.1')], pricesOf(), /^the split by 1\.1 /],
    ['a reverse split of another fund', [split('0.1')], pricesOf(), /^the split by 0\.1 /],
    [
      'a split with a wrong past day',
      [split('5', days[exAt - 6])],
      pricesOf((nav) => nav / 5),
      /: the NAV of 2026-07-13 shows it: is that its ex_date$/,
    ],
    [
      'a split the other way round',
      [split('0.2')],
      pricesOf((nav) => nav / 5),
      /: factor 5 would fit, or the row is of another fund or day$/,
    ],
    ['a split with another factor', [split('10')], pricesOf((nav) => nav / 5), /: factor 5 would fit/],
    [
      'a split of a new fund without history',
      [split('5', days[1])],
      pricesOf(undefined, { until: 2 }),
      /^the split by 5 /,
    ],
    ['a distribution with a comma slip', [paid('30')], pricesOf((nav) => nav - 3), /: amount 3 would fit/],
    [
      'the amount of all shares',
      [paid('500')],
      pricesOf((nav) => nav - 3),
      /^the distribution of 500 .* would make about -4\d\d/,
    ],
    [
      'a distribution of another fund, for a calm one',
      [paid('3')],
      pricesOf(undefined, { times: 0.1 }),
      /: is the row of another fund or day, is the amount that of all shares, or are the NAVs wrong$/,
    ],
    [
      'a distribution a week off, of a calm fund',
      [paid('3', days[exAt - 5])],
      pricesOf((nav) => nav - 3, { times: 0.1 }),
      /^the distribution .*: the NAV of 2026-07-13 shows it: is that its ex_date$/,
    ],
    [
      'a distribution like others of a calm fund, which no NAV shows',
      [paid('2', '2025-07-13'), paid('2.5')],
      pricesOf(undefined, { times: 0.1 }),
      /^warning: the distribution of 2\.5 /,
    ],
    [
      'a distribution whose NAV falls a day later',
      [paid('3', days[exAt - 1])],
      pricesOf((nav) => nav - 3, { times: 0.1 }),
      /^warning: the distribution .*: the NAV of 2026-07-13 shows it/,
    ],
  ])('%s', (_, actions, prices, message) => {
    expect(found(actions, prices)).toEqual([expect.stringMatching(message)])
  })
})
