/** Implausible prices in `check` and `build`: new ones are refused, allowed by name, or withheld; old ones are warned of. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Finding } from '../../src/core/data/check/finding.ts'
import { editDatabase, goodRows, type Insert, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { insertHistory, weekdaysUntil } from '../support/histories.ts'
import { tempFolder } from '../support/product.ts'
import { hashesOf, manifestOf } from '../support/tree.ts'
import { run } from './run.ts'

const folder = tempFolder()
const one = isinOf(1)
const two = isinOf(2)
const config = folder.file('fundpress.config.json')
const configure = (expectations: object) => writeFileSync(config, JSON.stringify({ expectations }))
const fundpress = (line: string, env = {}) => run(line.split(' '), { cwd: folder.path, env })
const asOf = '2026-11-20'
const build = (flags = '', env = {}) =>
  fundpress(`build --db funds.sqlite --as-of ${asOf} --jobs 2 --quiet${flags}`, env)
const check = async (flags = '') => {
  const { code, stdout } = await fundpress(`check --db funds.sqlite --as-of ${asOf} --json${flags}`)
  const { findings } = JSON.parse(stdout) as { readonly findings: readonly Finding[] }
  return { code, found: findings.map(({ severity, guard, message }) => `${guard ?? severity}: ${message}`) }
}
const insertPrice = (isin: string, date: string, values: Readonly<Record<string, string>>) => {
  const row = { ...goodRows['price'], issue_price: '105.00', ...values, isin, date }
  const texts = Object.values(row).map((value) => `'${value}'`)
  editDatabase(
    folder.file('funds.sqlite'),
    `INSERT INTO price (${Object.keys(row).join()}) VALUES (${texts.join()})`,
  )
}
const jump = { net_asset_value: '10000.00', issue_price: '10500.00', change: '9900.00' }
const ofJump = `NAV 10000.00 on ${asOf} is 9900 % above the 100.00 of 2026-11-19, more than 30 % (most likely a slip of the decimal point; if it is a split, add to table corporate_action: ex_date 2026-11-20, kind split, factor 0.01)`

/** Two funds whose NAV is 100.00; `out` has their prices up to the day before. */
beforeAll(async () => {
  makeDatabase(folder.file('first.sqlite'), (insert, db) => {
    for (const isin of [one, two]) insertGood(insert, isin, { price: { date: '2026-11-19' } })
    // An old mistake, which is live.
    insert('price', { ...goodRows['price'], isin: two, date: '2026-11-17', net_asset_value: '-1' })
    insert('price', { ...goodRows['price'], isin: two, date: '2026-11-18' })
    db.prepare("UPDATE price SET change = '0' WHERE isin = ?").run(two)
  })
  cpSync(folder.file('first.sqlite'), folder.file('funds.sqlite'))
  expect(await build(' --out first')).toMatchObject({ code: 0, stderr: '' })
})
beforeEach(() => {
  configure({})
  rmSync(folder.file('out'), { recursive: true, force: true })
  cpSync(folder.file('first.sqlite'), folder.file('funds.sqlite'))
  cpSync(folder.file('first'), folder.file('out'), { recursive: true })
})

const older = (live: string) =>
  `warning: an older price is implausible${live}: NAV -1 on 2026-11-17: a price must be above zero`
const oneOlder = older(' (live already)')

describe('check', () => {
  it('warns of old prices, and refuses those that were changed since what is live', async () => {
    expect(await check()).toEqual({ code: 0, found: [oneOlder] })
    editDatabase(
      folder.file('funds.sqlite'),
      `UPDATE price SET net_asset_value = '-2' WHERE net_asset_value = '-1'`,
    )
    const { code, found } = await check(' --since first')
    expect({ code, found }).toEqual({
      code: 1,
      found: ['price-spread: NAV -2 on 2026-11-17: a price must be above zero'],
    })
    expect((await check(' --out nowhere')).found).toEqual([older('').replace('NAV -1', 'NAV -2')])
  })

  it('counts every price as new where what is live is damaged, and says so', async () => {
    writeFileSync(folder.file(`out/api/v1/prices-historic/${two}/2026.json`), '{"prices":[{"date":1}]}')
    writeFileSync(folder.file('out/api/v1/prices-current-all/index.json'), '{')
    const { code, found } = await check()
    expect({ code, found }).toEqual({
      code: 1,
      found: [
        expect.stringMatching(
          /^warning: api\/v1\/prices-current-all\/index.json, which is live, is damaged: .*new$/,
        ),
        expect.stringMatching(
          /^warning: api\/v1\/prices-historic\/XF.*2026.json, which is live, is damaged: .*new$/,
        ),
        'price-spread: NAV -1 on 2026-11-17: a price must be above zero',
      ],
    })
  })

  it('warns of costs and percentages that do not lie between 0 and 100', async () => {
    editDatabase(
      folder.file('funds.sqlite'),
      `UPDATE profile SET management_fee = 125 WHERE isin = '${one}'; UPDATE emt SET entry_costs = -0.01 WHERE isin = '${one}';
       UPDATE structure_item SET percent = -9.9 WHERE isin = '${two}'; UPDATE asset_allocation SET derivatives = 0, percent = 101`,
    )
    expect((await check()).found.filter((one) => one !== oneOlder)).toEqual([
      'warning: type countries, position 3: percent -9.9 does not lie between 0 and 100',
      ...[1, 2].map(() => expect.stringContaining('percent 101 does not lie between 0 and 100') as string),
      'warning: entry_costs -0.01 is negative',
      'warning: type countries: 1 item has -9.9 %, less than 95 %',
      'high-costs: management_fee is 125 %: fees are percentages, 1.58 is 1.58 %',
    ])
  })
})

