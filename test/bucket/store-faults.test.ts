/** S3 stores that fail, on our own server: files, calls that are stopped, refusals, damaged answers, secrets in errors. */
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { inParallel } from '../../src/core/bucket/store/in-parallel.ts'
import { bareCause, explained } from '../../src/core/bucket/store/errors.ts'
import { download, readSmall } from '../../src/core/bucket/store/read.ts'
import { openS3, type S3Store } from '../../src/core/bucket/store/s3.ts'
import { tempFolder } from '../support/folders.ts'
import { credentials } from '../support/publishing.ts'
import { listen } from '../support/request.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

const bucket = 'funds'
const patience = { attempts: 5, connectMs: 2000, silenceMs: 5000, bodyMs: 5000 }
const type = 'text/plain; charset=utf-8'
const stored = { key: 'blue/big', type, cacheControl: 'no-cache' }
const hex = (body: Buffer) => createHash('sha256').update(body).digest('hex')
const object = { ...stored, body: Buffer.from('x'), sha256: hex(Buffer.from('x')) }
const mega = 1024 * 1024

let server: S3Server
const folder = tempFolder()
let store: S3Store

interface Opening {
  readonly signal?: AbortSignal
  readonly prefix?: string
  readonly region?: string | null
  readonly refusedMs?: number
  readonly concurrency?: number
}

/** Closed when the test has ended. */
function open(endpoint: string, options: Opening = {}): S3Store {
  const { signal, prefix = '', region = 'us-east-1', refusedMs, concurrency = 4 } = options
  const settings = { bucket, prefix, endpoint, region, pathStyle: true, concurrency }
  const waiting = refusedMs === undefined ? {} : { refusedMs, throttledMs: refusedMs }
  const opened = openS3(settings, signal, { ...patience, ...waiting })
  onTestFinished(() => opened.close())
  return opened
}

/** A server that is no S3. @returns its address */
async function serve(answer: RequestListener): Promise<string> {
  const { base, stop } = await listen(createServer(answer))
  onTestFinished(stop)
  return base
}

