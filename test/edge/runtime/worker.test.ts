/** What only the Worker has: R2, the data centre's cache, streams that break, `live.json` by isolate. */
import { readdirSync, mkdirSync, cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { makeTempFolder, mustRun, startServer } from '../../support/product.ts'
import { headerOf, rawRequest, type RawResponse } from '../../support/request.ts'
import { startWorker, type WorkerServer } from '../../support/worker.ts'

const folder = makeTempFolder()
const outs = { first: folder.file('first'), second: folder.file('second') }
let isin: string

beforeAll(async () => {
  const db = folder.file('funds.sqlite')
  await mustRun(['demo', '--db', db, '--funds', '1', '--years', '17', '--until', '2026-11-10'])
  await build(db, outs.first, '2026-11-11')
  await build(db, outs.second, '2026-11-12')
  ;[isin = ''] = readdirSync(join(outs.first, 'api/v1/prices-historic'))
  return folder.remove
})

async function build(db: string, out: string, asOf: string): Promise<void> {
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'])
  addPage(out, 'docs/index.html', `<p>${asOf}</p>`.repeat(100), 'text/html; charset=utf-8')
}

/** A file beside the API, as a later build writes them: the manifest knows it. */
function addPage(out: string, key: string, text: string, type: string): void {
  mkdirSync(join(out, key, '..'), { recursive: true })
  writeFileSync(join(out, key), text)
  const manifest = join(out, 'manifest.ndjson.gz')
  const sha256 = createHash('sha256').update(text).digest('hex')
  const line = JSON.stringify({ key, sha256, bytes: text.length, type })
  writeFileSync(manifest, gzipSync(`${gunzipSync(readFileSync(manifest)).toString()}${line}\n`))
}

let worker: WorkerServer
afterEach(() => worker.stop())

async function start(options: Parameters<typeof startWorker>[0] = {}): Promise<void> {
  worker = await startWorker({ liveTtlSeconds: 60, ...options })
  await worker.publish(outs.first)
}

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> =>
  rawRequest(worker.base, { method, target: path.replace('ISIN', isin), headers })

const current = '/api/v1/prices-current/ISIN/'
const longRange = '/api/v1/prices-historic/ISIN/2015-02-01/2026-10-15/'

describe('the cache of the data centre', () => {
  it('spares R2 all reads but the first, and shows a flip without a purge', async () => {
    await start({ liveTtlSeconds: 1 })
    for (const path of [current, '/docs/', '/api/v1/prices-historic/ISIN/2025-02-01/2026-10-15/']) {
      const before = await ask(path)
      const again = await untilCached(() => ask(path))
      expect(again.body.equals(before.body)).toBe(true)
      expect(again.headers).toEqual(before.headers)
    }
    await worker.publish(outs.second)
    await setTimeout(1600)
    await worker.calls()
    expect((await ask('/docs/')).body.toString()).toContain('2026-11-12')
    await ask(current)
    expect(await worker.calls()).toContain(`get green/api/v1/prices-current/${isin}/index.json`)
  })

  it('is passed by where a range had more calls than a request of the free plan', async () => {
    await start()
    const reads = async (path: string) => {
      const { status } = await ask(path)
      const calls = await worker.calls()
      return [status, calls.filter((call) => /[0-9]{4}\.json$/.test(call)).length]
    }
    const all = longRange.replace('2015', '2010')
    expect(await reads(all)).toEqual([200, 17])
    // Each window: a look into the cache, R2, a put into the cache.
    expect(await reads(longRange)).toEqual([200, 12])
    await vi.waitFor(async () => expect(await reads(longRange)).toEqual([200, 0]), { timeout: 10_000 })
    expect(await reads(all)).toEqual([200, 17])
  })
})

/** Asks until an answer took no read but that of live.json: what is kept is kept after the answer. */
async function untilCached(asks: () => Promise<RawResponse>): Promise<RawResponse> {
  for (let attempt = 0; attempt < 100; attempt++) {
    await worker.calls()
    const answer = await asks()
    if ((await worker.calls()).every((call) => call.endsWith('live.json'))) return answer
    await setTimeout(20)
  }
  throw new Error('R2 is read again and again')
}

describe('what R2 is asked for', () => {
  it('reads no body for HEAD and for a copy that still stands', async () => {
    await start()
    const head = await ask(current, {}, 'HEAD')
    const etag = headerOf(head, 'etag') ?? ''
    const [known, since] = [
      await ask(current, { 'if-none-match': `W/${etag}` }),
      await ask(current, { 'if-modified-since': headerOf(head, 'last-modified') ?? '' }),
    ]
    expect([head.status, known.status, since.status]).toEqual([200, 304, 304])
    const key = `blue/api/v1/prices-current/${isin}/index.json`
    expect(await worker.calls()).toEqual(['get live.json', `head ${key}`, `head ${key}`, `head ${key}`])
    const full = await ask(current, { 'if-none-match': '"other"' })
    expect([full.status, full.body.length]).toEqual([200, Number(headerOf(head, 'content-length'))])
    expect(await worker.calls()).toEqual([`head ${key}`, `get ${key}`])
  })

  it('gives the part of a page that was asked for', async () => {
    await start()
    const text = readFileSync(join(outs.first, 'docs/index.html'), 'utf8')
    const part = await ask('/docs/', { range: 'bytes=3-12' })
    expect([part.status, part.body.toString()]).toEqual([206, '2026-11-11'])
    expect(headerOf(part, 'content-range')).toBe(`bytes 3-12/${text.length}`)
    expect(headerOf(part, 'content-length')).toBe('10')
    const head = await ask('/docs/', { range: 'bytes=3-12' }, 'HEAD')
    // Only for GET is a range defined.
    expect([head.status, headerOf(head, 'content-length')]).toEqual([200, String(text.length)])
    expect([head.body.length, headerOf(head, 'content-range')]).toEqual([0, undefined])
    const outside = await ask('/docs/', { range: 'bytes=9999-' })
    expect([outside.status, headerOf(outside, 'content-range')]).toEqual([416, `bytes */${text.length}`])
    const other = await ask('/docs/', { range: 'bytes=3-12', 'if-range': '"other"' })
    expect([other.status, other.body.toString()]).toEqual([200, text])
    const later = await untilCached(() => ask('/docs/'))
    expect(later.body.toString()).toBe(text)
    expect((await ask('/docs/', { range: 'bytes=-4' })).body.toString()).toBe('</p>')
  })

  it('finds everything below a prefix', async () => {
    await start({ prefix: 'a/b' })
    expect((await ask(current)).status).toBe(200)
    expect(await worker.calls()).toEqual([
      'get a/b/live.json',
      `get a/b/blue/api/v1/prices-current/${isin}/index.json`,
    ])
  })
})

describe('where R2 fails', () => {
  it('answers what serve answers then', async () => {
    const empty = folder.file('gone')
    cpSync(outs.first, empty, { recursive: true })
    const server = await startServer(empty)
    await start()
    await worker.faults([{ keyEnd: '', fails: true }])
    writeFileSync(join(empty, 'manifest.ndjson.gz'), 'no manifest')
    for (const method of ['GET', 'HEAD']) {
      const ours = await ask(current, {}, method)
      const theirs = await rawRequest(server.base, { method, target: current.replace('ISIN', isin) })
      expect([ours.status, ours.body.toString()]).toEqual([503, theirs.body.toString()])
      expect(told(ours)).toEqual(told(theirs))
    }
    await server.stop()
    await worker.faults([])
    expect((await ask(current)).status).toBe(200)
  })

  it('answers 503 where a range cannot begin, and breaks off where it had begun', async () => {
    await start()
    const whole = await ask(longRange)
    expect([whole.status, Number(headerOf(whole, 'content-length'))]).toEqual([200, whole.body.length])
    await worker.faults([{ keyEnd: '/2015.xml', fails: true }])
    expect((await ask(`${longRange}?format=xml`)).status).toBe(503)
    await worker.faults([{ keyEnd: '/2024.xml', fails: true }])
    await expect(ask(`${longRange}?format=xml`)).rejects.toThrow(/aborted|hang up/)
    await worker.faults([])
    expect((await ask(`${longRange}?format=xml`)).status).toBe(200)
  })

  it('answers 503 to a short range, wherever R2 fails', async () => {
    await start()
    await worker.faults([{ keyEnd: '/2026.json', fails: true }])
    expect((await ask('/api/v1/prices-historic/ISIN/2023-02-01/2026-10-15/')).status).toBe(503)
  })

  it('goes on with the slot that it saw last, for half a time to live', async () => {
    await start({ liveTtlSeconds: 1 })
    expect((await ask(current)).status).toBe(200)
    await worker.faults([{ keyEnd: 'live.json', fails: true }])
    await setTimeout(1100)
    expect((await ask(current)).status).toBe(200)
    await setTimeout(600)
    expect((await ask(current)).status).toBe(503)
  })

  it('says that nothing is live in an empty bucket', async () => {
    worker = await startWorker()
    expect((await ask(current)).status).toBe(503)
  })
})

describe('an answer that takes long', () => {
  it('is looked at again, and read anew from the slot that is live then', async () => {
    await start({ liveTtlSeconds: 1 })
    await ask('/nothing/')
    await worker.fill('green', outs.second)
    await worker.faults([{ keyEnd: 'blue/docs/index.html', delayMs: 2500 }])
    const slow = ask('/docs/')
    await setTimeout(300)
    await worker.makeLive('green', outs.second)
    expect((await slow).body.toString()).toContain('2026-11-12')
    expect(await worker.calls()).toContain('get green/docs/index.html')
  })

  it('breaks off if it is a stream, and another snapshot went live meanwhile', async () => {
    await start({ liveTtlSeconds: 1 })
    await ask('/nothing/')
    await worker.fill('green', outs.second)
    await worker.faults([{ keyEnd: '/2024.json', delayMs: 2500 }])
    const slow = expect(ask(longRange)).rejects.toThrow(/aborted|hang up/)
    await setTimeout(300)
    await worker.makeLive('green', outs.second)
    await slow
    await worker.faults([])
    expect((await ask(longRange)).status).toBe(200)
  })
})

/** Headers but those of the connection. */
const told = ({ headers }: RawResponse) =>
  Object.fromEntries(
    headers.filter(([name]) => !['connection', 'date', 'keep-alive', 'content-length'].includes(name)),
  )
