/** The publications of the last weeks on the status page. */
import { expect, it } from 'vitest'
import type { ChangeHistory, HistoryEntry } from '../../../src/core/api/contract/changes.ts'
import {
  daysShown,
  isNotable,
  kindsIn,
  namesIn,
  nightBars,
  nightIn,
  nightsOf,
  notableRuns,
  summaryOf,
} from '../../../src/extensions/site/status/history.ts'

const entry = (as_of: string, counts: Partial<HistoryEntry['counts']>, publish = 1): HistoryEntry => ({
  as_of,
  snapshot: `${as_of}-3f9c2ab4d1e0`,
  before: null,
  publish,
  published: `${as_of}T03:17:00Z`,
  title: '',
  lines: [],
  de: { title: '', lines: [] },
  counts: {
    corrected_prices: 0,
    corrected_funds: 0,
    days_added: 0,
    days_removed: 0,
    funds_added: 0,
    funds_removed: 0,
    funds_renamed: 0,
    funds_ending: 0,
    funds_suspended: 0,
    funds_with_other_data: 0,
    funds_with_new: 0,
    funds_total: 40,
    funds_overdue: 0,
    funds_stale: 0,
    funds_held_back: 0,
    ...counts,
  },
})
const file = { file: '', sha256: '', bytes: 0 }

/** The newest day was published twice; a Tuesday was left out; the first one is a Monday. */
const history: ChangeHistory = {
  format: 1,
  nights: [
    {
      ...entry('2026-03-05', { corrected_prices: 2, funds_overdue: 3, funds_stale: 1 }, 2),
      ...file,
      earlier: [entry('2026-03-05', { corrected_prices: 1, funds_overdue: 9, funds_held_back: 9 })],
    },
    { ...entry('2026-03-04', { funds_held_back: 1 }), ...file, earlier: [] },
    { ...entry('2026-03-02', {}), ...file, earlier: [] },
  ],
}

const told = (day: string, language: 'de' | 'en') => {
  const night = nightsOf(history).find((one) => one.day === day)
  return night && nightIn(night, language).replaceAll('\u00a0', ' ')
}

it('has a place for each calendar day from the first publication on, at most six weeks', () => {
  expect(nightsOf(history).map(({ day }) => day)).toEqual([
    '2026-03-02',
    '2026-03-03',
    '2026-03-04',
    '2026-03-05',
  ])
  const old = { ...entry('2025-12-01', {}), ...file, earlier: [] }
  const nights = nightsOf({ ...history, nights: [...history.nights, old] })
  expect(nights).toHaveLength(daysShown)
  expect([nights[0]?.day, nights.at(-1)?.day]).toEqual(['2026-01-23', '2026-03-05'])
  expect(nightsOf({ format: 1, nights: [] })).toEqual([])
})

it.each([
  [
    '2026-03-05',
    '5 Mar 2026: published 2 times, 3 prices corrected, prices of 2 of 40 funds late, prices of 1 of 40 funds stale',
  ],
  ['2026-03-04', '4 Mar 2026: published, prices of 1 of 40 funds being checked'],
  ['2026-03-03', '3 Mar 2026: nothing published'],
  ['2026-03-02', '2 Mar 2026: published'],
])('tells what happened on %s: of all its publications, and how the newest one left it', (day, text) => {
  expect(told(day, 'en')).toBe(text)
})

it('tells it in German, too', () => {
  expect(told('2026-03-05', 'de')).toBe(
    '05.03.2026: 2-mal veröffentlicht, 3 Preise korrigiert, Preise von 2 von 40 Fonds verspätet, Preise von 1 von 40 Fonds veraltet',
  )
  expect(summaryOf(nightsOf(history), 'de')).toBe('An 3 Tagen veröffentlicht, davon 2 mit Hinweisen')
})

it('names the funds with corrected prices, at most three, and counts the others', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      isin: `DE000000000${index}`,
      name: `Fonds ${index}`,
      corrected: 1,
    }))
  const told = (funds: HistoryEntry['funds'], corrected: number) => {
    const night = { ...entry('2026-03-05', { corrected_funds: corrected }), ...file, funds, earlier: [] }
    return nightsOf({ format: 1, nights: [night] }).flatMap((one) => namesIn(one, 'de'))
  }
  expect(told(named(1), 1)).toEqual(['Korrigiert: Fonds 0'])
  expect(told(named(3), 3)).toEqual(['Korrigiert: Fonds 0, Fonds 1, Fonds 2'])
  expect(told(named(5), 5)).toEqual(['Korrigiert: Fonds 0, Fonds 1, Fonds 2 und 2 weitere'])
  // The index does not name all of them.
  expect(told(named(2), 1300)).toEqual(['Korrigiert: Fonds 0, Fonds 1 und andere'])
  expect(told([{ isin: 'DE0000000009', name: null, corrected: 2 }], 1)).toEqual(['Korrigiert: DE0000000009'])
  expect(told([{ isin: 'DE0000000009', name: 'Neu', what: 'added' }], 0)).toEqual([])
})

