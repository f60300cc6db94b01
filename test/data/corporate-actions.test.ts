/** Table corporate_action: a database without it, its import, and what the checks say of it. */
import { copyFileSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import {
  editDatabase,
  insertGood,
  isinOf,
  makeDatabase,
  readDatabase,
  type Row,
} from '../support/database.ts'
import { importFolder, isins, refusal, unknownIsin } from './import/database.ts'

const folder = importFolder()
const [first, second] = isins
const fundpress = (line: string) => run(line, { cwd: folder.path })
const done = async (line: string) => {
  const { code, stderr, stdout } = await fundpress(line)
  expect(code, stderr + stdout).toBe(0)
}
const tablesOf = (db: string) =>
  readDatabase(folder.file(db), "SELECT name FROM sqlite_schema WHERE type = 'table'").map(({ name }) => name)
const actionsOf = (db: string) =>
  readDatabase(folder.file(db), 'SELECT isin, ex_date, kind FROM corporate_action').map((row) =>
    Object.values(row),
  )

/** Every file of a folder but those that name the digest of the database. */
const filesOf = (out: string) =>
  Object.fromEntries(
    readdirSync(folder.file(out), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => {
        const path = join(parentPath, name)
        const content = readFileSync(path)
        const text = name.endsWith('.gz') ? gunzipSync(content).toString() : content.toString('latin1')
        return [path.slice(folder.file(out).length), text.replace(/"source":"[0-9a-f]{64}"/, '')]
      }),
  )

it('a database without both tables builds, publishes, shards and merges as one in which they are empty', async () => {
  await done('init --demo --db with.sqlite --funds 4 --years 1 --until 2026-11-19 --quiet')
  editDatabase(folder.file('with.sqlite'), 'DELETE FROM corporate_action; DELETE FROM document; VACUUM')
  copyFileSync(folder.file('with.sqlite'), folder.file('without.sqlite'))
  editDatabase(folder.file('without.sqlite'), 'DROP TABLE corporate_action; DROP TABLE document')
  const flags = '--as-of 2026-11-20 --quiet'
  for (const name of ['with', 'without']) {
    const db = `--db ${name}.sqlite`
    await done(`check ${db} --as-of 2026-11-20 --quiet`)
    await done(`build ${db} --out ${name} ${flags}`)
    for (const number of [1, 2])
      await done(`build ${db} --out ${name}-${number} --shard ${number}/2 ${flags}`)
    await done(`build ${db} --out ${name}-merged --merge ${name}-1 ${name}-2 --quiet`)
    await done(`nightly ${db} --bucket file://${folder.file(name)}-bucket --out ${name}-night ${flags}`)
  }
  expect(filesOf('without')).toEqual(filesOf('with'))
  expect(filesOf('without-merged')).toEqual(filesOf('without'))
  expect(existsSync(folder.file('without-bucket/live.json'))).toBe(true)
  expect(tablesOf('without.sqlite')).not.toContain('corporate_action')
})

const header = ['isin', 'ex_date', 'kind', 'amount', 'currency', 'factor', 'successor_isin']

it('an import makes the table that a database lacks, and no other import does', async () => {
  const db = folder.database()
  editDatabase(folder.file(db), 'DROP TABLE corporate_action')
  const lines = [header, [first, '2024-04-30', 'distribution', '1.5', 'EUR', '', '']]
  expect(await folder.importLines(db, 'corporate_action', lines, ['--dry-run'])).toMatchObject({ code: 0 })
  const years = [
    ['isin', 'year', 'percent'],
    [first, '2021', '3'],
  ]
  expect(await folder.importLines(db, 'performance_year', years, ['--complete'])).toMatchObject({ code: 0 })
  expect(tablesOf(db)).not.toContain('corporate_action')
  expect(await folder.importLines(db, 'corporate_action', lines)).toMatchObject({ code: 0 })
  expect(actionsOf(db)).toEqual([[first, '2024-04-30', 'distribution']])
})

it.each([
  [[first, '2024-04-30', 'split', '1', 'EUR', '10', ''], 'a distribution has an amount, nothing else has'],
  [[first, '2024-04-30', 'distribution', '1', '', '', ''], 'an amount has a currency, nothing else has'],
  [[first, '2024-04-30', 'merger', '', '', '2', second], 'a split has a factor, nothing else has'],
  [[first, '2024-04-30', 'merger', '', '', '', ''], 'a merger has a successor_isin, nothing else has'],
  [[first, '2024-04-30', 'merger', '', '', '', 'XF0000000011'], 'is not an ISIN'],
  [[first, '2024-04-30', 'dividend', '1', 'EUR', '', ''], 'against the schema'],
])('import refuses %j: %s', async (cells, reason) => {
  const ended = await folder.importLines(folder.database(), 'corporate_action', [header, cells])
  expect(ended).toMatchObject({ ...refusal('1 bad line'), stdout: expect.stringContaining(reason) })
})

it('a merger is taken of a fund that is gone, and stays when its fund goes; a distribution does not', async () => {
  const db = folder.database()
  const mergers = [unknownIsin, second].map((isin) => [isin, '2024-05-02', 'merger', '', '', '', first])
  expect(await folder.importLines(db, 'corporate_action', [header, ...mergers])).toMatchObject({ code: 0 })
  const funds = [
    ['isin', 'name', 'fund_inception_date', 'url', 'currency'],
    [first, 'One', '2020-01-02', 'https://x.example', 'EUR'],
  ]
  const flags = ['--replace-all', '--allow', 'removed-rows', '--reason', 'merged']
  expect(await folder.importLines(db, 'fund', funds, flags)).toMatchObject({ code: 0 })
  expect(actionsOf(db)).toEqual([
    [first, '2019-07-01', 'distribution'],
    [second, '2024-05-02', 'merger'],
    [unknownIsin, '2024-05-02', 'merger'],
  ])
  expect(await fundpress(`check --db ${db} --as-of 2024-05-03`)).toMatchObject({
    code: 0,
    stdout: '0 errors, 0 warnings\n',
  })
})

const merger = (successor_isin: string, more: Row = {}) =>
  ({ ex_date: '2024-04-30', kind: 'merger', amount: null, currency: null, successor_isin, ...more }) as const
const price = {
  issue_price: '105',
  repurchase_price: '100',
  net_asset_value: '100',
  change: '0',
  change_percent: '0',
}

it('check warns of ex-days without a price, of prices after a merger, and of successors that nobody knows, for a year', async () => {
  const [good, gone, old] = [isinOf(1), isinOf(5), isinOf(6)]
  makeDatabase(folder.file('doubtful.sqlite'), (insert) => {
    for (const [isin, row] of [
      [good, { ex_date: '2024-05-01' }],
      [isinOf(2), { ex_date: '2024-05-02' }],
      [isinOf(3), merger(good)],
      // Announced, and long ago.
      [isinOf(4), merger(good, { ex_date: '2024-05-03' })],
    ] as const) {
      insertGood(insert, isin, { corporate_action: row })
      insert('price', { isin, date: '2024-04-29', ...price, performance: '3.25' })
    }
    insert('corporate_action', { isin: gone, ...merger(isinOf(8)) })
    insert('corporate_action', { isin: old, ...merger(isinOf(8), { ex_date: '2023-05-03' }) })
    // Its successor merged later: both are gone.
    insert('corporate_action', { isin: isinOf(7), ...merger(gone, { ex_date: '2024-04-29' }) })
  })
  const ended = await fundpress('check --db doubtful.sqlite --as-of 2024-05-03 --json')
  const { findings } = JSON.parse(ended.stdout) as {
    findings: { isin: string | null; table: string; message: string }[]
  }
  const ofActions = findings.filter(({ table }) => table === 'corporate_action')
  expect(ofActions.map(({ isin, message }) => [isin, message])).toEqual([
    [
      good,
      'ex_date 2024-05-01, kind distribution: there is no price of this day, so the next price shows it',
    ],
    [isinOf(3), 'ex_date 2024-04-30, kind merger: there are prices after it'],
    [null, `the fund ${gone} merges into ${isinOf(8)}, and there is no such fund: is it of another company?`],
  ])
})

it('check finds what is wrong with the merger of a fund that is gone', async () => {
  makeDatabase(folder.file('former.sqlite'), (insert) => {
    insertGood(insert, first)
    insert('corporate_action', { isin: unknownIsin, ...merger(unknownIsin) })
    insert('corporate_action', { isin: unknownIsin, ...merger(first, { ex_date: '2024-13-01' }) })
    insert('corporate_action', { isin: 'XF0000000011', ...merger(first, { factor: '2' }) })
  })
  const { code, stdout } = await fundpress('check --db former.sqlite --as-of 2024-05-03')
  expect(code).toBe(1)
  for (const message of [
    'ex_date 2024-04-30, kind merger: successor_isin is the fund itself',
    'ex_date 2024-13-01, kind merger: ex_date "2024-13-01" is not a date',
    'ex_date 2024-13-01, kind merger: the fund has another merger',
    'ex_date 2024-04-30, kind merger: isin "XF0000000011" is not an ISIN: wrong form or check digit',
    'ex_date 2024-04-30, kind merger: a merger has no factor',
  ])
    expect(stdout).toContain(`error    corporate_action: ${message}`)
})
