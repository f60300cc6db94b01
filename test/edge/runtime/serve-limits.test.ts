/** What `serve` asks of a bucket, and what it allows its clients: bounded memory, no connection that only waits, all answers in order. */
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { serveFolder } from '../../../src/core/cli/serve.ts'
import { connectionLimits } from '../../../src/core/edge/node/connections.ts'
import {
  makeTempFolder,
  mustRun,
  startServer,
  startServing,
  type Server,
  liveTtl,
} from '../../support/product.ts'
import { bucketArgs, credentials, publishArgs } from '../../support/publishing.ts'
import { exchangeBytes, headerOf, rawRequest } from '../../support/request.ts'
import { startS3, type S3Server } from '../../support/s3/server.ts'
import { serveHere } from '../../support/serve-here.ts'
import { getOf } from '../../support/silent-clients.ts'
import { fillDemo } from '../../support/snapshots.ts'
import { firstIsin } from './deployments.ts'

const asOf = '2025-09-30'
const folder = makeTempFolder()
const out = folder.file('out')
let isin: string

beforeAll(async () => {
  const db = folder.file('funds.sqlite')
  await fillDemo(1, 30, asOf)(db)
  const env = { FUNDPRESS_DOWNLOADS: 'true' }
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'], { env })
  isin = firstIsin(out)
  return folder.remove
})

/** @param from long ranges begin in 1990; a dozen years do where all of it is read many times */
const allPrices = (format = 'json', from = '1990-01-01') =>
  `/api/v1/prices-historic/${isin}/${from}/${asOf}/?format=${format}`
const currentPrices = () => `/api/v1/prices-current/${isin}/`

/** A socket to a server. Its errors do not matter: the server breaks connections off. */
function socketTo(base: string): Socket {
  const { hostname, port } = new URL(base)
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
  return socket.on('error', () => undefined)
}

