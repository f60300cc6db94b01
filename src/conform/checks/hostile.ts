/** Nothing that a client sends harms the service, or gets data out of it that was not asked for. */

import type { Check } from '../check.ts'
import { exchange } from '../connection.ts'
import { garbage } from '../garbage.ts'
import { hostileRequest, longHeaders, longTargets } from '../hostile.ts'
import { unknownIsin } from '../requests.ts'

export const hostileChecks: readonly Check[] = [
  {
    group: 'hostile',
    name: 'answers whatever is thrown at it as the interface says',
    run: async ({ isins, random, randomRequests, each, compare }) => {
      const requests = Array.from({ length: Math.ceil(randomRequests / 4) }, () =>
        hostileRequest(random, isins),
      )
      await each(requests, compare)
    },
  },
  {
    group: 'hostile',
    name: 'answers or refuses paths of any length',
    run: async ({ isins, each, compare }) => {
      await each(
        longTargets(isins[0] ?? unknownIsin).map((target) => ({ target })),
        compare,
      )
    },
  },
  {
    group: 'hostile',
    name: 'answers or refuses headers of any length',
    run: async ({ isins, oracle, each, ask, same, fail }) => {
      const target = `/api/v1/figures/${isins[0] ?? unknownIsin}/`
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
  },
  {
    group: 'hostile',
    name: 'refuses an address or headers of more than 16 KB',
    run: async ({ isins, each, ask, same, fail }) => {
      const target = `/api/v1/figures/${isins[0] ?? unknownIsin}/`
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
        // A front server has words of its own.
        if (headers.get('content-type')?.startsWith('application/json') !== true) return
        const error = JSON.parse(body.toString()) as Readonly<Record<string, unknown>>
        same(asked, 'members', Object.keys(error), ['title', 'type', 'status'])
        same(asked, 'status in the body', error['status'], status)
      })
    },
  },
  {
    group: 'hostile',
    name: 'cuts no header out of what a request holds',
    run: async ({ isins, each, ask, same }) => {
      const injected = '%0d%0aSet-Cookie:%20a=b'
      const targets = [
        `/api/v1/figures/x${injected}`,
        `/api/v1/figures/x${injected}/`,
        `/api/v1/figures/${isins[0] ?? unknownIsin}?x=${injected}`,
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
  },
  {
    group: 'hostile',
    name: 'refuses what is no HTTP with 400, or closes the connection',
    run: async ({ base, each, ask, fail }) => {
      await each(garbage, async (bytes) => {
        const { text: answered } = await exchange(base, bytes)
        const [, status] = /^HTTP\/1\.[01] (\d{3})/.exec(answered) ?? []
        const isRefused = answered === '' || /^4\d\d$/.test(status ?? '') || /^<html>[^]*400/.test(answered)
        const asked = { target: `/ (after the bytes ${JSON.stringify(bytes.slice(0, 60))})` }
        if (!isRefused) fail(asked, 'a 4xx, or nothing', answered.slice(0, 100))
      })
      // And it still answers.
      await ask({ target: '/nothing/' })
    },
  },
  {
    group: 'hostile',
    name: 'still answers rightly afterwards',
    run: async ({ examples, each, compare }) => {
      await each(examples, ({ target }) => compare({ target }))
    },
  },
]
