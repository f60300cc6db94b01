/** What only the Worker has: R2, the data centre's cache, streams that break, `live.json` by isolate. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { longestReadMs } from '../../../src/core/edge/core/live.ts'
import { makeTempFolder, mustRun } from '../../support/product.ts'
import { headerOf, rawRequest, type RawResponse } from '../../support/request.ts'
import { startWorker, type WorkerServer } from '../../support/worker.ts'
import { firstIsin } from './deployments.ts'

const folder = makeTempFolder()
const outs = { first: folder.file('first'), second: folder.file('second') }
let isin: string

beforeAll(async () => {
  const db = folder.file('funds.sqlite')
  await mustRun(['init', '--demo', '--db', db, '--funds', '1', '--years', '17', '--until', '2026-11-10'])
  await build(db, outs.first, '2026-11-11')
  await build(db, outs.second, '2026-11-12')
  isin = firstIsin(outs.first)
  return folder.remove
})

async function build(db: string, out: string, asOf: string): Promise<void> {
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'])
  // A page, as a build writes it: the manifest knows it.
  const text = `<p>${asOf}</p>`.repeat(100)
  mkdirSync(join(out, 'docs'))
  writeFileSync(join(out, 'docs/index.html'), text)
  const manifest = join(out, 'manifest.ndjson.gz')
  const sha256 = createHash('sha256').update(text).digest('hex')
  const type = 'text/html; charset=utf-8'
  const line = JSON.stringify({ key: 'docs/index.html', sha256, bytes: text.length, type })
  writeFileSync(manifest, gzipSync(`${gunzipSync(readFileSync(manifest)).toString()}${line}\n`))
}

let worker: WorkerServer
async function start(liveTtlSeconds: number): Promise<void> {
  worker = await startWorker({ liveTtlSeconds })
  await worker.publish(outs.first)
}

const ask = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<RawResponse> =>
  rawRequest(worker.base, { method, target: path.replace('ISIN', isin), headers })

const current = '/api/v1/prices-current/ISIN/'
const longRange = '/api/v1/prices-historic/ISIN/2015-02-01/2026-10-15/'
/** Of more windows than a request of the free plan can look for in the cache. */
const longestRange = longRange.replace('2015', '2010')

/** Asks until an answer took no read but that of live.json: what is kept is kept after the answer. */
async function untilCached(path: string): Promise<RawResponse> {
  for (let attempt = 0; attempt < 100; attempt++) {
    await worker.calls()
    const answer = await ask(path)
    if ((await worker.calls()).every((call) => call.endsWith('live.json'))) return answer
    await setTimeout(20)
  }
  throw new Error('R2 is read again and again')
}

describe('a Worker with one live snapshot', () => {
  beforeAll(async () => {
    await start(600)
    await ask('/nothing/')
    return () => worker.stop()
  })
  beforeEach(() => worker.calls())
  afterEach(() => worker.faults([]))

  it('reads no body for HEAD and for a copy that is still current', async () => {
    const head = await ask(current, {}, 'HEAD')
    const etag = headerOf(head, 'etag') ?? ''
    const known = await ask(current, { 'if-none-match': `W/${etag}` })
    const since = await ask(current, { 'if-modified-since': headerOf(head, 'last-modified') ?? '' })
    expect(head.status).toBe(200)
    expect(known.status).toBe(304)
    expect(since.status).toBe(304)
    const key = `blue/api/v1/prices-current/${isin}/index.json`
    expect(await worker.calls()).toEqual([`head ${key}`, `head ${key}`, `head ${key}`])
    const full = await ask(current, { 'if-none-match': '"other"' })
    expect(full.status).toBe(200)
    expect(full.body.length).toBe(Number(headerOf(head, 'content-length')))
    expect(await worker.calls()).toEqual([`head ${key}`, `get ${key}`])
  })

  it('answers 503 if a range cannot begin, and breaks off one that has begun', async () => {
    const inXml = `${longRange}?format=xml`
    await worker.faults([{ keyEnd: '/2015.xml', fails: true }])
    expect((await ask(inXml)).status).toBe(503)
    await worker.faults([{ keyEnd: '/2024.xml', fails: true }])
    await expect(ask(inXml)).rejects.toThrow(/aborted|hang up/)
    await worker.faults([])
    const whole = await ask(inXml)
    expect(whole.status).toBe(200)
    expect(Number(headerOf(whole, 'content-length'))).toBe(whole.body.length)
  })

  it('bypasses the cache for a range that needs more calls than a request of the free plan has', async () => {
    const readsOf = async (path: string) => {
      const { status } = await ask(path)
      const calls = await worker.calls()
      return { status, reads: calls.filter((call) => /[0-9]{4}\.json$/.test(call)).length }
    }
    expect(await readsOf(longestRange)).toEqual({ status: 200, reads: 17 })
    // Each window: a look into the cache, R2, a put into the cache.
    expect(await readsOf(longRange)).toEqual({ status: 200, reads: 12 })
    await expect.poll(() => readsOf(longRange)).toEqual({ status: 200, reads: 0 })
    expect(await readsOf(longestRange)).toEqual({ status: 200, reads: 17 })
  })
})