/** Files of the test's folder that this process has open. */
const openFiles = () =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`)
      return path.startsWith(folder.path) ? [path] : []
    } catch {
      return []
    }
  })

beforeAll(() => {
  Object.assign(process.env, credentials, { AWS_CONFIG_FILE: '/dev/null', AWS_REGION: 'us-east-1' })
})
// A server a test: a request that a test has stopped may arrive when the next one has begun.
beforeEach(async () => {
  server = await startS3({ buckets: [bucket] })
  store = open(server.endpoint)
})
afterEach(() => server.stop())

describe('a file', () => {
  const big = randomBytes(9 * mega + 17)
  let file: string
  beforeAll(() => {
    file = folder.file('big')
    writeFileSync(file, big)
  })
  const there = () => server.objects(bucket).get('blue/big')
  const sparseFile = (name: string, bytes: number) => {
    writeFileSync(folder.file(name), '')
    truncateSync(folder.file(name), bytes)
    return folder.file(name)
  }

  it.each([1, 8 * mega])('of %d bytes is put in one request, with its digests', async (count) => {
    const small = folder.file('small')
    const body = big.subarray(0, count)
    writeFileSync(small, body)
    const { etag } = await store.putFile(small, stored)
    expect(there()?.body.equals(body)).toBe(true)
    expect(there()).toMatchObject({
      etag,
      headers: { 'content-type': type, 'cache-control': 'no-cache', 'x-amz-meta-sha256': hex(body) },
      checksums: { sha256: createHash('sha256').update(body).digest('base64') },
    })
    expect(server.counts()).toEqual({ PutObject: 1 })
  })

  it('arrives whole, however often the store fails on the way', async () => {
    server.faults([
      { kind: 'status-early', status: 503, nth: 1 },
      { kind: 'cut-early', nth: 1 },
      { kind: 'status-after', status: 500, nth: 1 },
      { kind: 'cut-after', nth: 1 },
    ])
    const { etag } = await store.putFile(file, stored)
    expect(server.log.map(({ status }) => status)).toEqual([503, 0, 500, 0, 200])
    expect(there()?.body.equals(big)).toBe(true)
    expect(there()?.etag).toBe(etag)
    expect(store.requests()).toEqual({ PutObject: 5 })
    await expect.poll(openFiles).toEqual([])
  })

  it('is not waited for if it becomes shorter meanwhile', async () => {
    const shrinking = folder.file('shrinking')
    writeFileSync(shrinking, big)
    const putting = store.putFile(shrinking, stored, { assertFresh: () => truncateSync(shrinking, 1000) })
    await expect(putting).rejects.toThrow(`${shrinking} became shorter while it was read`)
    expect(server.objects(bucket).size).toBe(0)
    expect(store.requests()).toEqual({ PutObject: 1 })
  })

  it('is named if it is missing, or too large for one put', async () => {
    const none = folder.file('none')
    const huge = sparseFile('huge', 5 * 1024 ** 3 + 1)
    await expect(store.putFile(none, stored)).rejects.toThrow(`${none} cannot be read (ENOENT)`)
    const reason = `${huge} has 5368709121 bytes: a store takes 5368709120 (5 GiB) in one put at most`
    await expect(store.putFile(huge, stored)).rejects.toThrow(reason)
    expect(store.requests()).toEqual({})
  })
})

describe('a call that is stopped', () => {
  it('ends at once with the reason, and others continue', async () => {
    const answered = Promise.withResolvers<undefined>()
    let held = 0
    const hold = () => {
      held++
      return answered.promise
    }
    server.faults([{ kind: 'call', when: 'before', keyMatches: /slow/, run: hold }])
    const stop = new AbortController()
    const { signal } = stop
    const slow = { ...object, key: 'blue/slow' }
    const calls = [
      store.put(slow, undefined, { signal }),
      store.put(slow, { ifAbsent: true }, { signal }),
      store.get('slow', { signal }),
    ]
    const other = store.put(slow)
    await expect.poll(() => held).toBe(4)
    stop.abort(new Error('lost'))
    for (const call of calls) await expect(call).rejects.toThrow(/^lost$/)
    answered.resolve(undefined)
    await other
    await expect(store.delete(['a'], { signal })).rejects.toThrow(/^lost$/)
    await expect(store.list('', { signal })[Symbol.asyncIterator]().next()).rejects.toThrow(/^lost$/)
    await store.put(object)
  })

  it('ends with its session; later calls of the session can still clean up', async () => {
    const session = new AbortController()
    const own = new AbortController()
    const stopped = open(server.endpoint, { signal: session.signal })
    server.faults([{ kind: 'delay', ms: 300 }])
    const both = [stopped.put(object, undefined, { signal: own.signal }), stopped.put(object)]
    await setTimeout(50)
    session.abort(new Error('stopped'))
    for (const call of both) await expect(call).rejects.toThrow(/^stopped$/)
    await stopped.put(object)
    own.abort(new Error('lost'))
    await expect(stopped.put(object, undefined, { signal: own.signal })).rejects.toThrow(/^lost$/)
  })
})

it.each(['put', 'delete', 'putFile'] as const)('a write asks before each attempt (%s)', async (kind) => {
  const file = folder.file('nine')
  writeFileSync(file, randomBytes(9 * mega))
  server.faults([{ kind: 'status', status: 500, times: 2, method: kind === 'delete' ? 'POST' : 'PUT' }])
  const lost = Object.assign(new Error('the lease was lost'), { code: 'ECONNRESET' })
  let asked = 0
  const options = {
    assertFresh: () => {
      if (++asked === 3) throw lost
    },
  }
  const calls = {
    put: () => store.put(object, undefined, options),
    delete: () => store.delete(['a'], options),
    putFile: () => store.putFile(file, stored, options),
  }
  await expect(calls[kind]()).rejects.toBe(lost)
  expect(asked).toBe(3)
  expect(server.log.map(({ status }) => status)).toEqual([500, 500])
})

it('a put that a proxy answers with a page fails, names what was found, and counts as unanswered', async () => {
  const proxy = await serve((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'))
  })
  const behind = open(proxy)
  const said =
    'could not write blue/big: something between here and the bucket answered with a page (200, text/html)'
  await expect(behind.put(object)).rejects.toThrow(said)
  await expect(behind.put(object, { ifAbsent: true })).rejects.toThrow(said)
  expect(behind.unanswered()).toBe(2)
  expect(behind.requests()).toEqual({ PutObject: 2 })
})

describe('a store that throttles', () => {
  it('gets fewer requests at a time, until all are answered', async () => {
    const underWay: number[] = []
    let now = 0
    const isCrowded = Promise.withResolvers<undefined>()
    const busy = await serve((request, response) => {
      underWay.push(++now)
      response.writeHead(now > 4 ? 503 : 200, { etag: '"one"' })
      request.resume()
      if (now === 20) isCrowded.resolve(undefined)
      void isCrowded.promise.then(async () => {
        await setTimeout(5)
        now--
        response.end()
      })
    })
    const throttled = open(busy, { refusedMs: 60_000, concurrency: 32 })
    const keys = Array.from({ length: 400 }, (_, nth) => `blue/${nth}`)
    await inParallel(keys, 32, async (key) => {
      await throttled.put({ ...object, key })
    })
    expect(Math.max(...underWay.slice(0, 100))).toBeGreaterThan(16)
    expect(Math.max(...underWay.slice(-200))).toBeLessThan(10)
  })

  it('is asked for a while, and then no longer', async () => {
    server.faults([{ kind: 'status', status: 503, code: 'SlowDown' }])
    const throttled = open(server.endpoint, { refusedMs: 1000 })
    const reason = /^s3:\/\/funds: could not write blue\/big: the store is overloaded .*\(tried for 1 s\)/
    await expect(throttled.put(object)).rejects.toThrow(reason)
    const before = server.log.length
    expect(before).toBeGreaterThan(1)
    // A lease that is released now must not wait for as long again.
    await expect(throttled.put({ ...object, key: 'journal.json' })).rejects.toThrow(/overloaded/)
    expect(server.log.length).toBe(before + 1)
    server.faults([])
    await throttled.put(object)
  })
})

it('waits for a store that restarts', async () => {
  const restart = server.restart(500)
  await open(server.endpoint, { refusedMs: 60_000 }).put(object)
  await restart
  expect(server.objects(bucket).size).toBe(1)
})

describe('deleting', () => {
  const all = ['a', 'b', 'c', 'd']
  beforeEach(() => {
    for (const key of all) server.put(bucket, key, 'x')
  })
  const left = () => [...server.objects(bucket).keys()].sort()

  it('asks again for the keys that failed for a while, and only for them', async () => {
    server.faults([{ kind: 'delete-error', code: 'SlowDown', keyMatches: /[bc]/, times: 3 }])
    await store.delete(all)
    expect(left()).toEqual([])
    const keysIn = ({ body }: { body: Buffer }) =>
      body
        .toString()
        .match(/(?<=<Key>)./g)
        ?.join('')
    expect(server.log.map(keysIn)).toEqual(['abcd', 'bc', 'b'])
  })

  it('does not try again without the right, and says which key and why', async () => {
    server.settings.deny = [{ operation: /^DeleteObject$/, key: /[cd]/ }]
    server.faults([{ kind: 'delete-error', keyMatches: /a/ }])
    const said =
      'c and 2 more: access denied: the credentials need s3:DeleteObject on s3://funds (AccessDenied)'
    await expect(store.delete(all)).rejects.toThrow(`s3://funds: could not delete ${said}`)
    expect(server.counts()).toEqual({ DeleteObjects: 1 })
  })
})

