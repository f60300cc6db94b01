/** Caching and content codings: validators, 304, and the same bytes in every coding. */

import { dayMs } from '../../system/day-number.ts'
import { mayBeTagOfCoded, varyText } from '../allowances.ts'
import { checksOf, exampleChecksOf, type CheckContext } from '../check.ts'
import type { HttpRequest } from '../client.ts'
import { decoded } from '../compare.ts'
import { variants } from '../requests.ts'
import { refusedTargets } from './http.ts'

const validatorChecks = exampleChecksOf('caching', {
  'gives answers that differ by format or language ETags that differ': async ({ ask, fail, ...example }) => {
    const bodies = new Map<string, Buffer>()
    for (const asked of variants(example)) {
      const { headers, body } = await ask(asked)
      const etag = headers.get('etag') ?? 'absent'
      // An answer without texts may be the same in both languages.
      const isOther = bodies.get(etag)?.equals(body) === false
      if (isOther) fail(asked, 'an ETag of its own', `${etag}, which another answer has`)
      bodies.set(etag, body)
    }
  },
  'gives the same ETag for the same representation, however it was asked for': async (context) => {
    const { ask, same, target } = context
    const byQuery = await ask({ target: `${target}?format=xml&language=en` })
    const asked = { target, headers: { accept: 'text/xml', 'accept-language': 'en' } }
    same(asked, 'ETag', (await ask(asked)).headers.get('etag'), byQuery.headers.get('etag'))
  },
  'answers 304 to the ETag that it gave, in every form that a client may send it': async (context) => {
    const { target } = context
    const whole = await context.ask({ target })
    const etag = whole.headers.get('etag') ?? ''
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, `"a,b" ,W/"c",${etag}`, '*'])
      await expectNotModified(context, { target, headers: { 'if-none-match': known } }, whole.headers)
  },
  'answers in full to other ETags': async ({ ask, target }) => {
    const etag = (await ask({ target })).headers.get('etag') ?? ''
    const ofXml = (await ask({ target: `${target}?format=xml` })).headers.get('etag') ?? ''
    for (const known of ['"other"', 'W/"other", "another"', etag.slice(1, -1), `"x${etag.slice(1)}`, ofXml])
      await ask({ target, headers: { 'if-none-match': known } }, 200)
  },
  'answers 304 to If-Modified-Since its Last-Modified, where If-None-Match says nothing else': async (
    context,
  ) => {
    const { target } = context
    const { headers } = await context.ask({ target })
    const modified = headers.get('last-modified') ?? ''
    const moved = (ms: number): string => new Date(Date.parse(modified) + ms).toUTCString()
    const inFull = [
      { 'if-modified-since': moved(-1000) },
      { 'if-modified-since': 'yesterday' },
      { 'if-modified-since': moved(dayMs), 'if-none-match': '"other"' },
    ]
    for (const conditions of inFull) await context.ask({ target, headers: conditions }, 200)
    const notModified = [
      { 'if-modified-since': modified },
      { 'if-modified-since': moved(dayMs) },
      { 'if-modified-since': moved(-1000), 'if-none-match': headers.get('etag') ?? '' },
    ]
    for (const conditions of notModified)
      await expectNotModified(context, { target, headers: conditions }, headers)
  },
})

export const cachingChecks = [
  ...validatorChecks,
  ...checksOf('caching', {
    'never answers 304 to what is refused or redirected': async (context) => {
      const { each, ask } = context
      await each(refusedTargets(context), async (target) => {
        const { status } = await ask({ target })
        await ask({ target, headers: { 'if-none-match': '*' } }, status)
        await ask({ target, headers: { 'if-modified-since': 'Fri, 01 Jan 2100 00:00:00 GMT' } }, status)
      })
      await ask({ method: 'POST', target: '/nothing/', headers: { 'if-none-match': '*' } }, 405)
    },
  }),
]

/** A 304 has no body, but the headers that renew a cache's copy (RFC 9110, 15.4.5). */
async function expectNotModified(
  { ask, same }: CheckContext,
  conditional: HttpRequest,
  whole: ReadonlyMap<string, string>,
): Promise<void> {
  for (const method of ['GET', 'HEAD']) {
    const asked = { ...conditional, method }
    const { headers, body } = await ask(asked, 304)
    same(asked, 'bytes of the body', body.length, 0)
    for (const name of ['etag', 'cache-control']) same(asked, name, headers.get(name), whole.get(name))
    same(asked, 'vary', varyText(headers.get('vary')), varyText(whole.get('vary')))
  }
}

const accepted: readonly (readonly [header: string, codings: readonly string[]])[] = [
  ['gzip', ['gzip']],
  ['br', ['br']],
  ['gzip, deflate, br, zstd', ['gzip', 'br', 'deflate', 'zstd']],
  ['gzip;q=0.7', ['gzip']],
  ['identity;q=0.5, br', ['br']],
  ['br;q=0, gzip', ['gzip']],
]

export const codingChecks = exampleChecksOf('codings', {
  'packs only as it was asked to, and the same bytes come out': async ({ ask, same, fail, target }) => {
    const plain = await ask({ target })
    for (const [header, codings] of accepted) {
      const asked = { target, headers: { 'accept-encoding': header } }
      const answer = await ask(asked, 200)
      const coding = answer.headers.get('content-encoding')
      same(asked, 'the same body:', decoded(answer)?.equals(plain.body) ?? false, true)
      if (coding === undefined) continue
      if (!codings.includes(coding)) fail(asked, `content-encoding of ${codings.join(', ')}`, coding)
      const [etag, plainTag] = [answer.headers.get('etag'), plain.headers.get('etag')]
      if (!mayBeTagOfCoded(etag, plainTag))
        fail(asked, `an ETag that is not ${plainTag ?? ''}`, etag ?? 'absent')
      const vary = answer.headers.get('vary') ?? 'absent'
      if (!/\baccept-encoding\b/i.test(vary)) fail(asked, 'vary that names Accept-Encoding', vary)
    }
  },
  'leaves an answer as it is where no coding is acceptable': async ({ ask, same, target }) => {
    for (const header of ['identity', 'gzip;q=0', 'zip, compress', '', 'gzip;q=0, br;q=0.0']) {
      const asked = { target, headers: { 'accept-encoding': header } }
      const { headers } = await ask(asked)
      same(asked, 'content-encoding', headers.get('content-encoding'), undefined)
    }
  },
  'answers 304 to the ETag of a packed answer where that would come again': async ({ ask, target }) => {
    for (const coding of ['gzip', 'br']) {
      const headers = { 'accept-encoding': coding }
      const etag = (await ask({ target, headers })).headers.get('etag') ?? ''
      await ask({ target, headers: { ...headers, 'if-none-match': etag } }, 304)
    }
  },
})
