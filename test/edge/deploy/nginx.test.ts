/** A stock nginx before `fundpress serve`: the same answers, kept for a moment, and none for another request. */
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildNights, type Nights } from '../../support/nights.ts'
import { seesAllLines, startNginx, whyNoNginx, type Nginx } from '../../support/nginx.ts'
import { freePorts } from '../../support/ports.ts'
import { forced, mustRun, startServing, type Server, liveTtl } from '../../support/product.ts'
import { isMissing, lacks } from '../../support/programs.ts'
import {
  exchangeBytes,
  headerOf,
  parseResponses,
  rawRequest,
  type RawResponse,
} from '../../support/request.ts'
import { times } from '../../support/rounds.ts'
import { getOf, silentClients } from '../../support/silent-clients.ts'
import { startSocket } from '../../support/socket-of-systemd.ts'
import { firstIsin } from '../runtime/deployments.ts'

const previewToken = 'look-at-the-staged-night'
const withToken = { 'X-Fundpress-Preview': previewToken }
const chrome =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,image/apng,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7'

describe.skipIf(isMissing(whyNoNginx === undefined))('nginx before serve', () => {
  let nights: Nights
  let isin: string
  let bucket: string
  let serve: Server
  let nginx: Nginx
  const port = freePorts()

  const startServe = async (ttl = 1) => {
    const args = ['--bucket', bucket, '--port', String(await port), '--trusted-proxies', '127.0.0.1']
    return startServing(args, { env: { FUNDPRESS_EDGE_PREVIEW_TOKEN: previewToken, ...liveTtl(ttl) } })
  }
  const publish = (night: number, ...more: readonly string[]) => {
    const place = ['--bucket', bucket, '--quiet', ...forced, ...more]
    return mustRun(['publish', '--out', nights.outs[night] ?? '', ...place])
  }
  const ask = (target: string, headers = {}, method = 'GET') =>
    rawRequest(nginx.base, { target, headers, method })
  const textOf = async (target: string, headers = {}) => (await ask(target, headers)).body.toString()
  const current = () => `/api/v1/prices-current/${isin}/`
  const range = (year: number) => `/api/v1/prices-historic/${isin}/${year}-03-01/2026-02-01/`

  beforeAll(async () => {
    nights = await buildNights(3, 1, { years: 5 })
    isin = firstIsin(nights.outs[0] ?? '')
    bucket = `file://${nights.folder.file('bucket')}`
    await publish(0)
    serve = await startServe()
    nginx = await startNginx({ serve: serve.base, env: liveTtl(1), workers: 2 })
  })
  afterAll(async () => {
    await nginx.stop()
    await serve.stop()
    nights.remove()
  })

  /** A request as its bytes: headers may come twice, or be empty. */
  const exchange = async (base: string, { method, target, lines }: Asked) => {
    const text = [`${method} ${target} HTTP/1.1`, 'Host: a', 'Connection: close', ...lines].join('\r\n')
    const bytes = await exchangeBytes(base, Buffer.from(`${text}\r\n\r\n`))
    const [answer] = parseResponses(bytes, method === 'HEAD' ? 'by HEAD' : 'with bodies')
    return answer
  }

  it('answers what serve answers, whatever the headers are, cold and hot, and no request with the answer of another', async () => {
    const cached = await startNginx({ serve: serve.base, env: liveTtl(3600), workers: 2 })
    const seesAll = seesAllLines()
    await fc.assert(
      fc.asyncProperty(
        fc.array(requestFor(targetsOf(isin)), { minLength: 1, maxLength: 8 }),
        async (asked) => {
          for (const request of asked) {
            const expected = [comparable(await exchange(serve.base, request))]
            if (!seesAll) expected.push(comparable(await exchange(serve.base, withFirstLines(request))))
            for (const heat of ['cold', 'warm', 'hot']) {
              const found = comparable(await exchange(cached.base, request))
              expect({ heat, request, found }).toEqual({
                heat,
                request,
                found: expected.find((one) => isDeepStrictEqual(one, found)) ?? expected[0],
              })
            }
          }
        },
      ),
      { numRuns: times(800) },
    )
    expect(cached.kept()).toBeGreaterThan(0)
    await cached.stop()
  })

  it('says of parts what serve says, also where it does not know the length: HEAD, codings, parts, copies', async () => {
    const coded = 'Accept-Encoding: gzip, deflate, br'
    for (const target of ['/status/', '/robots.txt', `/api/v1/profile/${isin}/`]) {
      const { headers } = await ask(target)
      const copy = `If-None-Match: ${new Map(headers).get('etag') ?? '"a"'}`
      for (const lines of [[], [coded], ['Range: bytes=0-9'], ['Range: bytes=9999999-'], [copy]])
        for (const method of ['HEAD', 'GET', 'HEAD']) {
          const request = { method, target, lines }
          const expected = comparable(await exchange(serve.base, request))
          expect({ request, found: comparable(await exchange(nginx.base, request)) }).toEqual({
            request,
            found: expected,
          })
        }
    }
  })

  it('keeps what is asked for in a common way, and nothing else', async () => {
    const common = {
      'Accept-Encoding': 'gzip, deflate, br, zstd',
      'Accept-Language': 'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7',
    }
    /** nginx puts the file into its cache after its answer. */
    const expectKept = async (target: string, headers = {}) => {
      const before = nginx.kept()
      await ask(target, headers)
      await expect.poll(nginx.kept).toBeGreaterThan(before)
    }
    const figures = `/api/v1/figures/${isin}/`
    await expectKept(figures)
    await expectKept(figures, { Accept: 'application/xml' })
    await expectKept(figures, { ...common, Accept: chrome })
    await expectKept(`${figures}?language=en&format=xml`)
    await expectKept(`${current()}?format=csv`, { Accept: 'text/csv' })
    await expectKept('/api/v1/prices-current-all/')
    const kept = nginx.kept()
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1 }), fc.integer({ min: 0, max: 5 }), async (number, kind) => {
        const rare = [
          ['Accept', `application/json;q=0.${number}, */*;q=0.1`],
          ['Accept-Language', `en;q=0.${number}`],
          ['Accept-Encoding', `gzip;q=0.${number}`],
          ['X-Fundpress-Preview', String(number)],
          ['Range', `bytes=0-${number}`],
        ][kind]
        const target = rare === undefined ? `${figures}?x=${number}` : figures
        expect((await ask(target, Object.fromEntries(rare === undefined ? [] : [rare]))).status).toBeLessThan(
          300,
        )
      }),
      { numRuns: times(200) },
    )
    const never = [
      '/status/health',
      '/downloads/latest/SHA256SUMS',
      '/%6eothing/',
      '/nothing/',
      figures.slice(0, -1),
    ]
    for (const path of [...never, ...never]) await ask(path)
    for (const method of ['OPTIONS', 'POST']) await ask('/else/', {}, method)
    expect(nginx.kept()).toBe(kept)
  })

  it('shows a flip after the time to live, and needs nothing of serve until then', async () => {
    const profile = `/api/v1/profile/${isin}/`
    await expect.poll(() => textOf(profile)).toContain('night 1')
    await publish(1)
    await expect.poll(() => textOf(profile)).toContain('night 2')
    // An answer that was not asked for meanwhile is not older.
    const other = `${profile}?language=en`
    expect(await textOf(other)).toContain('night 2')
    await publish(2)
    await expect.poll(() => textOf(profile)).toContain('night 3')
    expect(await textOf(other)).toContain('night 3')
  })

  it('keeps no preview, and gives none to others', async () => {
    const target = `/api/v1/profile/${isin}/`
    await publish(0)
    await expect.poll(() => textOf(target)).toContain('night 1')
    await publish(1, '--stage')
    await ask(target)
    const kept = nginx.kept()
    for (const headers of [withToken, { ...withToken, Accept: 'application/json' }]) {
      const preview = await ask(target, headers)
      expect(preview.body.toString()).toContain('night 2')
      expect(headerOf(preview, 'cache-control')).toBe('private, no-store')
      expect(await textOf(target)).toContain('night 1')
    }
    expect((await ask(current(), { 'X-Fundpress-Preview': '' })).status).toBe(200)
    await ask(`${target}?format=xml`, withToken)
    expect(nginx.kept()).toBe(kept + 1)
  })

  it('answers what it keeps while serve is away, also conditions and parts, and 503 to the rest', async () => {
    const document = await ask(current())
    const etag = headerOf(document, 'etag') ?? ''
    for (let times = 0; times < 2; times++) await ask(range(2025))
    await serve.stop()
    // Longer than the time to live.
    await setTimeout(2100)
    for (const headers of [
      {},
      { 'If-Modified-Since': 'x' },
      { Range: 'bytes=0-9' },
      { 'If-None-Match': '"other"' },
    ]) {
      const answer = await ask(current(), headers)
      expect(answer.status, JSON.stringify(headers)).toBe(200)
      expect(answer.body.equals(document.body), JSON.stringify(headers)).toBe(true)
    }
    const copy = await ask(current(), { 'If-None-Match': etag })
    expect(copy.status).toBe(304)
    expect(copy.body).toHaveLength(0)
    expect(headerOf(copy, 'etag')).toBe(etag)
    const head = await ask(current(), {}, 'HEAD')
    expect(head.status).toBe(200)
    expect(head.body).toHaveLength(0)
    expect((await ask(range(2025))).status).toBe(200)
    const never = range(2023)
    const others = [
      [never, {}],
      [current(), withToken],
      [never, { Range: 'bytes=0-9' }],
      // nginx would refuse a version by a page of its own.
      [current(), { 'If-Match': '"other"' }],
      [current(), { 'If-Unmodified-Since': 'Sun, 06 Nov 1994 08:49:37 GMT' }],
      ['/status/health', {}],
    ] as const
    for (const [target, headers] of others) {
      const refused = await ask(target, headers)
      expect({ target, status: refused.status }).toEqual({ target, status: 503 })
      expect(JSON.parse(refused.body.toString())).toMatchObject({ status: 503, type: 'about:blank' })
      const names = ['content-type', 'cache-control', 'retry-after', 'access-control-allow-origin']
      const values = ['application/json; charset=utf-8', 'no-store', '5', '*']
      expect(names.map((name) => headerOf(refused, name))).toEqual(values)
    }
    serve = await startServe()
    expect((await ask(never)).status).toBe(200)
    expect(JSON.parse(await textOf('/status/health'))).toMatchObject({ as_of: '2026-11-11' })
  })

  it('answers to If-Match and its kin what serve answers, but to empty ones', async () => {
    const plain = comparable(await exchange(serve.base, { method: 'GET', target: current(), lines: [] }))
    const answerTo = async (line: string) =>
      comparable(await exchange(nginx.base, { method: 'GET', target: current(), lines: [line] }))
    const title = 'This is not the version that If-Match or If-Unmodified-Since asks for'
    const refused = { status: 412, body: `{"title":"${title}","type":"about:blank","status":412}` }
    for (const line of [
      'If-Match: "x"',
      'If-Match: W/"x"',
      'If-Unmodified-Since: Sun, 06 Nov 1994 08:49:37 GMT',
    ])
      expect(await answerTo(line), line).toMatchObject(refused)
    for (const line of ['If-Match: *', 'If-Unmodified-Since: x', 'Range:', 'If-Range:'])
      expect(await answerTo(line), line).toEqual(plain)
    for (const line of ['If-Match:', 'If-Unmodified-Since:'])
      expect({ line, status: (await answerTo(line)).status }).toEqual({ line, status: 412 })
    expect(await answerTo('X: y')).toEqual(plain)
  })

  it('refuses by itself what is no request, or too large', async () => {
    const statusOf = async (head: string, body = '') => {
      const bytes = await exchangeBytes(
        nginx.base,
        Buffer.from(`${head}\r\nHost: a\r\nConnection: close\r\n${body}`),
      )
      return Number(bytes.toString('latin1', 9, 12))
    }
    expect(
      await statusOf(`POST ${current()} HTTP/1.1`, `Content-Length: 100000\r\n\r\n${'x'.repeat(100_000)}`),
    ).toBe(413)
    expect(await statusOf(`POST ${current()} HTTP/1.1`, 'Content-Length: 3\r\n\r\nabc')).toBe(405)
    expect(await statusOf(`GET /${'a'.repeat(20_000)} HTTP/1.1`, '\r\n')).toBe(414)
    expect(await statusOf(`GET / HTTP/1.1`, `X: ${'a'.repeat(20_000)}\r\n\r\n`)).toBe(400)
    expect(await statusOf('GET /../x HTTP/1.1', '\r\n')).toBe(400)
    expect(await statusOf('GET /%00 HTTP/1.1', '\r\n')).toBe(400)
  })

  it('puts nothing aside for clients that do not read, and answers others', async () => {
    const rare = 'Accept-Language: en;q=0.7\r\n'
    const clients = await silentClients(nginx.base, 20, getOf('/downloads/latest/funds.sqlite', rare))
    const readers = await silentClients(nginx.base, 20, getOf(range(2022), rare))
    await expect.poll(async () => (await ask(current())).status).toBe(200)
    expect(nginx.putAside()).toBe(0)
    for (const { leave } of [clients, readers]) leave()
  })
})

