/** What may no longer be given out leaves the downloads of earlier days. Expired downloads go, too. */
import { writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { editDatabase } from '../support/database.ts'
import { buildNights, newBenchmark } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { startServing } from '../support/product.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'

const kinds = ['data', 'prices', 'performance'] as const
const [first, second, third, fourth] = ['2026-11-11', '2026-11-12', '2026-11-13', '2026-11-14'] as const
const withDownloads = { FUNDPRESS_DOWNLOADS: 'true' }

let press: Press
let isin = ''
const db = () => press.nights.folder.file('funds.sqlite')

async function build(out: string, asOf: string, sql: string): Promise<void> {
  editDatabase(db(), sql)
  const line = `build --db funds.sqlite --out ${out} --as-of ${asOf} --quiet`
  expect(await press.bare(line, withDownloads)).toMatchObject({ code: 0 })
}

/** Ends something for the fund, builds, and permits it again. */
async function buildWithout(kind: string, out: string, asOf: string): Promise<void> {
  await build(out, asOf, `UPDATE fund SET ${kind}_permitted = 0 WHERE isin = '${isin}'`)
  editDatabase(db(), `UPDATE fund SET ${kind}_permitted = 1 WHERE isin = '${isin}'`)
}

beforeAll(async () => {
  press = await openPress(await buildNights(0, 2, { years: 2 }))
  isin = new Database(db(), { readonly: true }).prepare<[], string>('SELECT max(isin) FROM fund').pluck().get() ?? ''
  await build('first', first, newBenchmark(1))
  await build('second', second, newBenchmark(2))
  for (const kind of kinds) await buildWithout(kind, `no-${kind}`, third)
  await buildWithout('prices', 'fourth', fourth)
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
  configure({})
})

const configure = (downloads: object) =>
  writeFileSync(press.nights.folder.file('fundpress.config.json'), JSON.stringify({ downloads }))

async function publish(out: string, ...flags: readonly string[]) {
  const run = await press.publish(out, '--force', '--reason', 'test', ...flags)
  expect(run, run.stderr).toMatchObject({ code: 0, stderr: '' })
  return JSON.parse(run.stdout) as { readonly removed: readonly object[] }
}

/** The names below `downloads/`. */
const folders = () => [...new Set(press.bucket.keys('downloads/').map((key) => key.split('/')[1] ?? ''))].sort()
const folderOf = (day: string) => press.bucket.downloads(day).split('/')[1] ?? ''
const verify = async () => {
  const { code, stdout } = await press.fundpress('verify')
  return [code, ...stdout.split('\n').filter((line) => line.startsWith('downloads/'))]
}

/** @param work is given the status of a day's prices.csv at an edge that follows each flip at once */
async function withEdge(work: (status: (day: string) => Promise<number>) => Promise<void>): Promise<void> {
  const env = { ...credentials, FUNDPRESS_BUCKET_GRACE_SECONDS: '0', FUNDPRESS_EDGE_LIVE_TTL_SECONDS: '0' }
  const server = await startServing(bucketArgs(press.server.endpoint, press.bucket.name), { env })
  try {
    await work(async (day) => (await fetch(`${server.base}/downloads/${day}/prices.csv`)).status)
  } finally {
    await server.stop()
  }
}

/** Two days that may give out everything. @returns their folders */
async function publishTwoDays(): Promise<readonly string[]> {
  for (const out of ['first', 'second']) expect(await publish(out)).toMatchObject({ removed: [] })
  return [folderOf(first), folderOf(second)]
}

it.each(kinds)('a publish in which the %s of a fund may no longer be given out removes earlier downloads', async (kind) => {
  const earlier = await publishTwoDays()
  const withdrawn = earlier.map((folder) => ({ folder, why: 'withdrawn', isins: [isin], isHeld: false }))
  await withEdge(async (status) => {
    expect([await status(first), await status(second)]).toEqual([200, 200])
    expect(await publish(`no-${kind}`)).toMatchObject({ removed: withdrawn })
    const answers = [await status(first), await status(second), await status(third), await status('latest')]
    expect(answers).toEqual([404, 404, 200, 200])
  })
  expect(folders()).toEqual([folderOf(third)])
  expect(await verify()).toEqual([0])
})
