/** What a publish refuses because of what is live: one step beyond each limit, and what lies just within. */
import { describe, expect, it } from 'vitest'
import { type Loss, lossByCounts, objectionsTo, type SnapshotFigures } from '../../src/core/guards/loss.ts'
import { isinOf } from '../support/database.ts'

const today = '2026-11-20'
const freshness = (fresh: number, stale = 0) => {
  return { fresh, late: 0, stale, suspended: 0, ended: 0, unwatched: 0, unpriced: 0, withheld: 0 }
}
const snapshot = (funds: number, more: Partial<SnapshotFigures> = {}): SnapshotFigures => {
  return {
    asOf: today,
    funds,
    objects: 1000,
    newestPrice: '2026-11-19',
    freshness: freshness(funds),
    ...more,
  }
}
const noLoss: Loss = {
  funds: 0,
  isins: [],
  objects: 0,
  documents: [],
  prices: null,
  changed: [],
  changedDays: [],
  renamed: [],
}
const rows = (table: string, count: number) => ({
  counts: { documents: {}, rows: { fund: 100, [table]: count }, values: {} },
})
/** Profiles with a benchmark. */
const benchmarks = (count: number, profiles = 100) => ({
  counts: { documents: {}, rows: { profile: profiles }, values: { 'profile.benchmark': count } },
})
const emt = (before: number, after: number) => ({ documents: [{ endpoint: 'emt', before, after }] })

/** What is refused, with the limit. */
function refusedOf(
  head: Partial<SnapshotFigures>,
  { funds = 100, live = {}, ...loss }: Partial<Loss> & { live?: Partial<SnapshotFigures> } = {},
  strictness = 1,
) {
  const lost = funds === 100 ? noLoss : { ...noLoss, funds: 100 - funds }
  const found = objectionsTo(
    snapshot(funds, head),
    snapshot(100, live),
    { ...lost, ...loss },
    strictness,
    today,
  )
  return found.map(({ guard, subject, figures }) => ({ guard, subject, limit: figures?.limit }))
}

it('a fund that merged is no lost fund, and explains no other', () => {
  const isins = Array.from({ length: 12 }, (_, index) => isinOf(index))
  const loss = { funds: 88, isins }
  const mergedOf = (some: readonly string[]) => Object.fromEntries(some.map((isin) => [isin, isinOf(99)]))
  expect(refusedOf({ merged: mergedOf(isins.slice(0, 1)) }, loss)).toEqual([
    { guard: 'lost-funds', subject: null, limit: 'at least 90' },
  ])
  expect(refusedOf({ merged: mergedOf(isins.slice(0, 2)) }, loss)).toEqual([])
  const others = Array.from({ length: 12 }, (_, index) => isinOf(100 + index))
  expect(refusedOf({ merged: mergedOf(others) }, loss)).toHaveLength(1)
})

it.each([
  [
    'documents',
    {},
    emt(100, 90),
    {},
    emt(100, 89),
    { guard: 'lost-documents', subject: 'emt', limit: 'at least 90' },
  ],
  [
    'all documents',
    {},
    emt(1, 1),
    {},
    emt(1, 0),
    { guard: 'lost-documents', subject: 'emt', limit: 'at least 1' },
  ],
  [
    'all rows',
    rows('emt', 1),
    { live: rows('emt', 1) },
    rows('emt', 0),
    { live: rows('emt', 1) },
    { guard: 'lost-rows', subject: 'emt', limit: 'at least 1' },
  ],
  [
    'values',
    benchmarks(80),
    { live: benchmarks(100) },
    benchmarks(79),
    { live: benchmarks(100) },
    { guard: 'column', subject: 'profile.benchmark', limit: 'at least 80' },
  ],
  [
    'one of a few values',
    benchmarks(1),
    { live: benchmarks(2) },
    benchmarks(0),
    { live: benchmarks(2) },
    { guard: 'column', subject: 'profile.benchmark', limit: 'at least 1' },
  ],
  [
    'values beside rows',
    benchmarks(70, 90),
    { live: benchmarks(100) },
    benchmarks(69, 90),
    { live: benchmarks(100) },
    { guard: 'column', subject: 'profile.benchmark', limit: 'at least 70' },
  ],
  [
    'prices of funds',
    { freshness: freshness(90) },
    {},
    { freshness: freshness(89) },
    {},
    { guard: 'lost-funds', subject: null, limit: 'at least 90' },
  ],
  [
    'objects',
    {},
    { objects: 100 },
    {},
    { objects: 101 },
    { guard: 'deletes', subject: null, limit: 'at least 900' },
  ],
  [
    'fresh prices',
    {},
    {},
    { freshness: freshness(88, 12) },
    {},
    { guard: 'stale-prices', subject: null, limit: 'at most 10' },
  ],
] as const)(
  'a loss of %s passes at the limit, and is refused beyond it',
  (_, within, live, beyond, more, expected) => {
    expect(refusedOf(within, live)).toEqual([])
    expect(refusedOf(beyond, more)).toEqual([expected])
  },
)

