/** The profile of funds whose facts are not those of most funds, as JSON and as XML. */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { asOf, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { lacks } from '../support/programs.ts'

const folder = tempFolder()
const usual = isinOf(1)
const foreign = isinOf(2)
const long = isinOf(3)
const without = isinOf(4)
const absent = [
  'category',
  'fund_assets',
  'conformity',
  'issue_surcharge',
  'redemption_fee',
  'custodian_bank_fee',
]
/** As long as the names of prospectuses get. */
const longName = `${'Global Sustainable Equity Fund – '.repeat(15)}Class A`.slice(0, 500)

beforeAll(async () => {
  makeDatabase(folder.file('funds.sqlite'), (insert) => {
    insertGood(insert, usual, { profile: { total_fund_assets_currency: null } })
    insertGood(insert, foreign, { profile: { total_fund_assets_currency: 'USD' } })
    insertGood(insert, without, {
      profile: {
        category_de: null,
        category_en: null,
        fund_assets: null,
        conformity: null,
        issue_surcharge: null,
        redemption_fee: null,
        custodian_bank_fee: null,
      },
    })
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

describe('what a fund does not have', () => {
  it('is null in JSON, in both languages, and nothing else is', () => {
    for (const language of ['de', 'en']) {
      const found = Object.entries(profile(without, language)).filter(([, value]) => value === null)
      expect(found.map(([name]) => name)).toEqual(absent)
    }
    expect(Object.keys(profile(without))).toEqual(Object.keys(profile(usual)))
  })

  it('is an empty element in XML', () => {
    const xml = answer(without, 'index.en.xml')
    expect(xml.match(/<(\w+)\/>/g)).toEqual(absent.map((name) => `<${name}/>`))
  })

  it('is allowed by the JSON Schema, for these fields and no others', () => {
    const schema = JSON.parse(readFileSync(folder.file('out/schemas/profile.json'), 'utf8')) as {
      properties: { fund: { properties: Readonly<Record<string, { readonly type: string | string[] }>> } }
    }
    const nullable = Object.entries(schema.properties.fund.properties).filter(([, { type }]) =>
      type.includes('null'),
    )
    const names = nullable.map(([name]) => name)
    expect(names).toEqual(['wkn', ...absent])
  })

  it.skipIf(lacks('xmllint'))('is allowed by the XSD', () => {
    const ended = spawnSync('xmllint', ['--noout', '--schema', folder.file('out/schemas/profile.xsd'), '-'], {
      input: answer(without, 'index.en.xml'),
      encoding: 'utf8',
    })
    expect(ended.stderr).toBe('- validates\n')
  })

  it('has no value on the page, and none in the downloads', () => {
    const page = readFileSync(folder.file(`out/funds/${without}/index.html`), 'utf8')
    expect(page).not.toMatch(/null|undefined|NaN/)
    const csv = readFileSync(folder.file(`out/downloads/${asOf}/profiles.csv`), 'utf8')
    const line = csv.split('\r\n').find((one) => one.startsWith(without))
    expect(line).toBe(
      `${without},,,Index,,2000000.00,EUR,12-31,true,,,,1.5,1.25,,false,true,50,true,500.00,false,0.00`,
    )
  })
})
