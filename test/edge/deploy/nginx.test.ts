/** What only nginx does with the files that `fundpress edge nginx-…` writes. */
import { cpSync, mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isGzipWanted } from '../../../src/edge/nginx/handlers.ts'
import { buildNights, type Nights } from '../../support/nights.ts'
import { startNginx, whyNoNginx, type Nginx } from '../../support/nginx.ts'
import { mustRun } from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { bucketArgs, credentials, publishArgs } from '../../support/publishing.ts'
import { exchangeBytes, headerOf, rawRequest } from '../../support/request.ts'
import { startS3, type S3Server } from '../../support/s3/server.ts'
import { firstIsin } from '../runtime/deployments.ts'

// Each of these was sent to nginx 1.22.1.
const compressed = 'gzip|gzip, br|br, GZIP|br;q=1, gzip;q=0.5|gzip;q=0.001|gzip;q=1.0|gzip; q=0.3|gzip;'
const plain = 'gzip;q=0|gzip;q=0.000|gzip;q=1.001|gzip;q=2|x-gzip|gzipped, gzip|*|identity|br'

describe.skipIf(isMissing(whyNoNginx === undefined))('nginx', () => {
  let nights: Nights
  let s3: S3Server
  let files: Nginx
  let bucketed: Nginx
  let live: string
  let current: string

  beforeAll(async () => {
    nights = await buildNights(2, 1)
    const [first = '', second = ''] = nights.outs
    for (const out of [first, second]) addPages(out)
    live = nights.folder.file('live')
    swap(first)
    s3 = await startS3({ buckets: ['fund-data'] })
    await mustRun(publishArgs(s3.endpoint, 'fund-data', first), { env: credentials })
    for (const [key, text] of pages)
      s3.put('fund-data', key.startsWith('downloads/') ? key : `blue/${key}`, text)
    files = await startNginx({ args: ['--out', live] })
    bucketed = await startOnBucket(1)
    current = `/api/v1/prices-current/${firstIsin(first)}/`
  })

  afterAll(async () => {
    await files.stop()
    await bucketed.stop()
    await s3.stop()
    nights.remove()
  })

  const startOnBucket = (ttl: number) =>
    startNginx({ args: [...bucketArgs(s3.endpoint, 'fund-data'), '--live-ttl', String(ttl)], credentials })
  const swap = (out: string): void => {
    symlinkSync(out, `${live}.next`)
    renameSync(`${live}.next`, live)
  }
  const get = ({ base }: Nginx, target: string, headers: Record<string, string> = {}, method = 'GET') =>
    rawRequest(base, { method, target, headers })

  it.each([...compressed.split('|'), ...plain.split('|')])(
    'foresees what nginx does for Accept-Encoding: %s',
    async (header) => {
      const isCompressed = compressed.split('|').includes(header)
      expect(isGzipWanted(header)).toBe(isCompressed)
      for (const method of ['GET', 'HEAD']) {
        const answer = await get(files, '/docs/', { 'Accept-Encoding': header }, method)
        expect(headerOf(answer, 'content-encoding')).toBe(isCompressed ? 'gzip' : undefined)
        // As nginx itself marks what it compresses.
        expect(headerOf(answer, 'etag')?.startsWith('W/')).toBe(isCompressed)
        expect(headerOf(answer, 'vary')).toBe('Accept-Encoding')
      }
    },
  )

  describe.each([['files', () => files] as const, ['a bucket', () => bucketed] as const])(
    'with %s',
    (_, nginx) => {
      it('ignores conditions that the edge ignores', async () => {
        const whole = await get(nginx(), current)
        const since = { 'If-Unmodified-Since': 'Sat, 01 Jan 2000 00:00:00 GMT' }
        const odd = { 'If-Match': '*', 'If-Unmodified-Since': 'no date' }
        for (const headers of [{ 'If-Match': '"another"' }, since, odd]) {
          const answer = await get(nginx(), current, headers)
          expect(answer.status).toBe(200)
          expect(answer.body.equals(whole.body)).toBe(true)
          expect(headerOf(answer, 'etag')).toBe(headerOf(whole, 'etag'))
        }
        // Empty ones broke the connection.
        for (const name of ['If-Match', 'If-Unmodified-Since'])
          expect((await get(nginx(), `${current}?x`, { [name]: '' })).status).toBe(200)
      })

      it('answers 404 to NUL and to a path out of the root, and ignores Accept there', async () => {
        for (const target of ['/../x', '/%2e%2e/x', '/api/v1/../../../x', '/a%00b']) {
          const json = await get(nginx(), target)
          expect(json.status).toBe(404)
          expect(JSON.parse(json.body.toString())).toMatchObject({ status: 404 })
          const xml = await get(nginx(), `${target}?format=xml`)
          expect(headerOf(xml, 'content-type')).toBe('application/xml; charset=utf-8')
          expect((await get(nginx(), target, {}, 'PUT')).status).toBe(405)
        }
      })

      it('answers a malformed request with 400 and no body', async () => {
        for (const text of ['GET /%zz HTTP/1.1\r\nHost: a\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n']) {
          const answer = await exchangeBytes(nginx().base, Buffer.from(text))
          expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 .*\r\nContent-Length: 0\r\n(.*\r\n)*\r\n$/s)
        }
      })

      it('sends no page of its own, whatever it refuses', async () => {
        const large = `Content-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`
        for (const [line, rest, status] of [
          [`POST ${current} HTTP/1.1`, large, 405],
          [`GET ${current} HTTP/1.1`, 'Transfer-Encoding: strange\r\n\r\n', 400],
          [`GET ${current} HTTP/3.0`, '\r\n', 400],
          [`TRACE ${current} HTTP/1.1`, '\r\n', 405],
          ['CONNECT example.org:80 HTTP/1.1', '\r\n', 400],
        ] as const) {
          const answer = await exchangeBytes(nginx().base, Buffer.from(`${line}\r\nHost: a\r\n${rest}`))
          const [head = '', body = ''] = answer.toString().split('\r\n\r\n')
          expect([line, head.slice(9, 12)]).toEqual([line, String(status)])
          expect([line, body]).toEqual([line, status === 400 ? '' : expect.stringMatching(/^\{"title":/)])
        }
      })

      it('hides its own locations', async () => {
        const live = ['object/x', 'live/1', 'large/now'].map((place) => `${place}/live.json`)
        for (const path of ['file/SHA256SUMS', ...live]) {
          const answer = await get(nginx(), `/_fundpress/${path}`)
          expect(answer.status).toBe(404)
          expect(answer.body.toString()).toContain(`There is no such endpoint: /_fundpress/${path}`)
        }
      })

      it('sends a large file, and its parts, under the headers of the edge', async () => {
        const target = '/downloads/latest/large.csv'
        const length = String(large.length)
        const whole = await get(nginx(), target, { 'Accept-Encoding': 'gzip' })
        expect(whole.status).toBe(200)
        expect(whole.body.equals(Buffer.from(large))).toBe(true)
        expect(headerOf(whole, 'content-type')).toBe('text/csv; charset=utf-8')
        expect(headerOf(whole, 'access-control-allow-origin')).toBe('*')
        expect(headerOf(whole, 'accept-ranges')).toBe('bytes')
        expect(whole.headers.filter(([name]) => name.startsWith('x-amz-'))).toEqual([])
        const etag = headerOf(whole, 'etag') ?? ''
        const part = { Range: 'bytes=16-20', 'If-Range': etag }
        const answer = await get(nginx(), target, part)
        expect([answer.status, answer.body.toString()]).toEqual([206, large.slice(16, 21)])
        expect(headerOf(answer, 'content-range')).toBe(`bytes 16-20/${length}`)
        expect(headerOf(answer, 'etag')).toBe(etag)
        const changed = await get(nginx(), target, { ...part, 'If-Range': '"another"' })
        expect([changed.status, changed.body.length]).toEqual([200, large.length])
        const outside = await get(nginx(), target, { Range: `bytes=${length}-` })
        expect([outside.status, outside.body.length]).toEqual([416, 0])
        expect((await get(nginx(), target, { 'If-None-Match': etag })).status).toBe(304)
        const head = await get(nginx(), target, { Range: 'bytes=16-20' }, 'HEAD')
        expect([head.status, headerOf(head, 'content-length')]).toEqual([200, length])
        expect([headerOf(head, 'etag'), headerOf(head, 'content-range')]).toEqual([etag, undefined])
        expect((await get(nginx(), '/downloads/latest/none.csv')).status).toBe(404)
      })

      it('sends a small page, its parts, and an empty file', async () => {
        const page = await get(nginx(), '/docs/')
        expect(page.body.toString()).toBe(pages.get('docs/index.html'))
        const part = await get(nginx(), '/docs/', { Range: 'bytes=-4' })
        expect([part.status, part.body.toString()]).toEqual([206, '</p>'])
        const head = await get(nginx(), '/docs/', { Range: 'bytes=-4' }, 'HEAD')
        expect([head.status, headerOf(head, 'content-length')]).toEqual([200, String(page.body.length)])
        const empty = await get(nginx(), '/downloads/latest/empty.csv')
        expect([empty.status, empty.body.length]).toEqual([200, 0])
      })
    },
  )

  it('asks the bucket for each object once, and for live.json once in its time to live', async () => {
    const path = current.slice(1).replace('prices-current', 'profile')
    s3.reset()
    for (let count = 0; count < 20; count++) await get(bucketed, `/${path}?language=en&format=xml`)
    const gets = s3.log.filter(({ method }) => method === 'GET').map(({ key }) => key)
    expect(gets.filter((key) => key !== 'live.json')).toEqual([`blue/${path}index.en.xml`])
    expect(gets.length).toBeLessThan(5)
  })

  it('lets no client wait for an answer of the bucket that is late for another', async () => {
    const target = `${current.replace('prices-current', 'performance-years')}?format=xml`
    const released = Promise.withResolvers<undefined>()
    const arrived = Promise.withResolvers<undefined>()
    const run = async () => {
      arrived.resolve(undefined)
      await Promise.race([released.promise, setTimeout(3000)])
    }
    s3.faults([{ kind: 'call', when: 'before', keyMatches: /performance-years/, nth: 1, run }])
    const order: string[] = []
    const ask = async (name: string): Promise<number> => {
      const { status } = await get(bucketed, target)
      order.push(name)
      return status
    }
    const first = ask('first')
    await arrived.promise
    const second = await ask('second')
    released.resolve(undefined)
    expect([await first, second]).toEqual([200, 200])
    expect(order).toEqual(['second', 'first'])
    s3.faults([])
  })

  it('answers 503 if it may not read an object, and names the object in its log', async () => {
    s3.settings.deny = [{ operation: /GetObject/, key: /^blue\/api\/v1\/performance-years-all/ }]
    const answer = await get(bucketed, '/api/v1/performance-years-all/')
    s3.settings.deny = []
    expect(answer.status).toBe(503)
    expect(headerOf(answer, 'cache-control')).toBe('no-store')
    expect(bucketed.errors()).toContain(
      'blue/api/v1/performance-years-all/index.json was answered with 403: nginx needs s3:GetObject and s3:ListBucket',
    )
  })

  it('answers for half a time to live more if live.json cannot be read, and then 503', async () => {
    expect((await get(bucketed, current)).status).toBe(200)
    const began = Date.now()
    s3.settings.deny = [{ operation: /GetObject/ }]
    const since = () => Date.now() - began
    // It was known at the beginning of a second, half of which the wait may have been.
    while (since() < 2500) {
      const asked = since()
      const { status } = await get(bucketed, current)
      if (since() < 400) expect(status).toBe(200)
      if (asked > 1550) expect(status).toBe(503)
      await setTimeout(20)
    }
    s3.settings.deny = []
    expect((await get(bucketed, current)).status).toBe(200)
  })

  it('answers in full after a swap back, although the client has a newer copy', async () => {
    const [first = '', second = ''] = nights.outs
    utimesSync(join(first, current, 'index.json'), 1e9, 1e9)
    swap(second)
    const newer = await get(files, current)
    await setTimeout(1100)
    swap(first)
    const older = await get(files, current, { 'If-Modified-Since': headerOf(newer, 'last-modified') ?? '' })
    expect(older.status).toBe(200)
    expect(older.body.toString()).toContain('night 1')
    expect(newer.body.toString()).toContain('night 2')
  })

  it('waits for a folder that is being exchanged, and names it in its log if it stays away', async () => {
    const plain = nights.folder.file('plain')
    const target = '/api/v1/prices-current-all/'
    cpSync(nights.outs[0] ?? '', plain, { recursive: true })
    const server = await startNginx({ args: ['--out', plain] })
    renameSync(plain, `${plain}.old`)
    const answering = get(server, target)
    await setTimeout(40)
    renameSync(`${plain}.old`, plain)
    expect((await answering).status).toBe(200)
    renameSync(plain, `${plain}.old`)
    expect((await get(server, target)).status).toBe(503)
    expect(server.errors()).toContain(`no snapshot in ${plain}, or nginx may not read it: `)
    await server.stop()
  })

  it('asks the bucket without the body of a request, and without its length: the bucket would wait for it', async () => {
    const server = await startOnBucket(0)
    const statuses = []
    for (const method of ['POST', 'PUT']) {
      const { status } = await fetch(`${server.base}${current}`, { method, body: 'x'.repeat(3000) })
      statuses.push(status)
    }
    expect(statuses).toEqual([405, 405])
    await server.stop()
  })

  it('reads its keys at each request, and names the file in its log if it finds none', async () => {
    const server = await startOnBucket(0)
    const status = async () => (await get(server, '/api/v1/prices-current-all/')).status
    expect(await status()).toBe(200)
    writeFileSync(server.credentialsFile, 'aws_access_key_id = TESTKEY\n')
    expect(await status()).toBe(503)
    expect(server.errors()).toContain('needs the lines aws_access_key_id = … and aws_secret_access_key = …')
    s3.settings.sessionToken = 'a/token+with=signs'
    const keys = 'aws_access_key_id = TESTKEY\naws_secret_access_key = test/secret+key'
    const token = 'aws_session_token = a/token+with=signs'
    writeFileSync(server.credentialsFile, `[other]\naws_access_key_id = NOT\n[default]\n${keys}\n${token}`)
    expect(await status()).toBe(200)
    s3.settings.sessionToken = undefined
    await server.stop()
  })
})

const large = '0123456789abcde\n'.repeat(100_000)
const pages = new Map([
  ['docs/index.html', `<p>${'ü'.repeat(2000)}</p>`],
  ['downloads/2026-11-11/large.csv', large],
  ['downloads/2026-11-11/empty.csv', ''],
  // For people who open the folder without a server: it is no day.
  ['downloads/latest/index.html', ''],
])

function addPages(out: string): void {
  for (const [key, text] of pages) {
    mkdirSync(join(out, key, '..'), { recursive: true })
    writeFileSync(join(out, key), text)
  }
}