it.each([
  [2, 95, true],
  [2, 94, false],
  [0.5, 80, true],
  [0.5, 79, false],
  // All but the last may be lost.
  [0.1, 1, true],
  [0.1, 0, false],
])(
  'strictness %d divides the share that may be lost: of 100 funds %i are left',
  (strictness, left, passes) => {
    expect(refusedOf({ freshness: freshness(left) }, { funds: left }, strictness)).toEqual(
      passes ? [] : [{ guard: 'lost-funds', subject: null, limit: expect.any(String) }],
    )
  },
)

it('stale funds that are live stop no further night, unless one more is stale, or another one', () => {
  const stale = (count: number, ...stalest: readonly (readonly [number, string])[]) => {
    const funds = stalest.map(([fund, newestPrice]) => ({ isin: isinOf(fund), newestPrice }))
    return { freshness: { ...freshness(100 - count, count), stalest: funds } }
  }
  const live = stale(12, [1, '2024-06-28'], [2, '2025-01-02'])
  const refused = [{ guard: 'stale-prices', subject: null, limit: 'at most 10' }]
  expect(refusedOf(live, { live })).toEqual([])
  expect(refusedOf(stale(11, [2, '2025-01-02']), { live })).toEqual([])
  expect(refusedOf(stale(13, [1, '2024-06-28'], [2, '2025-01-02']), { live })).toEqual(refused)
  expect(refusedOf(stale(12, [1, '2024-06-28'], [3, '2025-01-02']), { live })).toEqual(refused)
  expect(refusedOf(live, { live: stale(0) })).toEqual(refused)
})

it('all prices may be stale if the strictness is a tenth', () => {
  const head = { freshness: freshness(0, 100) }
  expect(refusedOf(head, {}, 0.1)).toEqual([])
  expect(refusedOf(head, {}, 0.2)).toEqual([{ guard: 'stale-prices', subject: null, limit: 'at most 50' }])
})

const changed = (...each: readonly (readonly [prices: number, of: number | null])[]) => ({
  live: rows('price', 10_000),
  changed: each.map(([prices, of], index) => ({ isin: `XF${index}`, prices, of })),
})
const each = (count: number, prices: number) => Array.from({ length: count }, () => [prices, null] as const)

describe('prices that are live with other values', () => {
  it.each([
    ['five prices of a fund pass', changed([5, null]), null],
    ['six of a young fund are refused', changed([6, 64]), 'at most 5 of a fund'],
    ['1 % of an old fund pass', changed([25, 2500]), null],
    ['more of it are refused', changed([26, 2500]), 'at most 25 of a fund'],
    ['two prices of each fund pass', changed(...each(100, 2)), null],
    ['more are refused', changed(...each(100, 2), [1, null]), 'at most 200'],
    ['a fund whose live prices are not known counts for all', changed([200, null]), null],
  ])('%s', (_, loss, limit) => {
    expect(refusedOf({}, loss)).toEqual(
      limit === null ? [] : [{ guard: 'changed-prices', subject: null, limit }],
    )
  })

  it('are named by fund, the fund with most of them first', () => {
    const loss = { ...noLoss, ...changed([6, 100], [1292, 1292], [2, null], [50, 64], [7, 50]) }
    const [found] = objectionsTo(snapshot(100), snapshot(100, rows('price', 10_000)), loss, 1, today)
    expect(found).toMatchObject({
      message:
        '1357 prices that are live have other values (XF1: 1292 of 1292, XF3: 50 of 64, XF4: 7 of 50 and 1 more)',
    })
  })
})

