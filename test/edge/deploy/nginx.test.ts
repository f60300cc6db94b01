/** What nginx does with what `fundpress edge nginx` writes, and no other platform has to do. */
import { cpSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isGzipWanted } from '../../../src/edge/nginx/handlers.ts'
import { buildNights, type Nights } from '../../support/nights.ts'
import { startNginx, whyNoNginx, type Nginx } from '../../support/nginx.ts'
import { mustRun } from '../../support/product.ts'
import { bucketArgs, credentials, publishArgs } from '../../support/publishing.ts'
import { exchangeBytes, headerOf, rawRequest } from '../../support/request.ts'
import { startS3, type S3Server } from '../../support/s3/server.ts'

// Each of these was asked of nginx 1.22.1: whether it compressed.
const acceptEncodings: readonly (readonly [header: string, isCompressed: boolean])[] = [
  ['gzip', true],
  ['gzip, br', true],
  ['br, GZIP', true],
  ['br;q=1, gzip;q=0.5', true],
  ['gzip;q=0', false],
  ['gzip;q=0.000', false],
  ['gzip;q=0.001', true],
  ['gzip;q=1.0', true],
  ['gzip;q=1.001', false],
  ['gzip;q=2', false],
  ['gzip; q=0.3', true],
  ['gzip;', true],
  ['x-gzip', false],
  ['gzipped, gzip', false],
  ['*', false],
  ['identity', false],
  ['br', false],
]