describe('reading', () => {
  it('names both rights that a denied read may lack', async () => {
    server.settings.deny = [{ operation: /^ListObjectsV2$/ }]
    const reason =
      's3://funds: could not read absent: access denied: the credentials need s3:GetObject and s3:ListBucket ' +
      '(without it an object that is not there is denied too) on s3://funds (AccessDenied)'
    await expect(store.get('absent')).rejects.toThrow(reason)
  })

  it('reads an answer without a length', async () => {
    server.put(bucket, 'key', 'abc')
    server.faults([{ kind: 'chunked' }])
    expect(await readSmall(store, 'key')).toMatchObject({ text: 'abc', bytes: null })
    await download(store, 'key', folder.file('chunked'))
    expect(readFileSync(folder.file('chunked'), 'utf8')).toBe('abc')
  })

  it('starts again when a body breaks off', async () => {
    server.put(bucket, 'key', 'abcdef')
    server.faults([{ kind: 'truncate', times: 1 }])
    expect((await readSmall(store, 'key'))?.text).toBe('abcdef')
    expect(server.counts()).toEqual({ GetObject: 2 })
  })

  it('asks once, and names the file, if it cannot be written', async () => {
    server.put(bucket, 'key', randomBytes(3_000_000))
    await expect(download(store, 'key', '/dev/full')).rejects.toThrow(
      /^\/dev\/full cannot be written: ENOSPC/,
    )
    expect(server.counts()).toEqual({ GetObject: 1 })
  })
})

const token = 'FwoGZXIvYXdzEXAMPLETOKEN'
it('an error shows its stack, and nothing of the answer of the store', () => {
  const message = `The provided token\n    at once: ${token}\nhas expired`
  const error = Object.assign(new Error(message), { name: 'InvalidToken', Token: token })
  const place = { name: 's3://funds', bucket, endpoint: null, region: null }
  expect(inspect(bareCause(error))).not.toContain(token)
  expect(inspect(bareCause(error))).toMatch(/InvalidToken\n {4}at .*store-faults\.test\.ts:\d+:\d+/)
  expect(inspect(explained(error, place, 'read', 'key'))).not.toContain(token)
  // The SDK sets the message after the stack was made.
  const later = Object.assign(new Error(''), { name: 'InvalidToken', stack: error.stack ?? '' })
  expect(inspect(bareCause(later))).not.toContain(token)
})

it('counts a write as unanswered after a status of a proxy that gave up: 502 or 504, not 503', async () => {
  for (const [status, unanswered] of [
    [503, 0],
    [502, 1],
    [504, 2],
  ] as const) {
    server.faults([{ kind: 'status', status, operation: 'PutObject', times: 1 }])
    await store.put(object)
    expect(store.unanswered()).toBe(unanswered)
  }
})
