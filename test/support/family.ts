/**
 * An invented fund family with the shape of a real one, as the two files that a company has: funds of shares and of bonds, daily and
 * weekly ones, plans that pay out what they earn so that their NAV stays, funds that were liquidated or matured, and some without a price.
 */

import { isinOf } from './database.ts'

export interface Family {
  readonly funds: string
  /** NAVs up to a day, as CSV. */
  readonly pricesUntil: (day: string) => string
  /** Those of that day only. */
  readonly pricesOf: (day: string) => string
  readonly counts: Readonly<Record<Sort, number>>
}

/** What a fund is, and how many of a hundred are. The real family: 106 of 361 were over, half of the others had no price. */
const shares = {
  equity: 26,
  bond: 20,
  weekly: 6,
  payout: 8,
  liquidated: 15,
  matured: 15,
  unpriced: 10,
} as const
type Sort = keyof typeof shares

interface Member {
  readonly isin: string
  readonly sort: Sort
  readonly end: string | null
  readonly prices: ReadonlyMap<string, string>
}

/** @param count of funds @param first the first day of prices @param last the last one */
export function makeFamily(count: number, first: string, last: string): Family {
  const days = businessDays(first, last)
  const random = randomNumbers(20261129)
  const members = Array.from({ length: count }, (_, at) => memberOf(at, days, random))
  const lines = (matches: (day: string) => boolean) =>
    [
      'ISIN;Datum;NAV',
      ...members.flatMap(({ isin, prices }) =>
        [...prices].flatMap(([day, nav]) => (matches(day) ? [`${isin};${day};${nav}`] : [])),
      ),
      '',
    ].join('\n')
  const sorts = Object.keys(shares) as Sort[]
  return {
    funds: [
      'isin;name;fund_inception_date;currency;end_date;end_reason',
      ...members.map(({ isin, sort, end }, at) =>
        [isin, `Elbe ${sort} ${at}`, '2012-03-01', 'EUR', end ?? '', end === null ? '' : sort].join(';'),
      ),
      '',
    ].join('\n'),
    pricesUntil: (until) => lines((day) => day <= until),
    pricesOf: (only) => lines((day) => day === only),
    counts: Object.fromEntries(
      sorts.map((sort) => [sort, members.filter((member) => member.sort === sort).length]),
    ) as Family['counts'],
  }
}

function memberOf(at: number, days: readonly string[], random: () => number): Member {
  const sort = sortAt(at)
  const isOver = sort === 'liquidated' || sort === 'matured'
  const end = isOver ? (days[Math.floor(days.length * (0.2 + 0.6 * random()))] ?? null) : null
  const prices = new Map<string, string>()
  let nav = sort === 'payout' ? 1000 : 10 + 190 * random()
  for (const day of sort === 'unpriced' ? [] : days) {
    if (end !== null && day > end) break
    nav *= 1 + moveOf(sort, random)
    if (sort === 'weekly' && new Date(`${day}T00:00:00Z`).getUTCDay() !== 3) continue
    prices.set(day, (sort === 'payout' ? 1000 + 0.2 * random() : nav).toFixed(4))
  }
  return { isin: isinOf(at + 1), sort, end, prices }
}

/** Shares move by about one percent a day, bonds by a few hundredths. */
function moveOf(sort: Sort, random: () => number): number {
  const spread = sort === 'equity' || sort === 'weekly' ? 0.03 : 0.0006
  return spread * (random() + random() - 1) + 0.0001
}

function sortAt(at: number): Sort {
  // Of each hundred funds the same, and of ten nearly so.
  let place = (at * 37) % 100
  for (const [sort, share] of Object.entries(shares)) {
    if (place < share) return sort as Sort
    place -= share
  }
  return 'equity'
}

/** Days from Monday to Friday, without those on which German funds have no price. */
function businessDays(first: string, last: string): readonly string[] {
  const days: string[] = []
  for (let time = Date.parse(first); time <= Date.parse(last); time += 86_400_000) {
    const date = new Date(time)
    const day = date.toISOString().slice(0, 10)
    const isHoliday = /-(?:01-01|05-01|12-24|12-25|12-26|12-31)$/.test(day) || easterDays.has(day)
    if (date.getUTCDay() % 6 !== 0 && !isHoliday) days.push(day)
  }
  return days
}

const easterDays = new Set(['2025-04-18', '2025-04-21', '2026-04-03', '2026-04-06'])

/** Numbers from 0 to 1, the same each time. Source: the linear congruential generator of Numerical Recipes. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