describe.skipIf(whyNoNginx !== undefined && process.env['CI'] !== 'true')('nginx', () => {
  let nights: Nights
  let s3: S3Server
  let files: Nginx
  let bucketed: Nginx
  let live: string
  let isin: string

  beforeAll(async () => {
    nights = await buildNights(2, 1)
    const [first = '', second = ''] = nights.outs
    for (const out of [first, second]) addPages(out)
    live = nights.folder.file('live')
    swap(first)
    s3 = await startS3({ buckets: ['fund-data'] })
    await mustRun(publishArgs(s3.endpoint, 'fund-data', first), { env: credentials })
    for (const [key, text] of pages) s3.put('fund-data', placeInBucket(key), text)
    files = await startNginx({ args: ['--out', live] })
    bucketed = await startNginx({
      args: [...bucketArgs(s3.endpoint, 'fund-data'), '--live-ttl', '1'],
      credentials,
    })
    const all = await rawRequest(files.base, { target: '/api/v1/prices-current-all/' })
    isin = Object.keys((JSON.parse(all.body.toString()) as { funds: object }).funds)[0] ?? ''
  })

  afterAll(async () => {
    await files.stop()
    await bucketed.stop()
    await s3.stop()
    nights.remove()
  })

  const swap = (out: string): void => {
    symlinkSync(out, `${live}.next`)
    renameSync(`${live}.next`, live)
  }
  const both = (): readonly Nginx[] => [files, bucketed]

  it('judges no condition that the edge does not judge', async () => {
    for (const { base } of both()) {
      for (const headers of [
        { 'If-Match': '"another"' },
        { 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
        { 'If-Match': '*', 'If-Unmodified-Since': 'no date' },
      ]) {
        const target = `/api/v1/prices-current/${isin}/`
        const answer = await rawRequest(base, { target, headers })
        const plain = await rawRequest(base, { target })
        expect(answer.status).toBe(200)
        expect(answer.body.equals(plain.body)).toBe(true)
        expect(headerOf(answer, 'etag')).toBe(headerOf(plain, 'etag'))
      }
    }
  })

  it.each(acceptEncodings)('tells what it does for Accept-Encoding: %s', async (header, isCompressed) => {
    expect(isGzipWanted(header)).toBe(isCompressed)
    const target = '/docs/'
    for (const method of ['GET', 'HEAD']) {
      const answer = await rawRequest(files.base, { method, target, headers: { 'Accept-Encoding': header } })
      expect(headerOf(answer, 'content-encoding')).toBe(isCompressed ? 'gzip' : undefined)
      expect(headerOf(answer, 'etag')?.endsWith('-gzip"')).toBe(isCompressed)
      expect(headerOf(answer, 'vary')).toBe('Accept-Encoding')
    }
  })

  it('answers a path that leads out of the root, and NUL, as ever: but knows no Accept', async () => {
    for (const { base } of both()) {
      for (const target of ['/../x', '/%2e%2e/x', '/api/v1/../../../x', '/a%00b']) {
        const json = await rawRequest(base, { target })
        expect(json.status).toBe(404)
        expect(JSON.parse(json.body.toString())).toMatchObject({ status: 404 })
        const xml = await rawRequest(base, { target: `${target}?format=xml` })
        expect(headerOf(xml, 'content-type')).toBe('application/xml; charset=utf-8')
        const write = await rawRequest(base, { method: 'PUT', target })
        expect(write.status).toBe(405)
      }
    }
  })

  it('refuses what is no request with 400, and no body', async () => {
    for (const { base } of both()) {
      const noUri = await exchangeBytes(base, Buffer.from('GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n'))
      expect(noUri.toString()).toMatch(/^HTTP\/1\.1 400 .*\r\nContent-Length: 0\r\n(.*\r\n)*\r\n$/s)
      const noHost = await exchangeBytes(base, Buffer.from('GET / HTTP/1.1\r\n\r\n'))
      expect(noHost.toString()).toMatch(/^HTTP\/1\.1 400 .*\r\nContent-Length: 0\r\n(.*\r\n)*\r\n$/s)
    }
  })

  it('keeps its own locations to itself', async () => {
    for (const { base } of both()) {
      for (const path of [
        'file/SHA256SUMS',
        'object/x/live.json',
        'live/1/live.json',
        'large/now/live.json',
      ]) {
        const answer = await rawRequest(base, { target: `/_fundpress/${path}` })
        expect(answer.status).toBe(404)
        expect(answer.body.toString()).toContain(`There is no such endpoint: /_fundpress/${path}`)
      }
    }
  })

  it('sends a large file, and its parts, under the headers of the edge', async () => {
    const target = '/downloads/latest/large.csv'
    for (const { base } of both()) {
      const whole = await rawRequest(base, { target, headers: { 'Accept-Encoding': 'gzip' } })
      expect(whole.status).toBe(200)
      expect(whole.body.equals(Buffer.from(large))).toBe(true)
      expect(headerOf(whole, 'content-type')).toBe('text/csv; charset=utf-8')
      expect(headerOf(whole, 'access-control-allow-origin')).toBe('*')
      expect(headerOf(whole, 'accept-ranges')).toBe('bytes')
      expect(whole.headers.filter(([name]) => name.startsWith('x-amz-'))).toEqual([])
      const etag = headerOf(whole, 'etag') ?? ''
      const part = { Range: 'bytes=16-20', 'If-Range': etag }
      const answer = await rawRequest(base, { target, headers: part })
      expect([answer.status, answer.body.toString()]).toEqual([206, large.slice(16, 21)])
      expect(headerOf(answer, 'content-range')).toBe(`bytes 16-20/${large.length}`)
      expect(headerOf(answer, 'etag')).toBe(etag)
      const changed = await rawRequest(base, { target, headers: { ...part, 'If-Range': '"another"' } })
      expect([changed.status, changed.body.length]).toEqual([200, large.length])
      const outside = await rawRequest(base, { target, headers: { Range: `bytes=${large.length}-` } })
      expect([outside.status, outside.body.length]).toEqual([416, 0])
      const known = await rawRequest(base, { target, headers: { 'If-None-Match': etag } })
      expect(known.status).toBe(304)
      const head = await rawRequest(base, { method: 'HEAD', target, headers: { Range: 'bytes=16-20' } })
      expect([head.status, headerOf(head, 'content-length')]).toEqual([200, String(large.length)])
      expect([headerOf(head, 'etag'), headerOf(head, 'content-range')]).toEqual([etag, undefined])
      const none = await rawRequest(base, { target: '/downloads/latest/none.csv' })
      expect(none.status).toBe(404)
    }
  })

  it('sends a small page, its parts, and an empty file', async () => {
    for (const { base } of both()) {
      const page = await rawRequest(base, { target: '/docs/' })
      expect(page.body.toString()).toBe(pages.get('docs/index.html'))
      const part = await rawRequest(base, { target: '/docs/', headers: { Range: 'bytes=-4' } })
      expect([part.status, part.body.toString()]).toEqual([206, '</p>'])
      const head = await rawRequest(base, {
        method: 'HEAD',
        target: '/docs/',
        headers: { Range: 'bytes=-4' },
      })
      expect([head.status, headerOf(head, 'content-length')]).toEqual([200, String(page.body.length)])
      const empty = await rawRequest(base, { target: '/downloads/latest/empty.csv' })
      expect([empty.status, empty.body.length]).toEqual([200, 0])
    }
  })

  it('asks the bucket for each object once, and for live.json once in its time to live', async () => {
    const target = `/api/v1/profile/${isin}/?language=en&format=xml`
    s3.reset()
    for (let count = 0; count < 20; count++) await rawRequest(bucketed.base, { target })
    const gets = s3.log.filter(({ method }) => method === 'GET').map(({ key }) => key)
    expect(gets.filter((key) => key !== 'live.json')).toEqual([`blue/api/v1/profile/${isin}/index.en.xml`])
    expect(gets.length).toBeLessThan(5)
  })

  it('lets no reader wait for an answer of the bucket that is late for another', async () => {
    const target = `/api/v1/performance-years/${isin}/?format=xml`
    const told = Promise.withResolvers<undefined>()
    const arrived = Promise.withResolvers<undefined>()
    s3.faults([
      {
        kind: 'call',
        when: 'before',
        keyMatches: /performance-years/,
        nth: 1,
        run: async () => {
          arrived.resolve(undefined)
          await Promise.race([told.promise, setTimeout(3000)])
        },
      },
    ])
    const order: string[] = []
    const ask = async (name: string): Promise<number> => {
      const { status } = await rawRequest(bucketed.base, { target })
      order.push(name)
      return status
    }
    const first = ask('first')
    await arrived.promise
    const second = await ask('second')
    told.resolve(undefined)
    expect([await first, second]).toEqual([200, 200])
    expect(order).toEqual(['second', 'first'])
    s3.faults([])
  })

  it('says in its log what it may not read in the bucket, and answers 503', async () => {
    s3.settings.deny = [{ operation: /GetObject/, key: /^blue\/api\/v1\/performance-years-all/ }]
    const answer = await rawRequest(bucketed.base, { target: '/api/v1/performance-years-all/' })
    s3.settings.deny = []
    expect(answer.status).toBe(503)
    expect(headerOf(answer, 'cache-control')).toBe('no-store')
    expect(bucketed.errors()).toContain(
      'blue/api/v1/performance-years-all/index.json was answered with 403: nginx needs s3:GetObject and s3:ListBucket',
    )
  })

  it('answers for half a time to live more when live.json cannot be read, and then 503', async () => {
    const target = `/api/v1/prices-current/${isin}/`
    expect((await rawRequest(bucketed.base, { target })).status).toBe(200)
    const began = Date.now()
    s3.settings.deny = [{ operation: /GetObject/ }]
    const seen: [ms: number, status: number][] = []
    while (Date.now() - began < 2500) {
      const asked = Date.now() - began
      seen.push([asked, (await rawRequest(bucketed.base, { target })).status])
      await setTimeout(20)
    }
    s3.settings.deny = []
    const lastGood = Math.max(...seen.filter(([, status]) => status === 200).map(([ms]) => ms))
    // It was known at the beginning of a second, half of which the wait may have been.
    expect(lastGood).toBeGreaterThan(400)
    expect(lastGood).toBeLessThan(1550)
    expect(new Set(seen.map(([, status]) => status))).toEqual(new Set([200, 503]))
    expect((await rawRequest(bucketed.base, { target })).status).toBe(200)
  })

  it('tells no client after a swap back that its newer copy still holds', async () => {
    const [first = '', second = ''] = nights.outs
    const target = `/api/v1/prices-current/${isin}/`
    utimesSync(join(first, `api/v1/prices-current/${isin}/index.json`), 1e9, 1e9)
    swap(second)
    const newer = await rawRequest(files.base, { target })
    await setTimeout(1100)
    swap(first)
    const headers = { 'If-Modified-Since': headerOf(newer, 'last-modified') ?? '' }
    const older = await rawRequest(files.base, { target, headers })
    expect(older.status).toBe(200)
    expect(older.body.toString()).toContain('night 1')
    expect(newer.body.toString()).toContain('night 2')
  })

  it('waits for a folder that is being exchanged, and says what it misses if it stays away', async () => {
    const plain = nights.folder.file('plain')
    cpSync(nights.outs[0] ?? '', plain, { recursive: true })
    const server = await startNginx({ args: ['--out', plain] })
    renameSync(plain, `${plain}.old`)
    const answering = rawRequest(server.base, { target: '/api/v1/prices-current-all/' })
    await setTimeout(40)
    renameSync(`${plain}.old`, plain)
    expect((await answering).status).toBe(200)
    renameSync(plain, `${plain}.old`)
    expect((await rawRequest(server.base, { target: '/api/v1/prices-current-all/' })).status).toBe(503)
    expect(server.errors()).toContain(`no snapshot in ${plain}, or nginx may not read it: `)
    await server.stop()
  })

  it('reads its keys anew, and says where it finds none', async () => {
    const server = await startNginx({
      args: [...bucketArgs(s3.endpoint, 'fund-data'), '--live-ttl', '0'],
      credentials,
    })
    const target = '/api/v1/prices-current-all/'
    expect((await rawRequest(server.base, { target })).status).toBe(200)
    writeFileSync(server.credentialsFile, 'aws_access_key_id = TESTKEY\n')
    expect((await rawRequest(server.base, { target })).status).toBe(503)
    expect(server.errors()).toContain('needs the lines aws_access_key_id = … and aws_secret_access_key = …')
    s3.settings.sessionToken = 'a/token+with=signs'
    const keys = ['TESTKEY', 'test/secret+key', 'a/token+with=signs']
    const names = ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token']
    const lines = names.map((name, index) => `${name} = ${keys[index] ?? ''}`)
    writeFileSync(
      server.credentialsFile,
      ['[other]', 'aws_access_key_id = NOT', '[default]', ...lines].join('\n'),
    )
    expect((await rawRequest(server.base, { target })).status).toBe(200)
    s3.settings.sessionToken = undefined
    await server.stop()
  })
})

const large = '0123456789abcde\n'.repeat(100_000)
const pages = new Map([
  ['docs/index.html', `<p>${'ü'.repeat(2000)}</p>`],
  ['downloads/2026-11-11/large.csv', large],
  ['downloads/2026-11-11/empty.csv', ''],
  // For whoever opens the folder without a server: it is no night.
  ['downloads/latest/index.html', ''],
])

const placeInBucket = (key: string): string => (key.startsWith('downloads/') ? key : `blue/${key}`)

function addPages(out: string): void {
  for (const [key, text] of pages) {
    mkdirSync(join(out, key, '..'), { recursive: true })
    writeFileSync(join(out, key), text)
  }
}
