/** A new edge over the snapshot of an earlier version, which has no CSV, no offsets in window lists, and no pages for browsers. */
import { cpSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { WindowList } from '../../src/api/routes/keys.ts'
import type { EarlierWindowList } from '../../src/edge/core/earlier-list.ts'
import { tempFolder } from '../support/product.ts'
import { headerOf, rawRequest } from '../support/request.ts'
import { serveHere } from '../support/serve-here.ts'
import { buildDemo } from '../support/snapshots.ts'

const folder = tempFolder()
const out = folder.file('earlier')
let base: string
let todays: string
let isin: string

beforeAll(async () => {
  const today = (await buildDemo()).out
  cpSync(today, out, { recursive: true })
  for (const key of globSync('api/**/*.csv', { cwd: out })) rmSync(join(out, key))
  for (const key of globSync('api/v1/prices-historic/*/index.json', { cwd: out })) {
    const { windows } = JSON.parse(readFileSync(join(out, key), 'utf8')) as WindowList
    const content: EarlierWindowList = {
      windows: windows.map(({ csv: _, months: __, ...window }) => window),
    }
    rmSync(join(out, key))
    writeFileSync(join(out, key), JSON.stringify(content))
  }
  isin =
    readdirSync(join(out, 'api/v1/prices-historic')).find((name) =>
      readdirSync(join(out, 'api/v1/prices-historic', name)).includes('index.json'),
    ) ?? ''
  const servers = await Promise.all([out, today].map((snapshot) => serveHere(snapshot)))
  ;[base = '', todays = ''] = servers.map((server) => server.base)
  return () => Promise.all(servers.map((server) => server.stop()))
})

const historic = 'prices-historic/ISIN'

it.each([
  [`${historic}/2025-01-01/2025-12-31/`, 'json'],
  [`${historic}/2024-11-07/2025-02-10/`, 'json'],
  [`${historic}/2024-11-07/2025-02-10/`, 'xml'],
  [`${historic}/2020-05-04/2025-02-10/`, 'xml'],
  [`${historic}/2025-02-03/2025-02-10/`, 'json'],
  [`${historic}/1970-01-01/1970-01-02/`, 'xml'],
])('answers %s in %s as an edge does from a list of today', async (path, format) => {
  const target = `/api/v1/${path.replace('ISIN', isin)}?format=${format}`
  const [earlier, today] = [await rawRequest(base, { target }), await rawRequest(todays, { target })]
  expect(earlier.status).toBe(200)
  expect([earlier.body.toString(), headerOf(earlier, 'etag')]).toEqual([
    today.body.toString(),
    headerOf(today, 'etag'),
  ])
})

it.each(['/', '/?language=en', '/nothing/', '/docs/', '/not-found/'])(
  'answers a browser that asks for %s with 404, in JSON',
  async (target) => {
    const headers = { accept: 'text/html,application/xml;q=0.9,*/*;q=0.8', 'accept-language': 'en' }
    const answer = await rawRequest(base, { target, headers })
    expect(answer.status).toBe(404)
    const title = `There is no such endpoint: ${target.split('?')[0] ?? ''}`
    expect(JSON.parse(answer.body.toString())).toMatchObject({ title, status: 404 })
    expect(headerOf(answer, 'vary')).toBe('Accept')
  },
)
