/**
 * `serve` with nothing before it: connections that hold on make room, a crash ends one request, bodies of requests do not break
 * connections off, and what a connection has been used for changes no answer.
 */
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { connectionLimits } from '../../../src/core/edge/node/connections.ts'
import { startServing, tempFolder } from '../../support/product.ts'
import { exchangeBytes, headerOf, parseResponses, rawRequest } from '../../support/request.ts'
import { times } from '../../support/rounds.ts'
import { serveHere } from '../../support/serve-here.ts'
import { buildDemo, isinsOf, type Snapshot } from '../../support/snapshots.ts'

let demo: Snapshot
let isin: string
const folder = tempFolder()

beforeAll(async () => {
  demo = await buildDemo()
  isin = isinsOf(demo)[0] ?? ''
})

type Here = Awaited<ReturnType<typeof serveHere>>

function serveWith(limits: Partial<typeof connectionLimits>): Promise<Here> {
  return serveHere(demo.out, { limits: { ...connectionLimits, ...limits } })
}

/** A client that writes a text, and tells what it gets. */
async function openClient(base: string, text: string) {
  const socket: Socket = connect({ host: '127.0.0.1', port: Number(new URL(base).port) })
  socket.on('error', () => undefined)
  let received = ''
  socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')))
  await once(socket, 'connect')
  socket.write(text)
  return { socket, received: () => received, isClosed: () => socket.closed }
}

const get = (target: string, headers = '') => `GET ${target} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`
const partOfGet = 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '
const figures = () => `/api/v1/figures/${isin}/`
const longRange = () => `/api/v1/prices-historic/${isin}/1990-01-01/2025-09-30/?format=xml`

describe('a connection beyond the limit', () => {
  it('takes the place of one whose client has sent no request for the longest', async () => {
    const { base, stop } = await serveWith({ connections: 4 })
    const slow: Awaited<ReturnType<typeof openClient>>[] = []
    for (let count = 0; count < 4; count++) slow.push(await openClient(base, partOfGet))
    const other = await openClient(base, get(figures()))
    await expect.poll(other.received).toMatch(/^HTTP\/1\.1 200 /)
    await expect.poll(() => slow.map(({ isClosed }) => isClosed())).toEqual([true, false, false, false])
    await stop()
  })

  it('takes the place of one that waits for its next request, before that of one in work', async () => {
    const { base, stop } = await serveWith({ connections: 3 })
    const busy = await openClient(base, partOfGet)
    const idle = await openClient(base, get(figures()))
    await expect.poll(idle.received).toMatch(/^HTTP\/1\.1 200 /)
    const later = await openClient(base, partOfGet)
    const other = await openClient(base, get(figures()))
    await expect.poll(other.received).toMatch(/^HTTP\/1\.1 200 /)
    await expect.poll(idle.isClosed).toBe(true)
    expect(busy.isClosed()).toBe(false)
    expect(later.isClosed()).toBe(false)
    await stop()
  })
})

it.each(['FOO / HTTP/1.1\r\nHost: a\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'])(
  'names the methods even if Node cannot read the request: %j',
  async (bytes) => {
    const { base, stop } = await serveWith({})
    const answer = (await exchangeBytes(base, Buffer.from(bytes))).toString()
    expect(answer).toMatch(/^HTTP\/1\.1 405 [^]*\r\nAllow: GET, HEAD, OPTIONS\r\n/)
    await stop()
  },
)

it('answers as many requests on a connection as it says, and closes it then', async () => {
  const { base, stop } = await serveWith({ requests: 5 })
  const answers = parseResponses(await exchangeBytes(base, Buffer.from(get(figures()).repeat(12))))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(answers.map((answer) => headerOf(answer, 'connection')).join(' ')).toBe(
    'keep-alive keep-alive keep-alive keep-alive close',
  )
  await stop()
})

it('closes the connection with the most waiting requests if there are too many, and answers the others', async () => {
  const { base, stop } = await serveWith({ waiting: 30 })
  const flood = await openClient(base, get(longRange()).repeat(25))
  flood.socket.pause()
  // Its first answer has begun: the others wait.
  await expect.poll(() => flood.socket.readableLength).toBeGreaterThan(0)
  const bytes = Buffer.from(get(figures()).repeat(20) + get('/end/', 'Connection: close\r\n'))
  const answers = parseResponses(await exchangeBytes(base, bytes))
  expect(answers.map(({ status }) => status)).toEqual([...Array.from({ length: 20 }, () => 200), 404])
  flood.socket.resume()
  await expect.poll(flood.isClosed).toBe(true)
  await stop()
})

describe('the body of a request', () => {
  const post = (length: number, more = '') =>
    `POST ${figures()} HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n${more}\r\n`

  it('is thrown away, and the connection goes on', async () => {
    const { base, stop } = await serveWith({})
    const body = 'x'.repeat(3_000_000)
    const chunked = `GET ${figures()} HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n`
    const end = get('/end/', 'Connection: close\r\n')
    const bytes = Buffer.from(
      get(figures()) + post(body.length) + body + chunked + post(3, 'Expect: 100-continue\r\n') + 'abc' + end,
    )
    const received = (await exchangeBytes(base, bytes)).toString('latin1')
    const answers = parseResponses(
      Buffer.from(received.replace('HTTP/1.1 100 Continue\r\n\r\n', ''), 'latin1'),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 405, 200, 405, 404])
    await stop()
  })

  it.each([
    ['that does not come', 408, () => post(10) + 'abc'],
    [
      'that is none',
      400,
      () => `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nno length\r\n${get('/')}`,
    ],
  ])('%s ends the connection with a %i, the only answer', async (_, status, text) => {
    const { base, stop } = await serveWith({ headersMs: 400 })
    const answers = parseResponses(await exchangeBytes(base, Buffer.from(get(figures()) + text())))
    expect(answers.map((answer) => answer.status)).toEqual([200, status])
    await stop()
  })
})

