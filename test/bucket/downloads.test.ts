/** The files for analysts, beside the slots: they belong to the flip, and verify, status, rollback and prune know them. */
import { cpSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { asOf, csv, dayAfter, lay, press, sha256, useThreeSnapshots } from '../support/analysts-files.ts'
import { expectFailure, expectSuccess } from '../cli/outcome.ts'
import { sample } from '../support/rounds.ts'

useThreeSnapshots()
beforeAll(() => {
  for (const [out, day, text] of [
    ['night-1', asOf, 'first'],
    ['again', asOf, 'again'],
    ['later', dayAfter, 'later'],
  ] as const)
    lay(out, day, { 'funds.csv': `funds ${text}`, 'prices.csv': `prices ${text}` })
})

const mustPublish = (out: string) => expectSuccess(press.publish(out))
const mustRun = (command: string) => expectSuccess(press.fundpress(command))

const age = (days: number) => {
  for (const object of press.server.objects('funds').values())
    (object as { lastModified: number }).lastModified -= days * 24 * 3_600_000
}

const prune = async (flags = '') =>
  (await press.json<{ objects: readonly { kind: string; key: string }[] }>(`prune ${flags}`.trim())).objects

it('a publish that stops at a write before the flip leaves the live downloads as they were; the next is complete', async () => {
  const out = 'again'
  const remains = async () =>
    (await prune()).filter(({ kind }) => kind === 'replaced').map(({ key }) => key.split('/').at(-1))
  await mustPublish('night-1')
  const restore = press.bucket.save()
  press.server.reset()
  await mustPublish(out)
  const writes = press.server.log.filter(({ method }) => method === 'PUT').map(({ key }) => key)
  const first = writes.findIndex((key) => key.startsWith('downloads/'))
  const flip = writes.indexOf('live.json')
  expect(first).toBeGreaterThan(0)
  expect(flip - first).toBeGreaterThan(3)
  for (const nth of sample([...writes.keys()].slice(first, flip), { least: 3 })) {
    restore()
    press.server.reset()
    // Nothing that comes after it gets to the store.
    const die = () => {
      press.server.faults(['PUT', 'POST'].map((method) => ({ kind: 'status', status: 403, method })))
    }
    press.server.faults([{ kind: 'call', when: 'before', method: 'PUT', nth: nth + 1, run: die }])
    expect(await press.publish(out)).toMatchObject({ code: 1 })
    press.server.faults([])
    const live = { latest: await csv('latest'), asOf: await csv(asOf), dayAfter: await csv(dayAfter) }
    expect(live, `write ${nth}`).toEqual({ latest: 'prices first', asOf: 'prices first', dayAfter: 404 })
  }
  await mustRun('verify --deep')
  expect(await press.json('status')).toMatchObject({ consistency: { downloads: 'whole' } })
  // Young remains may belong to a publish that is under way.
  expect(await remains()).toEqual([])
  age(2)
  expect(await remains()).toEqual(['SHA256SUMS', 'funds.csv', 'prices.csv'])
  await mustPublish(out)
  expect(await csv('latest')).toBe(`prices ${out}`)
  await mustRun('verify --deep')
})

it('verify names what differs from the checksums, and a repair restores it', async () => {
  await mustPublish('night-1')
  const folder = press.bucket.downloads()
  const verify = async (...flags: readonly string[]) => {
    const { code, stdout } = await press.fundpress(['verify', ...flags])
    return { code, differences: stdout.split('\n').filter((line) => line.startsWith('downloads/')) }
  }
  const noDifferences = { code: 0, differences: [] }
  expect(await verify()).toEqual(noDifferences)
  expect(await press.json('verify')).toMatchObject({ downloads: 3, differences: [] })
  press.bucket.put(`${folder}prices.csv`, 'another')
  press.bucket.put(`${folder}extra.csv`, 'x')
  press.bucket.remove(`${folder}funds.csv`)
  expect(await verify()).toEqual({
    code: 1,
    differences: [
      `${folder}extra.csv is in no manifest`,
      `${folder}funds.csv is not there`,
      `${folder}prices.csv has another size`,
    ],
  })
  expect((await press.publish('night-1', '--repair')).stderr).toContain('1 replaced, 1 removed')
  expect(press.bucket.downloads()).toBe(folder)
  expect(await verify('--deep')).toEqual(noDifferences)
  // Bodies that rotted under their old ETag are found by reading them.
  const object = press.server.objects('funds').get(`${folder}prices.csv`) as { body: Buffer } | undefined
  if (object !== undefined) object.body = Buffer.from('prices FIRST')
  expect(await verify()).toEqual(noDifferences)
  expect(await verify('--deep')).toEqual({
    code: 1,
    differences: [`${folder}prices.csv has another body`],
  })
  expect(await press.publish('night-1', '--repair', '--deep')).toMatchObject({ code: 0 })
  expect(await verify('--deep')).toEqual(noDifferences)
})

it('status says whether documents and downloads belong to the live snapshot', async () => {
  await mustPublish('night-1')
  const { snapshot = '' } = press.bucket.live() ?? {}
  const folder = press.bucket.downloads()
  const consistency = { documents: snapshot, downloads: 'whole' }
  expect(await press.json('status')).toMatchObject({ consistency, alarms: [] })
  expect((await press.fundpress('status')).stdout).toMatch(/^downloads +3 files, .*, of this snapshot$/m)
  const restore = press.bucket.save()
  const expectAlarm = async (alarm: string) => {
    const said = `fundpress: s3://funds: ${alarm}: \`fundpress publish --repair\` repairs it\n`
    expect(await press.fundpress('status')).toMatchObject({ code: 1, stderr: said })
    restore()
  }
  press.bucket.remove(`${folder}SHA256SUMS`)
  await expectAlarm(`the downloads of ${snapshot} are missing (${folder})`)
  press.bucket.put(`${folder}SHA256SUMS`, 'of others')
  await expectAlarm(`${folder} does not hold the downloads of ${snapshot}`)
  press.bucket.remove('blue/manifest.ndjson.gz')
  await expectAlarm(`live.json names ${snapshot}, but blue holds no manifest that can be read`)
})

it('prune removes downloads that another publish of the day replaced, and, with --keep-downloads, days that are too old', async () => {
  await mustPublish('night-1')
  const first = press.bucket.downloads()
  await mustPublish('again')
  const again = press.bucket.downloads()
  await mustPublish('later')
  press.bucket.put('downloads/2026-11-01-3f9c2ab4d1e0/prices.csv', 'x')
  press.bucket.put('downloads/2026-11-12-3f9c2ab4d1e0/prices.csv', 'x')
  for (const name of ['2026-11-02', 'latest', 'readme']) press.bucket.put(`downloads/${name}/prices.csv`, 'x')
  age(2)
  const folders = async (flags?: string) =>
    [...new Set((await prune(flags)).map(({ kind, key }) => `${kind} ${key.replace(/[^/]+$/, '')}`))].sort()
  // A day that live.json does not name may have been live: only its age removes it.
  const replaced = [first, 'downloads/2026-11-12-3f9c2ab4d1e0/'].sort()
  const tooOld = [...replaced, 'downloads/2026-11-01-3f9c2ab4d1e0/'].sort()
  expect(await folders()).toEqual(replaced.map((folder) => `replaced ${folder}`))
  expect(await folders('--keep-downloads 0')).toEqual(tooOld.map((folder) => `download ${folder}`))
  expect(await folders('--yes')).toEqual(replaced.map((folder) => `replaced ${folder}`))
  expect(press.bucket.keys(again)).toHaveLength(3)
  await mustRun('rollback')
})

/** Larger than what is read into memory for a put. */
const large = Buffer.alloc(9 * 1024 * 1024, 'large\n')
const files = {
  'index.html': '<!doctype html>',
  'prices.csv': 'isin;date\r\n',
  'DE000FP06UX9/nav.txt': '1.23\n',
  'prices.parquet': 'PAR1',
}
const keys = () => press.bucket.keys('downloads/').sort()

/** Publishes, and holds plan against it. */
async function publish(out: string) {
  const planned = await press.json<{ requests: object; downloads: object }>(`plan --out ${out}`)
  press.server.reset()
  const { code, stdout, stderr } = await press.publish(out)
  expect(code, stderr).toBe(0)
  const { downloads, snapshot } = JSON.parse(stdout) as { downloads: object; snapshot: string }
  const requests = { DeleteObjects: 0, ListObjectsV2: 0, ...press.server.counts() }
  expect({ downloads: planned.downloads, requests: planned.requests }).toEqual({ downloads, requests })
  return { downloads, snapshot, stderr }
}

it('publishes no downloads if the snapshot has none', async () => {
  rmSync(join(press.nights.folder.file('night-1'), 'downloads'), { recursive: true, force: true })
  press.bucket.put(`downloads/${asOf}/prices.csv`, 'of another publish')
  const none = { put: 0, replaced: 0, deleted: 0, bytes: 0 }
  expect(await publish('night-1')).toMatchObject({ downloads: none, stderr: '' })
  expect(keys()).toEqual([`downloads/${asOf}/prices.csv`])
})

it('puts the files before the flip, the checksums last, each with its type', async () => {
  const withLarge = { ...files, 'funds.sqlite': large }
  lay('night-1', asOf, withLarge)
  lay('night-1', '2026-11-01', { 'prices.csv': 'of another night' })
  const { downloads, snapshot, stderr } = await publish('night-1')
  expect(stderr).toBe('')
  expect(downloads).toMatchObject({ put: 6, replaced: 0, deleted: 0 })
  const folder = `downloads/${snapshot}/`
  const names = [...Object.keys(withLarge), 'SHA256SUMS']
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
  const bytes = names.reduce((sum, name) => sum + press.bucket.body(folder + name).length, 0)
  const sums = sha256(press.bucket.body(`${folder}SHA256SUMS`))
  expect(press.bucket.live()?.downloads).toEqual({ folder: snapshot, files: 6, bytes, sums })
})

it('a corrected day has a folder of its own; edges serve the live one, for the day and as the latest', async () => {
  lay('night-1', asOf, files)
  const first = await publish('night-1')
  lay('again', asOf, { 'prices.csv': 'isin;date;corrected\r\n' })
  const again = await publish('again')
  expect(again).toMatchObject({ downloads: { put: 2, replaced: 0, deleted: 0 }, stderr: '' })
  expect(keys().filter((key) => key.includes(first.snapshot))).toHaveLength(5)
  for (const name of ['latest', asOf]) expect(await csv(name)).toBe('isin;date;corrected\r\n')
  lay('later', dayAfter, { 'prices.csv': 'of the day after' })
  expect(await publish('later')).toMatchObject({ stderr: '' })
  for (const name of ['latest', dayAfter]) expect(await csv(name)).toBe('of the day after')
  expect(await csv(asOf)).toBe('isin;date;corrected\r\n')
  expect(press.bucket.live()?.earlierDownloads).toEqual({ '2026-11': again.snapshot.slice(8) })
})

it('has the store copy files that did not change, and puts those that are damaged there', async () => {
  lay('night-1', asOf, files)
  const { snapshot } = await publish('night-1')
  press.bucket.put(`downloads/${snapshot}/prices.parquet`, 'damaged')
  lay('later', dayAfter, { ...files, 'prices.csv': 'of the day after' })
  press.server.reset()
  const run = await press.publish('later')
  expect({ code: run.code, stderr: run.stderr }).toEqual({ code: 0, stderr: '' })
  const folder = `downloads/${press.bucket.live()?.downloads?.folder}/`
  const puts = press.server.log.filter(({ key, status }) => key.startsWith(folder) && status === 200)
  expect(puts.filter(({ body }) => body.length === 0).map(({ key }) => key.slice(folder.length))).toEqual(
    expect.arrayContaining(['DE000FP06UX9/nav.txt', 'index.html']),
  )
  expect(puts.filter(({ body }) => body.length > 0)).toHaveLength(3)
  expect(press.bucket.body(`${folder}prices.parquet`).toString()).toBe('PAR1')
  expect(press.server.objects('funds').get(`${folder}index.html`)?.headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'x-amz-meta-sha256': sha256(Buffer.from(files['index.html'])),
  })
})

