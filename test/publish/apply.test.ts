/** Carrying out changes against a store that the test holds the strings of. */
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { applyChanges, type ApplyOptions } from '../../src/publish/apply.ts'
import { inParallel } from '../../src/publish/in-parallel.ts'
import type { Change } from '../../src/publish/plan.ts'
import type { ObjectStore, WriteOptions } from '../../src/publish/store.ts'
import { makeTempFolder, type TempFolder } from '../support/product.ts'

const body = Buffer.from('{}')
const sha256 = createHash('sha256').update(body).digest('hex')
const type = 'application/json; charset=utf-8'
let folder: TempFolder

const name = (number: number) => `key-${String(number).padStart(6, '0')}`
const put = (key: string, bytes = body.length): Change => ({ kind: 'put', key, sha256, bytes, type })

beforeAll(() => {
  folder = makeTempFolder()
  mkdirSync(folder.file('out'))
  for (let number = 0; number < 3000; number++) writeFileSync(folder.file(`out/${name(number)}`), body)
})
afterAll(() => {
  folder.remove()
})

/** @param work what a write does, by the first key it is about */
function fake(work: (key: string, options: WriteOptions) => Promise<void>) {
  const log: string[] = []
  const write = async (line: string, key: string, options: WriteOptions = {}) => {
    log.push(line)
    await work(key, options)
    log.push(`${line} done`)
    return { etag: `"${key}"` }
  }
  const store: ObjectStore = {
    name: 's3://fake',
    get: () => Promise.resolve(null),
    put: ({ key }, _condition, options) => write(`put ${key}`, key, options),
    putFile: (_file, { key }, options) => write(`file ${key}`, key, options),
    list: () => {
      throw new Error('nobody lists')
    },
    delete: async (keys, options) => {
      await write(`delete ${keys.length}`, keys[0] ?? '', options)
    },
    unanswered: () => 0,
    requests: () => ({}),
  }
  return { store, log }
}

const apply = (
  store: ObjectStore,
  changes: Iterable<Change> | AsyncIterable<Change>,
  options: Partial<ApplyOptions> = {},
) => {
  async function* stream() {
    yield* changes
  }
  return applyChanges(store, stream(), {
    out: folder.file('out'),
    slot: 'blue',
    cacheControl: 'max-age=60',
    concurrency: 4,
    maxRate: null,
    signal: new AbortController().signal,
    onDone: () => undefined,
    onEtag: () => undefined,
    ...options,
  })
}

const puts = (count: number) => Array.from({ length: count }, (_, number) => put(name(number)))

it('tells of ETags in the order of keys, in whichever order the puts end', async () => {
  const { store } = fake(() => setTimeout(Math.random() * 5))
  const etags: (readonly [string, string])[] = []
  await apply(store, puts(300), { onEtag: (key, etag) => etags.push([key, etag]) })
  expect(etags).toEqual(puts(300).map(({ key }) => [key, `"blue/${key}"`]))
})

it('does not run far ahead of a put that is slow', async () => {
  let release: () => void = () => undefined
  const slow = new Promise<void>((resolve) => (release = resolve))
  const { store, log } = fake((key) => (key === `blue/${name(0)}` ? slow : setImmediate()))
  let emitted = 0
  const applying = apply(store, puts(3000), { onEtag: () => emitted++ })
  let before = -1
  while (log.length !== before) {
    before = log.length
    await setTimeout(100)
  }
  // 64 puts for each of the four that are under way.
  expect(log.filter((line) => /^put .*\d$/.test(line))).toHaveLength(256)
  expect(emitted).toBe(0)
  release()
  await applying
  expect(emitted).toBe(3000)
})

it('waits for whoever takes the ETags', async () => {
  let release: () => void = () => undefined
  const full = new Promise<void>((resolve) => (release = resolve))
  const { store, log } = fake(() => setImmediate())
  const applying = apply(store, puts(1000), { onEtag: () => full })
  await setTimeout(200)
  // Four at a time, and a few that ended before an earlier one.
  expect(log.filter((line) => line.endsWith('done')).length).toBeLessThan(100)
  release()
  await applying
  expect(log.filter((line) => line.endsWith('done'))).toHaveLength(1000)
})

it('fails when whoever takes the ETags does', async () => {
  const { store } = fake(() => setImmediate())
  const onEtag = () => {
    throw new Error('no space left')
  }
  await expect(apply(store, puts(1000), { onEtag })).rejects.toThrow('no space left')
})

it('tells of the first failure when all that is under way has ended, and begins no more', async () => {
  const { store, log } = fake(async (key) => {
    if (key.endsWith('5')) throw new Error(`cannot put ${key}`)
    await setTimeout(50)
  })
  await expect(apply(store, puts(100))).rejects.toThrow(`cannot put blue/${name(5)}`)
  const begun = log.filter((line) => /\d$/.test(line))
  expect(begun.length).toBeLessThan(10)
  expect(log.filter((line) => line.endsWith('done'))).toHaveLength(begun.length - 1)
})

