/** Downloads belong to the flip: a publish that dies, buckets of earlier versions, verify, status and prune. */
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { chooseFolder, earlierAfter, earlierFolders } from '../../src/publish/live-downloads.ts'
import type { Live } from '../../src/publish/live.ts'
import { buildNights, newBenchmark } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { startServing } from '../support/product.ts'
import { bucketArgs, credentials } from '../support/publishing.ts'

const asOf = '2026-11-11'
const sha256 = (content: string | Buffer) => createHash('sha256').update(content).digest('hex')

let press: Press
beforeAll(async () => {
  press = await openPress(await buildNights(1, 1))
  await press.nights.change('again', newBenchmark(1))
  await press.nights.change('later', newBenchmark(2), '--as-of', '2026-11-12')
  lay('night-1', asOf, 'first')
  lay('again', asOf, 'again')
  lay('later', '2026-11-12', 'later')
})
afterAll(() => press.stop())
beforeEach(() => {
  press.reset()
})

/** Two files and their checksums, as `build` makes them. */
function lay(out: string, day: string, text: string): void {
  const folder = join(press.nights.folder.file(out), 'downloads', day)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const files = { 'funds.csv': `funds ${text}`, 'prices.csv': `prices ${text}` }
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  const sums = Object.entries(files).map(([name, content]) => `${sha256(content)}  ${name}\n`)
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''))
}

async function mustPublish(out: string, ...flags: readonly string[]): Promise<void> {
  expect(await press.publish(out, ...flags)).toMatchObject({ code: 0, stderr: '' })
}

/** What an edge gives out: a text, or a status that is not 200. */
async function withEdge<T>(
  work: (csv: (name: string) => Promise<string | number>) => Promise<T>,
): Promise<T> {
  const env = { ...credentials, FUNDPRESS_EDGE_LIVE_TTL_SECONDS: '0' }
  const server = await startServing(bucketArgs(press.server.endpoint, press.bucket.name), { env })
  try {
    return await work(async (name) => {
      const answer = await fetch(`${server.base}/downloads/${name}/prices.csv`)
      return answer.status === 200 ? answer.text() : answer.status
    })
  } finally {
    await server.stop()
  }
}

const age = (days: number) => {
  for (const object of press.server.objects('funds').values())
    (object as { lastModified: number }).lastModified -= days * 24 * 3_600_000
}

interface Pruned {
  readonly objects: readonly { readonly kind: string; readonly key: string }[]
}
const prune = async (flags = '') => (await press.json<Pruned>(`prune ${flags}`.trim())).objects

/** As the version before left a bucket: the files in the folder of their day, and nothing of it in live.json. */
function makeOld(): void {
  const { downloads, earlierDownloads, previous, ...rest } = press.bucket.live() ?? {}
  expect([downloads, earlierDownloads]).not.toContain(undefined)
  const folder = press.bucket.downloads()
  for (const key of press.bucket.keys(folder)) {
    press.bucket.put(key.replace(folder, `downloads/${asOf}/`), press.bucket.body(key))
    press.bucket.remove(key)
  }
  for (const key of press.bucket.keys('journal/')) if (key.includes('downloads')) press.bucket.remove(key)
  press.bucket.put('live.json', JSON.stringify({ ...rest, previous: previous ?? null }))
}

