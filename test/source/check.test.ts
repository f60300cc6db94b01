/** `fundpress check`: every problem is found, all of them at once, each with its fund, table and row. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asOf, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { makeTempFolder } from '../support/product.ts'
import { run, type Ended } from '../cli/run.ts'
import { problems } from './problems.ts'

interface Finding {
  readonly severity: string
  readonly isin: string | null
  readonly table: string
  readonly message: string
}

interface Report {
  readonly errors: number
  readonly warnings: number
  readonly findings: readonly Finding[]
}

const folder = makeTempFolder()
afterAll(folder.remove)

const check = (db: string, ...flags: string[]): Promise<Ended> =>
  run(['check', '--db', db, '--as-of', asOf, ...flags], { cwd: folder.path })

async function findingsOf(db: string): Promise<readonly Finding[]> {
  return (JSON.parse((await check(db, '--json')).stdout) as Report).findings
}

const [good = '', orphan = '', other = ''] = [1, 2, 3].map(isinOf)

describe('a database with everything that can be wrong, each in a fund of its own', () => {
  const all = Object.values(problems).flat()
  const isins = new Map(all.map((problem, index) => [problem, isinOf(1000 + index)]))
  let ended: Ended
  let report: Report

  beforeAll(async () => {
    makeDatabase(folder.file('problems.sqlite'), (insert) => {
      insertGood(insert, good)
      for (const [problem, isin] of isins) problem.insert(insert, isin)
    })
    ended = await check('problems.sqlite', '--json')
    report = JSON.parse(ended.stdout) as Report
  })

  it.each(Object.entries(problems))('is told of %s', (_, some) => {
    for (const problem of some) {
      const found = report.findings.filter(({ isin }) => isin === isins.get(problem))
      const isSaid = found.some(
        ({ severity, message }) =>
          severity === 'error' && problem.says.every((text) => message.includes(text)),
      )
      const tables = [...new Set(found.map(({ table }) => table))]
      expect({ ...problem, isSaid, tables, found }).toMatchObject({ isSaid: true, tables: [problem.table] })
    }
  })

  it('is told of nothing else, and of how much it is', () => {
    expect(new Set(report.findings.map(({ isin }) => isin))).toEqual(new Set(isins.values()))
    const errors = report.findings.filter(({ severity }) => severity === 'error').length
    expect(report).toMatchObject({ errors, warnings: report.findings.length - errors })
    expect(ended).toMatchObject({
      code: 1,
      stderr:
        `fundpress: problems.sqlite has ${errors} errors, ${report.warnings} warnings: ` +
        'mend the errors before the next build\n',
    })
  })
})

it('finds ISINs of a wrong form or with a wrong check digit', async () => {
  const digit = good.endsWith('0') ? '1' : '0'
  const wrong = [
    good.slice(0, -1) + digit,
    good.toLowerCase(),
    good.slice(0, -1),
    `${good}0`,
    ` ${good}`,
    `${good}\n`,
    '../../../tmp',
    '１２' + good.slice(2),
    '',
  ]
  makeDatabase(folder.file('isins.sqlite'), (insert) => {
    for (const isin of wrong) insert('fund', { isin, ...goodRows['fund'] })
  })
  const findings = await findingsOf('isins.sqlite')
  expect(findings.map(({ isin, table }) => ({ isin, table }))).toEqual(
    wrong.sort().map((isin) => ({ isin, table: 'fund' })),
  )
  for (const { isin, message } of findings) {
    expect(message).toBe(`isin ${JSON.stringify(isin)} is not an ISIN: wrong form or check digit`)
  }
})

it('finds the orphan rows of every table', async () => {
  const tables = Object.keys(goodRows).filter((table) => table !== 'fund')
  makeDatabase(folder.file('orphans.sqlite'), (insert) => {
    insertGood(insert, good)
    for (const table of tables) {
      insert(table, { isin: orphan, ...goodRows[table] })
      insert(table, { isin: other, ...goodRows[table] })
    }
  })
  const findings = await findingsOf('orphans.sqlite')
  const expected = tables.flatMap((table) =>
    [orphan, other].map((isin) => {
      return { severity: 'error', isin, table, message: `orphan rows: there is no fund ${isin}` }
    }),
  )
  expect(new Set(findings)).toEqual(new Set(expected))
  expect(findings).toHaveLength(expected.length)
})

it('warns of prices that are old or older than their fund, of a blank name, and of text that was not UTF-8: exit code 0', async () => {
  makeDatabase(folder.file('warnings.sqlite'), (insert, db) => {
    insertGood(insert, good, { price: { date: '2024-04-24' } })
    // Two business days before: the first of May is none.
    insertGood(insert, orphan, { price: { date: '2024-04-30' } })
    insertGood(insert, other, { fund: { fund_inception_date: '2024-05-03', name: ' ' } })
    db.prepare("UPDATE profile SET category_de = CAST(x'4DFC6E63' AS TEXT) WHERE isin = ?").run(other)
  })
  const { code, stdout, stderr } = await check('warnings.sqlite')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout).toBe(
    `${good}\n` +
      '  warning  price: the newest price, of 2024-04-24, is stale: 6 business days before 2024-05-03\n' +
      `${other}\n` +
      '  warning  fund: name is blank: nobody can click on it in a list\n' +
      '  warning  price: dates out of order: the first price, of 2024-05-02, is older than the fund (2024-05-03)\n' +
      '  warning  profile: category_de holds U+FFFD: it was not UTF-8 once, "M\ufffdnc"\n' +
      '0 errors, 4 warnings\n',
  )
})

it('groups its list by fund, errors first, and never lets a control character through', async () => {
  const hostile = '\u001b[2J\u001b]0;x\u0007\u009b31m\u202e\u2028\r\n\u007f'
  const shown = '\\u001b[2J\\u001b]0;x\\u0007\\u009b31m\\u202e\\u2028\\r\\n\\u007f'
  makeDatabase(folder.file('hostile.sqlite'), (insert) => {
    insertGood(insert, good, {
      fund: { currency: hostile, name: hostile },
      price: { date: hostile, change: hostile },
      structure_item: { type: hostile, percent: Infinity },
      key_figure: { name_de: hostile },
      legal_period: { label: hostile, net: Infinity, date_to: hostile },
      legal_point: { date: hostile, value: Infinity },
      asset_allocation: { date: hostile, percent: Infinity },
      emt: { governanceprocess: hostile },
      profile: { end_of_fiscal_year: hostile, fund_assets: hostile },
    })
    insertGood(insert, hostile)
    insert('emt', { isin: `${hostile}2`, ...goodRows['emt'] })
    insertGood(insert, other, { price: { date: '2024-01-02' } })
  })
  const { stdout, stderr } = await check('hostile.sqlite')
  expect(stdout).toContain(`\n${shown}\n  error    fund: isin "${shown}" is not an ISIN`)
  expect(stdout).toContain(`item 3 of type ${shown}: there is no such structure type`)
  expect(stdout).toContain(`orphan rows: there is no fund ${shown}2`)
  expect(stdout).toMatch(
    new RegExp(`\n${other}\n  warning  price: the newest price, of 2024-01-02, is stale`),
  )
  const headings = stdout.split('\n').filter((line) => /^\S/.test(line))
  expect(headings).toHaveLength(new Set(headings).size)
  const json = (await check('hostile.sqlite', '--json')).stdout
  expect((JSON.parse(json) as Report).findings.map(({ isin }) => isin)).toContain(hostile)
  for (const text of [stdout, stderr, json]) {
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  }
})

it('lists a thousand problems of a table in a fund, and then says how many more there are', async () => {
  makeDatabase(folder.file('commas.sqlite'), (insert) => {
    for (const isin of [good, other]) {
      insertGood(insert, isin)
      for (let day = 0; day < 1200; day++) {
        const date = new Date(Date.UTC(2020, 0, 1) + day * 86_400_000).toISOString().slice(0, 10)
        insert('price', { isin, ...goodRows['price'], date, change: '1,5', performance: '-0,5' })
      }
    }
  })
  const findings = await findingsOf('commas.sqlite')
  expect(findings).toHaveLength(2 * 1001)
  expect(findings[1000]).toEqual({
    severity: 'error',
    isin: good,
    table: 'price',
    message:
      '1400 more of this fund, the last of them: 2023-04-14: performance "-0,5" is not a plain decimal',
  })
})
