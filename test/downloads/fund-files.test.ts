/** One fund's prices for programs that read numbers. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../support/product.ts'
import { demoNight, oddNight, type Night } from './night.ts'
import { expectedPrices } from './oracle.ts'
import { readCsv } from './readers.ts'

const folder = makeTempFolder()
const nights: Partial<Record<'demo' | 'odd', Night>> = {}

beforeAll(async () => {
  nights.demo = await demoNight(folder)
  nights.odd = await oddNight(folder)
})
afterAll(folder.remove)

/** A cell of a spreadsheet. */
const limit = 32_767

describe.each(['demo', 'odd'] as const)('the %s funds', (which) => {
  const night = () => nights[which] ?? { db: '', out: '', asOf: '', folder: '' }
  const pricesOf = () => expectedPrices(night().db, night().asOf)
  const textOf = (isin: string, name: string) => readFileSync(join(night().folder, isin, name), 'utf8')

  it('has a folder for each fund with prices that may be given out, and for no other', () => {
    const folders = readdirSync(night().folder).filter((name) => /^[A-Z0-9]{12}$/.test(name))
    expect(folders.sort()).toEqual([...pricesOf().keys()].sort())
    expect(folders.length).toBeGreaterThan(1)
  })

  it('prices.csv ends with the newest price and reaches as far back as a cell holds', () => {
    for (const [isin, prices] of pricesOf()) {
      const [header, ...rows] = readCsv(join(night().folder, isin, 'prices.csv'))
      expect(header).toEqual(['date', 'nav'])
      expect(rows).toEqual(prices.slice(-rows.length).map(([, date, nav]) => [date, nav]))
      const { length } = textOf(isin, 'prices.csv')
      const [, date = '', nav = ''] = prices[prices.length - rows.length - 1] ?? []
      expect(length).toBeLessThan(limit)
      if (rows.length < prices.length)
        expect(length + `${date},${nav}\r\n`.length).toBeGreaterThanOrEqual(limit)
    }
  })

  it('prices.json has the same prices as numbers, digit for digit', () => {
    for (const [isin, prices] of pricesOf()) {
      const text = textOf(isin, 'prices.json')
      const rows = JSON.parse(text) as { date: string; nav: number }[]
      expect(text.length).toBeLessThan(limit)
      expect(rows).toEqual(prices.slice(-rows.length).map(([, date, nav]) => ({ date, nav: Number(nav) })))
      expect(text).toBe(
        `[${prices
          .slice(-rows.length)
          .map(([, date, nav]) => `{"date":"${date}","nav":${nav}}`)
          .join(',')}]`,
      )
    }
  })

  it('nav.txt is the newest net asset value and nothing else', () => {
    for (const [isin, prices] of pricesOf()) expect(textOf(isin, 'nav.txt')).toBe(prices.at(-1)?.[2])
  })
})

it('cuts the history of funds that are long enough to need it, and of no others', () => {
  const { db = '', asOf = '', folder: downloads = '' } = nights.demo ?? {}
  const lengths = [...expectedPrices(db, asOf)].map(([isin, prices]) => ({
    isCut: readCsv(join(downloads, isin, 'prices.csv')).length - 1 < prices.length,
    isLong: prices.length > 2000,
  }))
  expect(lengths.map(({ isCut }) => isCut)).toEqual(lengths.map(({ isLong }) => isLong))
  expect(new Set(lengths.map(({ isCut }) => isCut)).size).toBe(2)
})

it('says in the data package how far the files of one fund reach, and where the full history is', () => {
  const described = JSON.parse(readFileSync(join(nights.demo?.folder ?? '', 'datapackage.json'), 'utf8')) as {
    fundFiles: { maxCharacters: number; fullHistory: string[] }
  }
  expect(described.fundFiles.maxCharacters).toBe(limit - 1)
  for (const path of described.fundFiles.fullHistory)
    expect(existsSync(join(nights.demo?.folder ?? '', path))).toBe(true)
})

it('says the same of it on the page, in both languages', () => {
  const read = (name: string) =>
    readFileSync(join(nights.demo?.folder ?? '', name), 'utf8').replace(/\s+/g, ' ')
  expect(read('index.html')).toContain('as many as 32,766 characters hold')
  expect(read('de.html')).toContain('wie 32.766 Zeichen fassen')
})

it('says of emt.csv how few of the fields of the template it has, and that it is none to be delivered', () => {
  const read = (name: string) => readFileSync(join(nights.demo?.folder ?? '', name), 'utf8')
  const [header = ''] = read('emt.csv').split('\r\n')
  const count = header.split(',').length
  const english = `${count} of the 114 fields of the European MiFID Template`
  expect(read('index.html')).toContain(english)
  expect(read('index.html')).toContain('it is no complete EMT to be delivered')
  expect(read('datapackage.json')).toContain(english)
  expect(read('de.html')).toContain(`${count} der 114 Felder des European MiFID Template`)
  expect(read('de.html')).toContain('ein vollständiges EMT zum Ausliefern ist es nicht')
})

it('has each digest whole on the page, to be copied', () => {
  const read = (name: string) => readFileSync(join(nights.demo?.folder ?? '', name), 'utf8')
  const shown = [...read('index.html').matchAll(/<code class="digest"[^>]*>(\w+)<\/code>/g)].map(
    ([, digest]) => digest,
  )
  const sums = read('SHA256SUMS')
  expect(shown.length).toBeGreaterThan(20)
  expect(shown.filter((digest) => !sums.includes(`${digest ?? '-'}  `))).toEqual([])
})
