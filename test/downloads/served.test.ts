/** Downloads through the front door: `build`, then `serve`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { oddFunds } from '../support/odd-funds.ts'
import { startServer, type Server } from '../support/product.ts'
import { sumsOf } from '../support/tree.ts'
import { hostileNames, oddNight, type Night } from './night.ts'

let night: Night | undefined
let server: Server | undefined

beforeAll(async () => {
  night = await oddNight()
  server = await startServer(night.out)
})
afterAll(async () => {
  await server?.stop()
})

const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${server?.base ?? ''}/downloads/${path}`, { headers: { 'Accept-Encoding': 'identity', ...headers } })
const stored = (path: string) => readFileSync(join(night?.folder ?? '', path))

it.each([
  ['prices.csv', 'text/csv; charset=utf-8'],
  ['csv-excel/prices_2019-excel.csv', 'text/csv; charset=utf-8'],
  ['prices.parquet', 'application/vnd.apache.parquet'],
  ['fundsxml.xml', 'application/xml; charset=utf-8'],
  ['openfunds.csv', 'text/csv; charset=utf-8'],
  ['fund-data.sqlite', 'application/vnd.sqlite3'],
  ['datapackage.json', 'application/json; charset=utf-8'],
  [`${oddFunds.awkward}/prices.json`, 'application/json; charset=utf-8'],
  [`${oddFunds.awkward}/nav.txt`, 'text/plain; charset=utf-8'],
  ['index.html', 'text/html; charset=utf-8'],
  ['SHA256SUMS', 'text/plain; charset=utf-8'],
])('gives out latest/%s as %s, the same as under its day', async (path, type) => {
  const latest = await ask(`latest/${path}`)
  const dated = await ask(`${oddFunds.asOf}/${path}`)
  expect({ latest: latest.status, dated: dated.status }).toEqual({ latest: 200, dated: 200 })
  expect(latest.headers.get('content-type')).toBe(type)
  expect(Buffer.from(await latest.arrayBuffer())).toEqual(stored(path))
  expect(Buffer.from(await dated.arrayBuffer())).toEqual(stored(path))
})

it('shows the page at the address of the folder', async () => {
  const page = await ask('latest/')
  expect(page.status).toBe(200)
  expect(await page.text()).toBe(stored('index.html').toString())
  expect((await fetch(`${server?.base ?? ''}/downloads/latest`, { redirect: 'manual' })).status).toBe(308)
})

it('has a list of days in a folder, too, where the page and its address say', async () => {
  const list = { format: 1, as_of: oddFunds.asOf, days: [oddFunds.asOf], withdrawn: [] }
  const known = await ask('index.json')
  expect({ status: known.status, list: await known.json() }).toEqual({ status: 200, list })
  for (const name of ['index.html', 'de.html']) {
    const [, address = ''] = /<a id="days-list" href="([^"]+)"/.exec(stored(name).toString()) ?? []
    const linked = await fetch(new URL(address, `${server?.base ?? ''}/downloads/latest/${name}`))
    expect({ status: linked.status, list: await linked.json() }).toEqual({ status: 200, list })
  }
})

it.each([
  ['index.html', 'CSV for Excel'],
  ['de.html', 'CSV für Excel'],
])('names no two files alike, and formats in the language of the page: %s', (name, label) => {
  const page = stored(name).toString()
  const withoutBreaks = page.replaceAll('<wbr />', '')
  const names = [
    ...withoutBreaks.matchAll(/<a href="[\w/.-]+">([\w.-]+\.(?:csv|parquet|xlsx|xml|sqlite))<\/a>/g),
  ].map(([, file]) => file)
  expect(names.length).toBeGreaterThan(30)
  expect(names.filter((one, at) => names.indexOf(one) !== at)).toEqual(['prices.csv'])
  const labels = [...page.matchAll(/<span class="kind">(CSV f[^<]*)<\/span>/g)].map(([, text]) => text)
  expect(new Set(labels)).toEqual(new Set([label]))
})

it('gives out ranges of a file to scripts of any origin, as a reader of Parquet over HTTP asks for them', async () => {
  const { length } = stored('prices.parquet')
  const last = await ask('latest/prices.parquet', { Range: 'bytes=-8', Origin: 'https://any.example' })
  expect({ status: last.status, range: last.headers.get('content-range') }).toEqual({
    status: 206,
    range: `bytes ${length - 8}-${length - 1}/${length}`,
  })
  expect((await last.text()).slice(-4)).toBe('PAR1')
  expect(last.headers.get('access-control-allow-origin')).toBe('*')
  const exposed = last.headers.get('access-control-expose-headers')?.split(', ')
  expect(exposed).toEqual(expect.arrayContaining(['ETag', 'Accept-Ranges', 'Content-Range']))
  expect(await (await ask('latest/prices.parquet', { Range: 'bytes=0-3' })).text()).toBe('PAR1')
})

it.each(['prices.parquet', 'fund-data.sqlite'])(
  'gives out ranges of %s only of the version that a downloader insists on',
  async (file) => {
    const whole = await ask(`latest/${file}`)
    const etag = whole.headers.get('etag') ?? ''
    const modified = whole.headers.get('last-modified') ?? ''
    const statusOf = async (headers: Readonly<Record<string, string>>) => {
      const { status, headers: given } = await ask(`latest/${file}`, headers)
      return `${status} ${given.get('content-range') ?? 'whole'}`
    }
    const length = stored(file).length
    const part = { Range: 'bytes=0-9' }
    expect(await statusOf({ ...part, 'If-Match': etag })).toBe(`206 bytes 0-9/${length}`)
    expect(await statusOf({ ...part, 'If-Unmodified-Since': modified })).toBe(`206 bytes 0-9/${length}`)
    expect(await statusOf({ ...part, 'If-Match': '"another"' })).toBe('412 whole')
    expect(await statusOf({ ...part, 'If-Match': '"another"', 'If-Range': etag })).toBe('412 whole')
    // The condition comes before the range.
    const beyond = { Range: `bytes=${length}-` }
    expect(await statusOf({ ...beyond, 'If-Match': etag })).toBe(`416 bytes */${length}`)
    expect(await statusOf({ ...beyond, 'If-Match': '"another"' })).toBe('412 whole')
  },
)

it('takes each coding of a file for a version of its own', async () => {
  const packed = await ask('latest/prices.csv', { 'Accept-Encoding': 'gzip' })
  const ifMatch = { 'If-Match': packed.headers.get('etag') ?? '' }
  expect(packed.headers.get('content-encoding')).toBe('gzip')
  expect((await ask('latest/prices.csv', { 'Accept-Encoding': 'gzip', ...ifMatch })).status).toBe(200)
  const refused = await ask('latest/prices.csv', ifMatch)
  expect(refused.status).toBe(412)
  expect(await refused.json()).toEqual({
    title: 'This is not the version that If-Match or If-Unmodified-Since asks for',
    type: 'about:blank',
    status: 412,
  })
})

it.each([
  ['a fund that nothing is given out of', `latest/${oddFunds.denied}/prices.csv`],
  ['a fund whose prices are not given out', `latest/${oddFunds.pricesDenied}/nav.txt`],
  ['a fund without prices', `latest/${oddFunds.withoutData}/prices.json`],
  ['a day that is not there', '2001-01-01/prices.csv'],
])('answers 404 for %s', async (_, path) => {
  expect((await ask(path)).status).toBe(404)
})

it('has files of exactly the funds whose prices the API gives out', async () => {
  for (const isin of Object.values(oddFunds).filter((name) => name.startsWith('LU'))) {
    const api = await fetch(`${server?.base ?? ''}/api/v1/prices-current/${isin}/`)
    const file = await ask(`latest/${isin}/nav.txt`)
    expect({ isin, isThere: file.status === 200 }).toEqual({ isin, isThere: api.status === 200 })
  }
})

interface Resource {
  readonly path: string
  readonly bytes: number
  readonly hash: string
  readonly schema?: { readonly fields: readonly { readonly name: string }[]; readonly primaryKey: string[] }
}

it('describes every file but those of one fund in the data package, with the header of each CSV', async () => {
  const described = (await (await ask('latest/datapackage.json')).json()) as {
    resources: Resource[]
    excelFiles: { paths: string[] }
  }
  const sums = sumsOf(night?.folder ?? '')
  const own = ['datapackage.json', 'days.js', 'downloads.css', 'index.html', 'de.html']
  const files = [...sums.keys()].filter((path) => !/^[A-Z]{2}\w{10}\//.test(path) && !own.includes(path))
  const paths = described.resources.map(({ path }) => path)
  expect([...paths, ...described.excelFiles.paths].sort()).toEqual(files)
  for (const { path, bytes, hash, schema } of described.resources) {
    expect({ path, bytes, hash }).toEqual({
      path,
      bytes: stored(path).length,
      hash: `sha256:${sums.get(path) ?? ''}`,
    })
    // Its standard describes it: the second line has names, too.
    if (!path.endsWith('.csv') || path === 'openfunds.csv') continue
    const [header = ''] = stored(path).toString().split('\r\n')
    expect(schema?.fields.map(({ name }) => name)).toEqual(header.split(','))
    expect(header.split(',')).toEqual(expect.arrayContaining(schema?.primaryKey ?? []))
  }
})

it.each([
  ['index.html', 'en', 'All prices of all funds', /[0-9]\.[0-9]\u00a0kB/],
  ['de.html', 'de', 'Alle Preise aller Fonds', /[0-9],[0-9]\u00a0kB/],
])(
  'describes the data set for search engines in %s, without dead links',
  async (name, language, word, size) => {
    const page = await (await ask(`latest/${name}`)).text()
    expect(page).toContain(`<html lang="${language}">`)
    expect(page).toContain('hreflang="en" href="http://localhost:8080/downloads/latest/"')
    expect(page).toContain('hreflang="de" href="http://localhost:8080/downloads/latest/de.html"')
    expect(page).toContain(word)
    expect(page).toMatch(size)
    const [, json = ''] = /<script type="application\/ld\+json">([^]*?)<\/script>/.exec(page) ?? []
    const dataset = JSON.parse(json) as {
      '@type': string
      url: string
      distribution: { contentUrl: string }[]
    }
    expect(dataset['@type']).toBe('Dataset')
    expect(dataset.distribution.length).toBeGreaterThan(20)
    const links = [...page.matchAll(/href="([^"#]+)"/g)]
      .map(([, href = '']) => href)
      .filter((href) => !/^(\.\.\/|http:\/\/localhost:8080\/)/.test(href))
    expect(dataset.url).toBe(`http://localhost:8080/downloads/latest/${name.replace('index.html', '')}`)
    const files = dataset.distribution.map(({ contentUrl }) =>
      contentUrl.replace('http://localhost:8080/downloads/', ''),
    )
    for (const path of [...links.map((link) => `latest/${link}`), ...files]) {
      const { status } = await ask(path, { Range: 'bytes=0-0' })
      expect({ path, status }).toEqual({ path, status: expect.toBeOneOf([200, 206]) })
    }
    expect(page).not.toContain(hostileNames.markup)
  },
)
