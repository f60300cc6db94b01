/** Table corporate_action: its import, and what the checks say of it. */
import { expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { insertGood, isinOf, makeDatabase, readDatabase, type Row } from '../support/database.ts'
import { importFolder, isins, refusal, unknownIsin } from './import/database.ts'

const folder = importFolder()
const [first, second] = isins
const fundpress = (line: string) => run(line, { cwd: folder.path })
const actionsOf = (db: string) =>
  readDatabase(folder.file(db), 'SELECT isin, ex_date, kind FROM corporate_action')

const header = ['isin', 'ex_date', 'kind', 'amount', 'currency', 'factor', 'successor_isin']

it.each([
  [[first, '2024-04-30', 'split', '1', 'EUR', '10', ''], 'a distribution has an amount, nothing else has'],
  [[first, '2024-04-30', 'distribution', '1', '', '', ''], 'an amount has a currency, nothing else has'],
  [[first, '2024-04-30', 'merger', '', '', '2', second], 'a split has a factor, nothing else has'],
  [[first, '2024-04-30', 'merger', '', '', '', ''], 'a merger has a successor_isin, nothing else has'],
  [[first, '2024-04-30', 'merger', '', '', '', 'XF0000000011'], 'is not an ISIN'],
  [[first, '2024-04-30', 'dividend', '1', 'EUR', '', ''], 'is not one of distribution, split, merger'],
])('import refuses %j: %s', async (cells, reason) => {
  const ended = await folder.importLines(folder.database(), 'corporate_action', [header, cells])
  expect(ended).toMatchObject({ ...refusal('1 bad row'), stdout: expect.stringContaining(reason) })
})

it('a merger is taken of a fund that is gone, and stays when its fund goes; a distribution does not', async () => {
  const db = folder.database()
  const mergers = [unknownIsin, second].map((isin) => [isin, '2024-05-02', 'merger', '', '', '', first])
  expect(await folder.importLines(db, 'corporate_action', [header, ...mergers])).toMatchObject({ code: 0 })
  const funds = [
    ['isin', 'name', 'fund_inception_date', 'url', 'currency'],
    [first, 'One', '2018-01-02', 'https://x.example', 'EUR'],
  ]
  const flags = ['--replace-all', '--allow', 'removed-rows', '--reason', 'merged']
  expect(await folder.importLines(db, 'fund', funds, flags)).toMatchObject({ code: 0 })
  expect(actionsOf(db)).toEqual([
    { isin: first, ex_date: '2019-07-01', kind: 'distribution' },
    { isin: second, ex_date: '2024-05-02', kind: 'merger' },
    { isin: unknownIsin, ex_date: '2024-05-02', kind: 'merger' },
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
  const good = isinOf(1)
  const gone = isinOf(5)
  const old = isinOf(6)
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
  expect(ofActions.map(({ isin, message }) => ({ isin, message }))).toEqual([
    {
      isin: good,
      message:
        'ex_date 2024-05-01, kind distribution: there is no price of this day, so the next price shows it',
    },
    { isin: isinOf(3), message: 'ex_date 2024-04-30, kind merger: there are prices after it' },
    {
      isin: null,
      message: `the fund ${gone} merges into ${isinOf(8)}, and there is no such fund: is it of another company?`,
    },
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
