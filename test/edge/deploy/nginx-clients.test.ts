/** What a client that does not read costs nginx and others: bounded memory, no file, and a minute at most. */
import { once } from 'node:events'
import { cpSync, mkdirSync, renameSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildNights, type Nights } from '../../support/nights.ts'
import { startNginx, whyNoNginx, type Nginx } from '../../support/nginx.ts'
import { mustRun, startServer } from '../../support/product.ts'
import { bucketArgs, credentials, publishArgs } from '../../support/publishing.ts'
import { exchangeBytes, headerOf, parseResponses, rawRequest } from '../../support/request.ts'
import { startS3, type S3Server } from '../../support/s3/server.ts'
import { getOf, silentClients } from '../../support/silent-clients.ts'
import { rounds, sample } from '../../support/rounds.ts'

/** What all workers may hold, in MB. One client cost 40 before ranges went out in parts. */
const memoryLimit = 300
const largeBytes = 142_000_000
const large = '/downloads/latest/large.csv'
const largeInBucket = '/downloads/latest/large-enough.csv'

describe.skipIf(whyNoNginx !== undefined && process.env['CI'] !== 'true')('nginx', () => {
  let nights: Nights
  let s3: S3Server
  let files: Nginx
  let bucketed: Nginx
  let isin: string
  let range: string

  beforeAll(async () => {
    nights = await buildNights(1, 1, { years: 30 })
    const [out = ''] = nights.outs
    const downloads = join(out, 'downloads/2026-11-11')
    mkdirSync(downloads, { recursive: true })
    s3 = await startS3({ buckets: ['fund-data'] })
    await mustRun(publishArgs(s3.endpoint, 'fund-data', out), { env: credentials })
    s3.put('fund-data', 'downloads/2026-11-11/large-enough.csv', 'x'.repeat(16 * 2 ** 20))
    writeFileSync(join(downloads, 'large.csv'), '')
    truncateSync(join(downloads, 'large.csv'), largeBytes)
    files = await startNginx({ args: ['--out', out], sendBuffer: '64k' })
    bucketed = await startNginx({
      args: bucketArgs(s3.endpoint, 'fund-data'),
      credentials,
      sendBuffer: '64k',
    })
    const all = await rawRequest(files.base, { target: '/api/v1/prices-current-all/' })
    isin = Object.keys((JSON.parse(all.body.toString()) as { funds: object }).funds)[0] ?? ''
    range = `/api/v1/prices-historic/${isin}/1996-12-24/2026-12-31/`
  })

  afterAll(async () => {
    await files.stop()
    await bucketed.stop()
    await s3.stop()
    nights.remove()
  })

  /** The most memory in a while; others are answered all the time. */
  const watch = async (nginx: Nginx, seconds: number): Promise<number> => {
    let most = 0
    for (const end = Date.now() + seconds * 1000; Date.now() < end;) {
      const other = await rawRequest(nginx.base, { target: `/api/v1/prices-current/${isin}/` })
      expect(other.status).toBe(200)
      most = Math.max(most, nginx.memory())
      await setTimeout(100)
    }
    return most
  }

  it.each(
    sample(
      [
        ['files', 'json', ''],
        ['files', 'xml', ''],
        ['files', 'xml', 'Accept-Encoding: gzip\r\n'],
        ['bucket', 'json', ''],
        ['bucket', 'xml', ''],
      ] as const,
      { least: 2 },
    ),
  )('with %s holds 200 clients that do not read thirty years of %s %s', async (kind, format, headers) => {
    const nginx = kind === 'files' ? files : bucketed
    const clients = await silentClients(nginx.base, 200, getOf(`${range}?format=${format}`, headers))
    const most = await watch(nginx, rounds > 1 ? 6 : 3)
    clients.leave()
    expect(most).toBeLessThan(memoryLimit)
    expect(nginx.putAside()).toBe(0)
  })

  it('sends a large file past its memory', async () => {
    const clients = await silentClients(files.base, 200, getOf(large))
    expect(await watch(files, 2)).toBeLessThan(memoryLimit)
    clients.leave()
  })

  it('reads no more of a large object than the client takes', async () => {
    const before = bucketed.memory()
    const clients = await silentClients(bucketed.base, 20, getOf(largeInBucket))
    expect((await watch(bucketed, 2)) - before).toBeLessThan(100)
    expect(bucketed.putAside()).toBe(0)
    clients.leave()
  })

  it('answers the requests of a pipeline one after the other', async () => {
    const clients = await silentClients(files.base, 1, getOf(range).repeat(450))
    const before = files.memory()
    expect((await watch(files, 3)) - before).toBeLessThan(50)
    clients.leave()
  })

  it('sends the bytes that serve sends', async () => {
    const server = await startServer(nights.outs[0] ?? '')
    for (const days of ['1996-12-24/2026-12-31', '2001-05-05/2004-03-03', '2003-12-30/2004-01-02']) {
      for (const format of ['json', 'xml']) {
        const target = `/api/v1/prices-historic/${isin}/${days}/?format=${format}`
        const expected = await rawRequest(server.base, { target })
        for (const { base } of [files, bucketed]) {
          const plain = await rawRequest(base, { target })
          expect(plain.body.equals(expected.body)).toBe(true)
          expect(headerOf(plain, 'etag')).toBe(headerOf(expected, 'etag'))
          const packed = await rawRequest(base, { target, headers: { 'Accept-Encoding': 'gzip' } })
          expect(gunzipSync(packed.body).equals(expected.body)).toBe(true)
          const old = `GET ${target} HTTP/1.0\r\n\r\n`
          const [answer] = parseResponses(await exchangeBytes(base, Buffer.from(old)))
          expect(answer?.body.equals(expected.body)).toBe(true)
          const tag = headerOf(plain, 'etag') ?? ''
          const known = await rawRequest(base, { target, headers: { 'If-None-Match': tag } })
          expect([known.status, known.body.length]).toEqual([304, 0])
        }
      }
    }
    await server.stop()
  })

  it('refuses ranges beyond the limit of a client and of all, and answers all else', async () => {
    const [out = ''] = nights.outs
    const settings = { 'fundpress_client 16': 'fundpress_client 4', 'fundpress_all 128': 'fundpress_all 6' }
    const nginx = await startNginx({ args: ['--out', out], settings, sendBuffer: '64k' })
    const one = await silentClients(nginx.base, 4, getOf(range), 4)
    await setTimeout(500)
    const ofTheSame = await silentClients(nginx.base, 1, getOf(range))
    const [socket] = ofTheSame.sockets
    if (socket === undefined) throw new Error('no client')
    const [refused] = parseResponses(((await once(socket.resume(), 'data')) as [Buffer])[0])
    expect(refused?.status).toBe(503)
    const headers = Object.fromEntries(refused?.headers ?? [])
    expect(headers).toMatchObject({
      'retry-after': '5',
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
    })
    expect(Object.keys(headers)).not.toContain('etag')
    expect(JSON.parse(refused?.body.toString() ?? '')).toMatchObject({ status: 503 })
    // 127.0.0.1 is another client.
    expect((await rawRequest(nginx.base, { target: range })).status).toBe(200)
    const others = await silentClients(nginx.base, 8, getOf(range), 4)
    await setTimeout(500)
    expect((await rawRequest(nginx.base, { target: range })).status).toBe(503)
    expect((await rawRequest(nginx.base, { method: 'HEAD', target: range })).status).toBe(200)
    expect((await rawRequest(nginx.base, { target: `/api/v1/prices-current/${isin}/` })).status).toBe(200)
    for (const clients of [one, ofTheSame, others]) clients.leave()
    await nginx.stop()
  })

  it('drops whoever does not read', async () => {
    const [out = ''] = nights.outs
    const settings = { 'send_timeout 60s': 'send_timeout 1s', 'fundpress_all 128': 'fundpress_all 1' }
    const nginx = await startNginx({ args: ['--out', out], settings, sendBuffer: '64k' })
    const clients = await silentClients(nginx.base, 1, getOf(range))
    await setTimeout(300)
    const statuses: number[] = []
    while (statuses.at(-1) !== 200 && statuses.length < 300) {
      statuses.push((await rawRequest(nginx.base, { target: range })).status)
      await setTimeout(100)
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([503, 200])
    clients.leave()
    await nginx.stop()
  })

  it('breaks the connection where a window is missing', async () => {
    const folder = nights.folder.file('torn')
    cpSync(nights.outs[0] ?? '', folder, { recursive: true })
    const nginx = await startNginx({ args: ['--out', folder] })
    expect((await rawRequest(nginx.base, { target: range })).status).toBe(200)
    for (const [year, named] of [
      ['2010', /api\/v1\/prices-historic\/.*\/2010\.json/],
      ['1996', /api\/v1\/prices-historic\/.*\/1996\.json/],
    ] as const) {
      unlinkSync(join(folder, `api/v1/prices-historic/${isin}/${year}.json`))
      await expect(rawRequest(nginx.base, { target: range })).rejects.toThrow()
      expect(nginx.errors()).toMatch(named)
    }
    const rest = `/api/v1/prices-historic/${isin}/2011-03-01/2026-12-31/`
    expect((await rawRequest(nginx.base, { target: rest })).status).toBe(200)
    await nginx.stop()
  })

  it('mixes no two nights where the folder is exchanged under a range', async () => {
    const folder = nights.folder.file('exchanged')
    cpSync(nights.outs[0] ?? '', folder, { recursive: true })
    const nginx = await startNginx({ args: ['--out', folder], sendBuffer: '64k' })
    const clients = await silentClients(nginx.base, 1, getOf(range))
    await setTimeout(500)
    const next = await nights.change('next', "UPDATE price SET net_asset_value = '12345.678'")
    renameSync(folder, `${folder}.old`)
    renameSync(next, folder)
    const [socket] = clients.sockets
    if (socket === undefined) throw new Error('no client')
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.resume()
    await new Promise((resolve) => socket.once('close', resolve))
    const got = Buffer.concat(chunks).toString()
    expect(got).not.toContain('12345,678')
    // It broke off: a whole answer ends with a chunk of nothing.
    expect(got.endsWith('\r\n0\r\n\r\n')).toBe(false)
    expect(nginx.errors()).toContain('the snapshot was exchanged under it')
    await nginx.stop()
  })
})
