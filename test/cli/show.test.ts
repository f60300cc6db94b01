import { copyFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { asOf, editDatabase, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { mustRun, runFundpress, tempFolder } from '../support/product.ts'
import { expectFailure, expectSuccess } from './outcome.ts'

const folder = tempFolder()
const db = folder.file('funds.sqlite')
const out = folder.file('out')
const [good, denied, pricesDenied] = [isinOf(1), isinOf(2), isinOf(3)]
const [hostile, performanceDenied, inQuotes] = [isinOf(4), isinOf(5), isinOf(6)]

beforeAll(async () => {
  makeDatabase(db, (insert) => {
    insertGood(insert, good, {
      fund: { name: 'Möwenstein Aktien' },
      price: { change: '-0.50', change_percent: '-0.50' },
    })
    insertGood(insert, denied, { fund: { name: 'Secret', data_permitted: 0 } })
    insertGood(insert, pricesDenied, { fund: { name: 'Möwenstein Renten', prices_permitted: 0 } })
    insertGood(insert, hostile, { fund: { name: '\u009b[2J\u202ered\nline' } })
    insertGood(insert, inQuotes, { fund: { name: '"Größe & Ruhe" \\n' } })
    insertGood(insert, performanceDenied, {
      fund: { name: 'Quiet', performance_permitted: 0 },
      price: { change: '-0.50', change_percent: '-0.50' },
    })
  })
  // A rising year of ten months, the last of them as high as the row that is there already.
  const months = ['06', '07', '08', '09', '10', '11', '12'].map((month) => `2023-${month}-01`)
  const rest = `'0', '0', '0', NULL, NULL, NULL, NULL)`
  const rows = [...months, '2024-01-02', '2024-02-01', '2024-03-01'].map((date, index) => {
    const price = `'${10 * (index + 1)}.50'`
    return `('${good}', '${date}', ${price}, ${price}, ${price}, ${rest}`
  })
  rows.push(...rows.map((row) => row.replace(good, performanceDenied)))
  rows.push(`('${good}', '2020-01-02', '1', '1', '1', ${rest}`)
  editDatabase(db, `INSERT INTO price VALUES ${rows.join(', ')}`)
  const env = { FUNDPRESS_PAGES: 'true' }
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'], { env })
})

const fromDatabase = ['--db', db, '--as-of', asOf]
const show = (...args: readonly string[]) => runFundpress(['show', ...args])

describe.each([
  ['a snapshot', ['--out', out]],
  ['a database', fromDatabase],
])('show, from %s', (_, source) => {
  it('prints price, chart, years and costs of a fund', async () => {
    const stdout = await expectSuccess(show(good, ...source))
    expect(stdout).toContain(`Möwenstein Aktien\n${good}, ABC123, Equity fund\n`)
    expect(stdout).toContain(
      '100.00 EUR on 2024-05-02, -0.50 %\nup to date: 1 business day before 2024-05-03\n',
    )
    // Eleven prices of the last twelve months: ten equal steps upwards, and one that is lower than the last of them.
    expect(stdout).toContain('\n▁▂▃▃▄▅▆▆▇██\n')
    expect(stdout).toContain('since 2023-06-01: from 10.50, lowest 10.50, highest 100.50')
    expect(stdout).toMatch(/calendar years +2021 \+5\.25 %/)
    expect(stdout).toMatch(/expense ratio +1\.5 %/)
  })

  it('accepts an ISIN in either case, and a part of a name without its accents', async () => {
    const { stdout } = await show(good, ...source)
    expect((await show(good.toLowerCase(), ...source)).stdout).toBe(stdout)
    expect((await show('mowenstein akt', ...source)).stdout).toBe(stdout)
  })

  it('names similar funds for an unknown one, and ends with 1', async () => {
    const mistyped = `${good.slice(0, 11)}9`
    for (const [word, reason] of [
      [mistyped, `there is no fund "${mistyped}" (did you mean ${good} Möwenstein Aktien?)`],
      ['Möwenstein', `did you mean ${good} Möwenstein Aktien, ${pricesDenied} Möwenstein Renten?`],
      ['zzz', 'there is no fund "zzz" (it has 6 funds)'],
    ] as const)
      await expectFailure(show(word, ...source), reason)
  })

  it('hides what must not be published', async () => {
    expect((await show(denied, ...source)).stdout).toBe(`${denied}: nothing about this fund is published\n`)
    const noPrices = await show(pricesDenied, ...source)
    expect(noPrices.stdout).toContain('no price is published')
    expect(noPrices.stdout).not.toContain('100.00')
    const quiet = (await show(performanceDenied, ...source)).stdout
    expect(quiet).toContain('100.00 EUR on 2024-05-02\n')
    // As on its page: a line of prices shows performance, too.
    for (const figure of ['5.25', '-0.50', 'since', '▁', '█']) expect(quiet).not.toContain(figure)
  })

  it('prints the figures as JSON', async () => {
    const { stdout } = await show(good, ...source, '--json', '--language', 'de')
    expect(JSON.parse(stdout)).toMatchObject({
      isin: good,
      name: 'Möwenstein Aktien',
      category: 'Aktienfonds',
      price: {
        ...{ date: '2024-05-02', netAssetValue: '100.00', currency: 'EUR' },
        age: { mark: 'fresh', ageDays: 1, asOf: '2024-05-03' },
      },
      lastYear: { length: 11 },
      years: [{ year: '2021', percent: 5.25 }],
    })
  })

  it('prints quotation marks and signs of a name as they are', async () => {
    // A backslash is doubled: this is no line feed.
    const name = '"Größe & Ruhe" \\\\n'
    expect((await show(inQuotes, ...source)).stdout).toContain(`${name}\n${inQuotes}`)
  })

  it('escapes a hostile name', async () => {
    const { stdout } = await show(hostile, ...source)
    expect(stdout).toContain('\\u009b[2J\\u202ered\\nline')
    expect(stdout).not.toMatch(/[\u009b\u202e]/)
    expect((await show(hostile, ...source, '--json')).stdout).not.toMatch(/[\u009b\u202e]/)
  })
})

it('show needs a complete snapshot', async () => {
  expect(await show(good, '--out', folder.file('nothing'))).toMatchObject({ code: 1 })
  writeFileSync(`${out}/sparse.json`, '{"since":"2024-05-02-000000000000"}\n')
  await expectFailure(show(good, '--out', out), 'is sparse')
})

it('show says what is wrong with a fund of the database, as a build does', async () => {
  const wrong = folder.file('wrong.sqlite')
  copyFileSync(db, wrong)
  editDatabase(wrong, `UPDATE price SET date = '2024-05-32' WHERE isin = '${good}' AND date = '2024-05-02'`)
  const reason = `fund ${good}: price date "2024-05-32" is not a date (YYYY-MM-DD)`
  await expectFailure(show(good, '--db', wrong, '--as-of', asOf), reason)
  await expectSuccess(show(hostile, '--db', wrong, '--as-of', asOf))
})
