/** What a cache needs: validators, and the 304 that they bring. */

import { varyText } from '../allowances.ts'
import type { Check, Context } from '../check.ts'
import { unknownIsin, variants } from '../requests.ts'

const dayMs = 86_400_000

export const cachingChecks: readonly Check[] = [
  {
    group: 'caching',
    name: 'gives answers that differ by format or language ETags that differ',
    run: async ({ examples, each, ask, fail }) => {
      await each(examples, async ({ target, hasLanguages }) => {
        const bodies = new Map<string, Buffer>()
        for (const asked of variants(target, hasLanguages)) {
          const { headers, body } = await ask(asked)
          const etag = headers.get('etag') ?? 'absent'
          // An answer without a text in it may be the same in both languages.
          const isOther = bodies.get(etag)?.equals(body) === false
          if (isOther) fail(asked, 'an ETag of its own', `${etag}, which another answer has`)
          bodies.set(etag, body)
        }
      })
    },
  },
  {
    group: 'caching',
    name: 'gives the same ETag for the same representation, however it was asked for',
    run: async ({ examples, each, ask, same }) => {
      await each(examples, async ({ target }) => {
        const byQuery = await ask({ target: `${target}?format=xml&language=en` })
        const asked = { target, headers: { accept: 'text/xml', 'accept-language': 'en' } }
        same(asked, 'ETag', (await ask(asked)).headers.get('etag'), byQuery.headers.get('etag'))
      })
    },
  },
  {
    group: 'caching',
    name: 'answers 304 to the ETag that it gave, in every form that a client may send it',
    run: async (context) => {
      const { examples, each, ask } = context
      await each(examples, async ({ target }) => {
        const whole = await ask({ target })
        const etag = whole.headers.get('etag') ?? ''
        const forms = [etag, `W/${etag}`, `"other", ${etag}`, `"a,b" ,W/"c",${etag}`, '*']
        for (const known of forms)
          await expectNotModified(context, target, { 'if-none-match': known }, whole.headers)
      })
    },
  },
  {
    group: 'caching',
    name: 'answers in full to other ETags',
    run: async ({ examples, each, ask, same }) => {
      await each(examples, async ({ target }) => {
        const etag = (await ask({ target })).headers.get('etag') ?? ''
        const ofXml = (await ask({ target: `${target}?format=xml` })).headers.get('etag') ?? ''
        const others = ['"other"', 'W/"other", "another"', etag.slice(1, -1), `"x${etag.slice(1)}`, ofXml]
        for (const known of others) {
          const asked = { target, headers: { 'if-none-match': known } }
          same(asked, 'status', (await ask(asked)).status, 200)
        }
      })
    },
  },
  {
    group: 'caching',
    name: 'answers 304 to If-Modified-Since its Last-Modified, where If-None-Match says nothing else',
    run: async (context) => {
      const { examples, each, ask, same } = context
      await each(examples, async ({ target }) => {
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
      })
    },
  },
  {
    group: 'caching',
    name: 'never answers 304 to what is refused or redirected',
    run: async ({ isins, each, ask, same }) => {
      const [isin = unknownIsin] = isins
      const targets = [
        '/nothing/',
        '/api/v1/figures/',
        `/api/v1/figures/${isin}/?format=yaml`,
        `/api/v1/figures/${isin}`,
        `/api/v1/prices-current/${unknownIsin}/`,
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
  },
]

/** A 304 has no body, and the headers that a cache renews its copy by (RFC 9110, 15.4.5). */
async function expectNotModified(
  { ask, same }: Context,
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
