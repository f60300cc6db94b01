/** The publications of the last weeks on the status page. */
import { expect, it } from 'vitest'
import type { ChangeHistory, HistoryEntry } from '../../../src/core/api/contract/changes.ts'
import {
  daysShown,
  isNotable,
  nightBars,
  nightIn,
  nightsOf,
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
    funds_overdue: 0,
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
      ...entry('2026-03-05', { corrected_prices: 2, funds_overdue: 1 }, 2),
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

it('has a place for each calendar day of six weeks, up to the newest publication', () => {
  const nights = nightsOf(history)
  expect(nights).toHaveLength(daysShown)
  expect([nights[0]?.day, nights.at(-1)?.day]).toEqual(['2026-01-23', '2026-03-05'])
  expect(nightsOf({ format: 1, nights: [] })).toEqual([])
})

it.each([
  ['2026-03-05', '5 Mar 2026: published 2 times, 3 prices corrected, 1 price overdue'],
  ['2026-03-04', '4 Mar 2026: published, price of 1 fund being checked'],
  ['2026-03-03', '3 Mar 2026: nothing published'],
  ['2026-03-02', '2 Mar 2026: published'],
  ['2026-03-01', '1 Mar 2026: no records'],
])('tells what happened on %s: of all its publications, and how the newest one left it', (day, text) => {
  expect(told(day, 'en')).toBe(text)
})

it('tells it in German, too', () => {
  expect(told('2026-03-05', 'de')).toBe(
    '05.03.2026: 2-mal veröffentlicht, 3 Preise korrigiert, 1 Preis überfällig',
  )
  expect(summaryOf(nightsOf(history), 'de')).toBe('An 3 Tagen veröffentlicht, davon 2 mit Hinweisen')
})

it('sums up all days', () => {
  expect(summaryOf(nightsOf(history), 'en')).toBe('Published on 3 days, 2 of them with notes')
  const quiet = nightsOf({ ...history, nights: history.nights.slice(-1) })
  expect(quiet.filter(isNotable)).toEqual([])
  expect(summaryOf(quiet, 'en')).toBe('Published on 1 day, nothing unusual')
})

it('draws each kind of day in a form of its own, so that it is known without its colour', () => {
  const formOf = (day: string) =>
    [
      ...nightBars(nightsOf(history).filter((night) => night.day === day)).matchAll(
        / y="([\d.]+)%" rx="2" height="([\d.]+)%"/g,
      ),
    ]
      .map(([, y, height]) => `${y} ${height}`)
      .join()
  const forms = ['2026-03-05', '2026-03-04', '2026-03-03', '2026-03-02'].map(formOf)
  expect(new Set(forms).size).toBe(4)
  const bars = nightBars(nightsOf(history))
  const places = [...bars.matchAll(/ x="([\d.]+)%" width="([\d.]+)%"/g)]
  expect(new Set(places.map(([, x]) => x)).size).toBe(daysShown)
  expect(places.every(([, x, width]) => Number(x) + Number(width) <= 100)).toBe(true)
})
