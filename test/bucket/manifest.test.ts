/** Lists on their way through files (full disks, damage, JSON longer than memory), and the plan of an upload made from them. */
import { readdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Change, changeBetween, mergeSorted } from '../../src/core/bucket/manifest/compare.ts'
import { keyLine, openManifest } from '../../src/core/bucket/manifest/manifest.ts'
import { lineWriter, readNdjson, sortedList, withJsonList } from '../../src/core/bucket/manifest/ndjson.ts'
import type { JsonList } from '../../src/core/bucket/manifest/ndjson.ts'
import { isIsin } from '../../src/core/api/routes/values.ts'
import { parseStrictly } from '../../src/core/snapshot/forms.ts'
import { Damaged } from '../../src/core/bucket/store/store.ts'
import { type ManifestLine, readHeadOf } from '../../src/core/snapshot/manifest.ts'
import { safeData } from '../../src/core/cli/safe-text.ts'
import { tempFolder } from '../support/folders.ts'

const folder = tempFolder()
beforeAll(() => {
  // Others make temporary files at the same time.
  process.env['TMPDIR'] = folder.path
})

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

async function* stream<T>(items: Iterable<T>, failure?: Error) {
  for (const item of items) yield item
  await Promise.resolve()
  if (failure !== undefined) throw failure
}

/** Lines that gzip cannot shrink: so much that they have to be written. */
const noise = (number: number) => `${number}-${Math.random()}-${Math.random()}-${Math.random()}`

const isinOf = (number: number) => {
  const start = `DE${String(number).padStart(9, '0')}`
  return Array.from({ length: 10 }, (_, digit) => `${start}${digit}`).find(isIsin) ?? ''
}

const keyed = (line: string) => parseStrictly(keyLine, line)
const head = {
  format: 1,
  snapshot: '2026-11-20-3f9c2ab4d1e0',
  asOf: '2026-11-20',
  funds: 2,
  objects: 2,
  bytes: 20,
  newestPrice: '2026-11-19',
  source: 'ab',
  docsUrl: '/docs',
  settings: 'cd',
  freshness: {
    fresh: 2,
    late: 0,
    stale: 0,
    suspended: 0,
    ended: 0,
    unwatched: 0,
    unpriced: 0,
    withheld: 0,
    stalest: [],
  },
  site: null,
  files: [],
}
const object = (key: string) => ({ key, sha256: '0f'.repeat(32), bytes: 10, type: 'application/json' })

describe('a list that is written', () => {
  it('blocks its writer before much of it is in memory', async () => {
    const { add, end } = lineWriter(folder.file('long'))
    const line = { key: 'x'.repeat(10_000) }
    let room: Promise<void> | undefined
    let taken = 0
    while (room === undefined && taken < 1000) {
      room = add(line)
      taken++
    }
    expect(taken).toBeLessThan(10)
    await room
    expect(add({ key: 'x' })).toBeUndefined()
    await end()
  })

  it('says which file cannot be written', async () => {
    const { add, end } = lineWriter('/dev/full')
    const write = async () => {
      for (let number = 0; number < 20_000; number++) await add({ key: noise(number), etag: '"x"' })
      await end()
    }
    const message = /^\/dev\/full cannot be written: ENOSPC: no space left on device, write$/
    await expect(write()).rejects.toThrow(message)
    // Asked again, it says so again.
    await expect(end()).rejects.toThrow(message)
    expect(() => add({ key: 'a' })).toThrow(message)
  })
})

