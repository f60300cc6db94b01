/** Clients that ask for much and read nothing: the memory of `serve` stays bounded, and others are answered. */
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { makeTempFolder, mustRun, startServer, type Server } from '../support/product.ts'
import { exchangeBytes, headerOf, parseResponses, rawRequest } from '../support/request.ts'

const asOf = '2025-09-30'
const folder = makeTempFolder()
const out = folder.file('out')
const large = `/downloads/${asOf}/large.sqlite`
const largeBytes = 400_000_000
let isin: string
let server: Server

beforeAll(async () => {
  const db = folder.file('funds.sqlite')
  await mustRun([
    'demo',
    '--db',
    db,
    '--funds',
    '1',
    '--years',
    '30',
    '--until',
    asOf,
    '--seed',
    '7',
    '--quiet',
  ])
  await mustRun(['build', '--db', db, '--out', out, '--as-of', asOf, '--quiet'])
  ;[isin = ''] = readdirSync(`${out}/api/v1/prices-historic`)
  // Without a byte on the disk.
  mkdirSync(dirname(out + large), { recursive: true })
  writeFileSync(out + large, '')
  truncateSync(out + large, largeBytes)
  return folder.remove
})

const sockets = new Set<Socket>()

afterEach(async () => {
  sockets.forEach((socket) => socket.destroy())
  sockets.clear()
  await server.stop()
})

const allPrices = (format: string) => `/api/v1/prices-historic/${isin}/1990-01-01/${asOf}/?format=${format}`

const textOf = (target: string) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** Asks, and reads nothing of what comes. */
function holdOn(text: string): void {
  const { hostname, port } = new URL(server.base)
  const socket = connect(Number(port), hostname)
  socket.pause()
  socket.on('error', () => undefined)
  socket.write(text)
  sockets.add(socket)
}

/** What a process has held at most, in MB. */
function peakMegabytes(): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
}

