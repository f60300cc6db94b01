/** A day that is published very often: the size of its file and of the index is limited. */
import { expect, it } from 'vitest'
import type { ChangeHistory, CorrectedValue, DayChanges } from '../../src/core/api/contract/changes.ts'
import { maxRowsTold } from '../../src/core/bucket/changes/compare.ts'
import { dayChanges, timeOfPublish, withPublish } from '../../src/extensions/changes/history.ts'
import { changeFeeds } from '../../src/extensions/changes/feed.ts'
import { noHistory } from '../../src/extensions/changes/pages.ts'

const asOf = '2026-11-18'
const file = { sha256: '', bytes: 1 }
const published = '2026-11-18T17:04:05Z'
const row = { isin: 'DE0008471400', name: null, item: 'change', before: '1', after: '2' }

/** What a publish changed that corrected so many prices. */
const corrections = (snapshot: string, count: number) => ({
  format: 1,
  as_of: asOf,
  snapshot,
  before: null,
  funds: {
    total: 1,
    overdue: 0,
    stale: 0,
    held_back: 0,
    added: [],
    removed: [],
    renamed: [],
    ending: [],
    suspended: [],
  },
  documents: { added: 0, removed: 0, changed: 1 },
  endpoints: [],
  other_data: { values: 0, funds: 0, changed: [] },
  not_compared: [],
  prices: {
    counts: { corrected: count, added: 0, removed: 0 },
    totals: { funds_with_new: 0, corrected_prices: count, corrected_funds: 1 },
    corrected: Array.from({ length: Math.min(count, maxRowsTold) }, (): CorrectedValue => ({
      ...row,
      date: asOf,
    })),
    added: [],
    removed: [],
  },
})

const publishAll = (counts: readonly number[]) => {
  let text: string | null = null
  for (const [index, count] of counts.entries())
    text = JSON.stringify(
      dayChanges(corrections(`snapshot-${index}`, count), { publish: index + 1, published }, text),
    )
  return JSON.parse(text ?? '') as DayChanges
}

it('keeps twenty publishes before the newest one, and ten thousand rows of all of them', () => {
  const { publish, prices, earlier } = publishAll([...Array<number>(25).fill(1), 7_000, 6_000, 50_000])
  expect(publish).toBe(28)
  expect(prices.corrected).toHaveLength(10_000)
  expect(earlier).toHaveLength(20)
  expect(earlier.slice(0, 3)).toMatchObject([
    { publish: 27, prices: { counts: { corrected: 6_000 } } },
    { publish: 26, prices: { counts: { corrected: 7_000 } } },
    { publish: 25, prices: { counts: { corrected: 1 } } },
  ])
  expect(earlier.slice(0, 3).map((one) => one.prices.corrected.length)).toEqual([6_000, 4_000, 0])
  expect(earlier.at(-1)?.publish).toBe(8)
  expect(earlier.every((one) => !('earlier' in one))).toBe(true)
})

it('has the publishes in its feed as they were made, the newest first, whatever their as-of dates', () => {
  const publish = (history: ChangeHistory, day: string, time: string) =>
    withPublish(history, { ...corrections(time, 0), as_of: day, publish: 1, published: time }, file)
  const first = publish(noHistory, '2026-11-18', '2026-11-19T02:00:00Z')
  // An operator goes back to the data of the day before.
  const history = publish(first, '2026-11-17', '2026-11-19T09:30:00Z')
  const [feed] = changeFeeds(history, { baseUrl: 'https://api.example.org', publisher: null }, asOf)
  for (const element of ['published', 'updated']) {
    const times = [...String(feed?.content).matchAll(new RegExp(`<${element}>([^<]+)`, 'g'))].map(
      ([, time]) => time,
    )
    const own = element === 'updated' ? ['2026-11-19T09:30:00Z'] : []
    expect(times).toEqual([...own, '2026-11-19T09:30:00Z', '2026-11-19T02:00:00Z'])
  }
})

it.each([
  ['the first publish', '2026-11-19T02:00:00.900Z', null, '2026-11-19T02:00:00Z'],
  ['the next night', '2026-11-20T02:00:00.100Z', '2026-11-19T02:01:00.500Z', '2026-11-20T02:00:00Z'],
  [
    'within a second of the publish before',
    '2026-11-19T02:00:00.900Z',
    '2026-11-19T02:00:00.500Z',
    '2026-11-19T02:00:01Z',
  ],
  ['after a clock went back', '2026-11-18T02:00:00Z', '2026-11-19T02:00:00Z', '2026-11-19T02:00:01Z'],
])(
  'gives a publish the time of the store, but one later than all before it: %s',
  (_, now, liveSince, time) => {
    expect(timeOfPublish(new Date(now), liveSince)).toBe(time)
  },
)

it('keeps thirty days', () => {
  let history: ChangeHistory = noHistory
  const dayOf = (day: number) => new Date(Date.UTC(2026, 10, day)).toISOString().slice(0, 10)
  for (let day = 1; day <= 35; day++)
    history = withPublish(
      history,
      { ...corrections(`snapshot-${day}`, 0), as_of: dayOf(day), publish: 1, published },
      file,
    )
  expect(history.nights.map((night) => night.as_of)).toEqual(
    Array.from({ length: 30 }, (_, index) => dayOf(35 - index)),
  )
})
