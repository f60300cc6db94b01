/** What a publish changed, for readers: changes/<as-of>.json, their index and the feed. */
import { afterAll, describe, expect, it } from 'vitest'
import { editDatabase } from '../support/database.ts'
import { baseUrl, openChanges } from '../support/changes.ts'
import { newBenchmark } from '../support/nights.ts'
import type { DayChanges } from '../../src/core/api/contract/changes.ts'
import { lacks } from '../support/programs.ts'

const hostile = '</script><b>"& ]]>'

const { press, query, isins, days, slotNow, bodyOf, index, nightsOf, changesOf, ...changes } =
  await openChanges()
const { xpath, assertFeedIsValid, publishOut, night, publishAsPlanned } = changes
const [first = '', second = '', third = '', fourth = ''] = isins
const [old = ''] = days
afterAll(() => press.stop())

/** Without the files that say how fresh a snapshot is: they are other ones each day. */
const sums = (out: string) =>
  new Map(
    [...press.nights.sums(out)].filter(([key]) => !/^status\/|^corporate-actions|^statistics/.test(key)),
  )

const named = (isin: string) => ({ isin, name: `Fonds ${isin} night 1` })

/** Copies prices to another day, without what only some days have. */
const insertPrice = (day: string, from: string) =>
  `INSERT INTO price SELECT isin, '${day}', issue_price, repurchase_price, net_asset_value, '0.00', '0.00',
     performance, NULL, NULL, NULL, NULL FROM price WHERE ${from}`

/** Gives each fund the prices of the day before the last one again, so that its NAV moves back. */
const insertMovedBack = (day: string) =>
  `INSERT INTO price SELECT isin, '${day}', older.issue_price, older.repurchase_price, older.net_asset_value,
     printf('%.4f', older.net_asset_value - last.net_asset_value),
     printf('%.2f', (older.net_asset_value / CAST(last.net_asset_value AS REAL) - 1) * 100), older.performance, NULL, NULL, NULL, NULL
   FROM price AS older JOIN price AS last USING (isin)
   WHERE older.date = '${days.at(-2) ?? ''}' AND last.date = '${days.at(-1) ?? ''}'`

/** Builds some funds only, and publishes them. @returns what changed */
async function publishOnly(asOf: string, sql: string, only: readonly string[]) {
  await press.nights.change(asOf, sql, '--as-of', asOf, ...only.flatMap((isin) => ['--only', isin]))
  await publishOut(asOf)
  return changesOf(asOf)
}

const noPrices = { corrected: 0, added: 0, removed: 0 }
const nobody = { added: [], removed: [], renamed: [], ending: [], suspended: [] }