describe('prices of many funds on one old day', () => {
  const onDay = (funds: number, of = 100) => ({
    live: { freshness: freshness(of) },
    changedDays: [{ day: '2026-10-23', funds, first: ['XF0', 'XF1', 'XF2', 'XF3'].slice(0, funds) }],
  })
  it.each([
    ['a third of the funds passes', onDay(33), null],
    ['more are refused', onDay(34), 'at most 33'],
    ['two funds of six pass', onDay(2, 6), null],
    ['three are refused', onDay(3, 6), 'at most 2'],
  ])('%s', (_, loss, limit) => {
    expect(refusedOf({}, loss)).toEqual(
      limit === null ? [] : [{ guard: 'changed-prices', subject: '2026-10-23', limit }],
    )
  })

  it('are named, the first funds with their number', () => {
    const loss = { ...noLoss, ...onDay(34) }
    const [found] = objectionsTo(snapshot(100), snapshot(100), loss, 1, today)
    expect(found).toMatchObject({
      message:
        '34 of 100 funds have other prices on 2026-10-23, which are live (XF0, XF1, XF2 and 31 more): are these prices of another day?',
    })
  })

  it('are no second objection where the number of changed prices is one', () => {
    expect(refusedOf({}, { ...onDay(90), ...changed([26, 2500]) })).toHaveLength(1)
  })
})

const renamed = (...names: readonly (readonly [before: string, after: string])[]) => ({
  renamed: names.map(([before, after], index) => ({ isin: `XF${index}`, before, after })),
})
const newNames = (count: number) =>
  Array.from({ length: count }, (_, index) => [`Old ${index}`, `New ${index}`] as const)

describe('funds with other names', () => {
  it.each([
    ['a tenth of them pass', renamed(...newNames(10)), null],
    ['more are refused', renamed(...newNames(11)), 'at most 10'],
    ['one of two passes', { ...renamed(['A', 'B']), live: { funds: 2 } }, null],
    ['two that get one name pass', renamed(['A', 'C'], ['B', 'C']), null],
    ['two that exchange theirs are refused', renamed(['A', 'B'], ['B', 'A']), 'names of their own'],
    [
      'three that hand them on are refused',
      renamed(['A', 'B'], ['B', 'C'], ['C', 'A']),
      'names of their own',
    ],
  ])('%s', (_, loss, limit) => {
    expect(refusedOf({}, loss)).toEqual(
      limit === null ? [] : [{ guard: 'renamed-funds', subject: null, limit }],
    )
  })

  it('are named by ISIN, an exchange with whose name it is', () => {
    const saidOf = (loss: Partial<Loss>) =>
      objectionsTo(snapshot(100), snapshot(100), { ...noLoss, ...loss }, 1, today).map(
        ({ message }) => message,
      )
    expect(saidOf(renamed(['A', 'B'], ['B', 'A'], ['C', 'D']))).toEqual([
      '2 funds have names that others have live (XF0 that of XF1, XF1 that of XF0)',
    ])
    expect(saidOf(renamed(...newNames(11)))).toEqual([
      '11 of 100 funds have other names (XF0, XF1, XF2 and 8 more)',
    ])
  })
})

it('compares no counts that only one of the two has', () => {
  expect(refusedOf({}, { live: benchmarks(100) })).toEqual([])
  expect(refusedOf(benchmarks(0))).toEqual([])
  expect(refusedOf(benchmarks(5), { live: benchmarks(0, 0) })).toEqual([])
})

it.each([
  [1, 1, false],
  [2, 1, true],
  [3, 1, true],
  [3, 2, false],
  [20, 2, true],
  [20, 3, false],
])('of %i funds, a loss of %i passes: %s', (before, funds, passes) => {
  const head = snapshot(before - funds)
  const live = snapshot(before)
  const found = objectionsTo(head, live, { ...noLoss, funds }, 1, today)
  expect(found.map(({ guard }) => guard)).toEqual(passes ? [] : ['lost-funds'])
})

it.each([
  ['price', 700, 300, []],
  ['price', 692, 300, ['lost-rows']],
  // Ten funds may have had a fifth of the rows; of the rest a fifth may be lost.
  ['emt', 640, 300, []],
  ['emt', 639, 300, ['lost-rows']],
  ['emt', 0, 300, ['lost-rows']],
])('what ten lost funds explain is no loss of its own: of 1,000 rows of %s %i are left', (...given) => {
  const [table, left, prices, expected] = given
  const found = refusedOf(rows(table, left), { funds: 90, prices, live: rows(table, 1000) })
  expect(found.map(({ guard }) => guard)).toEqual(expected)
})

it('counts are compared if the objects that are live are not known', () => {
  const counts = (profile: number) => ({ counts: { documents: { profile }, rows: {}, values: {} } })
  const head = snapshot(90, { objects: 900, ...counts(360) })
  const known = { funds: 10, objects: 0, documents: [{ endpoint: 'profile', before: 360, after: 360 }] }
  expect(lossByCounts(snapshot(100, counts(400)), head)).toMatchObject(known)
  expect(lossByCounts(snapshot(100), head)).toMatchObject({ ...known, documents: [] })
})
