/** Values as hostile as the schema lets them be: JSON and XML give back exactly what the database holds. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { asOf, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { openOracleFunds } from '../../src/extensions/conform/oracle/funds.ts'
import { openOracle } from '../../src/extensions/conform/oracle/oracle.ts'
import { expectedObjects } from '../api/oracle/keys.ts'
import { docsUrl, mustRun, tempFolder } from '../support/product.ts'
import { lacks } from '../support/programs.ts'
import { readJson } from '../support/read-json.ts'
import { readXml, type Leaves } from '../support/read-xml.ts'
import { faultsOf, filesIn } from '../support/tree.ts'

const texts: readonly string[] = [
  `"'\`\\"\\\\"`,
  '</root></item>]]><!-- --><?xml version="1.0"?><![CDATA[',
  '{"date":"2020-01-01"',
  '"},{"date":"2020-01-01","issue_price":{"name":"',
  '</value></item><item key="1"><date>2020-01-01</date>',
  '&amp;&lt;&#13;&nbsp;&',
  '😀 👩‍👩‍👧 \u{10ffff} e\u0301 \u202e \ufeff',
  'ÄÖÜß äöü €',
  ' \t two\nlines\r\nthree\r ',
  '\u2028\u2029\u0085\u00a0\u007f\u0080',
  ' ',
  '',
  'constructor',
  '__proto__',
  '2020',
  '10',
  'https://funds.example/?a=1&b="2"&c=\'3\'&d=<4>#%20',
]
/** Of 100,000 bytes, which is what `check` lets through. */
const longText = `${'&"ä\n'.repeat(19_999)}.....`

const decimals: readonly string[] = [
  '12345678901234567890123.1234567',
  '-123456789012345.123456789012345',
  '-0.000000000000001',
  '-0.00',
  '007.50',
  '0',
  '9007199254740993',
]
const numbers = [1e-7, -1.5e-10, 1e21, -1.2345e22, 0.1 + 0.2, 1.5e-30, -9.999999999999999e29, -100, 0]

const textIsins = texts.map((_, index) => isinOf(1 + index))
const [longIsin, decimalIsin, numberIsin, classIsin] = [100, 101, 102, 103].map(isinOf)
const dayOf = (index: number): string => `2023-0${1 + (index % 9)}-${10 + Math.floor(index / 9)}`

const folder = tempFolder()
const out = folder.file('out')

beforeAll(async () => {
  makeDatabase(folder.file('hostile.sqlite'), (insert) => {
    texts.forEach((text, index) => {
      insertGood(insert, textIsins[index] ?? '', {
        fund: { name: text, wkn: text, url: text },
        structure_item: { name_de: text, name_en: `en ${text}` },
        key_figure: { name_de: text, name_en: null, value: text, value2: text },
        legal_period: { label: text },
        profile: { category_de: text, category_en: `en ${text}`, benchmark: text },
        asset_allocation: { class_de: text, class_en: `en ${text}` },
      })
    })
    const fund = (isin = '', name = 'Fund'): string => {
      insert('fund', { isin, ...goodRows['fund'], name })
      return isin
    }
    insert('price', { isin: fund(longIsin, longText), ...goodRows['price'] })
    const ofDecimals = fund(decimalIsin)
    decimals.forEach((text, index) => {
      const columns = Object.keys(goodRows['price'] ?? {}).map((column) => [column, text] as const)
      insert('price', { ...Object.fromEntries(columns), isin: ofDecimals, date: dayOf(index) })
    })
    const ofNumbers = fund(numberIsin)
    insert('launch_point', { isin: ofNumbers, date: '2023-01-01', value: 100 })
    numbers.forEach((number, index) => {
      // The checks refuse a loss of more than everything, and an index below zero.
      if (number >= -100) insert('performance_year', { isin: ofNumbers, year: 2000 + index, percent: number })
      if (number >= 0) insert('launch_point', { isin: ofNumbers, date: dayOf(index), value: number })
      const item = { type: 'currencies', position: index, name_de: 'Name', percent: number }
      insert('structure_item', { isin: ofNumbers, ...item })
    })
    const ofClasses = fund(classIsin)
    texts.forEach((text, position) => {
      const row = { derivatives: 0, position, class_de: text, class_en: null, date: dayOf(position) }
      insert('asset_allocation', { isin: ofClasses, ...row, percent: position + 0.5 })
    })
  })
  const files = ['--db', folder.file('hostile.sqlite'), '--out', out]
  await mustRun(['build', ...files, '--as-of', asOf, '--jobs', '2', '--quiet'])
})

it('holds in each document, byte by byte, what the oracle reads from the database', () => {
  const db = folder.file('hostile.sqlite')
  const oracle = openOracle({ db, asOf, docsUrl })
  const funds = openOracleFunds(db)
  const expected = expectedObjects(funds, asOf).filter(({ target }) => target !== undefined)
  const wrong = expected.filter(
    ({ key, target = '' }) => readFileSync(join(out, key), 'utf8') !== oracle.answer({ target }).body,
  )
  oracle.close()
  funds.close()
  expect(expected.length).toBeGreaterThan(1000)
  expect(wrong).toEqual([])
})

it('holds in every XML document what its JSON holds, as a conforming parser reads it', ({ skip }) => {
  if (lacks('xmllint')) skip('xmllint is not installed: the XML was not read')
  const files = filesIn(out).filter((file) => /^(api|errors)\/.*\.xml$/.test(file))
  const read = readXml(out, files)
  expect(read).toHaveLength(files.length)
  files.forEach((file, index) => {
    const twin = readJson(readFileSync(join(out, file.replace(/xml$/, 'json')), 'utf8'))
    expect({ file, leaves: sorted(read[index] ?? []) }).toEqual({ file, leaves: sorted(twin) })
  })
  expect(faultsOf(out)).toEqual([])
})

/** JavaScript puts keys that look like integers first: the order is compared elsewhere, byte for byte. */
const sorted = (leaves: Leaves) => leaves.map(([place, text]) => `${place} ${text}`).sort()