// Each test goes on where the one before it has ended.
describe.skipIf(lacks('xmllint'))('one day after the other', () => {
  it('names the first snapshot', async () => {
    await publishOut('night-1')
    const added = sums('night-1').size
    const { snapshot } = press.bucket.live() ?? {}
    expect(changesOf('2025-11-11')).toMatchObject({
      format: 1,
      as_of: '2025-11-11',
      snapshot,
      before: null,
      funds: { total: 4, ...nobody },
      documents: { added, removed: 0, changed: 0 },
    })
    const title = 'First publication: 4 funds'
    expect(index().nights).toMatchObject([{ title, file: '2025-11-11.json' }])
    assertFeedIsValid(1)
  })

  it('names corrections of the past, and does not count a new price', async () => {
    const [row] = query('SELECT * FROM price WHERE isin = ? AND date = ?', first, old)
    const corrected = (Number(row?.['net_asset_value']) + 0.01).toFixed(2)
    const before = press.bucket.live()?.snapshot
    const { stderr } = await night(
      '2025-11-12',
      `UPDATE price SET net_asset_value = '${corrected}', share_profit = '1.5' WHERE isin = '${first}' AND date = '${old}';
       DELETE FROM price WHERE isin = '${second}' AND date = '${days[3]}';
       ${insertMovedBack('2025-11-11')}`,
    )
    expect(stderr).toBe('')
    const { prices, funds, ...rest } = changesOf('2025-11-12')
    const value = { ...named(first), date: old }
    expect(prices).toEqual({
      counts: { corrected: 2, added: 0, removed: 1 },
      totals: { funds_with_new: 4, corrected_prices: 1, corrected_funds: 1 },
      corrected: [
        {
          ...value,
          item: 'net_asset_value',
          before: row?.['net_asset_value'],
          after: corrected,
          currency: 'EUR',
        },
        { ...value, item: 'share_profit', before: row?.['share_profit'] ?? null, after: '1.5' },
      ],
      added: [],
      removed: [{ ...named(second), date: days[3] }],
    })
    expect(funds).toEqual({ total: 4, overdue: 0, stale: 0, held_back: 0, ...nobody })
    expect(rest).toMatchObject({ before: { as_of: '2025-11-11', snapshot: before }, not_compared: [] })
    expect(nightsOf()).toEqual(['2025-11-12', '2025-11-11'])
    expect(index().nights[0]).toMatchObject({
      title: '1 price of 1 fund corrected, 1 past price removed, 4 funds with new prices',
      de: {
        title: '1 Preis von 1 Fonds korrigiert, 1 früherer Preis entfernt, 4 Fonds mit neuen Preisen',
      },
      funds: [
        { ...named(first), corrected: 1 },
        { ...named(second), days_removed: 1 },
      ],
    })
  })

  it('names new, removed and renamed funds, and escapes their names', async () => {
    const rename = `UPDATE fund SET name = '${hostile}' WHERE isin = '${first}'`
    const renamed = await publishOnly('2025-11-13', rename, [first, second, third])
    expect(renamed.funds).toEqual({
      total: 3,
      overdue: 0,
      stale: 0,
      held_back: 0,
      added: [],
      removed: [named(fourth)],
      renamed: [{ isin: first, before: `Fonds ${first} night 1`, after: hostile }],
      ending: [],
      suspended: [],
    })
    expect(renamed.prices.counts).toEqual(noPrices)
    assertFeedIsValid(3)
    expect(xpath('string(/a:feed/a:entry[1]/a:summary)')).toContain(hostile)
    // Unescaped once it is HTML, whose only elements are ours.
    const html = xpath('string(/a:feed/a:entry[1]/a:content)')
    expect(html.match(/<[^>]*>/g)?.every((tag) => /^<\/?(ul|li)>$/.test(tag))).toBe(true)
    expect(html).toContain('&lt;/script&gt;&lt;b&gt;&quot;&amp; ]]&gt;')

    await night('2025-11-14', `UPDATE fund SET data_permitted = 0 WHERE isin = '${second}'`)
    const { funds, prices } = changesOf('2025-11-14')
    // The second fund is still a row of the database, but not published any more.
    expect(funds).toEqual({
      total: 3,
      overdue: 3,
      stale: 0,
      held_back: 0,
      awaited: [{ isin: first, name: hostile }, named(third), named(fourth)],
      added: [named(fourth)],
      removed: [named(second)],
      renamed: [],
      ending: [],
      suspended: [],
    })
    // What is refused now was not corrected.
    expect(prices.counts).toEqual(noPrices)
  })

  it('takes prices that may no longer be given out from the days before, and from the feeds', async () => {
    const day = bodyOf('2025-11-12.json')
    expect(day).toContain(first)
    expect(day).not.toContain(second)
    // The counts stay, and so does the day on which the fund left.
    expect(changesOf('2025-11-12').prices).toMatchObject({ counts: { removed: 1 }, removed: [] })
    const before = changesOf('2025-11-14')
    expect(before.funds.removed).toEqual([named(second)])
    const [, ...entries] = bodyOf('feed.xml').split('<entry>')
    const ofDay = (asOf: string) => entries.find((entry) => entry.includes(`?day=${asOf}#`))
    expect(ofDay('2025-11-12')).toContain('&lt;li&gt;1 past price removed&lt;/li&gt;')
    expect(ofDay('2025-11-12')).not.toContain(second)
    expect(ofDay('2025-11-14')).toContain(second)
    expect(press.bucket.faultsOf(slotNow())).toEqual([])
  })

  it('counts past days that are added, also in an earlier year, as changes of the past', async () => {
    await night(
      '2025-11-17',
      `${insertPrice('2025-02-01', `isin = '${third}' AND date = '${days[4]}'`)};
       ${insertPrice('2019-02-01', `isin = '${first}' AND date = '${days[4]}'`)}`,
    )
    expect(changesOf('2025-11-17').prices).toMatchObject({
      counts: { corrected: 0, added: 2, removed: 0 },
      added: [
        { isin: first, name: hostile, date: '2019-02-01' },
        { isin: third, date: '2025-02-01' },
      ],
    })
    await night('2025-11-18', `DELETE FROM price WHERE date = '2019-02-01'`)
    expect(changesOf('2025-11-18').prices).toMatchObject({
      counts: { corrected: 0, added: 0, removed: 1 },
      removed: [{ isin: first, name: hostile, date: '2019-02-01' }],
    })
  })

  it('keeps the earlier changes of a day that is published again, with one entry of the feed for each publish', async () => {
    const nights = nightsOf()
    const entry = (nth: number, element: string) => xpath(`string(/a:feed/a:entry[${nth}]/a:${element})`)
    const before = index().nights[0]
    const first = changesOf('2025-11-18')
    expect(first).toMatchObject({ publish: 1, earlier: [] })
    const told: Partial<DayChanges> = { ...first }
    Reflect.deleteProperty(told, 'earlier')
    const id = entry(1, 'id')
    await press.nights.change('again', newBenchmark(7), '--as-of', '2025-11-18')
    await publishAsPlanned('again')
    expect(nightsOf()).toEqual(nights)
    const second = changesOf('2025-11-18')
    expect(second).toMatchObject({
      before: { snapshot: before?.snapshot },
      documents: { changed: 4 },
      publish: 2,
      earlier: [told],
    })
    const earlier = [{ publish: 1, title: before?.title, snapshot: before?.snapshot }]
    const title = '1 fund with other changed data'
    expect(index().nights[0]).toMatchObject({ title, publish: 2, earlier })
    assertFeedIsValid(7)
    expect(entry(2, 'id')).toBe(id)
    expect(entry(2, 'title')).toBe(before?.title)
    expect(entry(1, 'summary')).toMatch(/^1 fund with other changed data\n.+: Benchmark .+$/)
    // In whole seconds, by the clock of the store; each later than the one before, also in the same second.
    expect(entry(2, 'updated')).toBe(first.published)
    expect(entry(1, 'updated')).toBe(second.published)
    expect(Date.parse(second.published)).toBeGreaterThan(Date.parse(first.published))
    expect(Math.abs(Date.parse(second.published) - Date.now())).toBeLessThan(600_000)

    // Back to what the day was at first: a snapshot that the feed knows, in an entry of its own.
    await publishOut('2025-11-18')
    expect(changesOf('2025-11-18')).toMatchObject({
      snapshot: before?.snapshot,
      publish: 3,
      earlier: [{ publish: 2, documents: { changed: 4 } }, told],
    })
    assertFeedIsValid(8)
    const third = entry(1, 'updated')
    expect(Date.parse(third)).toBeGreaterThan(Date.parse(second.published))
    const feed = bodyOf('feed.xml')
    const slot = slotNow()
    await publishOut('2025-11-18')
    expect(slotNow()).toBe(slot)
    expect(bodyOf('feed.xml')).toBe(feed)
    expect(await press.fundpress('rollback')).toMatchObject({ code: 0 })
    expect(changesOf('2025-11-18')).toEqual(second)
    assertFeedIsValid(7)
    expect(entry(1, 'published')).toBe(second.published)
  })

  it('a repair keeps all changes and adds none', async () => {
    const feed = bodyOf('feed.xml')
    const all = bodyOf('index.json')
    const slot = slotNow()
    press.bucket.remove(`${slot === 'blue' ? 'green' : 'blue'}/changes/2025-11-12.json`)
    const planned = await press.json<{ requests: object }>('plan --out again --repair', {
      FUNDPRESS_BASE_URL: baseUrl,
    })
    const { stdout } = await publishOut('again', '--repair')
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'flipped' })
    expect(press.server.counts()).toMatchObject(planned.requests)
    expect(slotNow()).not.toBe(slot)
    expect(bodyOf('feed.xml')).toBe(feed)
    expect(bodyOf('index.json')).toBe(all)
    expect(changesOf('2025-11-12')).toMatchObject({ as_of: '2025-11-12' })
  })
})

