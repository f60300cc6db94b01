/** Methods, redirects, CORS, byte ranges. */

import { comparableHeaders, refusalsOfStrangeMethods } from '../allowances.ts'
import { checksOf, exampleChecksOf, inBothFormats, type CheckContext } from '../check.ts'
import type { HttpAnswer, HttpRequest } from '../client.ts'
import { asSent } from '../compare.ts'
import { noSuchIsin, variants, withoutSlash } from '../requests.ts'

const elsewhere = { origin: 'https://elsewhere.example' }

export const httpChecks = [
  ...checksOf('http', {
    'answers HEAD with the status and headers of GET, and without a body': async (context) => {
      const { examples, each, ask } = context
      const targets = [...examples.flatMap(variants).map(({ target }) => target), ...refusedTargets(context)]
      await each(targets, async (target) => {
        const asked = { target, method: 'HEAD' }
        compareHead(context, asked, await ask(asked), await ask({ target }))
      })
    },
    'refuses methods that change something, with 405 and Allow, before anything else': async (context) => {
      const { isin, ask, compareAll } = context
      const fund = `/api/v1/figures/${isin}`
      const range = `/api/v1/prices-historic/${isin}/2024-01-01/2024-02-01/`
      const targets = [`${fund}/?language=fr`, fund, range, '/nothing/?format=xml', '/']
      const requests = ['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
        targets.map((target) => ({ method, target, accept: 'application/json' })),
      )
      await compareAll(requests)
      await ask({ method: 'POST', target: `${fund}/?language=fr`, body: 'x'.repeat(3000) }, 405)
    },
    'gives nothing out for unusual methods': async ({ isin, each, ask, fail }) => {
      await each(['TRACE', 'PROPFIND', 'LOCK', 'REPORT'], async (method) => {
        const asked = { method, target: `/api/v1/figures/${isin}/` }
        const { status } = await ask(asked)
        if (!refusalsOfStrangeMethods.includes(status))
          fail(asked, `status ${refusalsOfStrangeMethods.join(', ')}`, `status ${status}`)
      })
    },
    'answers OPTIONS anywhere with 204 and the methods there are': async (context) => {
      const { isin, examples, each, compare } = context
      const targets = ['/', '/api/v1/figures/', `/api/v1/figures/${isin}/?format=yaml`]
      await each([...targets, ...examples.map(({ target }) => target)], async (target) => {
        const asked = { method: 'OPTIONS', target }
        checkPreflight(context, asked, await compare(asked))
      })
    },
    'opens answers, refusals, redirects and 304 to scripts of any origin': async (context) => {
      const { examples, each, ask, same } = context
      const targets = [...examples.map(({ target }) => target), ...refusedTargets(context)]
      const requests: HttpRequest[] = targets.flatMap((target) => [
        { target, headers: elsewhere },
        { target, headers: { ...elsewhere, 'if-none-match': '*' } },
      ])
      await each(requests, async (asked) => {
        const { headers } = await ask(asked)
        same(asked, 'access-control-allow-origin', headers.get('access-control-allow-origin'), '*')
        same(asked, 'x-content-type-options', headers.get('x-content-type-options'), 'nosniff')
      })
    },
    'redirects a path without its slash to the same with it, the query kept': ({ isins, compareAll }) =>
      compareAll(inBothFormats(isins.slice(0, 2).flatMap(withoutSlash))),
    'never redirects to another host': async ({ each, ask, same }) => {
      const hosts = ['//elsewhere.example', '/\\elsewhere.example']
      const targets = [
        ...hosts.flatMap((host) => [host, `${host}/api/v1/figures`]),
        '//elsewhere.example/%2e%2e',
      ]
      await each(targets, async (target) => {
        const location = (await ask({ target })).headers.get('location') ?? ''
        same({ target }, 'another host in location', /^([a-z]+:|[/\\]{2})/i.test(location), false)
      })
    },
  }),
  ...exampleChecksOf('http', {
    'answers the preflight of a script of any origin': async (context) => {
      const { target } = context
      const headers = {
        ...elsewhere,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'if-none-match,x-anything',
      }
      const asked = { method: 'OPTIONS', target, headers }
      checkPreflight(context, asked, await context.ask(asked))
    },
    'redirects to where the answer is': async ({ ask, same, target }) => {
      const query = '?format=xml&x=%20+'
      const asked = { target: target.slice(0, -1) + query }
      const { headers } = await ask(asked, 308)
      same(asked, 'location', headers.get('location')?.endsWith(target + query), true)
      await ask({ target: target + query }, 200)
    },
  }),
]