describe('build', () => {
  it('refuses new prices with exit code 3 and leaves the folder as it was; --allow lets them pass by name', async () => {
    insertPrice(one, asOf, jump)
    const before = hashesOf(folder.file('out'))
    const { code, stderr } = await build()
    expect(code).toBe(3)
    expect(stderr).toContain(`${one}\n  error    price: ${ofJump}\n`)
    expect(stderr).toContain(`allow it: --allow price-jump:${one} --reason "…"\n`)
    expect(hashesOf(folder.file('out'))).toEqual(before)
    expect((await build(` --allow price-jump:${two} --reason merger`)).code).toBe(3)
    expect(await build(` --allow price-jump:${one} --reason merger`)).toMatchObject({ code: 0 })
    expect(headOf('out')).toMatchObject({
      allowed: [{ guard: 'price-jump', subject: one, reason: 'merger', message: `fund ${one}: ${ofJump}` }],
    })
    expect(pricesIn('out', one)).toContain('10000,00')
    // It is live now.
    expect(await build()).toMatchObject({ code: 0 })
    expect(headOf('out')).not.toHaveProperty('allowed')
  })

  it('says how to derive a change again that a correction of the price before has made wrong, and that way works', async () => {
    insertPrice(one, asOf, {
      net_asset_value: '101.00',
      change: '1.00',
      change_percent: '1.00',
      performance: '4.28',
    })
    const correction = `UPDATE price SET net_asset_value = '100.50' WHERE isin = '${one}' AND date = '2026-11-19'`
    editDatabase(folder.file('funds.sqlite'), correction)
    const { code, stderr } = await build()
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining(
        'If the NAVs are right, import these prices again with --derive; columns isin and date are enough. ' +
          `If all is right as it is, allow it: --allow price-change:${one} --reason "…"\n`,
      ),
    })
    writeFileSync(folder.file('again.csv'), `isin;date\n${one};${asOf}\n`)
    expect(await fundpress('import price again.csv --db funds.sqlite --derive')).toMatchObject({ code: 0 })
    expect(await build()).toMatchObject({ code: 0 })
  })

  it('names values that no flag can allow first, with exit code 1', async () => {
    insertPrice(one, asOf, jump)
    editDatabase(folder.file('funds.sqlite'), `UPDATE fund SET currency = 'euro' WHERE isin = '${two}'`)
    const named = (count: string) =>
      expect.stringContaining(`has ${count}: fund ${two}: currency "euro"`) as string
    expect(await build()).toMatchObject({ code: 1, stderr: named('2 errors') })
    expect(await build(' --force --reason test')).toMatchObject({ code: 1, stderr: named('1 error') })
  })

  it('withholds the prices of a fund: documents, downloads, pages and status stay as they are live', async () => {
    configure({ onImplausible: 'withhold' })
    insertPrice(one, asOf, jump)
    insertPrice(two, asOf, { change: '0' })
    editDatabase(folder.file('funds.sqlite'), `UPDATE fund SET currency = 'USD' WHERE isin = '${one}'`)
    editDatabase(folder.file('funds.sqlite'), `DELETE FROM corporate_action WHERE isin = '${one}'`)
    const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
    expect(await build(' --out nothing')).toMatchObject({ code: 3 })
    const done = await fundpress(`build --db funds.sqlite --as-of ${asOf}`, env)
    expect(done).toMatchObject({ code: 0, stderr: '' })
    expect(done.stdout).toContain(`withheld fund ${one}: its prices stay as they are live: `)
    const { withheld, newestPrice } = headOf('out')
    expect({ withheld, newestPrice }).toEqual({
      withheld: [{ isin: one, message: expect.stringContaining(ofJump) as string }],
      newestPrice: asOf,
    })
    expect(pricesIn('out', one)).toEqual(pricesIn('first', one))
    expect(pricesIn('out', two)).not.toEqual(pricesIn('first', two))
    const csv = readFileSync(folder.file(`out/downloads/${asOf}/prices.csv`), 'utf8')
    expect(csv).toContain(`${two},`)
    expect(csv).toContain(`${one},2026-11-19`)
    expect(csv).not.toContain('10000')
    const status = JSON.parse(readFileSync(folder.file('out/status/index.json'), 'utf8')) as object
    expect(status).toMatchObject({ held_back: [{ isin: one, name: 'Good Fund' }] })
    const prices = (status as { prices: { isin: string; newest_price: string }[] }).prices
    expect(prices.map(({ newest_price: day }) => day)).toEqual(['2026-11-19', asOf])
    expect(readFileSync(folder.file('out/status/index.html'), 'utf8')).toContain('Prices held back')
    expect(readFileSync(folder.file(`out/funds/${one}/index.html`), 'utf8')).not.toMatch(/10.?000|USD/)
    expect(
      readdirSync(folder.path, { recursive: true }).filter((name) => String(name).includes('withheld')),
    ).toEqual([])
    // The same again; a shard each and a merge give the same.
    const { snapshot } = headOf('out')
    await build('', env)
    expect(headOf('out')).toMatchObject({ snapshot, withheld })
    for (const shard of [1, 2])
      expect(await build(` --shard ${shard}/2 --since first --out part-${shard}`, env)).toMatchObject({
        code: 0,
      })
    const merged = await fundpress('build --merge part-1 part-2 --db funds.sqlite --out merged --quiet', env)
    expect(merged).toMatchObject({ code: 0, stderr: '' })
    expect(headOf('merged')).toMatchObject({ snapshot, withheld })
    expect(readFileSync(folder.file(`merged/downloads/${asOf}/prices.csv`), 'utf8')).toBe(csv)
  })

  it('looks across funds once for all shards, and withholds none of them', async () => {
    configure({ onImplausible: 'withhold' })
    rmSync(folder.file('funds.sqlite'))
    makeDatabase(folder.file('funds.sqlite'), fillWithNavsThatStay)
    const objection = '6 of 6 funds have the NAV of the day before'
    expect((await check(' --out nowhere')).found).toContainEqual(
      expect.stringMatching(`^column: ${objection}`),
    )
    expect(await build(' --out whole')).toMatchObject({ code: 3, stderr: expect.stringContaining(objection) })
    for (const shard of [1, 2])
      expect(await build(` --shard ${shard}/2 --out part-${shard}`)).toMatchObject({ code: 0 })
    const merge = 'build --merge part-1 part-2 --db funds.sqlite --out across --quiet'
    const refused = await fundpress(merge)
    expect({ code: refused.code, stderr: refused.stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining('--allow column:price.net_asset_value '),
    })
    expect(existsSync(folder.file('across'))).toBe(false)
    const allowing = '--allow column --reason closed'
    expect(await fundpress(`${merge} ${allowing}`)).toMatchObject({ code: 0, stderr: '' })
    expect(await build(` --out whole ${allowing}`)).toMatchObject({ code: 0 })
    const { snapshot, allowed } = headOf('whole')
    expect(allowed).toMatchObject([{ guard: 'column', subject: 'price.net_asset_value', reason: 'closed' }])
    expect(headOf('across')).toMatchObject({ snapshot, allowed })
  })

  it('withholds all prices of a fund that is not live', async () => {
    configure({ onImplausible: 'withhold' })
    const tables = Object.keys(goodRows).filter((table) => table !== 'fund')
    const isin = isinOf(3)
    const copies = ['fund', ...tables].map((table) => {
      const copy = `CREATE TEMP TABLE new AS SELECT * FROM ${table} WHERE isin = '${one}'; UPDATE new SET isin = '${isin}';`
      return `${copy} INSERT INTO ${table} SELECT * FROM new; DROP TABLE new;`
    })
    editDatabase(folder.file('funds.sqlite'), copies.join(''))
    insertPrice(isin, asOf, jump)
    expect(await build()).toMatchObject({ code: 0 })
    expect(headOf('out')).toMatchObject({ withheld: [{ isin, message: ofJump }] })
    expect(readdirSync(folder.file(`out/api/v1/prices-historic/${isin}`)).sort()).toEqual([
      'error.json',
      'error.xml',
    ])
  })

  it('names the first prices of a fund for each guard, and how many more there are', async () => {
    for (let day = 10; day < 30; day++) insertPrice(one, `2026-10-${day}`, { net_asset_value: '-1' })
    const { found } = await check()
    const signs = found.filter((one) => one.startsWith('price-spread'))
    expect(signs).toHaveLength(3)
    expect(signs.at(-1)).toBe(
      'price-spread: NAV -1 on 2026-10-12: a price must be above zero, as in 17 more prices',
    )
    expect((await build(' --allow price-spread --reason test')).code).toBe(0)
    expect(headOf('out')['allowed']).toHaveLength(3)
  })
})

/** Six funds whose NAVs move on each day but the last, each in its own way. */
function fillWithNavsThatStay(insert: Insert): void {
  const days = weekdaysUntil(asOf, 30)
  for (let number = 1; number <= 6; number++)
    insertHistory(
      insert,
      isinOf(number),
      days,
      (index) => 100 + (Math.min(index, days.length - 2) % 3) * (0.5 + number / 10),
    )
}

const headOf = (out: string): Readonly<Record<string, unknown>> => ({ ...manifestOf(folder.file(out)).head })

const pricesIn = (out: string, isin: string) =>
  readFileSync(folder.file(`${out}/api/v1/prices-historic/${isin}/2026.json`), 'utf8')