it('reads from the slot what a sparse snapshot lacks', async () => {
  press.reset()
  const value = () => query('SELECT change FROM price WHERE isin = ? AND date = ?', first, old)[0]?.['change']
  const right = value()
  const build = async (asOf: string, sql: string, ...flags: readonly string[]) => {
    editDatabase(press.nights.folder.file('funds.sqlite'), sql)
    const line = ['build', '--db', 'funds.sqlite', '--out', asOf, '--as-of', asOf, '--quiet', ...flags]
    const built = await press.fundpress(line, { FUNDPRESS_DOCS_URL: 'https://docs.example.org' })
    expect(built).toMatchObject({ code: 0, stderr: '' })
  }
  const set = (change = '') =>
    `UPDATE price SET change = '${change}' WHERE isin = '${first}' AND date = '${old}'`
  await build('2025-11-24', newBenchmark(201))
  await publishOut('2025-11-24')
  await build('2025-11-25', set('7.77'))
  await publishOut('2025-11-25')
  await build('2025-11-26', set(right ?? ''), '--since', 'other')
  const { endpoints, run } = await publishAsPlanned('2025-11-26')
  expect(endpoints.map(({ endpoint }) => endpoint)).toEqual(['status'])
  expect(run.stderr).toBe('')
  expect(changesOf('2025-11-26').prices.corrected).toMatchObject([
    { isin: first, date: old, item: 'change', before: '7.77', after: right?.replace(',', '.') },
  ])
})

