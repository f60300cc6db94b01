/** Four funds with few documents, what publishes of them say that they changed, and what feeds and pages say. */
import { expect } from 'vitest'
import type { DayChanges } from '../../src/core/api/contract/changes.ts'
import { readDatabase } from './database.ts'
import { askFeed, assertFeedsLead } from './feed.ts'
import { expectList } from './lists.ts'
import { buildNights } from './nights.ts'
import { openPress } from './press.ts'
import { forced } from './product.ts'

export const baseUrl = 'https://api.example.org/a&b'

export async function openChanges() {
  const press = await openPress(await buildNights(1, 4, { years: 1, until: '2025-11-10', isSmall: true }))

  const query = (sql: string, ...values: readonly string[]) =>
    readDatabase(press.nights.folder.file('funds.sqlite'), sql, ...values)

  const isins = query('SELECT isin FROM fund ORDER BY isin').map(({ isin }) => isin ?? '')
  const dates = query('SELECT date FROM price GROUP BY date HAVING count(*) = 4 ORDER BY date')

  const slotNow = () => press.bucket.live()?.slot ?? ''
  const bodyOf = (file: string) => press.bucket.body(`${slotNow()}/changes/${file}`).toString()
  /** As the schema of its list says. */
  const read = (list: string, file: string): unknown => {
    const document: unknown = JSON.parse(bodyOf(file))
    expectList(list, document)
    return document
  }
  const index = () =>
    read('changes', 'index.json') as { nights: Record<'as_of' | 'title' | 'snapshot' | 'sha256', string>[] }

  async function publishOut(out: string, ...flags: readonly string[]) {
    press.server.reset()
    const run = await press.fundpress(['publish', '--out', out, '--json', ...forced, '--quiet', ...flags], {
      FUNDPRESS_BASE_URL: baseUrl,
      // What is allowed costs two requests more, for the history.
      FUNDPRESS_EXPECTATIONS_STRICTNESS: '0.1',
    })
    expect(run, run.stderr).toMatchObject({ code: 0 })
    return run
  }

  return {
    press,
    query,
    /** In their order. */
    isins,
    /** Days that every fund has a price of, ascending. */
    days: dates.map(({ date }) => date ?? ''),
    slotNow,
    bodyOf,
    index,
    nightsOf: () => index().nights.map(({ as_of }) => as_of),
    changesOf: (asOf: string) => read('changes-of-day', `${asOf}.json`) as DayChanges,
    filesNow: () => {
      const folder = `${slotNow()}/changes/`
      return press.bucket
        .keys(folder)
        .map((key) => key.slice(folder.length))
        .sort()
    },
    xpath: (expression: string) => askFeed(bodyOf('feed.xml'), expression),
    assertFeedIsValid: (entries: number, lost = false) => {
      assertFeedsLead(bodyOf, { baseUrl, entries, lost })
    },
    publishOut,
    /** Builds and publishes. */
    night: async (asOf: string, sql: string, ...flags: readonly string[]) => {
      await press.nights.change(asOf, sql, '--as-of', asOf)
      return publishOut(asOf, ...flags)
    },
    /** Sends the requests that `plan` says. */
    publishAsPlanned: async (out: string) => {
      interface Planned {
        requests: object
        endpoints: readonly { endpoint: string }[]
      }
      const { requests, endpoints } = await press.json<Planned>(`plan --out ${out}`, {
        FUNDPRESS_BASE_URL: baseUrl,
      })
      const run = await publishOut(out)
      expect({ DeleteObjects: 0, ...press.server.counts() }).toEqual(requests)
      return { endpoints, run }
    },
  }
}
