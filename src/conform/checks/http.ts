/** Methods, redirects, CORS. */

import { comparableHeaders, refusalsOfStrangeMethods } from '../allowances.ts'
import { checksOf, forEachExample, type CheckContext } from '../check.ts'
import type { HttpAnswer, HttpRequest } from '../client.ts'
import { asSent } from '../compare.ts'
import { noSuchIsin, variants, withoutSlash } from '../requests.ts'

export const httpChecks = checksOf('http', {
  'answers HEAD with the status and headers of GET, and without a body': async (context) => {
    const { examples, each, ask } = context
    const targets = [
      ...examples.flatMap(({ target, hasLanguages }) => variants(target, hasLanguages)),
      ...refusedTargets(context).map((target) => ({ target })),
    ]
    await each(targets, async ({ target }) => {
      const asked = { target, method: 'HEAD' }
      compareHead(context, asked, await ask(asked), await ask({ target }))
    })
  },
  'refuses methods that change something, with 405 and Allow, before anything else': async (context) => {
    const { isins, each, ask, compare, same } = context
    const [isin = noSuchIsin] = isins
    const targets = [
      `/api/v1/figures/${isin}/?language=fr`,
      `/api/v1/figures/${isin}`,
      `/api/v1/prices-historic/${isin}/2024-01-01/2024-02-01/`,
      '/nothing/?format=xml',
      '/',
    ]
    const requests = ['POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method) =>
      targets.map((target) => ({ method, target, accept: 'application/json' })),
    )
    await each(requests, compare)
    const withBody = { method: 'POST', target: targets[0] ?? '/', body: 'x'.repeat(3000) }
    same(withBody, 'status', (await ask(withBody)).status, 405)
  },
  'gives nothing out for methods that nobody uses': async ({ isins, each, ask, fail }) => {
    const [isin = noSuchIsin] = isins
    await each(['TRACE', 'PROPFIND', 'LOCK', 'REPORT'], async (method) => {
      const asked = { method, target: `/api/v1/figures/${isin}/` }
      const { status } = await ask(asked)
      if (!refusalsOfStrangeMethods.includes(status)) {
        fail(asked, `status ${refusalsOfStrangeMethods.join(', ')}`, `status ${status}`)
      }
    })
  },
  'answers OPTIONS anywhere with 204 and the methods there are': async (context) => {
    const { isins, examples, each, compare } = context
    const [isin = noSuchIsin] = isins
    const targets = ['/', '/api/v1/figures/', `/api/v1/figures/${isin}/?format=yaml`]
    const requests = [...targets, ...examples.map(({ target }) => target)]
    await each(requests, async (target) => {
      const answer = await compare({ method: 'OPTIONS', target })
      checkPreflight(context, { method: 'OPTIONS', target }, answer)
    })
  },
  'answers the preflight of a script of any origin': forEachExample(async (context, { target }) => {
    const { ask } = context
    const headers = {
      origin: 'https://elsewhere.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'if-none-match,x-anything',
    }
    const asked = { method: 'OPTIONS', target, headers }
    checkPreflight(context, asked, await ask(asked))
  }),
  'opens answers, refusals, redirects and 304 to scripts of any origin': async (context) => {
    const { examples, each, ask, same } = context
    const targets = [...examples.map(({ target }) => target), ...refusedTargets(context)]
    const headers = { origin: 'https://elsewhere.example' }
    const requests: HttpRequest[] = targets.flatMap((target) => [
      { target, headers },
      { target, headers: { ...headers, 'if-none-match': '*' } },
    ])
    await each(requests, async (asked) => {
      const answer = await ask(asked)
      same(asked, 'access-control-allow-origin', answer.headers.get('access-control-allow-origin'), '*')
      same(asked, 'x-content-type-options', answer.headers.get('x-content-type-options'), 'nosniff')
    })
  },
  'redirects a path without its slash to the same with it, the query kept': async ({
    isins,
    each,
    compare,
  }) => {
    const targets = isins.slice(0, 2).flatMap(withoutSlash)
    await each(
      targets.flatMap((target) => [{ target }, { target, accept: 'text/xml' }]),
      compare,
    )
  },
  'redirects to where the answer is': forEachExample(async ({ ask, same }, { target }) => {
    const asked = { target: `${target.slice(0, -1)}?format=xml&x=%20+` }
    const answer = await ask(asked)
    same(asked, 'status', answer.status, 308)
    same(asked, 'location', answer.headers.get('location')?.endsWith(`${target}?format=xml&x=%20+`), true)
    same(asked, 'status there', (await ask({ target: `${target}?format=xml&x=%20+` })).status, 200)
  }),
  'never redirects to another host': async ({ each, ask, same }) => {
    const targets = [
      '//elsewhere.example',
      '//elsewhere.example/api/v1/figures',
      '/\\elsewhere.example',
      '/\\elsewhere.example/api/v1/figures',
      '//elsewhere.example/%2e%2e',
    ]
    await each(targets, async (target) => {
      const location = (await ask({ target })).headers.get('location') ?? ''
      same({ target }, 'another host in location', /^([a-z]+:|[/\\]{2})/i.test(location), false)
    })
  },
})

function checkPreflight({ same, fail }: CheckContext, asked: HttpRequest, answer: HttpAnswer): void {
  same(asked, 'status', answer.status, 204)
  same(asked, 'bytes of the body', answer.body.length, 0)
  same(asked, 'access-control-allow-origin', answer.headers.get('access-control-allow-origin'), '*')
  const methods = (answer.headers.get('access-control-allow-methods') ?? '')
    .split(',')
    .map((name) => name.trim())
  same(asked, 'access-control-allow-methods', methods.sort(), ['GET', 'HEAD', 'OPTIONS'])
  const age = answer.headers.get('access-control-max-age') ?? 'absent'
  if (!/^\d+$/.test(age)) fail(asked, 'access-control-max-age in seconds', age)
}

function compareHead({ same }: CheckContext, asked: HttpRequest, head: HttpAnswer, got: HttpAnswer): void {
  same(asked, 'status', head.status, got.status)
  same(asked, 'bytes of the body', head.body.length, 0)
  const [ofHead, ofGet] = [comparableHeaders(head), comparableHeaders(got)]
  for (const name of new Set([...ofHead.keys(), ...ofGet.keys()])) {
    same(asked, name, ofHead.get(name) ?? 'absent', ofGet.get(name) ?? 'absent')
  }
  const length = head.headers.get('content-length')
  if (length !== undefined) same(asked, 'content-length', Number(length), got.body.length)
}

/** A refusal of each kind, and a redirect. */
function refusedTargets({ isins }: CheckContext): string[] {
  const [isin = noSuchIsin] = isins
  return [
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
}