it('never names a fund that is not published before and after, and counts withheld prices', async () => {
  press.reset()
  await publishOnly('2026-01-27', `UPDATE fund SET data_permitted = 0 WHERE isin = '${second}'`, [first])
  const firstAlone = {
    total: 1,
    overdue: 1,
    stale: 1,
    held_back: 0,
    awaited: [{ isin: first, name: hostile }],
    ...nobody,
  }
  const comes = await publishOnly('2026-01-28', '', [first, second])
  expect({ funds: comes.funds, removed: comes.documents.removed }).toEqual({
    funds: firstAlone,
    removed: 0,
  })
  const goes = await publishOnly('2026-01-29', '', [first])
  expect({ funds: goes.funds, added: goes.documents.added }).toEqual({
    funds: firstAlone,
    added: 0,
  })
  expect(`${bodyOf('feed.xml')}${bodyOf('index.json')}`).not.toContain(second)

  expect(bodyOf('index.json')).toContain(`"awaited":[{"isin":"${first}"`)
  const sql = `UPDATE fund SET prices_permitted = 0 WHERE isin = '${first}'`
  const { funds, prices, endpoints } = await publishOnly('2026-01-30', sql, [first])
  expect(funds).toEqual({ total: 1, overdue: 0, stale: 0, held_back: 0, ...nobody })
  expect(prices.counts).toEqual(noPrices)
  expect(endpoints.find(({ endpoint }) => endpoint === 'prices-historic')).toMatchObject({ removed: 7 })
  expect(bodyOf('index.json')).toContain('"title":"Other data changed"')
  expect(bodyOf('index.json')).not.toContain(`"awaited":[{"isin":"${first}"`)
})

