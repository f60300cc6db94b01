/** Hostile requests neither harm the service nor get data of others. */

import type { Draws } from '../../../core/system/random.ts'
import { checksOf, exampleChecksOf } from '../check.ts'
import { exchange } from '../client.ts'
import type { OracleRequest } from '../oracle/oracle.ts'
import { noSuchIsin, words } from '../requests.ts'

const refusalsOfLength = [400, 413, 414, 431]

export const hostileChecks = [
  ...checksOf('hostile', {
    'answers whatever is thrown at it as the interface says': (context) => {
      const { isins, random, randomRequests, compareAll } = context
      const some = () => hostileRequest(random, isins.length === 0 ? noSuchIsin : random.pick(isins))
      return compareAll(Array.from({ length: Math.ceil(randomRequests / 4) }, some))
    },
    'answers or refuses paths of any length': ({ isin, compareAll }) =>
      compareAll(longTargets(isin).map((target) => ({ target }))),
    'answers or refuses headers of any length': async ({ isin, oracle, each, ask, same, fail }) => {
      const target = `/api/v1/figures/${isin}/`
      await each(longHeaders, async (headers) => {
        const asked = { target, headers }
        const { status, body } = await ask(asked)
        if (refusalsOfLength.includes(status)) return
        const { accept, 'accept-language': acceptLanguage } = headers
        const expected = oracle.answer({ target, accept, acceptLanguage })
        if (status !== expected.status)
          fail(asked, `status ${expected.status}, ${refusalsOfLength.join(', ')}`, `status ${status}`)
        else same(asked, 'the same body:', body.toString() === expected.body, true)
      })
    },
    'refuses an address or headers of more than 16 KB': async ({ isin, each, ask, same, fail }) => {
      const target = `/api/v1/figures/${isin}/`
      const long = 'a'.repeat(18 * 1024)
      const requests = [
        { target: `/${long}/` },
        { target: `${target}?x=${long}` },
        { target, headers: { 'x-long': long } },
      ]
      await each(requests, async (asked) => {
        const { status, headers, body } = await ask(asked)
        if (!refusalsOfLength.includes(status))
          fail(asked, `status ${refusalsOfLength.join(', ')}`, `status ${status}`)
        // A front server may have its own text.
        if (headers.get('content-type')?.startsWith('application/json') !== true) return
        const error = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>
        same(asked, 'members', Object.keys(error), ['title', 'type', 'status'])
        same(asked, 'status in the body', error['status'], status)
      })
    },
    'cuts no header out of what a request holds': async ({ isin, each, ask, same }) => {
      const injected = '%0d%0aSet-Cookie:%20a=b'
      const targets = [
        `/api/v1/figures/x${injected}`,
        `/api/v1/figures/x${injected}/`,
        `/api/v1/figures/${isin}?x=${injected}`,
        `/nothing${injected}%0d%0a%0d%0aHTTP/1.1%20200%20OK/`,
      ]
      await each(targets, async (target) => {
        const cookie = (await ask({ target })).headers.get('set-cookie') ?? ''
        same({ target }, 'a cookie of the request in set-cookie', cookie.includes('a=b'), false)
      })
    },
    'refuses what is no HTTP with 400, or closes the connection': async ({ base, each, ask, fail }) => {
      await each(garbage, async (bytes) => {
        const { text: answered } = await exchange(base, bytes)
        const isRefused = answered === '' || /^HTTP\/1\.[01] 4\d\d|^<html>[^]*400/.test(answered)
        const asked = { target: `/ (after the bytes ${JSON.stringify(bytes.slice(0, 60))})` }
        if (!isRefused) fail(asked, 'a 4xx, or nothing', answered.slice(0, 100))
      })
      await ask({ target: '/nothing/' })
    },
  }),
  ...exampleChecksOf('hostile', {
    'still answers rightly afterwards': ({ compare, target }) => compare({ target }),
  }),
]

const garbage: readonly string[] = [
  'HELO conform.example\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n',
  'GET /api/v1/ figures/ HTTP/1.1\r\nHost: a\r\n\r\n',
  `${'\u0000\u00ff'.repeat(2000)}\r\n\r\n`,
]

/** Longer than front servers accept: they may refuse these, but must not break down. */
const longTargets = (isin: string): string[] => [
  `/${'a'.repeat(60_000)}`,
  '/'.repeat(30_000),
  `/api/v1/figures/${'%C3%A4'.repeat(5000)}/`,
  `/api/v1/figures/${isin}/?${'format=json&'.repeat(5000)}`,
  `/api/v1/figures/${isin}/?${'%&'.repeat(7000)}`,
  `/${'../'.repeat(4000)}`,
  `/api/v1/prices-historic/${isin}/${'9'.repeat(10_000)}-01-01/2024-01-01/`,
]

/** A front server may refuse these for their length. */
const longHeaders: readonly Readonly<Record<string, string>>[] = [
  { accept: 'application/xml;q=0.1,'.repeat(1000) },
  { 'accept-language': 'en;q=0.123456789,'.repeat(1000) },
  { 'accept-encoding': '*/*'.repeat(6000) },
  { 'if-none-match': '"x",'.repeat(4000) },
  { range: `bytes=${' '.repeat(9000)}x` },
  { cookie: 'a'.repeat(30_000) },
  Object.fromEntries(Array.from({ length: 90 }, (_, at) => [`x-filler-${at}`, 'b'.repeat(200)])),
]