describe('a Worker that looks for the live snapshot each second', () => {
  beforeEach(() => start(1))
  afterEach(() => worker.stop())

  it('reads only once from R2, shows a flip without a purge, and goes on with what is cached without R2', async () => {
    for (const path of [current, '/docs/', '/api/v1/prices-historic/ISIN/2025-02-01/2026-10-15/']) {
      const before = await ask(path)
      const again = await untilCached(path)
      expect(again.body.equals(before.body)).toBe(true)
      expect(comparableHeaders(again)).toEqual(comparableHeaders(before))
    }
    await worker.publish(outs.second)
    await setTimeout(1600)
    await worker.calls()
    expect((await ask('/docs/')).body.toString()).toContain('2026-11-12')
    await ask(current)
    expect(await worker.calls()).toContain(`get green/api/v1/prices-current/${isin}/index.json`)
    const known = await untilCached(current)
    for (const fault of [{ fails: true }, { delayMs: 60_000 }]) {
      await worker.faults([{ keyEnd: '', ...fault }])
      for (let times = 0; times < 20; times++) {
        await setTimeout(100)
        const answer = await ask(current)
        expect(answer.status).toBe(200)
        expect(answer.body.toString()).toBe(known.body.toString())
      }
      expect((await ask('/api/v1/figures/ISIN/')).status).toBe(503)
    }
    await worker.calls()
    expect((await ask('/api/v1/figures/ISIN/')).status).toBe(503)
    expect((await worker.calls()).filter((call) => !call.endsWith('live.json'))).toEqual([])
    await worker.faults([])
    await expect.poll(async () => (await ask('/api/v1/figures/ISIN/')).status).toBe(200)
  })

  it('answers a slow request again from the new live snapshot, and breaks off a stream', async () => {
    const late = ['blue/docs/index.html', `blue/api/v1/prices-historic/${isin}/2024.json`]
    const flipWhileReadsAreHeld = async () => {
      await worker.stop()
      // Less than a read may take is more than bucket.graceSeconds protects.
      await start(0.25)
      await ask('/nothing/')
      await worker.fill('green', outs.second)
      await worker.faults(late.map((keyEnd) => ({ keyEnd, isHeld: true })))
      const startedAt = performance.now()
      const answers = Promise.allSettled([ask('/docs/'), ask(longRange)])
      const begun: string[] = []
      const isBegun = async () =>
        begun.push(...(await worker.calls())) > 0 && late.every((key) => begun.includes(`get ${key}`))
      await expect.poll(isBegun, { interval: 20, timeout: 30_000 }).toBe(true)
      await worker.makeLive('green', outs.second)
      await setTimeout(600)
      await worker.faults([])
      return { answers: await answers, heldMs: performance.now() - startedAt }
    }
    let flip = await flipWhileReadsAreHeld()
    // On a slow machine, the edge takes the store for one that does not answer.
    while (flip.heldMs > longestReadMs) flip = await flipWhileReadsAreHeld()
    const [slow, broken] = flip.answers
    expect(slow.status === 'fulfilled' && slow.value.body.toString()).toContain('2026-11-12')
    expect(String(broken.status === 'rejected' && broken.reason)).toMatch(/aborted|hang up/)
    expect(await worker.calls()).toContain('get green/docs/index.html')
    expect((await ask(longRange)).status).toBe(200)
  })
})

it('answers 503 until a snapshot is live, and then from below its prefix', async () => {
  worker = await startWorker({ prefix: 'a/b' })
  expect((await ask(current)).status).toBe(503)
  await worker.calls()
  await worker.publish(outs.first)
  expect((await ask(current)).status).toBe(200)
  const key = `a/b/blue/api/v1/prices-current/${isin}/index.json`
  expect(await worker.calls()).toEqual(['get a/b/live.json', `get ${key}`])
  await worker.stop()
})

/** Headers but those of the connection and of the moment. */
const comparableHeaders = ({ headers }: RawResponse) =>
  headers.filter(([name]) => !['connection', 'date', 'keep-alive', 'content-length'].includes(name)).sort()
