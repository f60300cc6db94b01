/** The news of a publish: what people must hear of before or after a snapshot goes live. */
import { afterAll, expect, it } from 'vitest'
import type { News } from '../../src/core/bucket/changes/news.ts'
import { openChanges } from '../support/changes.ts'
import { forced } from '../support/product.ts'

const { press, query, isins, days, publishOut } = await openChanges()
const [first = '', second = '', third = '', fourth = ''] = isins
const old = days[0] ?? ''
const last = days.at(-1) ?? ''
afterAll(() => press.stop())

const named = (isin: string) => ({ isin, name: `Fonds ${isin} night 1` })
/** Builds whatever guards say, and publishes. */
async function night(asOf: string, sql: string, ...flags: readonly string[]) {
  await press.nights.change(asOf, sql, '--as-of', asOf, ...forced)
  return publishOut(asOf, ...flags)
}
const published = ({ stdout }: { readonly stdout: string }) =>
  JSON.parse(stdout) as { readonly news: News | null; readonly snapshot: string }
const newsIn = (run: { readonly stdout: string }) => published(run).news
const navOf = (isin: string, date: string) =>
  query('SELECT net_asset_value AS nav FROM price WHERE isin = ? AND date = ?', isin, date)[0]?.['nav'] ?? ''
/** A price of the next day, so many percent above the last one. */
const nextPrice = (isin: string, percent: number) =>
  `INSERT INTO price SELECT isin, '2025-11-11', issue_price, repurchase_price,
     printf('%.2f', net_asset_value * ${1 + percent / 100}), '0.00', '0.00', performance, NULL, NULL, NULL, NULL
   FROM price WHERE isin = '${isin}' AND date = '${last}'`

const none = {
  gone: [],
  added: [],
  opened: [],
  restricted: [],
  emptied: [],
  prices: { corrected: 0, correctedFunds: 0, correctedIn: [], added: 0, removed: 0, examples: [] },
  moves: [],
}

it('the first publish has none', async () => {
  expect(newsIn(await publishOut('night-1'))).toBeNull()
})

it('a plan, a stage and the flip say which funds are gone and restricted, which prices changed, and what moves most', async () => {
  const corrected = navOf(first, old)
  const before = navOf(first, last)
  const sql = `${nextPrice(first, 25)}; ${nextPrice(second, -30)};
    UPDATE price SET net_asset_value = '7.77', change = '1.23' WHERE isin = '${first}' AND date = '${old}';
    DELETE FROM price WHERE isin = '${second}' AND date = '${days[3]}';
    UPDATE fund SET data_permitted = 0 WHERE isin = '${third}';
    UPDATE fund SET prices_permitted = 0 WHERE isin = '${fourth}'`
  const moved = (isin: string, percent: number) => {
    const after = { date: '2025-11-11', nav: navOf(isin, '2025-11-11') }
    return { ...named(isin), before: { date: last, nav: navOf(isin, last) }, after, percent }
  }
  const { news: staged, snapshot } = published(await night('2025-11-12', sql, '--stage'))
  const prices = {
    corrected: 1,
    correctedFunds: 1,
    correctedIn: [first],
    added: 0,
    removed: 1,
    examples: [
      {
        ...named(first),
        date: old,
        item: 'net_asset_value',
        before: corrected,
        after: '7.77',
        currency: 'EUR',
      },
    ],
  }
  const moves = [moved(second, -30), moved(first, 25)].map((move) => ({
    ...move,
    percent: expect.closeTo(move.percent, 1) as number,
  }))
  const restricted = [
    { ...named(third), what: 'data' },
    { isin: fourth, name: null, what: 'prices' },
  ]
  expect(staged).toEqual({ ...none, restricted, prices, moves })
  expect(Number(before)).toBeGreaterThan(0)
  expect(newsIn(await press.fundpress('plan --out 2025-11-12 --json'))).toEqual(staged)
  const flip = ['flip', snapshot, '--json', ...forced]
  expect(newsIn(await press.fundpress(flip))).toEqual({ ...staged, moves: null })
})

it('what may be given out again is told, and a fund that is new or gone', async () => {
  const permitted = 'UPDATE fund SET data_permitted = 1, prices_permitted = 1'
  const opened = [
    { ...named(third), what: 'data' },
    { isin: fourth, name: null, what: 'prices' },
  ]
  const all = newsIn(await night('2025-11-13', permitted))
  expect(all).toEqual({ ...none, opened })

  const some = ['--only', first, '--only', third]
  await press.nights.change('fewer', '', '--as-of', '2025-11-14', ...some, ...forced)
  expect(newsIn(await publishOut('fewer'))).toEqual({ ...none, gone: [named(second), named(fourth)] })
  const back = newsIn(await publishOut('2025-11-13'))
  expect(back).toEqual({ ...none, added: [named(second), named(fourth)] })
})
