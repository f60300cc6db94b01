/** Pages in a snapshot: made beside the documents, and listed, reused, left out, served and compared like these. */
import { hash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { BuildOptions } from '../../src/core/snapshot/build.ts'
import { goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { faultsOf, filesIn, hashesOf, manifestOf as manifestIn } from '../support/tree.ts'
import * as builds from './builds.ts'

const { changedCopy, folderOf, manifestOf } = builds
const folder = tempFolder()
const db = folder.file('funds.sqlite')

/** One with an evil name, one that nothing may be given out of, one without prices, one with a single price. */
const plain = isinOf(0)
const refused = isinOf(1)
const unpriced = isinOf(2)
const single = isinOf(3)
const evil = `</script><b>"&`

beforeAll(() => {
  makeDatabase(db, (insert, connection) => {
    insertGood(insert, plain, { fund: { name: evil } })
    insertGood(insert, refused, { fund: { data_permitted: 0 } })
    insertGood(insert, unpriced)
    insertGood(insert, single)
    connection.exec(`DELETE FROM price WHERE isin <> '${refused}'`)
    insert('price', { ...goodRows['price'], isin: single, date: '2024-03-01', net_asset_value: '7.50' })
    // Two years and a half of days, with a gap of a month.
    for (let day = Date.parse('2021-11-01'); day < Date.parse('2024-05-01'); day += 86_400_000) {
      const date = new Date(day).toISOString().slice(0, 10)
      if (date.startsWith('2023-02')) continue
      insert('price', { ...goodRows['price'], isin: plain, date, net_asset_value: `${day / 86_400_000}.25` })
    }
  })
})

const build = (out: string, { db: file = db, ...options }: Partial<BuildOptions> = {}) =>
  builds.build(file, folder.file(out), { jobs: 2, hasPages: true, ...options })

const contentOf = (out: string, key: string) => readFileSync(join(folder.file(out), key), 'utf8')
const pagesIn = (out: string) => filesIn(folder.file(out)).filter((key) => /^(docs|funds|openapi)/.test(key))
const listed = (out: string) => manifestIn(folder.file(out)).documents
const ofFunds = (...isins: readonly string[]) =>
  isins.flatMap((isin) => [`funds/${isin}/index.html`, `funds/${isin}/prices.csv`])
const docs = ['assets/icon.png', 'index.html', 'v1-notes.html', 'v1/index.html'].map((name) => `docs/${name}`)
const overAll = [...docs, 'funds/XF000000001.html', 'funds/index.html', 'openapi.json']
const allPages = [...ofFunds(plain, unpriced, single), ...overAll].sort()

describe('a snapshot with pages', () => {
  beforeAll(async () => {
    await build('out')
  })

  it('holds the pages of every fund that has some, and those over all, in byte order of all keys', () => {
    expect(pagesIn('out')).toEqual(allPages)
    expect(faultsOf(folder.file('out'))).toEqual([])
    const keys = listed('out').map(({ key }) => key)
    expect(keys).toEqual(keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))))
  })

  it('gives the makers the rows of the fund, its newest price, and bytes as they are', () => {
    expect(JSON.parse(contentOf('out', `funds/${single}/index.html`))).toMatchObject({
      fund: { isin: single, name: 'Good Fund' },
      day: '9999-12-31',
      baseUrl: 'https://api.example',
      newest: { date: '2024-03-01', netAssetValue: '7.50' },
    })
    const pageOf = (isin: string): unknown => JSON.parse(contentOf('out', `funds/${isin}/index.html`))
    expect(pageOf(unpriced)).toMatchObject({ newest: null, overdue: null })
    expect(pageOf(plain)).toMatchObject({ overdue: null })
    expect(pageOf(single)).toMatchObject({ overdue: 'stale' })
    const icon = readFileSync(join(folder.file('out'), 'docs/assets/icon.png'))
    expect(icon).toEqual(Buffer.from([137, 80, 78, 71, 255]))
  })

  it('gives them at most 250 points of the history: the ends, no gap wider than need be, all of a short one', () => {
    const points = contentOf('out', `funds/${plain}/prices.csv`).trimEnd().split('\n')
    const days = points.map((point) => Date.parse(point.slice(0, 10)) / 86_400_000)
    // The value of each day is its number.
    expect(points.map((point) => point.slice(11))).toEqual(days.map((day) => `${day}.25`))
    expect(points.length).toBeGreaterThan(200)
    expect(points.length).toBeLessThanOrEqual(250)
    expect({ first: points[0]?.slice(0, 10), last: points.at(-1)?.slice(0, 10) }).toEqual({
      first: '2021-11-01',
      last: '2024-04-30',
    })
    const gaps = days.slice(1).map((day, index) => day - (days[index] ?? 0))
    expect({ least: Math.min(...gaps), wide: gaps.filter((gap) => gap > 5) }).toEqual({
      least: 2,
      wide: [expect.closeTo(30, -1)],
    })
    expect(contentOf('out', `funds/${single}/prices.csv`)).toBe('2024-03-01;7.50\n')
    expect(contentOf('out', `funds/${unpriced}/prices.csv`)).toBe('')
  })

  it('gives those over all the entries of funds in their order, without refused ones', () => {
    const entries = JSON.parse(contentOf('out', 'funds/index.html')) as readonly Record<string, unknown>[]
    expect(entries.map(({ isin, name }) => ({ isin, name }))).toEqual([
      { isin: plain, name: evil },
      { isin: unpriced, name: 'Good Fund' },
      { isin: single, name: 'Good Fund' },
    ])
    expect(entries[2]?.['newest']).toMatchObject({ date: '2024-03-01', nav: '7.50' })
  })

  it('gives them the answers of the first fund that has most, which are those of its documents', () => {
    const { exampleIsin, examples } = JSON.parse(contentOf('out', 'openapi.json')) as {
      exampleIsin: string
      examples: readonly (readonly [string, string | null])[]
    }
    expect(exampleIsin).toBe(plain)
    const answers = examples.flatMap(([, answer]) => answer ?? [])
    const documents = listed('out').filter(({ key }) => key.startsWith('api/') && key.includes(plain))
    // Of the windows, only the newest.
    const own = documents.filter(
      ({ key }) => /\/(index|index\.de|2024)\.json$/.test(key) && !/historic.*index/.test(key),
    )
    const digests = (texts: readonly string[]) => texts.map((text) => hash('sha256', text)).sort()
    expect(digests(answers)).toEqual(digests(own.map(({ key }) => contentOf('out', key))))
    expect(examples.length).toBeGreaterThan(answers.length)
  })
})

