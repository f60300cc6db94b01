/** Public files of FundsXML, and one of our own, against the schema of FundsXML and against a second tool: XPath of xmllint. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { writeFundsXml } from '../../../bench/fundsxml/file.ts'
import { run } from '../../../cli/run.ts'
import { makeDatabase } from '../../../support/database.ts'
import { tempFolder } from '../../../support/product.ts'
import { needs } from '../../../support/programs.ts'
import { needsShared } from '../../../support/shared-data.ts'
import { dump } from '../dialects.ts'

const canLint = needs('xmllint')
const shared = needsShared('fundsxml')
const folder = tempFolder()
const example = join(shared, 'Mixed-Fund_Positions.xml')

/** @returns the text that XPath finds in a file */
function xpath(file: string, expression: string): string {
  const { stdout, stderr } = spawnSync('xmllint', ['--xpath', expression, file], { encoding: 'utf8' })
  if (stdout === '') throw new Error(`${expression}: ${stderr}`)
  return stdout.trim()
}
const number = (file: string, expression: string) => Number(xpath(file, `number(${expression})`))

async function importInto(db: string, file: string, isins: readonly string[]) {
  makeDatabase(folder.file(db), (insert) => {
    for (const [at, isin] of isins.entries()) {
      const currency = at === 0 && file === example ? 'USD' : 'EUR'
      insert('fund', {
        isin,
        name: 'A fund',
        fund_inception_date: '2015-03-15',
        currency,
        url: 'https://funds.example/',
      })
    }
  })
  const { code, stdout, stderr } = await run(['import', file, '--db', db], { cwd: folder.path })
  if (code !== 0) throw new Error(stdout + stderr)
  return stdout
}

const percents = (db: string, isin: string, type: string) =>
  Object.fromEntries(
    dump(folder.file(db), 'structure_item', 'isin, type, name_en, percent')
      .rows.filter(([own, ofType]) => own === isin && ofType === type)
      .map(([, , name, percent]) => [String(name), percent]),
  )

describe('the public example of FundsXML 4.2', () => {
  const isins = ['AT0000A2QM74', 'AT0000A2QM66']
  let told = ''
  beforeAll(async () => {
    if (canLint && existsSync(example)) told = await importInto('example.sqlite', example, isins)
  })

  it('is valid, and imported as it is', () => {
    const schema = join(shared, 'xsd/FundsXML4.xsd')
    expect(spawnSync('xmllint', ['--noout', '--schema', schema, example]).status).toBe(0)
    expect(told).toContain('FundsXML 4.2.2, UTF-8')
  })

  it.each(isins)('has the prices of %s', (isin) => {
    const ofClass = `//ShareClass[Identifiers/ISIN='${isin}']/Prices/Price`
    const [row] = dump(folder.file('example.sqlite'), 'price', 'isin, date, net_asset_value').rows.filter(
      ([own]) => own === isin,
    )
    expect(row).toEqual([
      isin,
      xpath(example, `string(${ofClass}/NavDate)`),
      xpath(example, `string(${ofClass}/NavPrice)`),
    ])
  })

  it.each([
    ['DE', 'Germany'],
    ['US', 'United States'],
    ['FR', 'France'],
    ['LU', 'Luxembourg'],
  ])('sums the positions of country %s', (code, name) => {
    const sum = number(
      example,
      `sum(//Position[UniqueID = //Asset[Country='${code}']/UniqueID]/TotalPercentage)`,
    )
    expect(percents('example.sqlite', 'AT0000A2QM66', 'countries')[name]).toBeCloseTo(sum, 8)
  })

  it.each([
    ['EQ', 'Equities'],
    ['BO', 'Bonds'],
    ['SC', 'Investment funds'],
    ['SW', 'Swaps'],
    ['CM', 'Call money'],
  ])('sums the positions of asset type %s', (code, name) => {
    const sum = number(
      example,
      `sum(//Position[UniqueID = //Asset[AssetType='${code}']/UniqueID]/TotalPercentage)`,
    )
    expect(percents('example.sqlite', 'AT0000A2QM74', 'asset_structure')[name]).toBeCloseTo(sum, 8)
  })

  it('computes the share of currency forwards, which the file lacks', () => {
    const value = number(example, 'sum(//Position[FXForward]/TotalValue/Amount)')
    const whole = number(
      example,
      '//FundDynamicData/TotalAssetValues/TotalAssetValue/TotalNetAssetValue/Amount',
    )
    expect(percents('example.sqlite', 'AT0000A2QM66', 'asset_structure')['Currency forwards']).toBeCloseTo(
      (100 * value) / whole,
      8,
    )
  })
})

describe('a file of the benchmark', () => {
  it('is valid, and has what XPath finds in it', async () => {
    const file = folder.file('bench.xml')
    const { classes } = await writeFundsXml(file, 0.4)
    const schema = join(shared, 'xsd/FundsXML4.xsd')
    expect(spawnSync('xmllint', ['--noout', '--schema', schema, file]).status).toBe(0)
    const isins = Array.from({ length: classes }, (_, at) =>
      xpath(file, `string((//ShareClasses/ShareClass)[${at + 1}]/Identifiers/ISIN)`),
    )
    await importInto('bench.sqlite', file, isins)
    expect(dump(folder.file('bench.sqlite'), 'price').rows).toHaveLength(
      number(file, 'count(//Prices/Price)'),
    )
    const sum = number(
      file,
      "sum((//Fund)[3]//Position[UniqueID = //Asset[Country='JP']/UniqueID]/TotalPercentage)",
    )
    expect(percents('bench.sqlite', isins[4] ?? '', 'countries')['Japan']).toBeCloseTo(sum, 8)
  })
})
