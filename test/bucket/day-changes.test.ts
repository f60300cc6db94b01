/** A day that is published very often: the size of its file and of the index is limited. */
import { expect, it } from 'vitest'
import type { ChangeHistory, CorrectedValue, DayChanges } from '../../src/api/contract/changes.ts'
import { dayChanges, maxPriceRows, parseHistory, withPublish } from '../../src/bucket/changes/history.ts'
import { changeFeeds } from '../../src/site/changes/feed.ts'
import { noHistory } from '../../src/site/changes/pages.ts'

const asOf = '2026-11-18'
const file = { sha256: '', bytes: 1 }
const row = { isin: 'DE0008471400', name: null, item: 'change', before: '1', after: '2' }

/** What a publish changed that corrected so many prices. */
const corrections = (snapshot: string, count: number) => ({
  ...{ format: 2, as_of: asOf, snapshot, before: null },
  funds: { total: 1, added: [], removed: [], renamed: [] },
  ...{ documents: { added: 0, removed: 0, changed: 1 }, endpoints: [], not_compared: [] },
  prices: {
    counts: { corrected: count, added: 0, removed: 0 },
    corrected: Array.from({ length: Math.min(count, maxPriceRows) }, (): CorrectedValue => ({
      ...row,
      date: asOf,
    })),
    ...{ added: [], removed: [] },
  },
})

const publishAll = (counts: readonly number[]) => {
  let text: string | null = null
  for (const [index, count] of counts.entries())
    text = JSON.stringify(dayChanges(corrections(`snapshot-${index}`, count), index + 1, text))
  return JSON.parse(text ?? '') as DayChanges
}

it('keeps twenty publishes before the newest one, and ten thousand rows of all of them', () => {
  const { publish, prices, earlier } = publishAll([...Array<number>(25).fill(1), 7_000, 6_000, 50_000])
  expect([publish, prices.corrected.length, earlier.length]).toEqual([28, 10_000, 20])
  expect(earlier.slice(0, 3).map((one) => [one.publish, one.prices.counts.corrected])).toEqual([
    [27, 6_000],
    [26, 7_000],
    [25, 1],
  ])
  expect(earlier.slice(0, 3).map((one) => one.prices.corrected.length)).toEqual([6_000, 4_000, 0])
  expect(earlier.at(-1)?.publish).toBe(8)
  expect(earlier.every((one) => !('earlier' in one))).toBe(true)
})

it('reads the file and the index of an earlier version as the first publish of its day, without names', () => {
  const allowed = [{ guard: 'price-jump', subject: null, reason: 'split', by: 'an employee' }]
  const first = JSON.stringify({ ...corrections('first', 3), allowed })
  const day = dayChanges(corrections('second', 1), 2, first)
  expect(day.earlier).toMatchObject([{ publish: 1, snapshot: 'first', prices: { counts: { corrected: 3 } } }])
  expect(day.earlier[0]?.allowed).toEqual([{ guard: 'price-jump', subject: null, reason: 'split' }])
  const told = { asOf, before: null, lines: [], file: `${asOf}.json`, ...file }
  const nights = [{ ...told, snapshot: 'first', title: 'one' }]
  const old = parseHistory(JSON.stringify({ format: 1, nights }))
  expect(withPublish(old, day, file).nights).toMatchObject([
    { publish: 2, snapshot: 'second', earlier: [{ publish: 1, title: 'one' }] },
  ])
})

it('gives each of more than sixty publishes of a day a later time', () => {
  let history: ChangeHistory = noHistory
  for (let nth = 1; nth <= 70; nth++)
    history = withPublish(history, { ...corrections(`snapshot-${nth}`, 0), publish: nth }, file)
  const [feed] = changeFeeds(history, { baseUrl: 'https://api.example.org', publisher: null }, asOf)
  const times = String(feed?.content).match(/(?<=<updated>)[^<]+/g) ?? []
  // The feed's own, then those of twenty-one entries.
  expect(times).toHaveLength(22)
  expect(times.slice(0, 3)).toEqual(['2026-11-18T00:01:09Z', '2026-11-18T00:01:09Z', '2026-11-18T00:01:08Z'])
  expect(new Set(times).size).toBe(21)
})

it('keeps thirty days', () => {
  let history: ChangeHistory = noHistory
  const dayOf = (day: number) => new Date(Date.UTC(2026, 10, day)).toISOString().slice(0, 10)
  for (let day = 1; day <= 35; day++)
    history = withPublish(
      history,
      { ...corrections(`snapshot-${day}`, 0), as_of: dayOf(day), publish: 1 },
      file,
    )
  expect(history.nights.map((night) => night.as_of)).toEqual(
    Array.from({ length: 30 }, (_, index) => dayOf(35 - index)),
  )
})
