/** Caching and content codings: validators, 304, and the same bytes in every coding. */

import { mayBeTagOfCoded, varyText } from '../allowances.ts'
import { checksOf, forEachExample, type CheckContext } from '../check.ts'
import { decoded } from '../compare.ts'
import { noSuchIsin, variants } from '../requests.ts'

const dayMs = 86_400_000

export const cachingChecks = checksOf('caching', {
  'gives answers that differ by format or language ETags that differ': forEachExample(
    async ({ ask, fail }, { target, hasLanguages }) => {
      const bodies = new Map<string, Buffer>()
      for (const asked of variants(target, hasLanguages)) {
        const { headers, body } = await ask(asked)
        const etag = headers.get('etag') ?? 'absent'
        // An answer without texts may be the same in both languages.
        const isOther = bodies.get(etag)?.equals(body) === false
        if (isOther) fail(asked, 'an ETag of its own', `${etag}, which another answer has`)
        bodies.set(etag, body)
      }
    },
  ),
  'gives the same ETag for the same representation, however it was asked for': forEachExample(
    async ({ ask, same }, { target }) => {
      const byQuery = await ask({ target: `${target}?format=xml&language=en` })
      const asked = { target, headers: { accept: 'text/xml', 'accept-language': 'en' } }
      same(asked, 'ETag', (await ask(asked)).headers.get('etag'), byQuery.headers.get('etag'))
    },
  ),
  'answers 304 to the ETag that it gave, in every form that a client may send it': forEachExample(
    async (context, { target }) => {
      const { ask } = context
      const whole = await ask({ target })
      const etag = whole.headers.get('etag') ?? ''
      const forms = [etag, `W/${etag}`, `"other", ${etag}`, `"a,b" ,W/"c",${etag}`, '*']
      for (const known of forms)
        await expectNotModified(context, target, { 'if-none-match': known }, whole.headers)
    },
  ),
  'answers in full to other ETags': forEachExample(async ({ ask, same }, { target }) => {
    const etag = (await ask({ target })).headers.get('etag') ?? ''
    const ofXml = (await ask({ target: `${target}?format=xml` })).headers.get('etag') ?? ''
    const others = ['"other"', 'W/"other", "another"', etag.slice(1, -1), `"x${etag.slice(1)}`, ofXml]
    for (const known of others) {
      const asked = { target, headers: { 'if-none-match': known } }
      same(asked, 'status', (await ask(asked)).status, 200)
    }
  }),
  'answers 304 to If-Modified-Since its Last-Modified, where If-None-Match says nothing else': forEachExample(
    async (context, { target }) => {
      const { ask, same } = context
      const { headers } = await ask({ target })
      const modified = headers.get('last-modified') ?? ''
      const moved = (ms: number): string => new Date(Date.parse(modified) + ms).toUTCString()
      const etag = headers.get('etag') ?? ''
      const inFull = [
        { 'if-modified-since': moved(-1000) },
        { 'if-modified-since': 'yesterday' },
        { 'if-modified-since': moved(dayMs), 'if-none-match': '"other"' },
      ]
      for (const conditions of inFull) {
        const asked = { target, headers: conditions }
        same(asked, 'status', (await ask(asked)).status, 200)
      }
      const notModified = [
        { 'if-modified-since': modified },
        { 'if-modified-since': moved(dayMs) },
        { 'if-modified-since': moved(-1000), 'if-none-match': etag },
      ]
      for (const conditions of notModified) await expectNotModified(context, target, conditions, headers)
    },
  ),
  'never answers 304 to what is refused or redirected': async ({ isins, each, ask, same }) => {
    const [isin = noSuchIsin] = isins
    const targets = [
      '/nothing/',
      '/api/v1/figures/',
      `/api/v1/figures/${isin}/?format=yaml`,
      `/api/v1/figures/${isin}`,
      `/api/v1/prices-current/${noSuchIsin}/`,
      `/api/v1/prices-historic/${isin}/2024-02-30/2024-03-01/`,
      `/api/v1/investment_structure-shoes/${isin}/`,
    ]
    const later = new Date(Date.parse('2100-01-01')).toUTCString()
    await each(targets, async (target) => {
      const { status } = await ask({ target })
      for (const headers of [{ 'if-none-match': '*' }, { 'if-modified-since': later }]) {
        same({ target, headers }, 'status', (await ask({ target, headers })).status, status)
      }
    })
    const post = { method: 'POST', target: '/nothing/', headers: { 'if-none-match': '*' } }
    same(post, 'status', (await ask(post)).status, 405)
  },
})

/** A 304 has no body, but the headers with which a cache renews its copy (RFC 9110, 15.4.5). */
async function expectNotModified(
  { ask, same }: CheckContext,
  target: string,
  headers: Readonly<Record<string, string>>,
  whole: ReadonlyMap<string, string>,
): Promise<void> {
  for (const method of ['GET', 'HEAD']) {
    const asked = { method, target, headers }
    const answer = await ask(asked)
    same(asked, 'status', answer.status, 304)
    same(asked, 'bytes of the body', answer.body.length, 0)
    for (const name of ['etag', 'cache-control']) same(asked, name, answer.headers.get(name), whole.get(name))
    same(asked, 'vary', varyText(answer.headers.get('vary')), varyText(whole.get('vary')))
  }
}

/** Accept-Encoding, and the codings that it allows. */
const accepted: readonly (readonly [header: string, codings: readonly string[]])[] = [
  ['gzip', ['gzip']],
  ['br', ['br']],
  ['gzip, deflate, br, zstd', ['gzip', 'br', 'deflate', 'zstd']],
  ['gzip;q=0.7', ['gzip']],
  ['identity;q=0.5, br', ['br']],
  ['br;q=0, gzip', ['gzip']],
]

const refused = ['identity', 'gzip;q=0', 'zip, compress', '', 'gzip;q=0, br;q=0.0']

export const codingChecks = checksOf('codings', {
  'packs only as it was asked to, and the same bytes come out': forEachExample(
    async ({ ask, same, fail }, { target }) => {
      const plain = await ask({ target })
      for (const [header, codings] of accepted) {
        const asked = { target, headers: { 'accept-encoding': header } }
        const answer = await ask(asked)
        const coding = answer.headers.get('content-encoding')
        same(asked, 'status', answer.status, 200)
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
  ),
  'leaves an answer as it is where no coding is acceptable': forEachExample(
    async ({ ask, same }, { target }) => {
      for (const header of refused) {
        const asked = { target, headers: { 'accept-encoding': header } }
        same(
          asked,
          'content-encoding',
          (await ask(asked)).headers.get('content-encoding') ?? 'absent',
          'absent',
        )
      }
    },
  ),
  'answers 304 to the ETag of a packed answer where that would come again': forEachExample(
    async ({ ask, same }, { target }) => {
      for (const coding of ['gzip', 'br']) {
        const headers = { 'accept-encoding': coding }
        const etag = (await ask({ target, headers })).headers.get('etag') ?? ''
        const asked = { target, headers: { ...headers, 'if-none-match': etag } }
        same(asked, 'status', (await ask(asked)).status, 304)
      }
    },
  ),
})