describe('a build with pages that continues from a snapshot', () => {
  const changed = (name: string, sql: string) => changedCopy(db, folder.file(`${name}.sqlite`), sql)
  const sinceOut = manifestOf(folder.file('out'))

  const ofSingle = `funds/${single}/index.html`
  const exampleOfRange = `price SET change = '9' WHERE date = '2024-04-02'`
  it.each([
    ['a key figure', `key_figure SET value = '9' WHERE isin = '${single}'`, [ofSingle]],
    ['a price of the newest year', `${exampleOfRange} AND isin = '${plain}'`, ['openapi.json']],
    ['what no page reads', `profile SET benchmark = 'New' WHERE isin = '${single}'`, []],
  ])('makes only the pages anew that differ after a change of %s', async (name, change, wanted) => {
    const file = changed(name, `UPDATE ${change}`)
    await build(`sparse ${name}`, { db: file, since: sinceOut })
    expect(pagesIn(`sparse ${name}`)).toEqual([...wanted].sort())
    await build(`full ${name}`, { db: file })
    await build(`linked ${name}`, { db: file, since: folderOf(folder.file('out')) })
    expect(hashesOf(folder.file(`linked ${name}`))).toEqual(hashesOf(folder.file(`full ${name}`)))
  })

  it('makes all pages anew, and no document, for another address of the API', async () => {
    const { rendered } = await build('other address', { baseUrl: 'https://new.example', since: sinceOut })
    expect(rendered).toBe(ofFunds(plain, unpriced, single).length + 1)
    expect(filesIn(folder.file('other address')).filter((key) => /^(api|errors)\//.test(key))).toEqual([])
  })

  it('makes only the page anew that names the as-of date, on another day', async () => {
    const { rendered } = await build('other day', { asOf: '2024-05-04', since: sinceOut })
    expect({ rendered, pages: pagesIn('other day') }).toEqual({ rendered: 1, pages: ['docs/index.html'] })
  })

  it.each([
    ['2024-05-06', 'late'],
    ['2024-05-13', 'stale'],
  ])('makes the pages anew that mark a price, as of %s as %s', async (asOf, overdue) => {
    const { rendered } = await build(overdue, { asOf, since: sinceOut })
    // The pages of the other funds are unchanged: one has no price, one was stale before.
    const changed = ['docs/index.html', ...ofFunds(plain), 'funds/index.html']
    expect(pagesIn(overdue)).toEqual(changed.filter((key) => !key.endsWith('prices.csv')))
    expect(rendered).toBe(changed.length)
    expect(JSON.parse(contentOf(overdue, `funds/${plain}/index.html`))).toMatchObject({ overdue })
    await build(`full ${overdue}`, { asOf })
    await build(`linked ${overdue}`, { asOf, since: folderOf(folder.file('out')) })
    expect(hashesOf(folder.file(`linked ${overdue}`))).toEqual(hashesOf(folder.file(`full ${overdue}`)))
  })

  it('leaves pages out if they are switched off, and makes them again later', async () => {
    const off = await build('off', { hasPages: false, since: folderOf(folder.file('out')) })
    expect({
      rendered: off.rendered,
      pages: pagesIn('off'),
      faults: faultsOf(folder.file('off')),
    }).toEqual({ rendered: 0, pages: [], faults: [] })
    const on = await build('on', { since: folderOf(folder.file('off')) })
    expect(on.rendered).toBe(allPages.length)
    expect(hashesOf(folder.file('on'))).toEqual(hashesOf(folder.file('out')))
  })
})

describe('a maker that does not keep to what it declares', () => {
  /** The code of makers that write such pages over all. */
  const writing = (fundPages: string, ...keys: readonly string[]) => {
    const pages = keys.map((key) => `{ key: '${key}', content: '' }`)
    return `fundPages: [${fundPages}], sitePages: [() => [${pages.join()}]]`
  }
  const header = `const about = { folder: 'funds/', names: ['a.html'], reads: [], isFor: () => true, entry: () => null,
    render: ({ fund }) => [{ key: 'funds/' + fund.isin + '/a.html', content: '' }] }\n`
  const list = 'export const extensions = { list: [{ pages: async () => ({ makers }) }] }'
  it.each([
    [
      'reads what it does not name',
      writing('{ ...about, render: ({ navSample }) => navSample() }'),
      'the pages in funds/ do not say that they read prices',
    ],
    [
      'writes another file',
      writing(`{ ...about, names: ['b.html'] }`),
      `are funds/${plain}/a.html, not b.html`,
    ],
    ['writes among the pages of funds', writing('about', 'funds/x/y.html'), 'lies among the pages of funds'],
    [
      'writes where the API lies',
      writing('', 'api/y.html'),
      'page api/y.html: the edge gives out no such path',
    ],
    ['writes out of the folder', writing('', 'docs/../../y.html'), 'the edge gives out no such path'],
  ])('ends the build if it %s', async (name, code, message) => {
    const file = folder.file(`${name}.mjs`)
    writeFileSync(file, `${header}const makers = { ${code} }\n${list}`)
    await expect(build('refused', { extensions: `file://${encodeURI(file)}` })).rejects.toThrow(message)
    expect(existsSync(folder.file('refused'))).toBe(false)
  })
})

describe('a list of extensions', () => {
  /** @param code the makers of each extension */
  const listOf = (name: string, ...code: readonly string[]) => {
    const file = folder.file(`${name}.mjs`)
    const list = code.map((makers) => `{ pages: async () => ({ makers: ${makers} }) }`)
    writeFileSync(file, `export const extensions = { list: [${list.join()}] }`)
    return { extensions: `file://${encodeURI(file)}` }
  }
  const page = (content: string) => `{ sitePages: [() => [{ key: 'docs/a.html', content: '${content}' }]] }`
  const named = (content: string) =>
    `{ namedPages: [() => ({ listed: [{ key: 'status/a.css', content: '${content}' }] })] }`

  it('may make the same file twice, such as a style sheet', async () => {
    await build('shared', listOf('shared', page('a'), page('a'), named('b'), named('b')))
    expect(pagesIn('shared')).toEqual(['docs/a.html'])
    expect(contentOf('shared', 'status/a.css')).toBe('b')
    expect(faultsOf(folder.file('shared'))).toEqual([])
  })

  it.each([
    ['docs/a.html', page('a'), page('b')],
    ['status/a.css', named('a'), named('b')],
  ])('may not make two files of one name: %s', async (key, ...code) => {
    const list = listOf(`twice ${key.replace('/', ' ')}`, ...code)
    await expect(build('twice', list)).rejects.toThrow(`page ${key} is there twice`)
  })

  it('gives closing pages the keys of all others', async () => {
    const closing = `{ closingPages: [(_, before) => [{ key: 'docs/z.html', content: before.join() }]] }`
    await build('closing', listOf('closing', closing, page('a')))
    expect(contentOf('closing', 'docs/z.html')).toBe('docs/a.html')
  })

  it('that makes neither pages nor downloads leaves a snapshot without, and a warning of each', async () => {
    const wanted = { hasPages: true, downloads: { licence: null } }
    const { downloads, warnings } = await build('bare', { ...wanted, ...listOf('bare', named('a')) })
    expect({ downloads, pages: pagesIn('bare'), faults: faultsOf(folder.file('bare')) }).toEqual({
      downloads: null,
      pages: [],
      faults: [],
    })
    expect(warnings.flatMap(({ isin, message }) => (isin === null ? [message] : []))).toEqual([
      'pages is true, but this fundpress makes no pages: it lacks the extension',
      'downloads.enabled is true, but this fundpress makes no downloads: it lacks the extension',
    ])
  })
})
