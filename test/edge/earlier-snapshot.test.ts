/** A new edge over the snapshot of an earlier version, which has no CSV, no offsets in window lists, and no pages for browsers. */
import { cpSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { WindowList } from '../../src/api/routes/keys.ts'
import { tempFolder } from '../support/product.ts'
import { headerOf, rawRequest } from '../support/request.ts'
import { serveHere } from '../support/serve-here.ts'
import { buildDemo } from '../support/snapshots.ts'

const folder = tempFolder()
const out = folder.file('earlier')
let base: string
let isin: string

beforeAll(async () => {
  cpSync((await buildDemo()).out, out, { recursive: true })
  for (const key of globSync('api/**/*.csv', { cwd: out })) rmSync(join(out, key))
  for (const key of globSync('api/v1/prices-historic/*/index.json', { cwd: out })) {
    const { windows } = JSON.parse(readFileSync(join(out, key), 'utf8')) as WindowList
    const content: WindowList = { windows: windows.map(({ csv: _, months: __, ...window }) => window) }
    rmSync(join(out, key))
    writeFileSync(join(out, key), JSON.stringify(content))
  }
  isin =
    readdirSync(join(out, 'api/v1/prices-historic')).find((name) =>
      readdirSync(join(out, 'api/v1/prices-historic', name)).includes('index.json'),
    ) ?? ''
  const server = await serveHere(out)
  base = server.base
  return server.stop
})

const ask = async (path: string, headers: Record<string, string> = {}) => {
  const answer = await rawRequest(base, { target: `/api/v1/${path.replace('ISIN', isin)}`, headers })
  return { ...answer, title: (JSON.parse(answer.body.toString()) as { title?: string }).title }
}

const historic = 'prices-historic/ISIN'

it.each([
  'prices-current/ISIN/',
  'prices-current-all/',
  `${historic}/2025-01-01/2025-12-31/`,
  `${historic}/2024-11-07/2025-02-10/`,
  `${historic}/1970-01-01/1970-01-02/`,
])('refuses %s in CSV with 400, as the edge of that version did', async (path) => {
  for (const answer of [await ask(`${path}?format=csv`), await ask(path, { accept: 'text/csv' })]) {
    expect([answer.status, answer.title]).toEqual([400, 'Unsupported format: csv'])
    expect(headerOf(answer, 'content-type')).toBe('application/json; charset=utf-8')
  }
  expect((await ask(path)).status).toBe(200)
})

it('answers an unknown ISIN in CSV with 404', async () => {
  for (const path of ['prices-current/XX0000000002/', 'prices-historic/XX0000000002/2025-01-01/2025-12-31/'])
    expect((await ask(`${path}?format=csv`)).status).toBe(404)
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