describe.skipIf(isMissing(whyNoNginx === undefined) || lacks('python3'))('a socket of systemd', () => {
  it('lets no request fail while another process takes the place of serve, and after a crash only answers that had begun', async () => {
    const nights = await buildNights(1, 1, { years: 5, isSmall: true })
    const isin = firstIsin(nights.outs[0] ?? '')
    const socket = await startSocket(['serve', '--out', nights.outs[0] ?? ''])
    const nginx = await startNginx({ serve: socket.base, workers: 2 })
    const statuses = new Map<number, number>()
    let isOver = false
    let asked = 0
    let broken = 0
    const client = async () => {
      while (!isOver) {
        // No cache has it: serve has to answer.
        const target = `/api/v1/prices-historic/${isin}/2022-03-01/2026-02-01/?x=${asked++}`
        const status = await rawRequest(nginx.base, { target }).then(
          (answer) => answer.status,
          () => 0,
        )
        if (status === 0) broken++
        else statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const more = async () => {
      const before = statuses.get(200) ?? 0
      await expect.poll(() => (statuses.get(200) ?? 0) - before).toBeGreaterThan(50)
    }
    let pid = await socket.start()
    const clients = Array.from({ length: 8 }, client)
    try {
      for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
        await more()
        const before = broken
        await socket.end(pid, signal)
        pid = await socket.start()
        await more()
        // Nothing can end an answer that has begun and whose server is killed.
        expect(broken - before).toBeLessThanOrEqual(signal === 'SIGKILL' ? clients.length : 0)
      }
    } finally {
      isOver = true
      await Promise.all(clients)
      await nginx.stop()
      await socket.end(pid, 'SIGTERM')
      await socket.stop()
      nights.remove()
    }
    expect([...statuses.keys()]).toEqual([200])
  })
})

interface Asked {
  readonly method: string
  readonly target: string
  readonly lines: readonly string[]
}

/** For an nginx that sees no more of `Accept` and its kin. */
const withFirstLines = ({ lines, ...asked }: Asked): Asked => {
  const nameOf = (line: string) => line.split(':')[0]
  return {
    ...asked,
    lines: lines.filter((line, at) => lines.findIndex((one) => nameOf(one) === nameOf(line)) === at),
  }
}

const comparable = (answer: RawResponse | undefined) => {
  // An answer to HEAD may have a length, or not.
  const ofTheWay = /^(date|server|connection|keep-alive|transfer-encoding|content-length)$/
  const headers = (answer?.headers ?? []).filter(([name]) => !ofTheWay.test(name))
  return { status: answer?.status, headers: headers.toSorted(), body: answer?.body.toString('latin1') }
}

const targetsOf = (isin: string) => {
  const range = `/api/v1/prices-historic/${isin}`
  const paths = [
    ...['prices-current', 'figures', 'profile', 'performance-years'].map(
      (name) => `/api/v1/${name}/${isin}/`,
    ),
    `${range}/2025-12-01/2026-02-01/`,
    `${range}/2021-12-01/2026-02-01/`,
    `${range}/2025-12-01/x/`,
    '/',
    '/docs/',
    '/docs/de/',
    '/nothing/',
    '/funds/',
    '/status/',
    '/robots.txt',
    '/api/v1/figures/',
    `/api/v1/figures/${isin}`,
    `/api/v1/figures/${isin.toLowerCase()}/`,
    '/downloads/latest/SHA256SUMS',
  ]
  const queries = [
    '',
    '?',
    '?format=xml',
    '?format=csv',
    '?language=en',
    '?language=en&format=xml',
    '?format=xml&format=json',
  ]
  const odd = [
    '?Format=xml',
    '?format',
    '?format=',
    '?x=1&format=xml',
    '?language=fr',
    '?format=%78ml',
    '?format=xml#a',
  ]
  return paths.flatMap((path) => [...queries, ...odd].map((query) => path + query))
}

/** Headers that choose, in any number of lines: common, rare, empty and malformed ones. */
function requestFor(targets: readonly string[]): fc.Arbitrary<Asked> {
  const quality = fc.constantFrom('', ';q=0', ';q=0.1', ';q=0.9', ';q=1', '; q=0.5', ';q=x')
  const listOf = (names: readonly string[]) =>
    fc
      .array(fc.tuple(fc.constantFrom(...names), quality), { maxLength: 4 })
      .chain((parts) =>
        fc.constantFrom(',', ', ', ' ').map((comma) => parts.map((part) => part.join('')).join(comma)),
      )
  const lines = (name: string, common: readonly string[], names: readonly string[]) =>
    fc
      .array(fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...common) }, listOf(names)), { maxLength: 2 })
      .map((values) => values.map((value) => `${name}: ${value}`))
  const json = ['*/*', 'application/json', 'application/json, text/plain, */*']
  const formats = [
    'application/json',
    'application/xml',
    'text/xml',
    'text/csv',
    'text/html',
    '*/*',
    'application/*',
    'a',
  ]
  const languages = ['de', 'en', 'en-GB', 'fr', '*', 'DE']
  const codings = ['gzip', 'br', 'identity', '*', 'deflate', 'GZIP']
  const accept = lines('Accept', [...json, 'application/xml', 'text/csv', chrome], formats)
  const language = lines(
    'Accept-Language',
    ['', '*', 'de', 'en-US,en;q=0.9', 'de-DE,de;q=0.9,en-US;q=0.8,en;q=0.7'],
    languages,
  )
  const coding = lines(
    'Accept-Encoding',
    ['', 'gzip', 'gzip, deflate', 'gzip, deflate, br', 'gzip;q=0'],
    codings,
  )
  const conditions = [
    'If-None-Match: *',
    'If-None-Match: "x"',
    'If-None-Match:',
    'If-Match: "x"',
    'Range: bytes=0-8',
  ]
  const more = [
    'Range:',
    'If-Modified-Since: Fri, 01 Jan 2100 00:00:00 GMT',
    'If-Modified-Since:',
    'If-Unmodified-Since: x',
  ]
  const condition = fc.option(fc.constantFrom(...conditions, ...more), { freq: 3, nil: null })
  const method = fc.oneof(
    { weight: 5, arbitrary: fc.constant('GET') },
    fc.constantFrom('HEAD', 'OPTIONS', 'DELETE'),
  )
  return fc
    .record({ method, target: fc.constantFrom(...targets), accept, language, coding, condition })
    .map(({ method: of, target, condition: only, ...choosing }) => ({
      method: of,
      target,
      lines: [...choosing.accept, ...choosing.language, ...choosing.coding, ...(only === null ? [] : [only])],
    }))
}