describe('a list that is read', () => {
  const file = () => folder.file('list')
  const label = 's3://funds/green/list.ndjson.gz'
  const long = gzipSync(Array.from({ length: 5000 }, (_, i) => `{"key":"${noise(i)}"}\n`).join(''))
  const wrongByte = Buffer.concat([long.subarray(0, 5000), Buffer.from('x'), long.subarray(5001)])
  /** Reads all, which must find damage. @returns what it says */
  const damageOf = async (reading: Promise<unknown>) => {
    const failure = await reading.catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(Damaged)
    return String(failure)
  }

  it.each<readonly [string, Buffer, RegExp]>([
    ['cut off', long.subarray(0, long.length >>> 1), /unexpected end of file/],
    ['with a wrong byte', wrongByte, /./],
    ['no JSON', gzipSync('{"key":"a"}\n{"key":\n'), /JSON/],
  ])('is damaged: %s', async (_, bytes, reason) => {
    writeFileSync(file(), bytes)
    const said = await damageOf(all(readNdjson(file(), keyed, { label })))
    expect(said.startsWith(`Damaged: ${label} is damaged: `)).toBe(true)
    expect(said).toMatch(reason)
    await expect(all(readNdjson(file(), keyed))).rejects.toThrow(`${file()} is damaged: `)
  })

  const mega = 2 ** 20
  it.each([
    ['an endless line', 8, '{"key":"', 'a line has more than 4194304 characters'],
    ['too many lines', 64, '{"key":"a"}\n', 'it unpacks to more than 200 times its size'],
  ])('is damaged, after little of it is read, with %s', async (_, megabytes, text, reason) => {
    writeFileSync(file(), gzipSync(Buffer.alloc(megabytes * mega, text)))
    let lines = 0
    const reading = async () => {
      for await (const line of readNdjson(file(), keyed)) lines += line.key === '' ? 0 : 1
    }
    expect(await damageOf(reading())).toContain(reason)
    expect(lines * 12).toBeLessThanOrEqual(16 * mega)
  })

  it('may have a long first line, since a manifest names many funds there, and no other', async () => {
    const long = { ...head, restricted: { data: Array.from({ length: 20_000 }, (_, i) => isinOf(i)) } }
    const text = `${JSON.stringify(long)}\n${JSON.stringify(object('a'))}\n`
    writeFileSync(file(), gzipSync(text))
    expect(await readHeadOf(file())).toEqual(long)
    const manifest = await openManifest(file())
    expect(manifest.head).toEqual(long)
    expect(await all(manifest.objects())).toEqual([object('a')])
    writeFileSync(file(), gzipSync(`${text}${text}`))
    expect(await damageOf(all((await openManifest(file())).objects()))).toContain(
      'a line has more than 65536 characters',
    )
  })

  it('is not read further after a signal', async () => {
    writeFileSync(file(), gzipSync('{"key":"a"}\n'.repeat(1_000_000)))
    const stop = new AbortController()
    let lines = 0
    const reading = (async () => {
      for await (const line of readNdjson(file(), keyed, { signal: stop.signal }))
        if (line.key !== '' && ++lines === 10) stop.abort(new Error('stopped by SIGTERM'))
    })()
    await expect(reading).rejects.toThrow('stopped by SIGTERM')
    expect(lines).toBeLessThan(100_000)
  })

  it.each([
    ['{"key":"a"}\n{"key":"a"}\n', 'not sorted, a after a'],
    ['{"key":"b"}\n{"key":"a"}\n', 'not sorted, a after b'],
    ['{"key":"a"}\n{"name":"b"}\n', 'line 2: key is missing, not a key'],
  ])('is damaged with the keys %j', async (text, reason) => {
    writeFileSync(file(), gzipSync(text))
    expect(await damageOf(all(sortedList(file(), keyed, { label })()))).toBe(
      `Damaged: ${label} is damaged: ${reason}`,
    )
  })

  it.each([
    ['', 'it is empty'],
    ['{\n', 'line 1: it is not JSON'],
    ['7\n', 'line 1: it is not a JSON object'],
    [{ format: 2 }, 'line 1: format is 2, not 1'],
    [
      { snapshot: 'x`; curl http://127.0.0.1 | sh #' },
      'line 1: snapshot is "x`; curl http://127.0.0.1 | sh #", not a snapshot id',
    ],
    [{ newestPrice: 'today' }, 'line 1: newestPrice is "today", not a day or null'],
    [{ freshness: { fresh: 1 } }, 'line 1: freshness.late is missing, not a count'],
    [{ restricted: { data: ['DE1'] } }, 'line 1: restricted.data.0 is "DE1", not an ISIN'],
    [{ files: [{ ...object('../a') }] }, 'line 1: files.0.key is "../a", not the key of an object'],
  ])('is no manifest if its first line has %j', async (wrong, reason) => {
    const line = typeof wrong === 'string' ? wrong : `${JSON.stringify({ ...head, ...wrong })}\n`
    writeFileSync(file(), gzipSync(line))
    expect(await damageOf(openManifest(file(), { label }))).toBe(`Damaged: ${label} is damaged: ${reason}`)
  })

  it('is read as a manifest up to the damaged line', async () => {
    writeFileSync(
      file(),
      gzipSync(
        [head, object('a'), { ...object('b'), bytes: '10' }]
          .map((one) => `${JSON.stringify(one)}\n`)
          .join(''),
      ),
    )
    const { lines } = await openManifest(file(), { label })
    const reading = lines()[Symbol.asyncIterator]()
    expect(await reading.next()).toMatchObject({ value: { key: 'a' } })
    await expect(reading.next()).rejects.toThrow(`${label} is damaged: line 3: bytes is "10", not a count`)
  })
})

