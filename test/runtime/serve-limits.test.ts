/** What `serve` asks of a bucket and of its clients: parts as parts, unknown keys once, no connection that only waits. */
import { readdirSync, readFileSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { listen } from '../../src/cli/listen.ts'
import { serveFolder } from '../../src/cli/served.ts'
import { connectionLimits } from '../../src/edge/adapters/connections.ts'
import { createEdgeServer } from '../../src/edge/adapters/node.ts'
import { makeTempFolder, mustRun, startServing, type Server } from '../support/product.ts'
import { bucketArgs, credentials, publishArgs } from '../support/publishing.ts'
import { headerOf, rawRequest } from '../support/request.ts'
import { startS3, type S3Server } from '../support/s3/server.ts'

const asOf = '2025-09-30'
const folder = makeTempFolder()
const out = folder.file('out')
let isin: string

beforeAll(async () => {
  const db = folder.file('funds.sqlite')
  await mustRun([
    'demo',
    '--db',
    db,
    '--funds',
    '1',
    '--years',
    '12',
    '--until',
    asOf,
    '--seed',
    '7',
    '--quiet',
  ])
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'])
  ;[isin = ''] = readdirSync(`${out}/api/v1/prices-historic`)
})
afterAll(folder.remove)

const allPrices = () => `/api/v1/prices-historic/${isin}/1990-01-01/${asOf}/`

describe('serve --bucket', () => {
  const large = `downloads/${asOf}/large.sqlite`
  const body = Buffer.from(Array.from({ length: 3_000_000 }, (_, at) => at % 251))
  let s3: S3Server
  let server: Server

  beforeAll(async () => {
    s3 = await startS3({ buckets: ['fund-data'] })
    await mustRun(publishArgs(s3.endpoint, 'fund-data', out), { env: credentials })
    s3.put('fund-data', large, body)
    // The live slot is read once for all of this.
    const args = [...bucketArgs(s3.endpoint, 'fund-data'), '--live-ttl', '600']
    server = await startServing(args, { env: credentials })
    return async () => {
      await server.stop()
      await s3.stop()
    }
  })

  beforeEach(() => {
    s3.reset()
  })

  const ask = (target: string, headers: Record<string, string> = {}) =>
    rawRequest(server.base, { target, headers })
  const reads = () =>
    s3.log.filter(({ key }) => key !== 'live.json').map(({ key, status }) => ({ key, status }))

  it('asks the bucket for the parts of a large object that it is asked for, and no more', async () => {
    const first = await ask(`/${large}`, { range: 'bytes=1000-1009' })
    expect([first.status, first.body.equals(body.subarray(1000, 1010))]).toEqual([206, true])
    expect(headerOf(first, 'content-range')).toBe(`bytes 1000-1009/${body.length}`)
    s3.reset()
    for (const start of [0, 700_000, 2_999_990]) {
      const part = await ask(`/${large}`, { range: `bytes=${start}-${start + 9}` })
      expect(part.body.equals(body.subarray(start, start + 10))).toBe(true)
    }
    expect(reads()).toEqual(Array.from({ length: 3 }, () => ({ key: large, status: 206 })))
    const whole = await ask(`/${large}`)
    expect([whole.status, whole.body.equals(body)]).toEqual([200, true])
    expect(headerOf(whole, 'etag')).toBe(s3.objects('fund-data').get(large)?.etag)
    expect(new Set(reads().map(({ status }) => status))).toEqual(new Set([206]))
  })

  it('breaks a download off that becomes another object on its way, and gives that one from then on', async () => {
    const key = `downloads/${asOf}/changed.sqlite`
    s3.put('fund-data', key, body)
    expect((await ask(`/${key}`, { range: 'bytes=0-0' })).status).toBe(206)
    const parts = { operation: 'GetObject', keyMatches: /changed/, nth: 4 } as const
    const change = () => {
      s3.put('fund-data', key, Buffer.alloc(body.length, 7))
    }
    s3.faults([{ ...parts, kind: 'call', when: 'before', run: change }])
    await expect(ask(`/${key}`)).rejects.toThrow(/aborted|hang up/)
    const after = await ask(`/${key}`)
    expect([after.status, after.body.equals(Buffer.alloc(body.length, 7))]).toEqual([200, true])
  })

  it.each([
    ['a page', '/docs/nothing/'],
    ['a download', `/downloads/${asOf}/nothing.csv`],
    ['a fund', '/api/v1/profile/DE0008471400/'],
  ])('does not ask the bucket again and again for %s that is not there', async (_, target) => {
    const statuses: number[] = []
    for (let times = 0; times < 30; times++) statuses.push((await ask(target)).status)
    expect(new Set(statuses)).toEqual(new Set([404]))
    // Twice for a fund: for its answer and for its refusal. Again after some seconds.
    expect(reads().length).toBeLessThanOrEqual(8)
  })

  it('answers a range that cannot begin with a 503, and breaks off one that had begun', async () => {
    s3.faults([{ kind: 'status', status: 500, operation: 'GetObject', keyMatches: /2014\.xml$/ }])
    const first = await ask(`${allPrices()}?format=xml`)
    expect([first.status, headerOf(first, 'retry-after')]).toEqual([503, '5'])
    s3.faults([{ kind: 'status', status: 500, operation: 'GetObject', keyMatches: /2024\.xml$/ }])
    await expect(ask(`${allPrices()}?format=xml`)).rejects.toThrow(/aborted|hang up/)
    s3.faults([])
    expect((await ask(`${allPrices()}?format=xml`)).status).toBe(200)
  }, 60_000)

  it('answers 503 to ranges beyond those that may be in work, and answers everything else', async () => {
    await ask(`/api/v1/prices-current/${isin}/`)
    const waits = Promise.withResolvers<undefined>()
    s3.faults([{ kind: 'call', when: 'before', run: () => waits.promise, keyMatches: /2016\.json$/ }])
    const { hostname, port } = new URL(server.base)
    const texts: string[] = []
    const sockets = Array.from({ length: 300 }, (_, at) => {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => (texts[at] = (texts[at] ?? '') + chunk.toString('latin1')))
      socket.write(
        `GET /api/v1/prices-historic/${isin}/2016-02-0${1 + (at % 9)}/2016-11-30/ HTTP/1.1\r\nHost: a\r\n\r\n`,
      )
      return socket
    })
    while (texts.filter((text) => text.includes('"status":503')).length < 172) await sleep(50)
    expect((await ask(`/api/v1/prices-current/${isin}/`)).status).toBe(200)
    waits.resolve(undefined)
    while (texts.filter((text) => /^HTTP\/1\.1 \d{3}/.test(text)).length < 300) await sleep(50)
    const statuses = texts.map((text) => text.slice(9, 12))
    expect(statuses.filter((status) => status === '200')).toHaveLength(128)
    expect(texts.filter((text) => /^HTTP\/1\.1 503 [^]*\r\nRetry-After: 5\r\n/i.test(text))).toHaveLength(172)
    sockets.forEach((socket) => socket.destroy())
    expect((await ask(allPrices())).status).toBe(200)
  }, 60_000)
})