it('serves only the days that live.json knows, and the latest', async () => {
  lay('night-1', asOf, files)
  const { snapshot } = await publish('night-1')
  press.bucket.put('downloads/2026-11-12-3f9c2ab4d1e0/prices.csv', 'of a publish that is under way')
  press.bucket.put('downloads/2026-11-10/prices.csv', 'of a foreign folder')
  press.bucket.put('downloads/2026-11-12/prices.csv', 'of a day that is not yet live')
  const names = [snapshot, '2026-11-12-3f9c2ab4d1e0', dayAfter, '2026-13-01', '2026-11-10', asOf]
  const answers = await Promise.all(names.map(csv))
  expect(answers).toEqual([404, 404, 404, 404, 404, files['prices.csv']])
})

it('a rollback restores the earlier files, also of the same day, and a second one brings them again', async () => {
  lay('night-1', asOf, { 'prices.csv': 'right' })
  await publish('night-1')
  lay('again', asOf, { 'prices.csv': 'wrong' })
  await publish('again')
  expect([await csv(asOf), await csv('latest')]).toEqual(['wrong', 'wrong'])
  const rollback = async () =>
    expect(await press.json('rollback --allow hold --reason again')).toMatchObject({ warnings: [] })
  await rollback()
  expect([await csv(asOf), await csv('latest')]).toEqual(['right', 'right'])
  await rollback()
  expect([await csv(asOf), await csv('latest')]).toEqual(['wrong', 'wrong'])
})

it('a rollback warns if the files of its snapshot are missing, and continues', async () => {
  lay('night-1', asOf, { 'prices.csv': 'first' })
  const first = await publish('night-1')
  lay('later', dayAfter, { 'prices.csv': 'second' })
  await publish('later')
  press.bucket.remove(`downloads/${first.snapshot}/SHA256SUMS`)
  const stderr =
    `fundpress: s3://funds: downloads/${first.snapshot}/ could not be found whole: publish the folder of ` +
    `${first.snapshot} again (\`fundpress publish --repair --out …\`)\n`
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr })
  expect(press.bucket.live()).toMatchObject({ snapshot: first.snapshot })
})

it('refuses a file that does not match its checksum', async () => {
  writeFileSync(join(press.nights.folder.file('night-1'), 'downloads', asOf, 'prices.csv'), 'cut off')
  await expectFailure(press.publish('night-1'), /prices\.csv/)
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
  const said = 'fundpress: slow was built anew meanwhile; nothing was flipped, publish again\n'
  expect(await press.publish('slow')).toMatchObject({ code: 1, stderr: said })
  expect(press.bucket.live()).toBeUndefined()
})