/** Mostly valid HTTP. @param isin a fund that exists */
function hostileRequest(random: Draws, isin: string): OracleRequest {
  const target = random.pick([climbingPath, climbingPath, mixedPath, mangledPath, strangeQuery])
  return {
    method: random.chance(0.9) ? 'GET' : random.pick(['POST', 'DELETE', 'OPTIONS']),
    target: random.chance(0.9) ? target(random, isin) : `/${escapedBytes(random, 30)}`,
    accept: random.chance(0.3) ? strangeHeader(random) : undefined,
    acceptLanguage: random.chance(0.3) ? strangeHeader(random) : undefined,
  }
}

/** Tries to reach the files beside the answers. */
function climbingPath(random: Draws, isin: string): string {
  const starts = `/ /api/v1/ /api/v1/prices-current/ /api/v1/prices-historic/${isin}/ /api/v1/investment_structure-
    /api/v2/emt/${isin}/ /errors/index/`
  const climbs = '../ %2e%2e/ ..%2f %2E%2E%2F .%2e/ ..%5c %252e%252e%252f ..;/ ....// %c0%ae%c0%ae/ ..%00/ ./'
  const files = `etc/passwd canary.txt manifest.ndjson.gz SHA256SUMS live.json journal.json blue/SHA256SUMS
    errors/index/400-noisin.json`
  const ends = '/ %00 %00.json %00/ ?format=json /?format=xml /?format=../../live.json%00'
  const end = random.chance(0.5) ? '' : word(random, ends)
  return word(random, starts) + word(random, climbs).repeat(random.whole(1, 8)) + word(random, files) + end
}

function mixedPath(random: Draws, isin: string): string {
  const real = `api v1 v2 prices-historic investment_structure-countries figures emt ${isin} 2024-01-01 2024-12-31
    index.de.json 2024.json manifest.ndjson.gz`
  const bad = `. .. %2e %2f %5c %00 % %f %zz %ff %C3 %0d%0a %F0%9F%98%80 %EF%BF%BE __proto__ constructor %u0041 ~ $&
    {} %C3%A4`
  const pieces = several(random, 6, () =>
    random.pick([word(random, real), word(random, bad), escapedBytes(random, 8)]),
  )
  const start = word(random, `/ /api/v1/ /api/v2/ /api/v1/prices-historic/${isin}/`)
  return start + pieces.join('/') + random.pick(['', '/'])
}

/** A valid path with one thing wrong. */
function mangledPath(random: Draws, isin: string): string {
  const paths = `/api/v1/figures/${isin}/ /api/v1/prices-current/${isin}/ /api/v2/emt/${isin}/
    /api/v1/prices-current-all/ /api/v1/prices-historic/${isin}/2024-01-01/2024-03-31/
    /api/v1/investment_structure-countries/${isin}/`
  const path = word(random, paths)
  const at = random.whole(0, path.length - 1)
  const character = path[at] ?? ''
  const upper = character.toUpperCase()
  const otherCase = character === upper ? character.toLowerCase() : upper
  const escaped = `%${character.charCodeAt(0).toString(16)}`
  const added = random.pick(['/', '%00', character, escapedBytes(random, 2)])
  return path.slice(0, at) + random.pick([otherCase, escaped, '', character + added]) + path.slice(at + 1)
}

function strangeQuery(random: Draws, isin: string): string {
  const fund = `/api/v1/figures/${isin}`
  const path = word(random, `${fund}/ ${fund} /api/v1/prices-historic/${isin}/2024-01-01/2024-02-01/ /no`)
  const strange = `format=json format=xml format= format format=%00 format=% language=de language=%ff __proto__=x &&
    = == language=en%0d%0aSet-Cookie:%20a=b %66ormat=xml format[]=xml format=xml;language=en callback=x isin=${isin}`
  const pairs = several(random, 8, () => random.pick([word(random, strange), escapedBytes(random, 6)]))
  return `${path}?${pairs.join('&')}`
}

function strangeHeader(random: Draws): string {
  const strange = `, ; * */*;q=9 q=1 ;q=;q= a/b;q=0.5;q=1 " application/xml;q=0.5;q=1 text/xml;level=1;q=0.3
    ../../etc/passwd en;q=1;q=0 de-;q=1 text/xml;q=1.0000 application/xml;Q=0.2,application/json;q=0.1 1;2;3 en_GB
    xml,json`
  const characters = several(random, 19, () => word(random, 'a q = ; , . * / - + " 0 1 x e n'))
  return random.chance(0.75) ? word(random, strange) : characters.join('').trim()
}

/** Random bytes; percent-encoded unless they are letters. */
function escapedBytes(random: Draws, most: number): string {
  const bytes = several(random, most, () => random.whole(0, 255))
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[^A-Za-z0-9_.-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
}

const several = <T>(random: Draws, most: number, make: () => T): T[] =>
  Array.from({ length: random.whole(0, most) }, make)

const word = (random: Draws, text: string): string => random.pick(words(text))
