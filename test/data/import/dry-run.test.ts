/** A dry run reports what the import then does: the same counts and notes, for all files, tables and ways to take them. */
import { copyFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'
import { dumpAll } from './dialects.ts'

const folder = importFolder()
const [first, second, third] = isins

interface Case {
  readonly files: readonly string[]
  readonly flags?: readonly string[]
  /** SQL for the database before. */
  readonly edit?: string
  /** Imported before. */
  readonly before?: readonly string[]
}

let count = 0
const write = (contents: readonly string[]) =>
  contents.map((content) => {
    const name = `dry-${count++}.csv`
    writeFileSync(folder.file(name), content)
    return name
  })

/** @returns what a dry run and the import say of the same files and database, and whether the dry run has left it as it was */
async function both({ files, flags = [], edit = '', before = [] }: Case) {
  const db = folder.database()
  if (edit !== '') editDatabase(folder.file(db), edit)
  if (before.length > 0)
    expect(await folder.import(...write(before), '--db', db, '--derive')).toMatchObject({ code: 0 })
  const same = folder.database()
  copyFileSync(folder.file(db), folder.file(same))
  const names = write(files)
  const say = async (own: string, ...more: readonly string[]) => {
    const { stdout, stderr, code } = await folder.import(...names, '--db', own, '--json', ...flags, ...more)
    const said = JSON.parse(stdout === '' ? '{}' : stdout) as Record<string, unknown>
    // A dry run makes no copy, and nobody has to allow what it shows.
    for (const name of ['dryRun', 'copy', 'allowed', 'objections']) said[name] = null
    return { code, stderr, said }
  }
  const untouched = dumpAll(folder.file(same))
  const dry = await say(same, '--dry-run')
  expect(dumpAll(folder.file(same))).toEqual(untouched)
  return { dry, real: await say(db) }
}

const lines = (...all: readonly string[]) => all.join('\n') + '\n'
const navs = (isin: string, ...days: readonly (readonly [string, string])[]) =>
  lines('isin;date;net_asset_value', ...days.map((day) => [isin, ...day].join(';')))
const prices = `DELETE FROM price; DELETE FROM corporate_action; UPDATE fund SET currency = 'EUR';`
const history = navs(first, ['2023-12-29', '100.00'], ['2024-01-02', '102.00'], ['2024-01-03', '51.00'])
const split = lines('isin;ex_date;kind;amount;currency;factor', `${first};2024-01-03;split;;;2`)
const charges = (surcharge: string, fee: string) =>
  lines('isin;issue_surcharge;redemption_fee', `${first};${surcharge};${fee}`)

describe('import --dry-run says what the import then says', () => {
  it.each<[string, Case]>([
    [
      'of prices, with the charges of a file',
      { edit: prices, files: [history, charges('3', '1')], flags: ['--derive'] },
    ],
    [
      'of prices, without the charges that a file takes away',
      {
        edit: `${prices} UPDATE profile SET issue_surcharge = 5, redemption_fee = 2`,
        files: [history, charges('', '')],
        flags: ['--derive'],
      },
    ],
    [
      'of a profile, behind prices that stand at their NAV',
      {
        edit: `${prices} UPDATE profile SET issue_surcharge = 0`,
        before: [history],
        files: [charges('5', '0')],
      },
    ],
    ['of prices and a split of another file', { edit: prices, files: [history, split], flags: ['--derive'] }],
    ['of a split behind prices', { edit: prices, before: [history], files: [split] }],
    [
      'of a later price and a split behind others',
      {
        edit: prices,
        before: [history],
        files: [split, navs(first, ['2024-01-04', '52.00'])],
        flags: ['--derive'],
      },
    ],
    [
      'of distributions that replace a split',
      {
        edit: prices,
        before: [history, split],
        files: [
          lines('isin;ex_date;kind;amount;currency', `${first};2024-01-02;distribution;1.5;EUR`),
          navs(first, ['2024-01-02', '103.00'], ['2024-01-03', '104.00']),
        ],
        flags: ['--derive', '--replace', '--allow', 'removed-rows', '--reason', 'a test'],
      },
    ],
  ])('%s', async (_, one) => {
    const { dry, real } = await both(one)
    expect(real).toMatchObject({ code: 0, stderr: '' })
    expect(dry).toEqual(real)
  })

  it('of any prices, actions and charges of three funds', async () => {
    const isin = fc.constantFrom(first, second, third)
    const day = fc.constantFrom('2023-12-28', '2023-12-29', '2024-01-02', '2024-01-03', '2024-01-04')
    const nav = fc.constantFrom('100.00', '101.5', '99', '50.25')
    const price = fc.tuple(isin, day, nav)
    const percent = fc.constantFrom('', '0', '3', '5.25')
    // A profile that replaces another one has to be whole.
    const rest = fc.constant('1000;12-31;0;1.5;1.2;0')
    const charge = fc.tuple(isin, percent, percent, rest)
    const action = fc.tuple(isin, day, fc.constantFrom('split;;;2', 'distribution;1.5;EUR;'))
    const profile =
      'isin;issue_surcharge;redemption_fee;total_fund_assets;end_of_fiscal_year;accumulating;total_expense_ratio;management_fee;performance_fee'
    const byKey = <Row extends readonly string[]>(keys: number) => ({
      selector: (row: Row) => row.slice(0, keys).join(),
      minLength: 1,
      maxLength: 6,
    })
    const file = (header: string, rows: readonly (readonly string[])[]) =>
      lines(header, ...rows.map((row) => row.join(';')))
    const priceFile = fc.uniqueArray(price, byKey(2)).map((rows) => file('isin;date;net_asset_value', rows))
    const others = [
      fc.uniqueArray(charge, byKey(1)).map((rows) => file(profile, rows)),
      fc.uniqueArray(action, byKey(2)).map((rows) => file('isin;ex_date;kind;amount;currency;factor', rows)),
    ] as const
    const files = fc
      .tuple(priceFile, ...others.map((one) => fc.option(one)))
      .map((all) => all.filter((one) => one !== null))
    const flags = fc.constantFrom<readonly string[]>(
      ['--derive', '--history', 'original'],
      ['--derive', '--history', 'original', '--replace', '--allow', 'removed-rows', '--reason', 'a test'],
    )
    await fc.assert(
      fc.asyncProperty(files, priceFile, flags, async (content, before, ways) => {
        const { dry, real } = await both({ edit: prices, before: [before], files: content, flags: ways })
        expect(real).toMatchObject({ code: 0, stderr: '' })
        expect(dry).toEqual(real)
      }),
      { numRuns: 30, seed: 46 },
    )
  })
})