describe.each([
  ['the day after', 'later'],
  ['a correction of the day', 'again'],
])('a publish of %s that dies', (_, out) => {
  const remains = async () =>
    (await prune()).filter(({ kind }) => kind === 'replaced').map(({ key }) => key.split('/').at(-1))

  it('before the flip leaves what is live as it was, whatever it has written; the next one is whole', async () => {
    await mustPublish('night-1')
    const restore = press.bucket.save()
    press.server.reset()
    await mustPublish(out)
    const writes = press.server.log.filter(({ method }) => method === 'PUT').map(({ key }) => key)
    const first = writes.findIndex((key) => key.startsWith('downloads/'))
    const flip = writes.indexOf('live.json')
    expect([first > 0, flip - first > 3]).toEqual([true, true])
    await withEdge(async (csv) => {
      for (let nth = first; nth < flip; nth++) {
        restore()
        press.server.reset()
        // Nothing that comes after it gets to the store.
        const die = () => {
          press.server.faults([
            { kind: 'status', status: 403, method: 'PUT' },
            { kind: 'status', status: 403, method: 'POST' },
          ])
        }
        press.server.faults([{ kind: 'call', when: 'before', method: 'PUT', nth: nth + 1, run: die }])
        expect(await press.publish(out)).toMatchObject({ code: 1 })
        press.server.faults([])
        const live = [await csv('latest'), await csv(asOf), await csv('2026-11-12')]
        expect([nth, ...live]).toEqual([nth, 'prices first', 'prices first', 404])
      }
    })
    expect(await press.fundpress('verify --deep')).toMatchObject({ code: 0, stderr: '' })
    expect(await press.json('status')).toMatchObject({ consistency: { downloads: 'whole' } })
    // Young remains may be those of a publish that is under way.
    expect(await remains()).toEqual([])
    age(2)
    expect(await remains()).toEqual(['SHA256SUMS', 'funds.csv', 'prices.csv'])
    await mustPublish(out)
    await withEdge(async (csv) => expect(await csv('latest')).toBe(`prices ${out}`))
    expect(await press.fundpress('verify --deep')).toMatchObject({ code: 0, stderr: '' })
  })

  it('by SIGKILL right before the flip does so, too', async () => {
    await mustPublish('night-1')
    const { child, end } = press.begin(['publish', '--out', out, '--json'])
    const kill = () => child.kill('SIGKILL')
    // The last write before the flip.
    const manifest = { method: 'PUT', keyMatches: /^green\/manifest/ }
    press.server.faults([{ ...manifest, kind: 'call', when: 'after', run: kill }])
    expect(await end).toMatchObject({ stderr: '', signal: 'SIGKILL' })
    press.server.faults([])
    await withEdge(async (csv) => expect(await csv('latest')).toBe('prices first'))
    age(2)
    expect(await remains()).toHaveLength(3)
    await mustPublish(out)
    await withEdge(async (csv) => expect(await csv('latest')).toBe(`prices ${out}`))
  })
})

it('names what differs from the checksums, and a repair puts it right in its place', async () => {
  await mustPublish('night-1')
  const folder = press.bucket.downloads()
  const verify = async (...flags: readonly string[]) => {
    const { code, stdout } = await press.fundpress(['verify', ...flags])
    return [code, ...stdout.split('\n').filter((line) => line.startsWith('downloads/'))]
  }
  expect(await verify()).toEqual([0])
  expect(await press.json('verify')).toMatchObject({ downloads: 3, differences: [] })
  press.bucket.put(`${folder}prices.csv`, 'another')
  press.bucket.put(`${folder}extra.csv`, 'x')
  press.bucket.remove(`${folder}funds.csv`)
  expect(await verify()).toEqual([
    1,
    `${folder}extra.csv is in no manifest`,
    `${folder}funds.csv is not there`,
    `${folder}prices.csv has another size`,
  ])
  press.bucket.put(`${folder}prices.csv`, 'prices FIRST')
  expect(await verify()).toContain(`${folder}prices.csv is not the object that was put`)

  const { code, stderr } = await press.publish('night-1', '--repair')
  expect([code, stderr]).toEqual([0, expect.stringContaining('1 replaced, 1 removed')])
  expect(press.bucket.downloads()).toBe(folder)
  expect(await verify('--deep')).toEqual([0])
  // Bodies that rotted under their old ETag are found by reading them.
  const object = press.server.objects('funds').get(`${folder}prices.csv`) as { body: Buffer } | undefined
  if (object !== undefined) object.body = Buffer.from('prices FIRST')
  expect(await verify()).toEqual([0])
  expect(await verify('--deep')).toEqual([1, `${folder}prices.csv has another body`])
  expect(await press.publish('night-1', '--repair', '--deep')).toMatchObject({ code: 0 })
  expect(await verify('--deep')).toEqual([0])
})