describe('data other than prices', () => {
  it('are named by fund, table and item, with short values before and after', async () => {
    press.reset()
    await publishOnly('2026-02-02', 'UPDATE fund SET data_permitted = 1, prices_permitted = 1', isins)
    const [was] = query('SELECT benchmark, total_expense_ratio AS ter FROM profile WHERE isin = ?', first)
    const [kid] = query(`SELECT max(date) AS day FROM document WHERE isin = ? AND kind = 'kid'`, second)
    const { other_data: data, ...rest } = await publishOnly(
      '2026-02-03',
      `UPDATE profile SET total_expense_ratio = 1.99, total_fund_assets = '77.00', benchmark = '${'Index '.repeat(20)}' WHERE isin = '${first}';
       UPDATE fund SET status_date = '2026-02-02' WHERE isin = '${second}';
       INSERT INTO document VALUES ('${second}', 'kid', 'de', '2026-02-03', '', 'Neu', 'https://example.org/kid.pdf');
       UPDATE fund SET end_date = '2026-12-31', end_reason = 'merged', suspended_from = '2026-12-01' WHERE isin = '${third}';
       INSERT INTO corporate_action (isin, ex_date, kind, successor_isin) VALUES ('${third}', '2026-12-31', 'merger', '${first}');
       DELETE FROM key_figure WHERE isin = '${fourth}' AND position = 1;
       UPDATE structure_item SET percent = percent + 1 WHERE isin = '${fourth}' AND type = 'countries' AND position = 1`,
      isins,
    )
    const nameOf = (isin: string) => query('SELECT name FROM fund WHERE isin = ?', isin)[0]?.['name']
    const row = (isin: string, table: string, item: string, values: object = {}) => {
      return { isin, name: nameOf(isin), table, item, ...values }
    }
    expect(data.changed).toEqual([
      row(first, 'profiles', 'benchmark', { before: was?.['benchmark'] }),
      row(first, 'profiles', 'total_expense_ratio', { before: String(was?.['ter']), after: '1.99' }),
      row(second, 'documents', 'kid', { language: 'de', before: kid?.['day'], after: '2026-02-03' }),
      row(fourth, 'structures', 'countries'),
    ])
    expect(data).toMatchObject({ values: 4, funds: 3 })
    const end = { last_day: '2026-12-31', reason: 'merged', successor: { isin: first, name: nameOf(first) } }
    expect(rest).toMatchObject({
      funds: {
        ...nobody,
        ending: [{ isin: third, name: nameOf(third), ...end }],
        suspended: [{ isin: third, name: nameOf(third), from: '2026-12-01', to: null }],
      },
      prices: { counts: noPrices },
      not_compared: [],
    })
    // Structures change in the course of things.
    const { counts, funds } = index().nights[0] as unknown as Readonly<Record<string, unknown>>
    expect(counts).toMatchObject({ funds_with_other_data: 3, funds_ending: 1, funds_suspended: 1 })
    expect(funds).toMatchObject([
      {
        isin: first,
        name: nameOf(first),
        other_data: { values: 2, changed: [{ item: 'benchmark' }, { after: '1.99' }] },
      },
      {
        isin: second,
        name: nameOf(second),
        other_data: { values: 1, changed: [{ item: 'kid', language: 'de' }] },
      },
      { isin: third, name: nameOf(third), end, suspension: { from: '2026-12-01', to: null } },
    ])
  })

  it('and the end of a fund whose prices may not be given out, which is taken back, as is a suspension', async () => {
    const withheld = await publishOnly(
      '2026-02-04',
      `UPDATE fund SET prices_permitted = 0, end_date = '2026-11-30', end_reason = 'liquidated' WHERE isin = '${fourth}'`,
      isins,
    )
    expect(withheld.funds.ending).toMatchObject([
      { isin: fourth, last_day: '2026-11-30', reason: 'liquidated' },
    ])
    const back = await publishOnly(
      '2026-02-05',
      `UPDATE fund SET end_date = NULL, end_reason = NULL WHERE isin = '${fourth}'`,
      isins,
    )
    expect(back.funds.ending).toMatchObject([{ isin: fourth, last_day: null, reason: null }])
    const resumed = await publishOnly(
      '2026-02-06',
      `UPDATE fund SET suspended_from = NULL WHERE isin = '${third}'`,
      isins,
    )
    expect(resumed.funds).toMatchObject({ ending: [], suspended: [{ isin: third, from: null, to: null }] })
  })

  it('leave the days before with a fund that may no longer be given out', async () => {
    expect(bodyOf('2026-02-03.json')).toContain(first)
    await night('2026-02-09', `UPDATE fund SET data_permitted = 0 WHERE isin = '${first}'`)
    const { other_data: data } = changesOf('2026-02-03')
    expect(data).toMatchObject({ values: 4, funds: 3 })
    expect(data.changed.map(({ isin }) => isin)).not.toContain(first)
  })

  it('are not known beside a live snapshot whose statistics are damaged', async () => {
    press.bucket.put(`${slotNow()}/statistics.ndjson`, 'x')
    const { stderr } = await night(
      '2026-02-09',
      `UPDATE profile SET management_fee = 0.5 WHERE isin = '${second}'`,
    )
    expect(stderr).toContain('statistics.ndjson')
    expect(changesOf('2026-02-09')).toMatchObject({
      other_data: { values: 0, funds: 0, changed: [] },
      not_compared: ['statistics.ndjson'],
    })
  })
})
