/** Downloads belong to the flip: a publish that dies, buckets of earlier versions, verify, status and prune. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sample } from '../support/rounds.ts'
import { asOf, dayAfter, lay, press, useThreeSnapshots, withEdge } from '../support/analysts-files.ts'

useThreeSnapshots()
beforeAll(() => {
  for (const [out, day, text] of [
    ['night-1', asOf, 'first'],
    ['again', asOf, 'again'],
    ['later', dayAfter, 'later'],
  ] as const)
    lay(out, day, { 'funds.csv': `funds ${text}`, 'prices.csv': `prices ${text}` })
})

async function mustPublish(out: string, ...flags: readonly string[]): Promise<void> {
  expect(await press.publish(out, ...flags)).toMatchObject({ code: 0, stderr: '' })
}

const age = (days: number) => {
  for (const object of press.server.objects('funds').values())
    (object as { lastModified: number }).lastModified -= days * 24 * 3_600_000
}

const prune = async (flags = '') =>
  (await press.json<{ objects: readonly { kind: string; key: string }[] }>(`prune ${flags}`.trim())).objects

/** Makes the bucket look as the version before left it: the files in the folder of their day, unknown to live.json. */
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
])('a publish of %s that stops', (_, out) => {
  const remains = async () =>
    (await prune()).filter(({ kind }) => kind === 'replaced').map(({ key }) => key.split('/').at(-1))

  it('at any write before the flip leaves the live downloads as they were; the next publish is complete', async () => {
    await mustPublish('night-1')
    const restore = press.bucket.save()
    press.server.reset()
    await mustPublish(out)
    const writes = press.server.log.filter(({ method }) => method === 'PUT').map(({ key }) => key)
    const first = writes.findIndex((key) => key.startsWith('downloads/'))
    const flip = writes.indexOf('live.json')
    expect([first > 0, flip - first > 3]).toEqual([true, true])
    await withEdge(async (csv) => {
      for (const nth of sample([...writes.keys()].slice(first, flip), { least: 3 })) {
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
        const live = [await csv('latest'), await csv(asOf), await csv(dayAfter)]
        expect([nth, ...live]).toEqual([nth, 'prices first', 'prices first', 404])
      }
      expect(await press.fundpress('verify --deep')).toMatchObject({ code: 0, stderr: '' })
      expect(await press.json('status')).toMatchObject({ consistency: { downloads: 'whole' } })
      // Young remains may belong to a publish that is under way.
      expect(await remains()).toEqual([])
      age(2)
      expect(await remains()).toEqual(['SHA256SUMS', 'funds.csv', 'prices.csv'])
      await mustPublish(out)
      expect(await csv('latest')).toBe(`prices ${out}`)
    })
    expect(await press.fundpress('verify --deep')).toMatchObject({ code: 0, stderr: '' })
  })
})

it('verify names what differs from the checksums, and a repair restores it', async () => {
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

it('status says whether documents and downloads belong to the live snapshot', async () => {
  await mustPublish('night-1')
  const { snapshot = '' } = press.bucket.live() ?? {}
  const folder = press.bucket.downloads()
  expect(await press.json('status')).toMatchObject({
    consistency: { documents: snapshot, downloads: 'whole' },
    alarms: [],
  })
  expect((await press.fundpress('status')).stdout).toMatch(/^downloads +3 files, .*, of this snapshot$/m)
  const restore = press.bucket.save()
  const expectAlarm = async (alarm: string) => {
    const stderr = `fundpress: s3://funds: ${alarm}: \`fundpress publish --repair\` repairs it\n`
    expect(await press.fundpress('status')).toMatchObject({ code: 1, stderr })
    restore()
  }
  press.bucket.remove(`${folder}SHA256SUMS`)
  await expectAlarm(`the downloads of ${snapshot} are missing (${folder})`)
  press.bucket.put(`${folder}SHA256SUMS`, 'of others')
  await expectAlarm(`${folder} does not hold the downloads of ${snapshot}`)
  press.bucket.remove('blue/manifest.ndjson.gz')
  await expectAlarm(`live.json names ${snapshot}, but blue holds no manifest that can be read`)
})

describe('a bucket of the previous version', () => {
  beforeEach(async () => {
    await mustPublish('night-1')
    makeOld()
  })

  it('is served, verified and shown as it is', async () => {
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
      expect(await csv(dayAfter)).toBe(ofDayAfter)
      expect(await press.fundpress('verify --deep')).toMatchObject({ code: 0, stderr: '' })
      expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
      expect([await csv('latest'), await csv(asOf)]).toEqual([`prices ${out}`, ofDay])
    })
  })
})

it('prune removes downloads that another publish of the day replaced, and, with --keep-downloads, days that are too old', async () => {
  await mustPublish('night-1')
  const first = press.bucket.downloads()
  await mustPublish('again')
  const again = press.bucket.downloads()
  await mustPublish('later')
  press.bucket.put('downloads/2026-11-01-3f9c2ab4d1e0/prices.csv', 'x')
  press.bucket.put('downloads/2026-11-12-3f9c2ab4d1e0/prices.csv', 'x')
  for (const name of ['2026-11-02', '2000-02-30', 'latest', 'readme'])
    press.bucket.put(`downloads/${name}/prices.csv`, 'x')
  age(2)
  const folders = async (flags?: string) =>
    [...new Set((await prune(flags)).map(({ kind, key }) => `${kind} ${key.replace(/[^/]+$/, '')}`))].sort()
  // A day that nobody names may have been live: only its age removes it.
  const replaced = [first, 'downloads/2026-11-12-3f9c2ab4d1e0/'].sort()
  const tooOld = [...replaced, 'downloads/2026-11-01-3f9c2ab4d1e0/', 'downloads/2026-11-02/'].sort()
  expect(await folders()).toEqual(replaced.map((folder) => `replaced ${folder}`))
  expect(await folders('--keep-downloads 0')).toEqual(tooOld.map((folder) => `download ${folder}`))
  expect(await folders('--keep-downloads 36500')).toEqual(replaced.map((folder) => `replaced ${folder}`))
  expect(await folders('--yes')).toEqual(replaced.map((folder) => `replaced ${folder}`))
  expect(press.bucket.keys(again)).toHaveLength(3)
  expect(await press.fundpress('rollback')).toMatchObject({ code: 0, stderr: '' })
})