it('names the funds whose price is awaited, at most three, and counts the others', () => {
  const told = (named: number, counts: Partial<HistoryEntry['counts']>) => {
    const awaited = Array.from({ length: named }, (_, index) => ({
      isin: `DE000000000${index}`,
      name: `Fund ${index}`,
    }))
    const night = { ...entry('2026-03-05', counts), awaited, ...file, earlier: [] }
    return nightsOf({ format: 1, nights: [night] }).flatMap((one) => namesIn(one, 'en'))
  }
  expect(told(1, { funds_overdue: 1 })).toEqual(['Awaited: Fund 0'])
  // A fund whose prices are being checked may be late, too.
  expect(told(1, { funds_overdue: 1, funds_held_back: 1 })).toEqual(['Awaited: Fund 0'])
  expect(told(5, { funds_overdue: 5 })).toEqual(['Awaited: Fund 0, Fund 1, Fund 2 and 2 more'])
  expect(told(10, { funds_overdue: 10 })).toEqual(['Awaited: Fund 0, Fund 1, Fund 2 and 7 more'])
  expect(told(10, { funds_overdue: 400 })).toEqual(['Awaited: Fund 0, Fund 1, Fund 2 and others'])
  // The names of funds that may no longer be named are gone, the counts stay.
  expect(told(1, { funds_overdue: 2 })).toEqual(['Awaited: Fund 0 and others'])
  expect(told(0, { funds_overdue: 2 })).toEqual([])
})

it('tells days in a row with the same notes once, and each correction on its day', () => {
  const late = (day: string, isin: string, counts: Partial<HistoryEntry['counts']> = {}) => ({
    ...entry(day, { funds_overdue: 1, ...counts }),
    awaited: [{ isin, name: null }],
    ...file,
    earlier: [],
  })
  const nights = [
    late('2026-03-12', 'DE0000000002'),
    late('2026-03-11', 'DE0000000001'),
    late('2026-03-10', 'DE0000000001', { corrected_prices: 1 }),
    { ...entry('2026-03-09', {}), ...file, earlier: [] },
    // No publication on the weekend.
    late('2026-03-06', 'DE0000000001'),
    late('2026-03-03', 'DE0000000001'),
    late('2026-03-02', 'DE0000000001'),
  ]
  const runs = notableRuns(nightsOf({ format: 1, nights }))
  expect(runs.map(({ first, last }) => `${first.day} ${last.day}`)).toEqual([
    '2026-03-12 2026-03-12',
    '2026-03-11 2026-03-11',
    '2026-03-10 2026-03-10',
    '2026-03-02 2026-03-06',
  ])
})

it('sums up all days', () => {
  expect(summaryOf(nightsOf(history), 'en')).toBe('Published on 3 days, 2 of them with notes')
  const quiet = nightsOf({ ...history, nights: history.nights.slice(-1) })
  expect(quiet.filter(isNotable)).toEqual([])
  expect(summaryOf(quiet, 'en')).toBe('Published on 1 day, nothing unusual')
})

/** The parts of a night's bar, from above: kind, upper and lower end in percent. */
const barOf = (counts: Partial<HistoryEntry['counts']> | null) => {
  const nights = [entry('2026-03-02', {}), ...(counts === null ? [] : [entry('2026-03-03', counts)])]
  const all = nights.concat(entry('2026-03-04', {})).map((one) => ({ ...one, ...file, earlier: [] }))
  const night = nightsOf({ format: 1, nights: all.reverse() }).slice(1, 2)
  return [...nightBars(night).matchAll(/class="(\w+)"[^>]* y="([\d.]+)%" rx="2" height="([\d.]+)%"/g)].map(
    ([, kind, y, height]) => ({ kind, from: Number(y), to: Number(y) + Number(height) }),
  )
}

it('draws each kind of day in a form of its own, so that it is known without its colour', () => {
  const kinds = [
    {},
    { corrected_prices: 1 },
    { funds_overdue: 1 },
    { funds_overdue: 1, funds_stale: 1 },
    { corrected_prices: 1, funds_overdue: 1 },
    null,
  ]
  const forms = kinds.map((counts) => barOf(counts).map(({ from, to }) => `${from} ${to}`))
  expect(new Set(forms.map((form) => form.join())).size).toBe(kinds.length)
  expect(barOf({ funds_overdue: 1 }).at(-1)?.kind).toBe('late')
  expect(barOf({ funds_overdue: 2, funds_stale: 1 }).at(-1)?.kind).toBe('stale')
  expect(barOf({ funds_held_back: 1 }).at(-1)?.kind).toBe('stale')
})

it('has a foot as high as the share of funds without a new price, so that a single one is no outage', () => {
  const footOf = (late: number) => {
    const [foot] = barOf({ funds_overdue: late }).slice(-1)
    return foot === undefined ? NaN : foot.to - foot.from
  }
  expect(footOf(1)).toBe(footOf(2))
  expect(footOf(1)).toBeLessThan(30)
  expect(footOf(20)).toBe(50)
  expect(footOf(40)).toBe(100)
  expect(barOf({ funds_overdue: 40 }).map(({ kind }) => kind)).toEqual(['late'])
})

it('has a key for what its bars show, and for nothing else', () => {
  const kindsOf = (counts: Partial<HistoryEntry['counts']>, before: readonly string[] = []) => {
    const days = [entry('2026-03-05', counts), ...before.map((day) => entry(day, {}))]
    return [
      ...kindsIn(nightsOf({ format: 1, nights: days.map((one) => ({ ...one, ...file, earlier: [] })) })),
    ]
  }
  expect(kindsOf({})).toEqual(['published'])
  expect(kindsOf({ corrected_prices: 1, funds_overdue: 1 })).toEqual(['published', 'corrected', 'late'])
  expect(kindsOf({ funds_overdue: 1, funds_stale: 1 }, ['2026-03-03'])).toEqual([
    'published',
    'quiet',
    'stale',
  ])
})

it('has a bar for each day, beside one another', () => {
  const bars = nightBars(nightsOf(history))
  const places = [...bars.matchAll(/ x="([\d.]+)%" width="([\d.]+)%"/g)]
  expect(new Set(places.map(([, x]) => x)).size).toBe(4)
  expect(places.every(([, x, width]) => Number(x) + Number(width) <= 100)).toBe(true)
})