it('status tells whether documents and downloads are those of what is live', async () => {
  await mustPublish('night-1')
  const { snapshot = '' } = press.bucket.live() ?? {}
  const folder = press.bucket.downloads()
  expect(await press.json('status')).toMatchObject({
    consistency: { documents: snapshot, downloads: 'whole' },
    alarms: [],
  })
  expect((await press.fundpress('status')).stdout).toMatch(/^downloads +3 files, .*, of this snapshot$/m)
  const restore = press.bucket.save()
  const alarms = async () => {
    const { code, stderr } = await press.fundpress('status')
    restore()
    return [code, stderr]
  }
  const advice = ': `fundpress publish --repair` puts it right\n'
  press.bucket.remove(`${folder}SHA256SUMS`)
  expect(await alarms()).toEqual([
    1,
    `fundpress: s3://funds: the downloads of ${snapshot} are missing (${folder})${advice}`,
  ])
  press.bucket.put(`${folder}SHA256SUMS`, 'of others')
  expect(await alarms()).toEqual([
    1,
    `fundpress: s3://funds: ${folder} does not hold the downloads of ${snapshot}${advice}`,
  ])
  press.bucket.remove('blue/manifest.ndjson.gz')
  expect(await alarms()).toEqual([
    1,
    `fundpress: s3://funds: live.json names ${snapshot}, but blue holds no manifest that can be read${advice}`,
  ])
})

describe('a bucket of the version before', () => {
  beforeEach(async () => {
    await mustPublish('night-1')
    makeOld()
  })

  it('is served, verified and looked at as it is', async () => {
    await withEdge(async (csv) => {
      expect([await csv('latest'), await csv(asOf)]).toEqual(['prices first', 'prices first'])
    })
    expect(await press.fundpress('verify --deep')).toMatchObject({ code: 0, stderr: '' })
    expect(await press.fundpress('status')).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse((await press.publish('night-1')).stdout)).toMatchObject({ hasFlipped: false })
    age(2)
    expect(await prune('--keep-downloads 0')).toEqual([])
  })

  it.each([
    ['the day after', 'later', 'prices first', 404],
    ['a correction of the day', 'again', 'prices again', 404],
  ])('is published to with %s, and rolled back', async (_, out, ofDay, ofDayAfter) => {
    await mustPublish(out)
    await withEdge(async (csv) => {
      expect([await csv('latest'), await csv(asOf)]).toEqual([`prices ${out}`, ofDay])
      // What the rollback needs stays, however old it is.
      age(2)
      expect(await prune('--yes --keep-downloads 0')).toEqual([])
      expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
      expect([await csv('latest'), await csv(asOf)]).toEqual(['prices first', 'prices first'])
      expect(await csv('2026-11-12')).toBe(ofDayAfter)
      expect(await press.fundpress('verify --deep')).toMatchObject({ code: 0, stderr: '' })
      expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
      expect([await csv('latest'), await csv(asOf)]).toEqual([`prices ${out}`, ofDay])
    })
  })
})

