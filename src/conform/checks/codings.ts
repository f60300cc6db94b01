/** Content codings: whichever a platform uses, the same bytes come out. */

import { mayBeTagOfCoded } from '../allowances.ts'
import type { Check } from '../check.ts'
import { decoded } from '../compare.ts'

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

export const codingChecks: readonly Check[] = [
  {
    group: 'codings',
    name: 'packs only as it was asked to, and the same bytes come out',
    run: async ({ examples, each, ask, same, fail }) => {
      await each(examples, async ({ target }) => {
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
      })
    },
  },
  {
    group: 'codings',
    name: 'leaves an answer as it is where no coding is acceptable',
    run: async ({ examples, each, ask, same }) => {
      await each(examples, async ({ target }) => {
        for (const header of refused) {
          const asked = { target, headers: { 'accept-encoding': header } }
          same(
            asked,
            'content-encoding',
            (await ask(asked)).headers.get('content-encoding') ?? 'absent',
            'absent',
          )
        }
      })
    },
  },
  {
    group: 'codings',
    name: 'answers 304 to the ETag of a packed answer where that would come again',
    run: async ({ examples, each, ask, same }) => {
      await each(examples, async ({ target }) => {
        for (const coding of ['gzip', 'br']) {
          const headers = { 'accept-encoding': coding }
          const etag = (await ask({ target, headers })).headers.get('etag') ?? ''
          const asked = { target, headers: { ...headers, 'if-none-match': etag } }
          same(asked, 'status', (await ask(asked)).status, 304)
        }
      })
    },
  },
]
