/** The files for analysts, beside the slots. */
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { asOf, dayAfter, lay, press, sha256, useThreeSnapshots, withEdge } from '../support/analysts-files.ts'

useThreeSnapshots()

/** Larger than what is read into memory for a put. */
const large = Buffer.alloc(9 * 1024 * 1024, 'large\n')
const files = {
  'index.html': '<!doctype html>',
  'prices.csv': 'isin;date\r\n',
  'DE000FP06UX9/nav.txt': '1.23\n',
  'prices.parquet': 'PAR1',
  'funds.sqlite': large,
}
const keys = () => press.bucket.keys('downloads/').sort()

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

it('publishes no downloads if the snapshot has none', async () => {
  rmSync(join(press.nights.folder.file('night-1'), 'downloads'), { recursive: true, force: true })
  press.bucket.put(`downloads/${asOf}/prices.csv`, 'of another publish')
  const none = { put: 0, replaced: 0, deleted: 0, bytes: 0 }
  expect(await publish('night-1')).toMatchObject({ downloads: none, stderr: '' })
  expect(keys()).toEqual([`downloads/${asOf}/prices.csv`])
})

it('puts the files before the flip, the checksums last, each with its type', async () => {
  lay('night-1', asOf, files)
  lay('night-1', '2026-11-01', { 'prices.csv': 'of another night' })
  const { downloads, snapshot, stderr } = await publish('night-1')
  expect(stderr).toBe('')
  expect(downloads).toMatchObject({ put: 6, replaced: 0, deleted: 0 })
  const folder = `downloads/${snapshot}/`
  const names = [...Object.keys(files), 'SHA256SUMS']
  expect(keys()).toEqual(names.map((name) => folder + name).sort())
  expect(press.bucket.body(`${folder}funds.sqlite`).equals(large)).toBe(true)
  const puts = press.server.log.filter(({ method }) => method === 'PUT').map(({ key }) => key)
  expect(puts.findLast((key) => key.startsWith('downloads/'))).toBe(`${folder}SHA256SUMS`)
  expect(puts.indexOf(`${folder}SHA256SUMS`)).toBeLessThan(puts.indexOf('live.json'))
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
    sums: sha256(sums),
  })
})

it('a corrected day has a folder of its own; edges serve the live one, for the day and as the latest', async () => {
  lay('night-1', asOf, files)
  const first = await publish('night-1')
  await withEdge(async (csv) => {
    lay('again', asOf, { 'prices.csv': 'isin;date;corrected\r\n' })
    const again = await publish('again')
    expect(again).toMatchObject({ downloads: { put: 2, replaced: 0, deleted: 0 }, stderr: '' })
    expect(keys().filter((key) => key.includes(first.snapshot))).toHaveLength(6)
    for (const name of ['latest', asOf]) expect(await csv(name)).toBe('isin;date;corrected\r\n')
    lay('later', dayAfter, { 'prices.csv': 'of the day after' })
    expect(await publish('later')).toMatchObject({ stderr: '' })
    for (const name of ['latest', dayAfter]) expect(await csv(name)).toBe('of the day after')
    expect(await csv(asOf)).toBe('isin;date;corrected\r\n')
    expect(press.bucket.live()?.earlierDownloads).toEqual({ '2026-11': again.snapshot.slice(8) })
  })
})

it('serves only the days that live.json knows, and the latest', async () => {
  lay('night-1', asOf, files)
  const { snapshot } = await publish('night-1')
  press.bucket.put('downloads/2026-11-12-3f9c2ab4d1e0/prices.csv', 'of a publish that is under way')
  press.bucket.put('downloads/2026-11-10/prices.csv', 'as an earlier version put it')
  press.bucket.put('downloads/2026-11-12/prices.csv', 'of a day that is not yet live')
  const names = [snapshot, '2026-11-12-3f9c2ab4d1e0', dayAfter, '2026-13-01', '2026-11-10', asOf]
  const answers = await withEdge((csv) => Promise.all(names.map(csv)))
  expect(answers).toEqual([404, 404, 404, 404, 'as an earlier version put it', files['prices.csv']])
})

it('a publish after one that failed does not put files again', async () => {
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

it('a rollback restores the earlier files, also of the same day, and a second one brings them again', async () => {
  lay('night-1', asOf, { 'prices.csv': 'right' })
  const right = await publish('night-1')
  lay('again', asOf, { 'prices.csv': 'wrong' })
  await publish('again')
  await withEdge(async (csv) => {
    expect([await csv(asOf), await csv('latest')]).toEqual(['wrong', 'wrong'])
    const rollback = async () => expect(await press.json('rollback')).toMatchObject({ warnings: [] })
    await rollback()
    expect([await csv(asOf), await csv('latest')]).toEqual(['right', 'right'])
    // Its edition is known: nothing has to be published again.
    expect(JSON.parse((await press.publish('night-1')).stdout)).toMatchObject({ hasFlipped: false })
    await rollback()
    expect([await csv(asOf), await csv('latest')]).toEqual(['wrong', 'wrong'])
    await rollback()

    lay('later', dayAfter, { 'prices.csv': 'of the day after' })
    await publish('later')
    expect([await csv(asOf), await csv('latest')]).toEqual(['right', 'of the day after'])
    await rollback()
    expect([await csv(asOf), await csv('latest'), await csv(dayAfter)]).toEqual(['right', 'right', 404])
    await rollback()
    expect([await csv(asOf), await csv(dayAfter)]).toEqual(['right', 'of the day after'])
    expect(press.bucket.live()?.previous).toMatchObject({ downloads: { folder: right.snapshot } })
  })
})

it('a rollback warns if the files of its snapshot are missing, and continues', async () => {
  lay('night-1', asOf, { 'prices.csv': 'first' })
  const first = await publish('night-1')
  lay('later', dayAfter, { 'prices.csv': 'second' })
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

it('refuses a file that does not match its checksum', async () => {
  lay('night-1', asOf, files)
  writeFileSync(join(press.nights.folder.file('night-1'), 'downloads', asOf, 'prices.csv'), 'cut off')
  const stderr = expect.stringContaining('prices.csv') as string
  expect(await press.publish('night-1')).toMatchObject({ code: 1, stderr })
  expect(press.bucket.live()).toBeUndefined()
})

it('does not go live with the files of another build that replaced the folder meanwhile', async () => {
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
  const said = 'fundpress: slow was built anew meanwhile; nothing was flipped, publish again\n'
  expect([code, stderr]).toEqual([1, said])
  expect(press.bucket.live()).toBeUndefined()
  press.server.faults([])
  expect(await press.publish('slow')).toMatchObject({ code: 0 })
  expect(press.bucket.body(`${press.bucket.downloads()}prices.csv`).toString()).toBe('of the second')
})