function checkPreflight({ same, fail }: CheckContext, asked: HttpRequest, answer: HttpAnswer): void {
  const { status, body, headers } = answer
  same(asked, 'status', status, 204)
  same(asked, 'bytes of the body', body.length, 0)
  same(asked, 'access-control-allow-origin', headers.get('access-control-allow-origin'), '*')
  const methods = headers.get('access-control-allow-methods')?.replaceAll(' ', '').split(',').sort()
  same(asked, 'access-control-allow-methods', methods, ['GET', 'HEAD', 'OPTIONS'])
  const age = headers.get('access-control-max-age') ?? 'absent'
  if (!/^\d+$/.test(age)) fail(asked, 'access-control-max-age in seconds', age)
}

function compareHead({ same }: CheckContext, asked: HttpRequest, head: HttpAnswer, got: HttpAnswer): void {
  same(asked, 'status', head.status, got.status)
  same(asked, 'bytes of the body', head.body.length, 0)
  const ofHead = comparableHeaders(head)
  const ofGet = comparableHeaders(got)
  for (const name of new Set([...ofHead.keys(), ...ofGet.keys()]))
    same(asked, name, ofHead.get(name), ofGet.get(name))
  const length = head.headers.get('content-length')
  if (length !== undefined) same(asked, 'content-length', Number(length), got.body.length)
}

/** A refusal of each kind, and a redirect. */
export const refusedTargets = ({ isin }: CheckContext): string[] =>
  [
    '/nothing/',
    '/nothing/?format=xml',
    '/api/v1/figures/',
    `/api/v1/figures/${isin}/?format=yaml`,
    `/api/v1/figures/${isin}`,
    `/api/v1/figures/${noSuchIsin}/`,
    `/api/v1/prices-current/${noSuchIsin}/?format=xml`,
    `/api/v1/prices-historic/${isin}/2024-02-30/2024-03-01/`,
    `/api/v1/prices-historic/${noSuchIsin}/2024-02-01/2024-03-01/`,
    `/api/v1/investment_structure-shoes/${isin}/`,
  ].map(asSent)

const beyond = 'bytes=999999999-'

/** The last two: beyond the end of every document, and in an unknown unit. */
const ranges = ['bytes=0-9', 'bytes=7-', 'bytes=-11', beyond, 'lines=1-2']

/** Source: RFC 9110, 14: a server may answer with the whole document instead of a part, and with nothing else. */
export const partChecks = exampleChecksOf('http', {
  'gives the whole of a document, or exactly the part that was asked for': async (context) => {
    const { target } = context
    const whole = await context.ask({ target })
    for (const range of ranges) await comparePart(context, target, range, whole)
  },
  'gives the whole where the ETag that a part is asked for is another': async ({ ask, same, target }) => {
    const asked = { target, headers: { range: 'bytes=0-9', 'if-range': '"another snapshot"' } }
    const { body } = await ask(asked, 200)
    const whole = await ask({ target })
    same(asked, 'the same body:', body.equals(whole.body), true)
  },
  'describes the whole where a part is asked for by HEAD': async ({ ask, same, target }) => {
    const asked = { method: 'HEAD', target, headers: { range: 'bytes=0-9' } }
    const { headers } = await ask(asked, 200)
    const whole = await ask({ target })
    same(asked, 'content-range', headers.get('content-range'), undefined)
    const length = headers.get('content-length')
    if (length !== undefined) same(asked, 'content-length', Number(length), whole.body.length)
  },
})

async function comparePart(context: CheckContext, target: string, range: string, whole: HttpAnswer) {
  const { ask, same, fail } = context
  const asked = { target, headers: { range } }
  const { status, headers, body } = await ask(asked)
  const stated = headers.get('content-range')
  const { length } = whole.body
  if (status === 200) {
    same(asked, 'content-range', stated, undefined)
    same(asked, 'the same body:', body.equals(whole.body), true)
  } else if (status === 416) {
    same(asked, 'content-range', stated, `bytes */${length}`)
    if (range !== beyond) fail(asked, 'the whole, or its part', 'status 416')
  } else {
    same(asked, 'status', status, 206)
    const [first, last] = boundsOf(range, length)
    same(asked, 'content-range', stated, `bytes ${first}-${last}/${length}`)
    same(asked, 'the part:', body.equals(whole.body.subarray(first, last + 1)), true)
  }
}

/** -1 for a range that has another unit than bytes. */
function boundsOf(range: string, length: number): [first: number, last: number] {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? []
  if (first === '') return last === '' ? [-1, -1] : [Math.max(0, length - Number(last)), length - 1]
  return [Number(first), last === '' ? length - 1 : Math.min(Number(last), length - 1)]
}