it('ends what is under way when the list of changes breaks off', async () => {
  async function* broken() {
    yield* puts(3)
    await setImmediate()
    throw new Error('the list is damaged')
  }
  const { store, log } = fake(() => setTimeout(50))
  await expect(apply(store, broken())).rejects.toThrow('the list is damaged')
  expect(log.filter((line) => line.endsWith('done')).length).toBe(log.length / 2)
  expect(log).not.toEqual([])
})

it('asks before every write whether the lease is fresh, after all that takes time', async () => {
  const seen: string[] = []
  const { store } = fake((key) => {
    seen.push(key)
    return Promise.resolve()
  })
  const changes = [
    ...puts(3),
    ...Array.from({ length: 1001 }, (_, i) => ({ kind: 'delete', key: `x${i}` }) as const),
  ]
  await apply(store, changes, { concurrency: 1, assertFresh: () => seen.push('?') })
  expect(seen).toEqual([
    '?',
    'blue/key-000000',
    '?',
    'blue/key-000001',
    '?',
    'blue/key-000002',
    '?',
    'blue/x0',
    '?',
    'blue/x1000',
  ])
})

it('sends nothing any more once the lease is not fresh', async () => {
  const { store, log } = fake(() => setImmediate())
  let asked = 0
  const assertFresh = () => {
    if (++asked > 10) throw new Error('the lease was lost')
  }
  await expect(apply(store, puts(100), { assertFresh })).rejects.toThrow('the lease was lost')
  expect(log.filter((line) => /\d$/.test(line))).toHaveLength(10)
})

it('lets the store ask again before each attempt', async () => {
  const lost = new Error('the lease was lost')
  let isFresh = true
  const { store } = fake((_key, { assertFresh }) => {
    isFresh = false
    assertFresh?.()
    return Promise.resolve()
  })
  const assertFresh = () => {
    if (!isFresh) throw lost
  }
  await expect(apply(store, puts(1), { assertFresh })).rejects.toBe(lost)
})

it.each([puts(100), [{ kind: 'delete', key: 'a' } as const]])(
  'ends what is under way when it is stopped, with the reason (%#)',
  async (...changes) => {
    const stop = new AbortController()
    const { store, log } = fake(
      (_key, { signal }) =>
        new Promise((_, reject) =>
          signal?.addEventListener('abort', () => {
            reject(new Error('Request aborted'))
          }),
        ),
    )
    const applying = apply(store, changes, { signal: stop.signal })
    await setTimeout(50)
    stop.abort(new Error('stopped by SIGINT'))
    await expect(applying).rejects.toThrow(/^stopped by SIGINT$/)
    expect(log).toHaveLength(Math.min(changes.length, 4))
  },
)

it('does not sit out a low rate when it is stopped', async () => {
  const { store } = fake(() => setImmediate())
  const signal = AbortSignal.timeout(50)
  const started = performance.now()
  await expect(apply(store, puts(10), { maxRate: 0.1, signal })).rejects.toThrow(/timeout/)
  expect(performance.now() - started).toBeLessThan(1000)
})

it('streams what is big, and names what is gone', async () => {
  const big = 8 * 1024 * 1024
  writeFileSync(folder.file('out/big'), '')
  truncateSync(folder.file('out/big'), big)
  const { store, log } = fake(() => setImmediate())
  await apply(store, [put('big', big), put(name(1))])
  expect(log.filter((line) => !line.endsWith('done'))).toEqual(['file blue/big', `put blue/${name(1)}`])
  rmSync(folder.file('out/big'))
  for (const bytes of [big, 10]) {
    await expect(apply(store, [put('big', bytes)])).rejects.toThrow(
      `${folder.file('out/big')} is in the manifest but cannot be read (ENOENT): build the snapshot again`,
    )
  }
})

it('works on as many items at a time as it may, and reads not many more', async () => {
  let [read, atWork, most] = [0, 0, 0]
  async function* items() {
    for (; read < 100; read++) {
      expect(read).toBeLessThanOrEqual(done + 8 + 1)
      yield read
    }
  }
  let done = 0
  await inParallel(items(), 4, async () => {
    most = Math.max(most, ++atWork)
    await setTimeout(1)
    atWork--
    done++
  })
  expect({ done, most, atWork }).toEqual({ done: 100, most: 4, atWork: 0 })
})

it.each(['work', 'items'])('throws what fails first, of %s, when all has ended', async (what) => {
  let atWork = 0
  async function* items() {
    for (let item = 0; item < 100; item++) {
      if (what === 'items' && item === 6) throw new Error('six')
      yield item
    }
  }
  const working = inParallel(items(), 4, async (item) => {
    atWork++
    await setTimeout(5)
    atWork--
    if (item === 6) throw new Error('six')
    if (item > 6) throw new Error('later')
  })
  await expect(working).rejects.toThrow('six')
  expect(atWork).toBe(0)
})