it('goes on after a crash in a request, which ends with an error, and says what it was', async () => {
  const faults = folder.file('faults.mjs')
  writeFileSync(
    faults,
    `import { ServerResponse } from 'node:http'
    import { createReadStream } from 'node:fs'
    const { writeHead } = ServerResponse.prototype
    const crashes = {
      callback: () => setImmediate(() => { throw new Error('crash in a callback') }),
      promise: () => { Promise.reject(new Error('crash of a promise')) },
      stream: () => { createReadStream('/nothing/here') },
      handler: () => { throw new Error('crash in the handler') },
    }
    ServerResponse.prototype.writeHead = function (...args) {
      const [, crash] = /crash=(\\w+)/.exec(this.req.url) ?? []
      if (crash !== undefined && args[0] !== 503) {
        crashes[crash]()
        return this
      }
      return writeHead.apply(this, args)
    }
    ServerResponse.prototype.end = (end => function (...args) {
      return /crash=/.test(this.req.url) && this.statusCode !== 503 ? this : end.apply(this, args)
    })(ServerResponse.prototype.end)`,
  )
  const server = await startServing(['--out', demo.out], { env: { NODE_OPTIONS: `--import=${faults}` } })
  const before = await rawRequest(server.base, { target: figures() })
  for (const crash of ['callback', 'promise', 'stream', 'handler']) {
    const { status } = await rawRequest(server.base, { target: `${figures()}?crash=${crash}` })
    expect({ crash, status }).toEqual({ crash, status: 503 })
    expect(await rawRequest(server.base, { target: figures() })).toMatchObject({ body: before.body })
  }
  for (const reason of ['crash in a callback', 'crash of a promise', 'ENOENT', 'crash in the handler'])
    expect(server.errors()).toContain(reason)
  expect(server.errors().trim().split('\n')).toHaveLength(4)
  await server.stop()
})

it('gives a request on a connection that has been used the answer that it gets on a fresh one', async () => {
  const { base, stop } = await serveWith({})
  const target = fc.constantFrom(
    ...[
      figures(),
      longRange(),
      `/api/v1/figures/${isin}`,
      '/api/v1/figures/XX0000000000/',
      '/',
      '/docs/',
      '/x/',
    ],
    ...[`/api/v1/prices-historic/${isin}/2023-05-02/2024-02-29/`, '/%00/', '/%zz/', `${figures()}?format=no`],
    ...['/openapi.json', 'http://elsewhere.example/status/', '/status/staged.json'],
  )
  const method = fc.oneof(
    { weight: 5, arbitrary: fc.constant('GET') },
    { weight: 2, arbitrary: fc.constantFrom('HEAD', 'OPTIONS', 'POST', 'TRACE', 'DELETE') },
  )
  const header = fc.constantFrom(
    ...['Accept: application/xml', 'Accept: text/html', 'Accept-Language: de', 'Accept-Encoding: gzip'],
    ...[
      'Accept-Encoding: br',
      'Range: bytes=5-20',
      'Range: bytes=99999999-',
      'If-None-Match: *',
      'Cookie: a=b',
    ],
    ...['Content-Length: 3', 'Transfer-Encoding: chunked', 'Expect: 100-continue'],
  )
  const bodyOf = (headers: readonly string[]) =>
    headers.includes('Transfer-Encoding: chunked') ? '3\r\nabc\r\n0\r\n\r\n' : 'abc'
  const request = fc
    .record({ method, target, headers: fc.uniqueArray(header, { maxLength: 3, selector: nameOf }) })
    .map(({ method, target, headers }) => {
      const hasBody = headers.some((line) => /^(Content|Transfer)/.test(line))
      const head = [`${method} ${target} HTTP/1.1`, 'Host: a', ...headers].join('\r\n')
      const write = (connection: string) =>
        `${head}\r\nConnection: ${connection}\r\n\r\n${hasBody ? bodyOf(headers) : ''}`
      return { write, isHead: method === 'HEAD' }
    })
  /** Each request after the answer to the one before it, or all at once. */
  const ask = async (texts: readonly string[]) => exchangeBytes(base, Buffer.from(texts.join('')))
  const property = fc.asyncProperty(fc.array(request, { minLength: 2, maxLength: 8 }), async (requests) => {
    const fresh: string[] = []
    for (const { write } of requests) fresh.push(shown(await ask([write('close')])))
    const kept = await ask(
      requests.map(({ write }, at) => write(at < requests.length - 1 ? 'keep-alive' : 'close')),
    )
    expect(shown(kept)).toBe(fresh.join(''))
  })
  await fc.assert(property, { numRuns: times(300) })
  await stop()
})

/** Headers of one name are joined by Node; of two lengths it takes none. */
const nameOf = (line: string) => (/^(Content-L|Transfer)/.test(line) ? 'body' : line.split(':')[0])

/** Without what says when, or what becomes of the connection. */
const shown = (bytes: Buffer) =>
  bytes.toString('latin1').replace(/^(?:Date|Connection|Keep-Alive): .*\r\n/gm, '')
