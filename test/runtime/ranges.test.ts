/** Thousands of random date ranges: the assembled answers equal the oracle's, and hold what SQL holds. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { dateRange } from '../oracle/arbitraries.ts'
import { difference } from '../oracle/compare.ts'
import { rawRequest } from '../support/request.ts'
import { buildDemo, buildOdd, serve, type Served } from '../support/snapshots.ts'

describe.each([
  ['the demo database', buildDemo, { json: 2000, xml: 800 }],
  ['funds with gaps and hostile names', buildOdd, { json: 400, xml: 400 }],
])('of %s', (_, build, runs) => {
  let served: Served
  let db: Database.Database
  let isins: readonly string[]
  let [first, last] = ['', '']

  beforeAll(async () => {
    served = await serve(build)
    db = new Database(served.db, { readonly: true })
    isins = served.oracle.isins()
    ;[first, last] = db.prepare('SELECT min(date), max(date) FROM price').raw().get() as [string, string]
    return async () => {
      db.close()
      await served.stop()
    }
  })

  it.each(['json', 'xml'] as const)('answers any range in %s like the oracle', async (format) => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...isins), dateRange(first, last), async (isin, { from, to }) => {
        const target = `/api/v1/prices-historic/${isin}/${from}/${to}/?format=${format}`
        expect(await difference(served.base, served.oracle, { target })).toEqual([])
      }),
      { numRuns: runs[format] },
    )
  })

  it('gives exactly the days that SQL finds between the two, in both formats', async () => {
    const mayGiveOut = db
      .prepare(
        `SELECT isin FROM fund WHERE data_permitted = 1 AND prices_permitted = 1
         AND EXISTS (SELECT 1 FROM price WHERE price.isin = fund.isin)`,
      )
      .pluck()
      .all() as string[]
    const between = db
      .prepare('SELECT date FROM price WHERE isin = ? AND date BETWEEN ? AND ? ORDER BY date')
      .pluck()
    const valid = dateRange(first, last).filter(
      ({ from, to }) => [from, to].every((day) => sameDay(day)) && from <= to,
    )
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...mayGiveOut), valid, async (isin, { from, to }) => {
        const dates = between.all(isin, from, to)
        const target = `/api/v1/prices-historic/${isin}/${from}/${to}/`
        const json = await rawRequest(served.base, { target })
        const { prices } = JSON.parse(json.body.toString()) as { prices: { date: string }[] }
        expect(prices.map(({ date }) => date)).toEqual(dates)
        const xml = await rawRequest(served.base, { target: `${target}?format=xml` })
        const items = xml.body.toString().matchAll(/<item key="(\d+)"><date>([\d-]+)<\/date>/g)
        expect([...items].map(([, key, date]) => [key, date])).toEqual(
          dates.map((date, at) => [String(at), date]),
        )
      }),
      { numRuns: 200 },
    )
  })
})

/** Whether a text is a day of the calendar, written in full. */
function sameDay(day: string): boolean {
  const time = Date.parse(`${day}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day) && day.length === 10
}