describe('serve --bucket', () => {
  const place = (name: string) => `/downloads/${asOf}/${name}`
  /** The key of a file beside the downloads of the live snapshot. */
  const keyOf = (name: string) => {
    const sums = [...s3.objects('fund-data').keys()].find((key) => /^downloads\/[^/]+\/SHA256SUMS$/.test(key))
    if (sums === undefined) throw new Error('no downloads in the bucket')
    return sums.replace('SHA256SUMS', name)
  }
  const body = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => at % 251))
  let s3: S3Server
  let server: Server

  beforeAll(async () => {
    s3 = await startS3({ buckets: ['fund-data'] })
    await mustRun(publishArgs(s3.endpoint, 'fund-data', out), { env: credentials })
    s3.put('fund-data', keyOf('large.sqlite'), body)
    // The live slot is read once for all of these tests.
    const env = { ...credentials, ...liveTtl(600) }
    server = await startServing(bucketArgs(s3.endpoint, 'fund-data'), { env })
    return async () => {
      await server.stop()
      await s3.stop()
    }
  })

  beforeEach(() => s3.reset())

  const ask = (target: string, headers = {}) => rawRequest(server.base, { target, headers })
  const reads = () => s3.log.flatMap(({ key, status }) => (key === 'live.json' ? [] : [{ key, status }]))

  it('asks the bucket for the parts of a large object that it is asked for, and no more', async () => {
    const large = keyOf('large.sqlite')
    const first = await ask(place('large.sqlite'), { range: 'bytes=1000-1009' })
    expect(first.status).toBe(206)
    expect(first.body.equals(body.subarray(1000, 1010))).toBe(true)
    expect(headerOf(first, 'content-range')).toBe(`bytes 1000-1009/${body.length}`)
    s3.reset()
    for (const start of [0, 700_000, 2_999_990]) {
      const part = await ask(place('large.sqlite'), { range: `bytes=${start}-${start + 9}` })
      expect(part.body.equals(body.subarray(start, start + 10))).toBe(true)
    }
    expect(reads()).toEqual(Array.from({ length: 3 }, () => ({ key: large, status: 206 })))
    const whole = await ask(place('large.sqlite'))
    expect(whole.status).toBe(200)
    expect(whole.body.equals(body)).toBe(true)
    expect(headerOf(whole, 'etag')).toBe(s3.objects('fund-data').get(large)?.etag)
    expect(new Set(reads().map(({ status }) => status))).toEqual(new Set([206]))
  })

  it('breaks off a download whose object changes meanwhile, and gives the new object from then on', async () => {
    const key = keyOf('changed.sqlite')
    const target = place('changed.sqlite')
    s3.put('fund-data', key, body)
    expect((await ask(target, { range: 'bytes=0-0' })).status).toBe(206)
    const parts = { operation: 'GetObject', keyMatches: /changed/, nth: 4 } as const
    const change = () => {
      s3.put('fund-data', key, Buffer.alloc(body.length, 7))
    }
    s3.faults([{ ...parts, kind: 'call', when: 'before', run: change }])
    await expect(ask(target)).rejects.toThrow(/aborted|hang up/)
    const after = await ask(target)
    expect(after.status).toBe(200)
    expect(after.body.equals(Buffer.alloc(body.length, 7))).toBe(true)
  })

  it.each([
    ['a page', '/docs/nothing/'],
    ['a download', `/downloads/${asOf}/nothing.csv`],
    ['a fund', '/api/v1/profile/DE0008471400/'],
  ])('does not ask the bucket again and again for %s that is not there', async (_, target) => {
    const statuses: number[] = []
    for (let times = 0; times < 20; times++) statuses.push((await ask(target)).status)
    expect(new Set(statuses)).toEqual(new Set([404]))
    // Twice for a fund: for its answer and for its refusal. Again after some seconds.
    expect(reads().length).toBeLessThanOrEqual(8)
  })

  it('answers a range that cannot begin with a 503, and breaks off one that had begun', async () => {
    s3.faults([{ kind: 'status', status: 500, operation: 'GetObject', keyMatches: /2014\.xml$/ }])
    const first = await ask(allPrices('xml', '2013-11-01'))
    expect(first.status).toBe(503)
    expect(headerOf(first, 'retry-after')).toBe('5')
    s3.faults([{ kind: 'status', status: 500, operation: 'GetObject', keyMatches: /2024\.xml$/ }])
    await expect(ask(allPrices('xml', '2013-11-01'))).rejects.toThrow(/aborted|hang up/)
    s3.faults([])
    expect((await ask(allPrices('xml', '2013-11-01'))).status).toBe(200)
  })
})

it('breaks off a long range if another snapshot goes live while it is sent: no answer has windows of two', async () => {
  const { origin } = await serveFolder(out)
  const failures: unknown[] = []
  const pin = async () => {
    const snapshot = await origin.pin()
    let looks = 0
    // The windows before the status, and two after it.
    return { ...snapshot, isStillLive: () => Promise.resolve(++looks <= 6) }
  }
  const { base, stop } = await serveHere(out, { origin: { pin }, onFailure: (error) => failures.push(error) })
  await expect(rawRequest(base, { target: allPrices() })).rejects.toThrow(/aborted|hang up/)
  expect(failures).toEqual([new Error('another snapshot is live now')])
  await stop()
})

it('answers a request that came in time, if only the server was late', async () => {
  const here = await serveHere(out, { limits: { ...connectionLimits, headersMs: 400 } })
  const accepted = once(here.server, 'connection')
  const socket = socketTo(here.base)
  await Promise.all([once(socket, 'connect'), accepted])
  socket.write(getOf(currentPrices()))
  for (const until = performance.now() + 1000; performance.now() < until;);
  const [answer] = (await once(socket, 'data')) as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
  socket.destroy()
  await here.stop()
})