/** Bytes that a process has read, from files and sockets. */
const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${server.pid}/io`, 'utf8'))?.[1])

/** Until the server takes no more of what is there to be sent. */
async function untilQuiet(): Promise<void> {
  let before = NaN
  while (bytesRead() !== before) {
    before = bytesRead()
    await sleep(400)
  }
}

/** @param rangeStatuses for ranges: 503, too, where as many are in work as may be */
async function expectOthersToBeAnswered(rangeStatuses: readonly number[]): Promise<void> {
  const targets = [
    `/api/v1/prices-current/${isin}/`,
    `/api/v1/prices-historic/${isin}/2024-01-10/2025-02-01/`,
    allPrices('json'),
  ]
  for (const [at, target] of targets.entries()) {
    const { status } = await rawRequest(server.base, { target })
    expect(at === 0 ? [200] : rangeStatuses).toContain(status)
  }
}

describe('serve', () => {
  it.each([
    ['20 clients that do not read a large file', 20, [200], () => textOf(large)],
    ['200 clients that do not read a large file', 200, [200], () => textOf(large)],
    [
      '200 clients that do not read the longest range',
      200,
      [200, 503],
      () => textOf(allPrices('xml')).repeat(3),
    ],
    ['one client that asks for 450 ranges at once', 1, [200], () => textOf(allPrices('json')).repeat(450)],
  ])('stays small with %s', async (_, clients, rangeStatuses, text) => {
    server = await startServer(out)
    for (let client = 0; client < clients; client++) holdOn(text())
    await untilQuiet()
    await expectOthersToBeAnswered(rangeStatuses)
    // Without limits it was 2,000 MB and more; an idle process has 90, and they were 250 at most.
    expect(peakMegabytes()).toBeLessThan(400)
  })

  it('survives clients that ask for a tunnel and go away, and keeps no connection of those that stay', async () => {
    server = await startServer(out)
    const { hostname, port } = new URL(server.base)
    const open = async (isReset: boolean) => {
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
      sockets.add(socket)
      socket.on('error', () => undefined)
      await once(socket, 'connect')
      socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
      if (isReset) socket.resetAndDestroy()
    }
    const ofServer = () => readdirSync(`/proc/${server.pid}/fd`).length
    await rawRequest(server.base, { target: `/api/v1/prices-current/${isin}/` })
    const before = ofServer()
    for (let times = 0; times < 100; times++) await open(true)
    for (let times = 0; times < 40; times++) await open(false)
    // Those are closed, although their clients never close them.
    await expect.poll(ofServer, { timeout: 10_000 }).toBeLessThan(before + 20)
    expect((await rawRequest(server.base, { target: `/api/v1/prices-current/${isin}/` })).status).toBe(200)
  })

  it('answers date ranges although 200 clients ask for the longest one and read nothing', async () => {
    server = await startServer(out)
    for (let client = 0; client < 200; client++) holdOn(textOf(allPrices('xml')))
    await untilQuiet()
    const statusOfRange = async () => (await rawRequest(server.base, { target: allPrices('json') })).status
    // Long before clients are dropped because nothing moves on their connection.
    await expect.poll(statusOfRange, { timeout: 30_000, interval: 500 }).toBe(200)
    const statuses = []
    for (let times = 0; times < 20; times++) statuses.push(await statusOfRange())
    expect(new Set(statuses)).toEqual(new Set([200]))
  }, 60_000)

  it('reads a large file once for its ETag, and then the parts that are asked for', async () => {
    server = await startServer(out)
    const ask = (range: string) => rawRequest(server.base, { target: large, headers: { range } })
    const first = await ask('bytes=0-0')
    expect([first.status, first.body.length]).toEqual([206, 1])
    expect(headerOf(first, 'content-range')).toBe(`bytes 0-0/${largeBytes}`)
    const before = bytesRead()
    for (let at = 0; at < 20; at++) {
      const part = await ask(`bytes=${at * 1_000_000}-${at * 1_000_000 + 9}`)
      expect([part.status, part.body.length, headerOf(part, 'etag')]).toEqual([
        206,
        10,
        headerOf(first, 'etag'),
      ])
    }
    expect(bytesRead() - before).toBeLessThan(largeBytes / 20)
  })

  it('gives a large file as a whole, and HEAD its length', async () => {
    server = await startServer(out)
    const head = await rawRequest(server.base, { method: 'HEAD', target: large })
    expect(headerOf(head, 'content-length')).toBe(String(largeBytes))
    const part = await rawRequest(server.base, { target: large, headers: { range: 'bytes=390000000-' } })
    expect([part.status, part.body.length]).toEqual([206, 10_000_000])
    const known = { 'if-none-match': headerOf(head, 'etag') ?? '' }
    expect((await rawRequest(server.base, { target: large, headers: known })).status).toBe(304)
    const beyond = await rawRequest(server.base, { target: large, headers: { range: 'bytes=400000000-' } })
    expect([beyond.status, headerOf(beyond, 'content-range')]).toEqual([416, `bytes */${largeBytes}`])
  })

  it('answers what a client sends at once in its order, and a mistake after all that came before it', async () => {
    server = await startServer(out)
    const targets = Array.from({ length: 100 }, (_, at) =>
      at % 3 === 0
        ? `/nothing/${at}/`
        : `/api/v1/prices-historic/${isin}/2024-01-10/2025-02-${10 + (at % 10)}/`,
    )
    const bytes = Buffer.from(`${targets.map(textOf).join('')}GET / HTTP/1.1\r\nno header\r\n\r\n`)
    const answers = parseResponses(await exchangeBytes(server.base, bytes, 10_000))
    expect(answers.map(({ status }) => status)).toEqual([
      ...targets.map((target) => (target.startsWith('/nothing/') ? 404 : 200)),
      400,
    ])
    for (const [at, target] of targets.entries())
      expect(answers[at]?.body.equals((await rawRequest(server.base, { target })).body)).toBe(true)
  })
})