describe('a long range', () => {
  it('breaks off if another snapshot goes live while it is sent: no answer has windows of two', async () => {
    const { origin } = await serveFolder(out)
    const failures: unknown[] = []
    const server = createEdgeServer({
      origin: {
        pin: async () => {
          const snapshot = await origin.pin()
          let looks = 0
          // The windows before the status, and two after it.
          return { ...snapshot, isStillLive: () => Promise.resolve(++looks <= 6) }
        },
      },
      settings: { cacheControl: '', errorCacheControl: '' },
      onFailure: (error) => failures.push(error),
    })
    const base = await listen(server, { host: '127.0.0.1', port: 0 })
    await expect(rawRequest(base, { target: allPrices() })).rejects.toThrow(/aborted|hang up/)
    expect(failures).toEqual([new Error('another snapshot is live now')])
    server.close()
    server.closeAllConnections()
  })
})

describe('a connection', () => {
  let server: HttpServer
  let port: number

  beforeAll(async () => {
    const { origin } = await serveFolder(out)
    server = createEdgeServer({
      origin,
      settings: { cacheControl: '', errorCacheControl: '' },
      onFailure: () => undefined,
      limits: { ...connectionLimits, headersMs: 400, idleMs: 1000 },
    })
    port = Number(new URL(await listen(server, { host: '127.0.0.1', port: 0 })).port)
    return () => {
      server.close()
      server.closeAllConnections()
    }
  })

  /** Resolves once the server has closed it, with all that came. */
  const closed = (text: string, reads: boolean) =>
    new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1')
      let said = ''
      socket.on('error', () => undefined)
      socket.on('close', () => {
        resolve(said)
      })
      if (reads) socket.on('data', (chunk: Buffer) => (said += chunk.toString('latin1')))
      socket.write(text)
    })

  it('is closed with a 408 if a header does not end', async () => {
    expect(await closed('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ', true)).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('is closed if it is there without a word', async () => {
    expect(await closed('', true)).toMatch(/^HTTP\/1\.1 408 /)
  })

  it('is dropped if nothing of an answer is read', async () => {
    const text = `GET ${allPrices()}?format=xml HTTP/1.1\r\nHost: a\r\n\r\n`
    const before = await connections()
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.pause()
    // More than the system takes off the server's hands.
    socket.write(text.repeat(40))
    while ((await connections()) === before) await sleep(20)
    while ((await connections()) > before) await sleep(100)
    socket.destroy()
  })

  it('is kept as long as it is read, however slowly', async () => {
    const text = `GET ${allPrices()}?format=xml HTTP/1.1\r\nHost: a\r\n\r\n`
    const socket = connect(port, '127.0.0.1')
    let bytes = 0
    socket.write(`${text.repeat(12)}GET /end/ HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
    for await (const chunk of socket) {
      // It takes some seconds in all.
      if (Math.floor(bytes / 2_000_000) !== Math.floor((bytes += (chunk as Buffer).length) / 2_000_000))
        await sleep(300)
    }
    const one = readFileSync(`${out}/api/v1/prices-historic/${isin}/2016.xml`).length
    expect(bytes).toBeGreaterThan(12 * 10 * one)
  }, 60_000)

  const connections = () =>
    new Promise<number>((resolve) => {
      server.getConnections((_, count) => {
        resolve(count)
      })
    })
})