describe('a connection', () => {
  let here: Awaited<ReturnType<typeof serveHere>>

  beforeAll(async () => {
    here = await serveHere(out, { limits: { ...connectionLimits, headersMs: 400, idleMs: 1000 } })
    return here.stop
  })

  it.each([
    ['with a header that does not end', 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '],
    ['without a word', ''],
  ])('%s is closed with a 408', async (_, text) => {
    const answer = await exchangeBytes(here.base, Buffer.from(text))
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('is dropped if its client reads nothing of an answer', async () => {
    const before = await connections()
    const socket = socketTo(here.base).pause()
    // More than the system takes off the server's hands.
    socket.write(getOf(allPrices('xml', '2013-11-01')).repeat(40))
    while ((await connections()) === before) await sleep(20)
    while ((await connections()) > before) await sleep(100)
    socket.destroy()
  })

  it('stays open as long as its client reads, however slowly', async () => {
    const socket = socketTo(here.base)
    let bytes = 0
    const ending = 'GET /end/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    socket.write(getOf(allPrices('xml', '2013-11-01')).repeat(12) + ending)
    for await (const chunk of socket) {
      const before = bytes
      bytes += (chunk as Buffer).length
      // It takes some seconds in all.
      if (Math.floor(before / 2_000_000) !== Math.floor(bytes / 2_000_000)) await sleep(300)
    }
    const one = readFileSync(`${out}/api/v1/prices-historic/${isin}/2016.xml`).length
    expect(bytes).toBeGreaterThan(12 * 10 * one)
  })

  const connections = () => promisify(here.server.getConnections.bind(here.server))()
})

describe('a client', () => {
  const large = `/downloads/${asOf}/large.sqlite`
  const largeBytes = 200_000_000
  let server: Server

  beforeAll(async () => {
    // Without a byte on the disk.
    mkdirSync(dirname(out + large), { recursive: true })
    writeFileSync(out + large, '')
    truncateSync(out + large, largeBytes)
    server = await startServer(out)
    return () => server.stop()
  })

  const ask = (target: string, headers = {}) => rawRequest(server.base, { target, headers })

  /** Bytes that a process has read, from files and sockets. */
  const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${server.pid}/io`, 'utf8'))?.[1])

  it('survives clients that ask for a tunnel and go away, and keeps no connection of those that stay', async () => {
    const sockets: Socket[] = []
    const open = async (isReset: boolean) => {
      const socket = socketTo(server.base)
      sockets.push(socket)
      await once(socket, 'connect')
      socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
      if (isReset) socket.resetAndDestroy()
    }
    const ofServer = () => readdirSync(`/proc/${server.pid}/fd`).length
    await ask(currentPrices())
    const before = ofServer()
    for (let times = 0; times < 100; times++) await open(true)
    for (let times = 0; times < 40; times++) await open(false)
    // Those are closed, although their clients never close them.
    await expect.poll(ofServer).toBeLessThan(before + 20)
    expect((await ask(currentPrices())).status).toBe(200)
    sockets.forEach((socket) => socket.destroy())
  })

  it('gets the parts of a large file, which the server reads once as a whole, for its ETag', async () => {
    const first = await ask(large, { range: 'bytes=0-0' })
    expect(first.status).toBe(206)
    expect(first.body.length).toBe(1)
    expect(headerOf(first, 'content-range')).toBe(`bytes 0-0/${largeBytes}`)
    const etag = headerOf(first, 'etag')
    const before = bytesRead()
    for (let at = 0; at < 20; at++) {
      const part = await ask(large, { range: `bytes=${at * 1_000_000}-${at * 1_000_000 + 9}` })
      expect({ status: part.status, length: part.body.length, etag: headerOf(part, 'etag') }).toEqual({
        status: 206,
        length: 10,
        etag,
      })
    }
    expect(bytesRead() - before).toBeLessThan(largeBytes / 20)
    const head = await rawRequest(server.base, { method: 'HEAD', target: large })
    expect(headerOf(head, 'content-length')).toBe(String(largeBytes))
    const end = await ask(large, { range: `bytes=${largeBytes - 10_000_000}-` })
    expect(end.status).toBe(206)
    expect(end.body.length).toBe(10_000_000)
    expect((await ask(large, { 'if-none-match': etag ?? '' })).status).toBe(304)
    const beyond = await ask(large, { range: `bytes=${largeBytes}-` })
    expect(beyond.status).toBe(416)
    expect(headerOf(beyond, 'content-range')).toBe(`bytes */${largeBytes}`)
  })
})
