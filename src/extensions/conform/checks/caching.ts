/** Caching and content codings: validators, 304, and the same bytes in every coding. */

import { dayMs } from '../../../core/system/day-number.ts'
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
    const inFull = [
      { 'if-modified-since': movedBy(modified, -1000) },
      { 'if-modified-since': 'yesterday' },
      { 'if-modified-since': movedBy(modified, dayMs), 'if-none-match': '"other"' },
    ]
    for (const conditions of inFull) await context.ask({ target, headers: conditions }, 200)
    const notModified = [
      { 'if-modified-since': modified },
      { 'if-modified-since': movedBy(modified, dayMs) },
      { 'if-modified-since': movedBy(modified, -1000), 'if-none-match': headers.get('etag') ?? '' },
    ]
    for (const conditions of notModified)
      await expectNotModified(context, { target, headers: conditions }, headers)
  },
})

/** Source: RFC 9110, 13.1.1, 13.1.4, and 13.2.2 for the order. */
const insistingChecks = exampleChecksOf('caching', {
  'answers 412 where a client insists on another ETag, or on an earlier date': async (context) => {
    const { target } = context
    const { headers } = await context.ask({ target })
    const etag = headers.get('etag') ?? ''
    const modified = headers.get('last-modified') ?? ''
    const earlier = movedBy(modified, -1000)
    const ofTags = [
      '"other"',
      `W/${etag}`,
      etag.slice(1, -1),
      `"a,${etag.slice(1)}`,
      `"other", W/"another"`,
      `"", ","`,
    ]
    const conditions = [
      ...ofTags.map((tags) => ({ 'if-match': tags })),
      { 'if-match': '"other"', 'if-none-match': etag },
      { 'if-match': '"other"', 'if-modified-since': modified },
      { 'if-match': '"other"', 'if-unmodified-since': modified },
      ...[earlier, 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'].map((date) => ({
        'if-unmodified-since': date,
      })),
      { 'if-unmodified-since': earlier, 'if-none-match': etag },
      { 'if-unmodified-since': earlier, 'if-modified-since': modified },
    ]
    for (const each of conditions) await expectRefused(context, { target, headers: each })
    await expectRefused(context, { target: `${target}?format=xml`, headers: { 'if-match': '"other"' } })
    // A refusal is kept by nobody: the next client gets the answer.
    await context.ask({ target }, 200)
  },
  'answers as always where the ETag or the date that a client insists on is right': async (context) => {
    const { ask, same, target } = context
    const whole = await ask({ target })
    const etag = whole.headers.get('etag') ?? ''
    const modified = whole.headers.get('last-modified') ?? ''
    const earlier = movedBy(modified, -1000)
    const conditions = [
      ...[etag, '*', ` * `, `"other" ,"a,b",${etag}`, `W/"c",, ${etag}`].map((tags) => ({
        'if-match': tags,
      })),
      { 'if-match': etag, 'if-unmodified-since': earlier },
      { 'if-match': etag, 'if-none-match': '"other"' },
      ...[modified, movedBy(modified, dayMs), 'yesterday', '0', '2001-01-01'].map((date) => ({
        'if-unmodified-since': date,
      })),
    ]
    for (const headers of conditions) {
      const { body } = await ask({ target, headers }, 200)
      same({ target, headers }, 'the same body:', body.equals(whole.body), true)
      await ask({ method: 'HEAD', target, headers }, 200)
    }
    const known = { 'if-none-match': etag }
    await expectNotModified(context, { target, headers: { 'if-match': etag, ...known } }, whole.headers)
    await expectNotModified(
      context,
      { target, headers: { 'if-unmodified-since': modified, ...known } },
      whole.headers,
    )
  },
  'gives a part only of the version that a client insists on': async (context) => {
    const { ask, target } = context
    const { headers } = await ask({ target })
    const range = 'bytes=0-9'
    await expectRefused(context, { target, headers: { range, 'if-match': '"other"' } })
    const right = { range, 'if-match': headers.get('etag') ?? '' }
    const asked = { target, headers: right }
    const { status } = await ask(asked)
    if (status !== 200 && status !== 206) context.fail(asked, 'status 200 or 206', `status ${status}`)
  },
})

const movedBy = (date: string, ms: number): string => new Date(Date.parse(date) + ms).toUTCString()

/** The refusal is a document like every other, and nobody keeps it. */
async function expectRefused({ ask, same, fail }: CheckContext, conditional: HttpRequest): Promise<void> {
  for (const method of ['GET', 'HEAD']) {
    const asked = { ...conditional, method }
    const { headers, body } = await ask(asked, 412)
    const isXml = conditional.target.includes('format=xml')
    const type = `application/${isXml ? 'xml' : 'json'}; charset=utf-8`
    same(asked, 'content-type', headers.get('content-type'), type)
    same(asked, 'access-control-allow-origin', headers.get('access-control-allow-origin'), '*')
    same(asked, 'content-range', headers.get('content-range'), undefined)
    same(asked, 'content-encoding', headers.get('content-encoding'), undefined)
    const control = headers.get('cache-control') ?? 'absent'
    if (!/\bno-store\b/.test(control)) fail(asked, 'cache-control no-store', control)
    const text = body.toString()
    if (method === 'HEAD') same(asked, 'bytes of the body', body.length, 0)
    else if (!(isXml ? /<status>412<\/status><\/root>$/ : /"status":412\}$/).test(text))
      fail(asked, 'a document with the status 412', text.slice(0, 200))
  }
}

export const cachingChecks = [
  ...validatorChecks,
  ...insistingChecks,
  ...checksOf('caching', {
    'never answers 412 to what is refused or redirected': async (context) => {
      const { each, ask, same } = context
      const insisting = {
        'if-match': '"other"',
        'if-unmodified-since': 'Sun, 06 Nov 1994 08:49:37 GMT',
      }
      await each(refusedTargets(context), async (target) => {
        const { status } = await ask({ target })
        const asked = { target, headers: insisting }
        same(asked, 'status', (await ask(asked)).status, status)
      })
    },
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
      const etag = answer.headers.get('etag')
      const plainTag = plain.headers.get('etag')
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