it('prune removes what another publish of the day has replaced, and days that are past their time', async () => {
  await mustPublish('night-1')
  const first = press.bucket.downloads()
  await mustPublish('again')
  const again = press.bucket.downloads()
  await mustPublish('later')
  press.bucket.put('downloads/2026-11-01-3f9c2ab4d1e0/prices.csv', 'x')
  press.bucket.put('downloads/2026-11-12-3f9c2ab4d1e0/prices.csv', 'x')
  press.bucket.put('downloads/2026-11-02/prices.csv', 'x')
  press.bucket.put('downloads/readme/prices.csv', 'x')
  age(2)
  const folders = async (flags?: string) =>
    [...new Set((await prune(flags)).map(({ kind, key }) => `${kind} ${key.replace(/[^/]+$/, '')}`))].sort()
  // Of a day that nobody names any more nobody knows whether it was live: only its age removes it.
  const replaced = [`replaced ${first}`, `replaced downloads/2026-11-12-3f9c2ab4d1e0/`].sort()
  expect(await folders()).toEqual(replaced)
  expect(await folders('--keep-downloads 0')).toEqual(
    [
      'download downloads/2026-11-01-3f9c2ab4d1e0/',
      'download downloads/2026-11-02/',
      'download downloads/2026-11-12-3f9c2ab4d1e0/',
      `download ${first}`,
    ].sort(),
  )
  expect(await folders('--yes')).toEqual(replaced)
  expect(press.bucket.keys(again)).toHaveLength(3)
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
})

describe('which folder', () => {
  const folder = (name: string, sums: string) => ({ folder: name, files: 1, bytes: 1, sums })
  const live = (parts: object) => ({ asOf, snapshot: `${asOf}-aaaaaaaaaaaa`, ...parts }) as unknown as Live
  const id = `${asOf}-aaaaaaaaaaaa`
  const [one, two] = ['1'.repeat(64), '2'.repeat(64)]

  it.each([
    ['nothing is live', null, id],
    ['another is live', live({ downloads: folder(`${asOf}-bbbbbbbbbbbb`, two) }), id],
    ['the same is live', live({ downloads: folder(id, one) }), id],
    ['other files of it are live', live({ downloads: folder(id, two) }), `${id}-111111111111`],
    [
      'a rollback would bring it',
      live({ downloads: folder(id, two), previous: { downloads: folder(`${id}-111111111111`, one) } }),
      `${id}-111111111111`,
    ],
    [
      'an earlier day has it',
      live({ earlierDownloads: { '2026-11': '11-aaaaaaaaaaaa' } }),
      `${id}-111111111111`,
    ],
  ])('%s', (_, before, expected) => {
    expect(chooseFolder(id, one, before)).toBe(expected)
  })

  it('forgets no day when an older one goes live, and when that is taken back', () => {
    const days = { '2026-11': '10-aaaaaaaaaaaa 09-aaaaaaaaaaaa 08-aaaaaaaaaaaa' }
    const before = live({ downloads: folder(id, one), earlierDownloads: days })
    const older = { asOf: '2026-11-08' }
    const earlierDownloads = earlierAfter(older, before)
    expect(earlierFolders(earlierDownloads)).toEqual([
      ...[id, '2026-11-10-aaaaaaaaaaaa', '2026-11-09-aaaaaaaaaaaa'],
    ])
    const back = live({ ...older, downloads: folder('2026-11-08-aaaaaaaaaaaa', two), earlierDownloads })
    expect(earlierAfter({ asOf }, back)).toEqual(days)
  })

  it('keeps 400 days, each in a value that CloudFront takes', () => {
    let before = live({ downloads: folder(id, one), earlierDownloads: {} })
    for (let day = 1; day <= 450; day++) {
      const next = new Date(Date.parse(asOf) + day * 24 * 3_600_000).toISOString().slice(0, 10)
      const name = `${next}-bbbbbbbbbbbb-cccccccccccc`
      const earlierDownloads = earlierAfter({ asOf: next }, before)
      before = live({ asOf: next, downloads: folder(name, two), earlierDownloads })
    }
    const folders = earlierFolders(before.earlierDownloads)
    expect([folders.length, folders[0]]).toEqual([400, '2028-02-03-bbbbbbbbbbbb-cccccccccccc'])
    expect(folders).toEqual(folders.toSorted().reverse())
    for (const month of Object.values(before.earlierDownloads ?? {})) expect(month.length).toBeLessThan(1024)
  })
})
