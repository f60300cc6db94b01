/** Hostile requests neither harm the service nor get data that is not theirs. */

import { checksOf } from '../check.ts'
import { hostileRequest, longHeaders, longTargets } from './hostile-requests.ts'
import { exchange } from '../client.ts'
import { noSuchIsin } from '../requests.ts'

export const hostileChecks = checksOf('hostile', {
  'answers whatever is thrown at it as the interface says': async ({
    isins,
    random,
    randomRequests,
    each,
    compare,
  }) => {
    const requests = Array.from({ length: Math.ceil(randomRequests / 4) }, () =>
      hostileRequest(random, isins),
    )
    await each(requests, compare)
  },
  'answers or refuses paths of any length': async ({ isins, each, compare }) => {
    await each(
      longTargets(isins[0] ?? noSuchIsin).map((target) => ({ target })),
      compare,
    )
  },
  'answers or refuses headers of any length': async ({ isins, oracle, each, ask, same, fail }) => {
    const target = `/api/v1/figures/${isins[0] ?? noSuchIsin}/`
    await each(longHeaders(), async (headers) => {
      const asked = { target, headers }
      const { status, body } = await ask(asked)
      if ([400, 413, 414, 431].includes(status)) return
      const { accept, 'accept-language': acceptLanguage } = headers
      const expected = oracle.answer({ target, accept, acceptLanguage })
      if (status !== expected.status)
        fail(asked, `status ${expected.status}, 400, 413, 414 or 431`, `status ${status}`)
      else same(asked, 'the same body:', body.toString() === expected.body, true)
    })
  },
  'refuses an address or headers of more than 16 KB': async ({ isins, each, ask, same, fail }) => {
    const target = `/api/v1/figures/${isins[0] ?? noSuchIsin}/`
    const long = 'a'.repeat(18 * 1024)
    const requests = [
      { target: `/${long}/` },
      { target: `${target}?x=${long}` },
      { target, headers: { 'x-long': long } },
    ]
    await each(requests, async (asked) => {
      const { status, headers, body } = await ask(asked)
      if (![400, 413, 414, 431].includes(status))
        fail(asked, 'status 400, 413, 414 or 431', `status ${status}`)
      // A front server may have its own text.
      if (headers.get('content-type')?.startsWith('application/json') !== true) return
      const error = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>
      same(asked, 'members', Object.keys(error), ['title', 'type', 'status'])
      same(asked, 'status in the body', error['status'], status)
    })
  },
  'cuts no header out of what a request holds': async ({ isins, each, ask, same }) => {
    const injected = '%0d%0aSet-Cookie:%20a=b'
    const targets = [
      `/api/v1/figures/x${injected}`,
      `/api/v1/figures/x${injected}/`,
      `/api/v1/figures/${isins[0] ?? noSuchIsin}?x=${injected}`,
      `/nothing${injected}%0d%0a%0d%0aHTTP/1.1%20200%20OK/`,
    ]
    await each(targets, async (target) => {
      const { headers } = await ask({ target })
      same(
        { target },
        'a cookie of the request in set-cookie',
        headers.get('set-cookie')?.includes('a=b') ?? false,
        false,
      )
    })
  },
  'refuses what is no HTTP with 400, or closes the connection': async ({ base, each, ask, fail }) => {
    await each(garbage, async (bytes) => {
      const { text: answered } = await exchange(base, bytes)
      const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answered) ?? []
      const isRefused = answered === '' || /^4\d\d$/.test(status ?? '') || /^<html>[^]*400/.test(answered)
      const asked = { target: `/ (after the bytes ${JSON.stringify(bytes.slice(0, 60))})` }
      if (!isRefused) fail(asked, 'a 4xx, or nothing', answered.slice(0, 100))
    })
    // The server must still answer.
    await ask({ target: '/nothing/' })
  },
  'still answers rightly afterwards': async ({ examples, each, compare }) => {
    await each(examples, ({ target }) => compare({ target }))
  },
})

export const garbage: readonly string[] = [
  'HELO conform.example\r\n\r\n',
  'GET\r\n\r\n',
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: many\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nno header\r\n\r\n',
  'GET /api/v1/ figures/ HTTP/1.1\r\nHost: a\r\n\r\n',
  `${'\u0000\u00ff'.repeat(2000)}\r\n\r\n`,
]
