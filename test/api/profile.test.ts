/** The profile of funds whose facts are not those of most funds, as JSON and as XML. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { asOf, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'

const folder = tempFolder()
const [usual, foreign, long] = [1, 2, 3].map(isinOf) as [string, string, string]
/** As long as the names of prospectuses get. */
const longName = `${'Global Sustainable Equity Fund – '.repeat(15)}Class A`.slice(0, 500)

beforeAll(async () => {
  makeDatabase(folder.file('funds.sqlite'), (insert) => {
    insertGood(insert, usual, { profile: { total_fund_assets_currency: null } })
    insertGood(insert, foreign, { profile: { total_fund_assets_currency: 'USD' } })
    insertGood(insert, long, {
      fund: { name: longName },
      profile: { benchmark: longName },
      structure_item: { name_de: longName },
    })
  })
  const at = ['--db', 'funds.sqlite', '--as-of', asOf]
  const options = { cwd: folder.path, env: { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' } }
  expect(await run(['check', ...at], options)).toMatchObject({ code: 0, stdout: '0 errors, 0 warnings\n' })
  expect(await run(['build', ...at, '--out', 'out'], options)).toMatchObject({ code: 0, stderr: '' })
})

const answer = (isin: string, file: string) =>
  readFileSync(folder.file(`out/api/v1/profile/${isin}/${file}`), 'utf8')
const profile = (isin: string, language = 'en') =>
  (JSON.parse(answer(isin, `index.${language}.json`)) as { fund: Readonly<Record<string, unknown>> }).fund

describe('the assets of all share classes', () => {
  it('are in the currency of the fund, unless the profile names another one', () => {
    const assets = [usual, foreign].map((isin) => {
      const { fund_assets: own, total_fund_assets: total } = profile(isin)
      return { own, total }
    })
    expect(assets).toEqual([
      { own: '1000000.00 EUR', total: '2000000.00 EUR' },
      { own: '1000000.00 EUR', total: '2000000.00 USD' },
    ])
    expect(answer(foreign, 'index.de.xml')).toContain('<total_fund_assets>2000000.00 USD</total_fund_assets>')
  })
})

it('names of 500 characters are published whole', () => {
  expect(longName).toHaveLength(500)
  expect(profile(long)).toMatchObject({ name: longName, benchmark: longName })
  const page = readFileSync(folder.file(`out/funds/${long}/index.html`), 'utf8')
  expect(page).toContain(longName)
})
