/** The analysts' files of a night, beside the slots. */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { buildNights, newBenchmark } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { startServer, startServing } from '../support/product.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'

const asOf = '2026-11-11'
/** Larger than what is read into memory for a put. */
const large = Buffer.alloc(9 * 1024 * 1024, 'large\n')
const files = {
  'index.html': '<!doctype html>',
  'prices.csv': 'isin;date\r\n',
  'DE000FP06UX9/nav.txt': '1.23\n',
  'prices.parquet': 'PAR1',
  'funds.sqlite': large,
}
type Files = Readonly<Record<string, string | Buffer>>

let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(1, 1))
  await press.nights.change('again', newBenchmark(1))
  await press.nights.change('later', newBenchmark(2), '--as-of', '2026-11-12')
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
})

/** Puts files into the folder of a snapshot, as `build` does. */
function lay(out: string, day: string, some: Files): void {
  const folder = join(press.nights.folder.file(out), 'downloads', day)
  rmSync(folder, { recursive: true, force: true })
  const sums = Object.entries(some).map(
    ([name, content]) => `${createHash('sha256').update(content).digest('hex')}  ${name}\n`,
  )
  for (const [name, content] of Object.entries({ ...some, SHA256SUMS: sums.sort().join('') })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
}

const keys = () => press.bucket.keys('downloads/').sort()
const putKeys = () =>
  press.server.log
    .filter(({ operation, key }) => operation === 'PutObject' && key.startsWith('downloads/'))
    .map(({ key }) => key.slice('downloads/'.length))

/** Publishes, and holds plan against it. */
async function publish(out: string, ...flags: readonly string[]) {
  const planned = await press.json<{ requests: object; downloads: object }>(['plan', '--out', out, ...flags])
  press.server.reset()
  const run = await press.publish(out, '--quiet', ...flags)
  expect(run, run.stderr).toMatchObject({ code: 0 })
  const { downloads, snapshot } = JSON.parse(run.stdout) as { downloads: object; snapshot: string }
  expect({ planned: planned.downloads, requests: planned.requests }).toEqual({
    planned: downloads,
    requests: { DeleteObjects: 0, ListObjectsV2: 0, ...press.server.counts() },
  })
  return { downloads, snapshot, stderr: run.stderr }
}

/** Follows each flip at once. */
const serveBucket = () => {
  const env = { ...credentials, FUNDPRESS_BUCKET_GRACE_SECONDS: '0', FUNDPRESS_EDGE_LIVE_TTL_SECONDS: '0' }
  return startServing(bucketArgs(press.server.endpoint, press.bucket.name), { env })
}

it('a snapshot without downloads publishes none', async () => {
  rmSync(join(press.nights.folder.file('night-1'), 'downloads'), { recursive: true, force: true })
  press.bucket.put(`downloads/${asOf}/prices.csv`, 'of another publish')
  const { downloads, stderr } = await publish('night-1')
  expect({ downloads, stderr }).toEqual({
    downloads: { put: 0, replaced: 0, deleted: 0, bytes: 0 },
    stderr: '',
  })
  expect(keys()).toEqual([`downloads/${asOf}/prices.csv`])
})

it('puts the files of the night before the flip, their checksums last, each with its type', async () => {
  lay('night-1', asOf, files)
  lay('night-1', '2026-11-01', { 'prices.csv': 'of another night' })
  const { downloads, snapshot, stderr } = await publish('night-1')
  expect(stderr).toBe('')
  expect(downloads).toMatchObject({ put: 6, replaced: 0, deleted: 0 })
  const folder = `downloads/${snapshot}/`
  const names = [...Object.keys(files), 'SHA256SUMS']
  expect(keys()).toEqual(names.map((name) => folder + name).sort())
  expect(press.bucket.body(`${folder}funds.sqlite`).equals(large)).toBe(true)
  expect(putKeys().at(-1)).toBe(`${snapshot}/SHA256SUMS`)
  const order = press.server.log.map(({ method, key }) => `${method} ${key}`)
  expect(order.indexOf(`PUT ${folder}SHA256SUMS`)).toBeLessThan(order.indexOf('PUT live.json'))
  const headersOf = (name: string) => press.server.objects('funds').get(folder + name)?.headers
  expect(headersOf('prices.csv')).toMatchObject({
    'content-type': 'text/csv; charset=utf-8',
    'cache-control': 'public, max-age=300, stale-while-revalidate=3600, stale-if-error=86400',
  })
  expect(headersOf('SHA256SUMS')?.['content-type']).toBe('text/plain; charset=utf-8')
  expect(headersOf('funds.sqlite')?.['content-type']).toBe('application/vnd.sqlite3')
  const sums = press.bucket.body(`${folder}SHA256SUMS`)
  expect(press.bucket.live()?.downloads).toEqual({
    folder: snapshot,
    files: 6,
    bytes: names.reduce((sum, name) => sum + press.bucket.body(folder + name).length, 0),
    sums: createHash('sha256').update(sums).digest('hex'),
  })
})

it('a corrected night has a folder of its own; edges give out the one that is live, for the day and as the latest', async () => {
  lay('night-1', asOf, files)
  const first = await publish('night-1')
  const { base, stop } = await serveBucket()
  const csv = async (name: string) => (await fetch(`${base}/downloads/${name}/prices.csv`)).text()
  lay('again', asOf, { 'prices.csv': 'isin;date;corrected\r\n' })
  const again = await publish('again')
  expect(again).toMatchObject({ downloads: { put: 2, replaced: 0, deleted: 0 }, stderr: '' })
  expect(keys().filter((key) => key.includes(first.snapshot))).toHaveLength(6)
  for (const name of ['latest', asOf]) expect(await csv(name)).toBe('isin;date;corrected\r\n')
  lay('later', '2026-11-12', { 'prices.csv': 'of the day after' })
  expect(await publish('later')).toMatchObject({ stderr: '' })
  for (const name of ['latest', '2026-11-12']) expect(await csv(name)).toBe('of the day after')
  expect(await csv(asOf)).toBe('isin;date;corrected\r\n')
  expect(press.bucket.live()?.earlierDownloads).toEqual({ '2026-11': again.snapshot.slice(8) })
  await stop()
})

it('no address leads to a folder but a day that live.json knows, and latest', async () => {
  lay('night-1', asOf, files)
  const { snapshot } = await publish('night-1')
  press.bucket.put('downloads/2026-11-12-3f9c2ab4d1e0/prices.csv', 'of a publish that is under way')
  press.bucket.put('downloads/2026-11-10/prices.csv', 'as an earlier version put it')
  press.bucket.put('downloads/2026-11-12/prices.csv', 'of a day that is not yet live')
  const { base, stop } = await serveBucket()
  const names = [snapshot, '2026-11-12-3f9c2ab4d1e0', '2026-11-12', '2026-13-01', '2026-11-10', asOf]
  const statuses = names.map(async (name) => (await fetch(`${base}/downloads/${name}/prices.csv`)).status)
  expect(await Promise.all(statuses)).toEqual([404, 404, 404, 404, 200, 200])
  await stop()
})

it('a publish that was killed among them is taken up: what is there is not put again', async () => {
  lay('night-1', asOf, files)
  press.server.faults([
    { kind: 'status', operation: 'PutObject', keyMatches: /SHA256SUMS/, status: 403, code: 'AccessDenied' },
  ])
  expect(await press.publish('night-1')).toMatchObject({ code: 1 })
  expect(press.bucket.live()).toBeUndefined()
  press.server.faults([])
  const { downloads } = await publish('night-1')
  expect(downloads).toMatchObject({ put: 1, replaced: 0 })
})

it('a rollback takes the files back, within a day, too, and a second one brings them again', async () => {
  lay('night-1', asOf, { 'prices.csv': 'right' })
  const right = await publish('night-1')
  lay('again', asOf, { 'prices.csv': 'wrong' })
  await publish('again')
  const { base, stop } = await serveBucket()
  const csv = async (name = asOf) => {
    const answer = await fetch(`${base}/downloads/${name}/prices.csv`)
    return answer.status === 200 ? answer.text() : answer.status
  }
  expect([await csv(), await csv('latest')]).toEqual(['wrong', 'wrong'])
  const rollback = async () => {
    const { code, stdout, stderr } = await press.fundpress('rollback --json')
    expect([code, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout)).toMatchObject({ warnings: [] })
  }
  await rollback()
  expect([await csv(), await csv('latest')]).toEqual(['right', 'right'])
  // Its edition is known: nothing has to be published again.
  expect(JSON.parse((await press.publish('night-1')).stdout)).toMatchObject({ hasFlipped: false })
  await rollback()
  expect([await csv(), await csv('latest')]).toEqual(['wrong', 'wrong'])
  await rollback()

  lay('later', '2026-11-12', { 'prices.csv': 'of the day after' })
  await publish('later')
  expect([await csv(), await csv('latest')]).toEqual(['right', 'of the day after'])
  await rollback()
  expect([await csv(), await csv('latest'), await csv('2026-11-12')]).toEqual(['right', 'right', 404])
  await rollback()
  expect([await csv(), await csv('2026-11-12')]).toEqual(['right', 'of the day after'])
  expect(press.bucket.live()?.previous).toMatchObject({ downloads: { folder: right.snapshot } })
  await stop()
})

it('a rollback says so where the files of what it brings back are gone, and goes on', async () => {
  lay('night-1', asOf, { 'prices.csv': 'first' })
  const first = await publish('night-1')
  lay('later', '2026-11-12', { 'prices.csv': 'second' })
  await publish('later')
  press.bucket.remove(`downloads/${first.snapshot}/SHA256SUMS`)
  const { code, stderr } = await press.fundpress('rollback')
  expect([code, stderr]).toEqual([
    0,
    `fundpress: s3://funds: downloads/${first.snapshot}/ could not be found whole: publish the folder of ` +
      `${first.snapshot} again (\`fundpress publish --repair --out …\`)\n`,
  ])
  expect(press.bucket.live()).toMatchObject({ snapshot: first.snapshot })
})

it('a file that is not what its checksums say goes nowhere, and nothing goes live', async () => {
  lay('night-1', asOf, files)
  writeFileSync(join(press.nights.folder.file('night-1'), 'downloads', asOf, 'prices.csv'), 'cut off')
  const { code, stderr } = await press.publish('night-1')
  expect(code).toBe(1)
  expect(stderr).toContain('prices.csv')
  expect(press.bucket.live()).toBeUndefined()
})

it('serve gives them out of the folder, for the day and as the latest', async () => {
  lay('night-1', asOf, files)
  const server = await startServer(press.nights.folder.file('night-1'))
  for (const day of [asOf, 'latest']) {
    const nav = await fetch(`${server.base}/downloads/${day}/DE000FP06UX9/nav.txt`)
    expect({ status: nav.status, text: await nav.text() }).toEqual({ status: 200, text: '1.23\n' })
    const page = await fetch(`${server.base}/downloads/${day}/`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const sums = await fetch(`${server.base}/downloads/${day}/SHA256SUMS`, { redirect: 'manual' })
    expect(sums.status).toBe(200)
    expect(sums.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  }
  await server.stop()
})

it('goes live with no files of another night, which has come into the folder meanwhile', async () => {
  const place = (name: string) => press.nights.folder.file(name)
  cpSync(place('night-1'), place('slow'), { recursive: true })
  cpSync(place('again'), place('quick'), { recursive: true })
  lay('slow', asOf, { 'prices.csv': 'of the first' })
  lay('quick', asOf, { 'prices.csv': 'of the second' })
  const replace = () => {
    renameSync(place('slow'), place('aside'))
    renameSync(place('quick'), place('slow'))
  }
  const match = { method: 'PUT', keyMatches: /changes\/index\.json$/, times: 1 }
  press.server.faults([{ ...match, kind: 'call', when: 'after', run: replace }])
  const { code, stderr } = await press.publish('slow')
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'fundpress: slow was built anew meanwhile; nothing was flipped, publish again\n',
  })
  expect(press.bucket.live()).toBeUndefined()
  press.server.faults([])
  expect(await press.publish('slow')).toMatchObject({ code: 0 })
  expect(press.bucket.body(`${press.bucket.downloads()}prices.csv`).toString()).toBe('of the second')
})