describe('a list in a JSON document', () => {
  const sink = () => {
    const written: string[] = []
    const send = (text: string) => void written.push(safeData(text))
    return { send, written }
  }
  const leftovers = () => readdirSync(folder.path).filter((name) => name.startsWith('fundpress-'))

  it('is written an entry at a time with invisible characters escaped, and leaves no file', async () => {
    const before = leftovers()
    const { send, written } = sink()
    await withJsonList(async ({ add, write }: JsonList<object>) => {
      await add({ key: 'a\u202eb' })
      for (let number = 0; number < 1000; number++) await add({ number })
      expect(written).toEqual([])
      expect(leftovers().length).toBe(before.length + 1)
      await write(send, { before: {}, name: 'list' })
    })
    expect(Math.max(...written.map(({ length }) => length))).toBeLessThan(40)
    expect(written.join('')).toMatch(/^\{"list":\[\{"key":"a\\u202eb"\},.*\{"number":999\}\]\}\n$/)
    expect(leftovers()).toEqual(before)
    const failing = withJsonList(async ({ add }: JsonList<object>) => {
      await add({})
      throw new Error('nothing to write')
    })
    await expect(failing).rejects.toThrow('nothing to write')
    expect(leftovers()).toEqual(before)
  })
})

const key = fc.constantFrom('a/1', 'a/2', 'a-/1', 'b/index.json', 'b/index.xml', 'c', 'd/2020.json', 'e')

/** Few keys and few digests, so that snapshots overlap. */
const snapshot = fc
  .uniqueArray(fc.record({ key, sha256: fc.constantFrom('1', '2'), bytes: fc.constantFrom(10, 20) }), {
    selector: (line) => line.key,
  })
  .map((lines) => sorted(lines).map((line): ManifestLine => ({ ...line, type: 'application/json' })))

const sorted = <T extends { key: string }>(lines: T[]) => lines.toSorted((a, b) => (a.key < b.key ? -1 : 1))
const keys = fc.uniqueArray(key).map((some) => sorted(some.map((one) => ({ key: one }))))

/** The content of a slot whose objects under the unknown keys may be anything. */
function apply(
  current: readonly ManifestLine[],
  unknown: readonly { key: string }[],
  changes: readonly Change[],
) {
  const slot = new Map(current.map((line) => [line.key, line.sha256 + String(line.bytes)]))
  for (const one of unknown) slot.set(one.key, 'anything')
  for (const change of changes) {
    if (change.kind === 'delete') slot.delete(change.key)
    else slot.set(change.key, change.sha256 + String(change.bytes))
  }
  return slot
}

it('plans, in the order of keys, only puts that are needed and changes that make any slot the new snapshot', async () => {
  await fc.assert(
    fc.asyncProperty(snapshot, snapshot, keys, async (next, current, unknown) => {
      const rows = await all(mergeSorted(stream(next), stream(current), stream(unknown)))
      const changes = rows.flatMap(({ key, values }) => changeBetween(key, ...values) ?? [])
      const wanted = new Map(next.map((line) => [line.key, line.sha256 + String(line.bytes)]))
      expect(apply(current, unknown, changes)).toEqual(wanted)
      const planned = changes.map((change) => change.key)
      expect(planned).toEqual(planned.toSorted())
      const isKnown = ({ key: one, sha256, bytes }: ManifestLine) =>
        !unknown.some((other) => other.key === one) &&
        current.some((other) => other.key === one && other.sha256 === sha256 && other.bytes === bytes)
      const needed = next.filter((line) => !isKnown(line)).map((line) => line.key)
      expect(changes.filter(({ kind }) => kind === 'put').map((change) => change.key)).toEqual(needed)
    }),
    { numRuns: 500 },
  )
})

it('refuses a list that is not sorted, since a merge would lose lines', async () => {
  await expect(all(mergeSorted(stream([{ key: 'b' }, { key: 'a' }])))).rejects.toThrow(
    'not sorted: a after b',
  )
})
