/** nginx's caches: one answer has one entry, nobody fills them, and they fit where the templates put them. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { greedyClient } from '../../support/greedy-client.ts'
import { buildNights, type Nights } from '../../support/nights.ts'
import { startNginx, whyNoNginx, type Nginx } from '../../support/nginx.ts'
import {
  forced,
  liveTtl,
  makeTempFolder,
  mustRun,
  repository,
  startServing,
  type Server,
} from '../../support/product.ts'
import { isMissing } from '../../support/programs.ts'
import { headerOf, rawRequest } from '../../support/request.ts'
import { getOf, silentClients } from '../../support/silent-clients.ts'
import { firstIsin } from '../runtime/deployments.ts'

const chromes = [
  'avif,image/webp,image/apng,image/svg+xml',
  'webp',
  'avif,image/webp,image/png,image/svg+xml',
].map((images) => `text/html,application/xhtml+xml,application/xml;q=0.9,image/${images},*/*;q=0.8`)
/** How programs and browsers ask for the same: each list has texts of one format, language or coding. */
const formats = [
  ['', '*/*', 'application/json', 'application/json, text/plain, */*'],
  ['application/xml', 'text/xml'],
  ['text/csv'],
  chromes,
]
const languages = [
  ['', '*', 'de', 'de-DE', 'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7', 'de,en-US;q=0.7,en;q=0.3'],
  ['en', 'en-US,en;q=0.9', 'en-GB,en;q=0.5'],
]
const codings = [
  ['', 'identity'],
  ['gzip', 'gzip, deflate', 'gzip,deflate'],
  ['gzip, br', 'br, gzip', 'gzip, deflate, br', 'gzip, deflate, br, zstd'],
]

const mebibyte = 1024 ** 2

describe.skipIf(isMissing(whyNoNginx === undefined))('the caches of nginx', () => {
  let nights: Nights
  let isin: string
  let bucket: string
  let serve: Server
  let nginx: Nginx

  const publish = (night: number) =>
    mustRun(['publish', '--out', nights.outs[night] ?? '', '--bucket', bucket, '--quiet', ...forced])
  const start = (settings: Readonly<Record<string, string>> = {}, ttl = 3600, args: readonly string[] = []) =>
    startNginx({ serve: serve.base, env: liveTtl(ttl), workers: 2, settings, args })
  const askAt = (
    { base }: Nginx,
    target: string,
    headers: Readonly<Record<string, string>> = {},
    method = 'GET',
  ) => {
    // An empty text stands for a header that is not sent.
    const sent = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''))
    return rawRequest(base, { target, headers: sent, method })
  }
  const ask = (target: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
    askAt(nginx, target, headers, method)
  const range = (from: string, to: string, query = '') =>
    `/api/v1/prices-historic/${isin}/${from}/${to}/${query}`

  beforeAll(async () => {
    nights = await buildNights(2, 1, { years: 10 })
    isin = firstIsin(nights.outs[0] ?? '')
    bucket = `file://${nights.folder.file('bucket')}`
    await publish(0)
    serve = await startServing(['--bucket', bucket, '--trusted-proxies', '127.0.0.1'], { env: liveTtl(1) })
    nginx = await start()
  })
  afterAll(async () => {
    await nginx.stop()
    await serve.stop()
    nights.remove()
  })

  it('have one entry for each format, language and coding of an address, however it is asked for', async () => {
    const target = `/api/v2/asset-allocations/with-derivatives/${isin}/`
    const before = nginx.kept()
    for (const [format, accepts] of formats.entries())
      for (const accept of accepts)
        for (const [language, acceptLanguages] of languages.entries())
          for (const acceptLanguage of acceptLanguages)
            for (const [coding, encodings] of codings.entries())
              for (const encoding of encodings) {
                const headers = {
                  Accept: accept,
                  'Accept-Language': acceptLanguage,
                  'Accept-Encoding': encoding,
                }
                const answer = await ask(target, headers)
                const shown = {
                  type: headerOf(answer, 'content-type'),
                  coding: headerOf(answer, 'content-encoding'),
                  language: headerOf(answer, 'content-language'),
                }
                expect(shown, JSON.stringify(headers)).toEqual({
                  type: `application/${format === 1 ? 'xml' : 'json'}; charset=utf-8`,
                  coding: [undefined, 'gzip', 'br'][coding],
                  language: ['de', 'en'][language],
                })
              }
    // A document has no CSV, and each of these asks for what there is.
    await expect.poll(nginx.kept).toBe(before + formats.length * languages.length * codings.length)
  })

  it('keep no answer to a header or an address that is spelt in another case', async () => {
    const target = `/api/v1/profile/${isin}/`
    await ask(target)
    await expect.poll(nginx.kept).toBeGreaterThan(0)
    const before = nginx.kept()
    for (let bits = 1; bits < 200; bits++) {
      const mixed = 'application'
        .split(/(?=.)/)
        .map((letter, at) => ((bits >> at) & 1 ? letter.toUpperCase() : letter))
        .join('')
      await ask(target, { Accept: `${mixed}/json` })
      const [first = '', second = ''] = isin.slice(0, 2)
      const spelt = `${bits & 1 ? first.toLowerCase() : first}${bits & 2 ? second.toLowerCase() : second}${isin.slice(2)}`
      if (spelt !== isin) await ask(`/api/v1/profile/${spelt}/`)
    }
    for (const headers of [
      { 'Accept-Language': 'DE' },
      { 'Accept-Language': 'EN-us,en;q=0.9' },
      { 'Accept-Encoding': 'GZIP' },
      { 'Accept-Encoding': 'Identity' },
      { Accept: 'TEXT/CSV' },
    ])
      await ask(target, headers)
    for (const query of ['?FORMAT=xml', '?format=XML', '?format=xml&format=json', '?language=DE'])
      await ask(target + query)
    await ask(`/api/v1/profile/${isin.toLowerCase()}/`)
    await setTimeout(300)
    expect(nginx.kept()).toBe(before)
  })

  it('answer HEAD with what a GET has put there, and HEAD puts nothing there', async () => {
    const fresh = await start()
    const document = `/api/v1/performance-years/${isin}/`
    for (const target of [document, range('2019-01-01', '2019-02-28')])
      for (let times = 0; times < 4; times++) {
        const head = await askAt(fresh, target, {}, 'HEAD')
        expect(head.status).toBe(200)
        expect(head.body).toHaveLength(0)
      }
    const got = await askAt(fresh, document)
    // The only entry, and the last one.
    await expect.poll(fresh.kept).toBe(1)
    const head = await askAt(fresh, document, {}, 'HEAD')
    expect(head.status).toBe(200)
    expect(head.body).toHaveLength(0)
    for (const name of ['etag', 'content-length', 'content-type', 'vary'])
      expect(headerOf(head, name), name).toBe(headerOf(got, name))
    await fresh.stop()
  })

  it('keep a document when it is asked for, a date range when it is asked for again, and no long one', async () => {
    const fresh = await start()
    const times = async (count: number, target: string, headers = {}) => {
      for (let time = 0; time < count; time++) await askAt(fresh, target, headers)
    }
    await times(1, `/api/v1/figures/${isin}/`)
    await expect.poll(fresh.kept).toBe(1)
    await times(1, range('2024-01-01', '2024-01-31'))
    await times(5, range('2017-01-01', '2026-06-30'))
    await times(5, range('2017-01-01', '2026-06-30'), { 'Accept-Encoding': 'gzip' })
    for (const never of ['/nothing/', `/api/v1/figures/${isin}`, '/api/v1/figures/DE0008471400/'])
      await times(3, never)
    await times(2, range('2024-02-01', '2024-02-29'))
    await expect.poll(fresh.kept).toBe(2)
    await times(1, '/api/v1/prices-current-all/')
    await expect.poll(fresh.kept).toBe(3)
    await fresh.stop()
  })

  it.each([
    ['HEAD, 24 connections', 'HEAD', 24, 1],
    ['GET, 48 connections', 'GET', 48, 1],
    ['GET, 48 connections, each address twice', 'GET', 48, 2],
  ])(
    'stay below their max_size in a flood of date ranges at every moment: %s',
    async (_, method, connections, each) => {
      // A tenth of the room, so that the flood is over soon; the bound is a tenth, too.
      const small = {
        'keys_zone=fundpress_ranges:128k max_size=104m': 'keys_zone=fundpress_ranges:32k max_size=26m',
      }
      const fresh = await start(small)
      const flood = greedyClient(fresh.base, {
        connections,
        method,
        target: (number) => {
          const at = Math.floor(number / each)
          const first = new Date(Date.UTC(2017, 0, 1 + (at % 2900))).toISOString().slice(0, 10)
          const last = new Date(Date.parse(first) + 86_400_000 * (30 + Math.floor(at / 2900)))
            .toISOString()
            .slice(0, 10)
          return range(first, last)
        },
      })
      let most = 0
      await expect
        .poll(() => {
          most = Math.max(most, fresh.keptBytes())
          return flood.statuses.get(200) ?? 0
        })
        .toBeGreaterThan(2000)
      await flood.stop()
      expect(most).toBeLessThan(26 * mebibyte)
      if (each === 1) expect(most).toBeLessThan(mebibyte)
      // What readers use is still there.
      expect((await askAt(fresh, `/api/v1/figures/${isin}/`)).status).toBe(200)
      expect([...flood.statuses.keys()].filter((status) => status >= 500)).toEqual([])
      expect(fresh.errors()).not.toMatch(/\[(emerg|crit)\]/)
      await fresh.stop()
    },
  )

  it('show a flip after the time to live, also if open files count as valid for an hour', async () => {
    const fresh = await start(
      {
        'open_file_cache max=512 inactive=10s;':
          'open_file_cache max=512 inactive=1h; open_file_cache_valid 1h;',
      },
      1,
    )
    const target = `/api/v1/profile/${isin}/`
    const textOf = async () => (await askAt(fresh, target)).body.toString()
    for (const night of [1, 0, 1, 0]) {
      await publish(night)
      const wanted = `night ${night + 1}`
      // Hot in both workers, all the time.
      const readers = greedyClient(fresh.base, { connections: 8, target: () => target })
      await expect.poll(textOf).toContain(wanted)
      await readers.stop()
      for (let times = 0; times < 20; times++) expect(await textOf()).toContain(wanted)
    }
    await fresh.stop()
  })

  it('are of no use to a client that has too many requests in work, with a document', async () => {
    const target = `/api/v1/prices-current/${isin}/`
    const few = await start({ 'fundpress_client 48': 'fundpress_client 2' })
    // Their bodies never come.
    const begun = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n`
    const clients = [await silentClients(few.base, 2, begun, 2)]
    const fromThere = async () => {
      // A request that nginx counted before the second of them has had that one refused.
      clients.push(await silentClients(few.base, 1, begun, 2))
      const { first: socket, leave } = await silentClients(few.base, 1, getOf(target))
      const [data] = (await once(socket.resume(), 'data')) as [Buffer]
      leave()
      return data.toString().split('\r\n')[0]
    }
    await expect.poll(fromThere).toBe('HTTP/1.1 503 Service Temporarily Unavailable')
    expect((await rawRequest(few.base, { target })).status).toBe(200)
    for (const { leave } of clients) leave()
    await few.stop()
  })

  it('count a client by its address, or by the /64 of an IPv6 address, as the proxies before nginx forward it', async () => {
    const fresh = await start({ 'fundpress_client 48': 'fundpress_client 1' }, 1, [
      '--trusted-proxies',
      '127.0.0.1',
    ])
    /** Keeps a request in work: its body never comes. */
    const holdFrom = (client: string) => {
      const socket = connect(Number(new URL(fresh.base).port), '127.0.0.1')
      socket.on('error', () => undefined)
      socket.resume()
      socket.write(`POST / HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\nContent-Length: 9\r\n\r\n`)
      return socket
    }
    const statusFrom = async (client: string) =>
      (await askAt(fresh, `/api/v1/figures/${isin}/`, { 'X-Forwarded-For': client })).status
    for (const [holder, same, other] of [
      ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9', '2001:db8:1:3::1'],
      ['::ffff:192.0.2.5', '::ffff:192.0.2.5', '::ffff:192.0.2.6'],
    ] as const) {
      let socket = holdFrom(holder)
      const statusBeside = () => {
        // It is refused itself if it comes while another request of the client is in work.
        if (socket.bytesRead > 0) {
          socket.destroy()
          socket = holdFrom(holder)
        }
        return statusFrom(same)
      }
      await expect.poll(statusBeside).toBe(503)
      expect(await statusFrom(other), other).toBe(200)
      socket.destroy()
      await expect.poll(() => statusFrom(same)).toBe(200)
    }
    await fresh.stop()
  })
})

describe('the configuration of nginx', () => {
  const read = (path: string) => readFileSync(join(repository, 'templates', path), 'utf8')
  const bytesOf = (text: string) => {
    const [, number = '', unit = ''] = /^(\d+)(k|Ki|m|Mi|g|Gi)$/.exec(text) ?? []
    return (
      Number(number) *
      { k: 1024, m: mebibyte, g: 1024 * mebibyte }[unit.charAt(0).toLowerCase() as 'k' | 'm' | 'g']
    )
  }

  it('has caches that are full before they are larger than max_size, and fit the volume of each template', async () => {
    const folder = makeTempFolder()
    await mustRun(['edge', 'nginx', '--port', '8081', '--dest', folder.path, '--quiet'], {
      env: { FUNDPRESS_BASE_URL: 'http://127.0.0.1:8080' },
    })
    const conf = readFileSync(join(folder.path, 'conf.d/fundpress.conf'), 'utf8')
    const caches = [...conf.matchAll(/^proxy_cache_path \S+ .*keys_zone=(\w+):(\d+k) max_size=(\d+m) /gm)]
    expect(caches.map(([, name]) => name)).toEqual([
      'fundpress_documents',
      'fundpress_ranges',
      'fundpress_pages',
    ])
    const sizes = caches.map(([, name = '', zone = '', most = '']) => {
      const [, pattern = ''] = new RegExp(`"~\\^GET:${name}:(\\S+):" "";`).exec(conf) ?? []
      const isKept = (length: number) => new RegExp(`^${pattern}$`).test(String(length))
      const longest = [9_999, 19_999, 99_999, 999_999].filter(isKept).at(-1) ?? 0
      expect(isKept(longest + 1)).toBe(false)
      // A node of nginx's shared memory has 128 bytes; 4 KB for what stands before the body; blocks of 4 KB.
      const bound = (bytesOf(zone) / 128) * Math.ceil((longest + 4096) / 4096) * 4096
      expect({ name, bound }).toEqual({ name, bound: Math.min(bound, bytesOf(most)) })
      return bytesOf(most)
    })
    const all = sizes.reduce((sum, size) => sum + size, 0)
    expect(all).toBeLessThanOrEqual(512 * mebibyte)
    // What is being written and what is removed but still open, for a thousand requests.
    const margin = 1024 * 104 * 1024

    const [pod] = parseAllDocuments(read('kubernetes/edge/edge.yaml')).map(
      (document) => document.toJS() as Deployment,
    )
    const volume = pod?.spec.template.spec.volumes.find(({ name }) => name === 'cache')
    // After a crash of nginx the old files are there, and count for nothing until it has found them a minute later.
    expect(bytesOf(volume?.emptyDir?.sizeLimit ?? '')).toBeGreaterThan(2 * all + margin)

    const { services } = parse(read('container/compose.yaml'), { merge: true }) as Compose
    const { nginx } = services
    const [tmpfs = ''] = nginx.tmpfs.filter((place) => place.startsWith('/var/cache/nginx:'))
    const [, size = ''] = /(?:^|[:,])size=(\d+m)(?:,|$)/.exec(tmpfs) ?? []
    expect(bytesOf(size)).toBeGreaterThan(all + margin)
    // A tmpfs counts as memory of its container.
    expect(bytesOf(nginx.mem_limit)).toBeGreaterThanOrEqual(bytesOf(size) + 96 * mebibyte)

    const readme = readFileSync(join(folder.path, 'README.md'), 'utf8')
    const [, megabytes = ''] = /at most (\d+) MiB of `\/var\/cache\/nginx`/.exec(readme) ?? []
    expect(Number(megabytes) * mebibyte).toBe(all)
    folder.remove()
  })
})

interface Deployment {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly volumes: readonly {
          readonly name: string
          readonly emptyDir?: { readonly sizeLimit: string }
        }[]
      }
    }
  }
}

interface Compose {
  readonly services: { readonly nginx: { readonly tmpfs: readonly string[]; readonly mem_limit: string } }
}
