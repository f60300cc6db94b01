/** Historic prices of any range of days. */

import { checksOf, type CheckContext } from '../check.ts'
import type { SeededRandom } from '../random.ts'

const anyDays: Days = { first: '2020-01-01', last: '2024-12-31' }

export const rangeChecks = checksOf('ranges', {
  'cuts at both bounds, the bounds included': async ({ oracle, isins, each, compare }) => {
    const targets = isins.flatMap((isin) => {
      const days = oracle.priceDays(isin)
      return days === undefined ? [] : edgeRanges(days).map((range) => targetOf(isin, range))
    })
    await each(
      targets.flatMap((target) => [{ target: `${target}?format=json` }, { target: `${target}?format=xml` }]),
      compare,
    )
  },
  'answers any range in JSON as SQL finds it': (context) => compareRandom(context, 'json', 2 / 3),
  'answers any range in XML as SQL finds it, its items counted from 0': (context) =>
    compareRandom(context, 'xml', 1 / 3),
})

async function compareRandom(context: CheckContext, format: 'json' | 'xml', share: number): Promise<void> {
  const { oracle, isins, random, randomRequests, each, compare } = context
  if (isins.length === 0) return
  const requests = Array.from({ length: Math.ceil(randomRequests * share) }, () => {
    const isin = random.pick(isins)
    const range = randomRange(random, oracle.priceDays(isin) ?? anyDays)
    return { target: `${targetOf(isin, range)}?format=${format}` }
  })
  await each(requests, compare)
}

function targetOf(isin: string, range: string): string {
  return `/api/v1/prices-historic/${isin}/${range}/`
}

export interface Days {
  readonly first: string
  readonly last: string
}

const dayMs = 86_400_000

/** @returns `2024-01-01/2024-03-31`, a part of endpoint 3's path */
export function edgeRanges({ first, last }: Days): string[] {
  const year = Number(last.slice(0, 4))
  const [before, after] = [later(first, -1), later(last, 1)]
  return [
    [first, last],
    [before, after],
    [later(first, 1), later(last, -1)],
    [first, first],
    [last, last],
    [before, before],
    [after, after],
    [first, later(first, 400)],
    [later(last, -400), last],
    [`${year - 1}-01-01`, `${year - 1}-12-31`],
    [`${year - 1}-01-02`, `${year - 1}-12-31`],
    [`${year - 1}-01-01`, `${year - 1}-12-30`],
    [`${year - 1}-12-31`, `${year}-01-01`],
    [`${year - 2}-12-31`, `${year}-01-01`],
    ['2024-02-29', '2024-02-29'],
    ['2024-02-28', '2024-03-01'],
    ['0001-01-01', before],
    [after, '9999-12-31'],
    ['0001-01-01', '9999-12-31'],
    ['0000-01-01', '0000-12-31'],
  ].map((pair) => pair.join('/'))
}

/** A range inside a price history or a little beyond its ends. Some ranges have a day that does not exist. */
export function randomRange(random: SeededRandom, { first, last }: Days): string {
  const start = later(first, -400)
  const length = (Date.parse(last) - Date.parse(first)) / dayMs + 800
  const day = (): string => later(start, random.below(length))
  const year = (): number => Number(first.slice(0, 4)) - 1 + random.below(length / 365)
  const inOrder = (): [string, string] => {
    const [one, other] = [day(), day()]
    return one < other ? [one, other] : [other, one]
  }
  const pair = random.oneOf<readonly [string, string]>(
    [
      6,
      () => {
        const from = day()
        return [from, later(from, random.below(71))]
      },
    ],
    [4, inOrder],
    [
      2,
      () => {
        const only = day()
        return [only, only]
      },
    ],
    [
      2,
      () => {
        const from = year()
        return [`${from}-01-01`, `${from + random.below(3)}-12-31`]
      },
    ],
    [
      1,
      () => {
        const turn = year()
        return [`${turn}-12-31`, `${turn + 1}-01-01`]
      },
    ],
    [1, () => inOrder().reverse() as [string, string]],
    [1, () => [impossibleDay(random), day()]],
    [1, () => [day(), impossibleDay(random)]],
  )
  return pair.join('/')
}

/** Days that no calendar has, and texts that are not days. */
function impossibleDay(random: SeededRandom): string {
  const digits = (count: number): string => Array.from({ length: count }, () => random.below(10)).join('')
  return random.oneOf(
    [2, () => random.pick(['2023-02-29', '2100-02-29', '2024-02-30', '2024-06-31', '2024-00-01', 'today'])],
    [1, () => `${digits(4)}-${13 + random.below(87)}-01`],
    [1, () => `${digits(4)}-0${1 + random.below(9)}-${32 + random.below(68)}`],
    [1, () => digits(1 + random.below(12))],
    [1, () => `${digits(4)}-${digits(1)}-${digits(2)}`],
  )
}

function later(day: string, days: number): string {
  return new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)
}
