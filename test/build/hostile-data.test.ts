/** Values as hostile as the schema lets them be: JSON and XML give back exactly what the database holds. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { asOf, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { makeTempFolder, mustRun } from '../support/product.ts'
import { readJson } from '../support/read-json.ts'
import { hasXmllint, readXml, type Leaves } from '../support/read-xml.ts'
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
/** With the shortest decimals that name them. */
const numbers: readonly (readonly [number: number, digits: string])[] = [
  [1e-7, '0.0000001'],
  [-1.5e-10, '-0.00000000015'],
  [1e21, '1000000000000000000000'],
  [-1.2345e22, '-12345000000000000000000'],
  [0.1 + 0.2, '0.30000000000000004'],
  [1.5e-30, `0.${'0'.repeat(29)}15`],
  [-9.999999999999999e29, `-9999999999999999${'0'.repeat(14)}`],
  [-100, '-100'],
  [0, '0'],
]

const textIsins = texts.map((_, index) => isinOf(1 + index))
const [longIsin, decimalIsin, numberIsin, classIsin] = [100, 101, 102, 103].map(isinOf)
const dayOf = (index: number): string => `2023-0${1 + (index % 9)}-${10 + Math.floor(index / 9)}`

const folder = makeTempFolder()
const out = folder.file('out')
afterAll(folder.remove)

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
        emt: { compatible_for_clients_with_esg_preferences: text },
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
    numbers.forEach(([number], index) => {
      insert('performance_year', { isin: ofNumbers, year: 2000 + index, percent: number })
      insert('launch_point', { isin: ofNumbers, date: dayOf(index), value: number })
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

const json = (key: string): Leaves => readJson(readFileSync(join(out, `api/${key}.json`), 'utf8'))
const valueIn = (leaves: Leaves, place: string): string | undefined =>
  leaves.find(([found]) => found === place)?.[1]

type Expected = (text: string) => Readonly<Record<string, string>>

it.each<[key: string, expected: Expected]>([
  ['v1/prices-current/<isin>/index', () => ({})],
  ['v1/prices-historic/<isin>/2024', () => ({})],
  ['v1/performance-legal/<isin>/index', (text) => ({ [`/performance/bargross/${text}`]: '3.5' })],
  ['v1/figures/<isin>/index.de', (text) => ({ '/figures/0/name': text, '/figures/0/value2': text })],
  ['v1/figures/<isin>/index.en', (text) => ({ '/figures/0/name': text, '/figures/0/value': text })],
  ['v1/profile/<isin>/index.de', (text) => ({ '/fund/category': text, '/fund/benchmark': text })],
  ['v1/profile/<isin>/index.en', (text) => ({ '/fund/category': `en ${text}` })],
  ['v1/investment_structure-countries/<isin>/index.de', (text) => ({ '/structure/data/0/name': text })],
  [
    'v1/investment_structure-countries/<isin>/index.en',
    (text) => ({ '/structure/data/0/name': `en ${text}` }),
  ],
  [
    'v2/asset-allocations/with-derivatives/<isin>/index.de',
    (text) => ({ [`/allocations/${text}/2024-02-29`]: '60' }),
  ],
  ['v2/emt/<isin>/index.de', (text) => ({ '/emt_data/compatible_for_clients_with_esg_preferences': text })],
])('gives every text back, and of addresses those of the web, in %s', (key, expected) => {
  texts.forEach((text, index) => {
    const isin = textIsins[index] ?? ''
    const leaves = json(key.replace('<isin>', isin))
    const url = text.startsWith('https://') ? text : ''
    const fund = { '/fund/name': text, '/fund/isin': isin, '/fund/wkn': text, '/fund/url': url }
    for (const [place, value] of Object.entries({ ...fund, ...expected(text) })) {
      expect([place, valueIn(leaves, place)]).toEqual([place, value])
    }
  })
})

it('keeps a text of 100,000 bytes', () => {
  expect(Buffer.byteLength(longText)).toBe(100_000)
  expect(valueIn(json(`v1/prices-historic/${longIsin}/2024`), '/fund/name')).toBe(longText)
  expect(valueIn(json('v1/prices-current-all/index'), `/funds/${longIsin}/fund/name`)).toBe(longText)
})

it('keeps decimals digit for digit, with a comma in historic prices', () => {
  const leaves = json(`v1/prices-historic/${decimalIsin}/2023`)
  decimals.forEach((text, index) => {
    for (const item of Object.keys(goodRows['price'] ?? {}).filter((column) => column !== 'date')) {
      const expected = item === 'change_percent' ? text : text.replace('.', ',')
      expect(valueIn(leaves, `/prices/${index}/${item}/value`)).toBe(expected)
    }
  })
  const current = json(`v1/prices-current/${decimalIsin}/index`)
  expect(valueIn(current, '/prices/net_asset_value/value')).toBe(decimals.at(-1))
})

it('writes numbers in their shortest decimals, without an exponent', () => {
  const years = json(`v1/performance-years/${numberIsin}/index`)
  const points = json(`v1/performance-launch/${numberIsin}/index`)
  const items = json(`v1/investment_structure-currencies/${numberIsin}/index.en`)
  numbers.forEach(([number, digits], index) => {
    expect(Number(digits)).toBe(number)
    expect(valueIn(years, `/years/${2000 + index}`)).toBe(digits)
    expect(valueIn(points, `/performance/${index}/x`)).toBe(String(Date.parse(dayOf(index))))
    expect(valueIn(points, `/performance/${index}/y`)).toBe(digits)
    expect(valueIn(items, `/structure/data/${index}/percent`)).toBe(digits)
  })
})

it('keeps asset classes apart, whatever their names', () => {
  const leaves = json(`v2/asset-allocations/without-derivatives/${classIsin}/index.en`)
  const expected = texts.map((text, index) => [`/allocations/${text}/${dayOf(index)}`, `${index}.5`] as const)
  expect(sorted(leaves.filter(([place]) => place.startsWith('/allocations')))).toEqual(sorted(expected))
})

it('holds in every XML document what its JSON holds, as a conforming parser reads it', ({ skip }) => {
  if (!hasXmllint) skip('xmllint is not installed: the XML was not read')
  const files = filesIn(out).filter((file) => file.endsWith('.xml'))
  const read = readXml(out, files)
  expect(read).toHaveLength(files.length)
  files.forEach((file, index) => {
    const twin = readJson(readFileSync(join(out, file.replace(/xml$/, 'json')), 'utf8'))
    expect([file, sorted(read[index] ?? [])]).toEqual([file, sorted(twin)])
  })
  expect(faultsOf(out)).toEqual([])
})

/** JavaScript puts keys that look like integers first: the order is compared elsewhere, byte for byte. */
const sorted = (leaves: Leaves) => leaves.map(([place, text]) => `${place} ${text}`).sort()
