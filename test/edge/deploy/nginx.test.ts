/** What a client that does not read costs nginx and others: bounded memory, no file, and a minute at most. */
import { once } from 'node:events'
import { cpSync, mkdirSync, renameSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processProbe } from '../../../src/conform/budget/probe.ts'
import { buildNights, type Nights } from '../../support/nights.ts'
import { startNginx, whyNoNginx, type Nginx } from '../../support/nginx.ts'
import { forced, mustRun } from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { bucketArgs, credentials, publishArgs } from '../../support/publishing.ts'
import { exchangeBytes, headerOf, parseResponses, rawRequest } from '../../support/request.ts'
import { startS3, type S3Server } from '../../support/s3/server.ts'
import { serveHere } from '../../support/serve-here.ts'
import { getOf, silentClients } from '../../support/silent-clients.ts'
import { firstIsin } from '../runtime/deployments.ts'

/** What all processes may hold, in MiB. One client cost 40 before ranges went out in parts. */
const memoryLimit = 300

describe.skipIf(isMissing(whyNoNginx === undefined))('nginx', () => {
  let nights: Nights
  let out: string
  let s3: S3Server
  let files: Nginx
  let bucketed: Nginx
  let current: string
  let range: string

  const startOn = (folder: string, settings: Readonly<Record<string, string>> = {}) =>
    startNginx({ args: ['--out', folder], settings, sendBuffer: '64k' })

  beforeAll(async () => {
    nights = await buildNights(1, 1, { years: 30 })
    out = nights.outs[0] ?? ''
    s3 = await startS3({ buckets: ['fund-data'] })
    await mustRun(publishArgs(s3.endpoint, 'fund-data', out), { env: credentials })
    s3.put('fund-data', 'downloads/2026-11-11/large.csv', 'x'.repeat(16 * 2 ** 20))
    const downloads = join(out, 'downloads/2026-11-11')
    mkdirSync(downloads, { recursive: true })
    writeFileSync(join(downloads, 'large.csv'), '')
    truncateSync(join(downloads, 'large.csv'), 142_000_000)
    files = await startOn(out)
    const args = bucketArgs(s3.endpoint, 'fund-data')
    bucketed = await startNginx({ args, credentials, sendBuffer: '64k' })
    current = `/api/v1/prices-current/${firstIsin(out)}/`
    range = `/api/v1/prices-historic/${firstIsin(out)}/1996-12-24/2026-12-31/`
  })

  afterAll(async () => {
    await files.stop()
    await bucketed.stop()
    await s3.stop()
    nights.remove()
  })

  const statusOf = async (nginx: Nginx, target: string, method = 'GET') =>
    (await rawRequest(nginx.base, { method, target })).status

  const large = () => getOf('/downloads/latest/large.csv')
  const history = (query = '', headers = '') => getOf(range + query, headers)
  // The budget measures this with 200 clients, and how long others wait.
  it.each([
    ['files', 20, 'a large file', large],
    ['files', 20, 'thirty years of prices', () => history('?format=xml')],
    ['files', 20, 'what is compressed', () => history('?format=xml', 'Accept-Encoding: gzip\r\n')],
    ['files', 1, 'a pipeline of 450 answers', () => history().repeat(450)],
    ['a bucket', 20, 'a large object', large],
    ['a bucket', 20, 'thirty years of prices', () => history()],
  ])(
    'with %s keeps little in memory and nothing on the disk for %i clients that do not read %s',
    async (...row) => {
      const [kind, count, , text] = row
      const nginx = kind === 'files' ? files : bucketed
      const clients = await silentClients(nginx.base, count, text())
      for (let look = 0; look < 10; look++) {
        expect(await statusOf(nginx, current)).toBe(200)
        expect(processProbe([nginx.pid]).memoryMiB()).toBeLessThan(memoryLimit)
        await setTimeout(100)
      }
      clients.leave()
      expect(nginx.putAside()).toBe(0)
    },
  )

  it('sends the bytes that serve sends', async () => {
    const server = await serveHere(out)
    for (const days of ['1996-12-24/2026-12-31', '2001-05-05/2004-03-03', '2003-12-30/2004-01-02']) {
      for (const format of ['json', 'xml']) {
        const target = `/api/v1/prices-historic/${firstIsin(out)}/${days}/?format=${format}`
        const expected = await rawRequest(server.base, { target })
        for (const { base } of [files, bucketed]) {
          const plain = await rawRequest(base, { target })
          expect(plain.body.equals(expected.body)).toBe(true)
          expect(headerOf(plain, 'etag')).toBe(headerOf(expected, 'etag'))
          const packed = await rawRequest(base, { target, headers: { 'Accept-Encoding': 'gzip' } })
          expect(gunzipSync(packed.body).equals(expected.body)).toBe(true)
          const old = Buffer.from(`GET ${target} HTTP/1.0\r\n\r\n`)
          const [answer] = parseResponses(await exchangeBytes(base, old))
          expect(answer?.body.equals(expected.body)).toBe(true)
          const tag = headerOf(plain, 'etag') ?? ''
          const known = await rawRequest(base, { target, headers: { 'If-None-Match': tag } })
          expect([known.status, known.body.length]).toEqual([304, 0])
        }
      }
    }
    await server.stop()
  })

  it('refuses ranges beyond the limits of one client and of all, and answers everything else', async () => {
    const limits = { 'fundpress_client 16': 'fundpress_client 4', 'fundpress_all 128': 'fundpress_all 6' }
    const nginx = await startOn(out, limits)
    const one = await silentClients(nginx.base, 4, getOf(range), 4)
    await setTimeout(500)
    const ofTheSame = await silentClients(nginx.base, 1, getOf(range))
    const [data] = (await once(ofTheSame.first.resume(), 'data')) as [Buffer]
    const [refused] = parseResponses(data)
    expect(refused?.status).toBe(503)
    const headers = Object.fromEntries(refused?.headers ?? [])
    expect(headers).toMatchObject({ 'retry-after': '5', 'cache-control': 'no-store' })
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(headers['etag']).toBeUndefined()
    expect(JSON.parse(refused?.body.toString() ?? '')).toMatchObject({ status: 503 })
    // 127.0.0.1 is another client.
    expect(await statusOf(nginx, range)).toBe(200)
    const others = await silentClients(nginx.base, 8, getOf(range), 4)
    await setTimeout(500)
    expect(await statusOf(nginx, range)).toBe(503)
    expect(await statusOf(nginx, range, 'HEAD')).toBe(200)
    expect(await statusOf(nginx, current)).toBe(200)
    for (const clients of [one, ofTheSame, others]) clients.leave()
    await nginx.stop()
  })

  it('drops a client that does not read', async () => {
    const limits = { 'send_timeout 60s': 'send_timeout 1s', 'fundpress_all 128': 'fundpress_all 1' }
    const nginx = await startOn(out, limits)
    const clients = await silentClients(nginx.base, 1, getOf(range))
    await setTimeout(300)
    expect(await statusOf(nginx, range)).toBe(503)
    await expect.poll(() => statusOf(nginx, range), { interval: 100 }).toBe(200)
    clients.leave()
    await nginx.stop()
  })

  it('breaks the connection if a window is missing', async () => {
    const folder = nights.folder.file('torn')
    cpSync(out, folder, { recursive: true })
    const nginx = await startOn(folder)
    expect(await statusOf(nginx, range)).toBe(200)
    for (const year of ['2010', '1996']) {
      unlinkSync(join(folder, `api/v1/prices-historic/${firstIsin(out)}/${year}.json`))
      await expect(statusOf(nginx, range)).rejects.toThrow()
      expect(nginx.errors()).toMatch(new RegExp(`api/v1/prices-historic/.*/${year}\\.json`))
    }
    expect(await statusOf(nginx, range.replace('1996-12-24', '2011-03-01'))).toBe(200)
    await nginx.stop()
  })

  it('mixes no two snapshots if the folder is exchanged during a range', async () => {
    const folder = nights.folder.file('exchanged')
    cpSync(out, folder, { recursive: true })
    const nginx = await startOn(folder)
    const { first: socket } = await silentClients(nginx.base, 1, getOf(range))
    await setTimeout(500)
    const next = await nights.change('next', "UPDATE price SET net_asset_value = '12345.678'", ...forced)
    renameSync(folder, `${folder}.old`)
    renameSync(next, folder)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    await new Promise((resolve) => socket.resume().once('close', resolve))
    const got = Buffer.concat(chunks).toString()
    expect(got).not.toContain('12345,678')
    // It broke off: a whole answer ends with an empty chunk.
    expect(got.endsWith('\r\n0\r\n\r\n')).toBe(false)
    expect(nginx.errors()).toContain('the snapshot was exchanged under it')
    await nginx.stop()
  })
})
