/** Funds and prices that are withheld, in what a publish says of its night. */
import Database from 'better-sqlite3'
import { expect, it, onTestFinished } from 'vitest'
import { buildNights } from '../support/nights.ts'
import { openPress } from '../support/press.ts'

interface Changes {
  readonly funds: object
  readonly documents: { readonly added: number; readonly removed: number }
  readonly endpoints: readonly { readonly endpoint: string; readonly removed: number }[]
  readonly prices: { readonly counts: object }
}

it('never names a fund that is withheld before and after, and tells of prices that are withheld', async () => {
  const press = await openPress(await buildNights(1, 2))
  onTestFinished(press.stop)
  const db = new Database(press.nights.folder.file('funds.sqlite'), { readonly: true })
  const [first = '', second = ''] = db
    .prepare('SELECT isin FROM fund ORDER BY isin')
    .pluck()
    .all() as string[]
  db.close()
  const bodyOf = (file: string) =>
    press.bucket.body(`${press.bucket.live()?.slot ?? ''}/changes/${file}`).toString()
  const build = async (asOf: string, sql: string, ...only: readonly string[]) => {
    await press.nights.change(asOf, sql, '--as-of', asOf, ...only.flatMap((isin) => ['--only', isin]))
    expect(await press.publish(asOf, '--force')).toMatchObject({ code: 0 })
    return JSON.parse(bodyOf(`${asOf}.json`)) as Changes
  }
  const nobody = { added: [], removed: [], renamed: [] }
  await build('2026-11-27', `UPDATE fund SET data_permitted = 0 WHERE isin = '${second}'`, first)
  const comes = await build('2026-11-28', '', first, second)
  expect([comes.funds, comes.documents.removed]).toEqual([{ total: 2, ...nobody }, 0])
  const goes = await build('2026-11-29', '', first)
  expect([goes.funds, goes.documents.added]).toEqual([{ total: 1, ...nobody }, 0])
  expect(`${bodyOf('feed.xml')}${bodyOf('index.json')}`).not.toContain(second)

  const { funds, prices, endpoints } = await build(
    '2026-11-30',
    `UPDATE fund SET prices_permitted = 0 WHERE isin = '${first}'`,
    first,
  )
  expect(funds).toEqual({ total: 1, ...nobody })
  expect(prices.counts).toEqual({ corrected: 0, added: 0, removed: 0 })
  expect(endpoints.find(({ endpoint }) => endpoint === 'prices-historic')).toMatchObject({ removed: 7 })
  expect(bodyOf('index.json')).toMatch(/"title":"2026-11-30: \d+ documents changed"/)
})
