/** Historic prices of any range of days. */

import { addDays, daysBetween } from '../../../core/system/days.ts'
import type { Draws } from '../../../core/system/random.ts'
import { checksOf, type CheckContext } from '../check.ts'
import { words } from '../requests.ts'

const anyDays = { first: '2020-01-01', last: '2024-12-31' }

export const rangeChecks = checksOf('ranges', {
  'cuts at both bounds, the bounds included': ({ oracle, isins, compareAll }) => {
    const targets = isins.flatMap((isin) => {
      const days = oracle.priceDays(isin)
      return days === undefined ? [] : edgeRanges(days).map((range) => targetOf(isin, range))
    })
    const formats = ['json', 'xml', 'csv']
    return compareAll(
      targets.flatMap((target) => formats.map((format) => ({ target: `${target}?format=${format}` }))),
    )
  },
  'answers any range in JSON as SQL finds it': (context) => compareRandom(context, 'json'),
  'answers any range in CSV as SQL finds it': (context) => compareRandom(context, 'csv'),
  'answers any range in XML as SQL finds it, its items counted from 0': (context) =>
    compareRandom(context, 'xml'),
})

async function compareRandom(context: CheckContext, format: 'json' | 'xml' | 'csv'): Promise<void> {
  const { oracle, isins, random, randomRequests, compareAll } = context
  if (isins.length === 0) return
  const requests = Array.from({ length: Math.ceil(randomRequests / 3) }, () => {
    const isin = random.pick(isins)
    const range = randomRange(random, oracle.priceDays(isin) ?? anyDays)
    return { target: `${targetOf(isin, range)}?format=${format}` }
  })
  await compareAll(requests)
}

const targetOf = (isin: string, range: string): string => `/api/v1/prices-historic/${isin}/${range}/`

/** @returns `2024-01-01/2024-03-31`, a part of endpoint 3's path */
function edgeRanges({ first, last }: typeof anyDays): string[] {
  const year = Number(last.slice(0, 4))
  const before = addDays(first, -1)
  const after = addDays(last, 1)
  return words(`${first}/${last} ${before}/${after} ${addDays(first, 1)}/${addDays(last, -1)}
    ${first}/${first} ${last}/${last} ${before}/${before} ${after}/${after}
    ${first}/${addDays(first, 400)} ${addDays(last, -400)}/${last}
    ${year - 1}-01-01/${year - 1}-12-31 ${year - 1}-01-02/${year - 1}-12-31 ${year - 1}-01-01/${year - 1}-12-30
    ${year - 1}-12-31/${year}-01-01 ${year - 2}-12-31/${year}-01-01
    2024-02-29/2024-02-29 2024-02-28/2024-03-01
    0001-01-01/${before} ${after}/9999-12-31 0001-01-01/9999-12-31 0000-01-01/0000-12-31`)
}

/** A range inside a price history or a little beyond its ends. Some ranges have a day that does not exist. */
function randomRange(random: Draws, { first, last }: typeof anyDays): string {
  const start = addDays(first, -400)
  const length = daysBetween(first, last) + 800
  const [one = '', other = ''] = [random.whole(0, length), random.whole(0, length)]
    .sort((a, b) => a - b)
    .map((days) => addDays(start, days))
  const year = Number(start.slice(0, 4)) + random.whole(0, Math.floor(length / 365))
  const short = `${one}/${addDays(one, random.whole(0, 70))}`
  const long = `${one}/${other}`
  // Usual ranges are in the list more than once.
  return random.pick([
    short,
    short,
    short,
    short,
    long,
    long,
    `${one}/${one}`,
    `${year}-01-01/${year + random.whole(0, 2)}-12-31`,
    `${year}-12-31/${year + 1}-01-01`,
    `${other}/${one}`,
    `${impossibleDay(random)}/${other}`,
    `${one}/${impossibleDay(random)}`,
  ])
}

function impossibleDay(random: Draws): string {
  const digits = (count: number): string => Array.from({ length: count }, () => random.whole(0, 9)).join('')
  return random.pick([
    ...words('2023-02-29 2100-02-29 2024-02-30 2024-06-31 2024-00-01 today'),
    `${digits(4)}-${random.whole(13, 99)}-01`,
    `${digits(4)}-0${random.whole(1, 9)}-${random.whole(32, 99)}`,
    digits(random.whole(1, 12)),
    `${digits(4)}-${digits(1)}-${digits(2)}`,
  ])
}
