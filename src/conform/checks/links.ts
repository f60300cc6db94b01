/** The links from an answer to the same in the other format and language. */

import { locationBelow } from '../allowances.ts'
import type { Check } from '../check.ts'

export const linkChecks: readonly Check[] = [
  {
    group: 'links',
    name: 'links to the other format, and to the other language where there is one',
    run: async ({ examples, each, ask, same }) => {
      await each(examples, async ({ target, hasLanguages }) => {
        for (const [query, type, language] of [
          ['', 'application/xml', 'en'],
          ['?format=xml&language=en', 'application/json', 'de'],
          ['?format=xml&x=1', 'application/json', 'en'],
        ] as const) {
          const asked = { target: target + query }
          const links = readLinks((await ask(asked)).headers.get('link') ?? '')
          same(
            asked,
            'types and languages of the alternates',
            links.map((link) => link.hreflang ?? link.type).sort(),
            [type, ...(hasLanguages ? [language] : [])].sort(),
          )
        }
      })
    },
  },
  {
    group: 'links',
    name: 'answers each linked alternate with the type and language that the link says',
    run: async ({ base, examples, each, ask, same, fail }) => {
      await each(examples, async ({ target }) => {
        const first = await ask({ target })
        for (const link of readLinks(first.headers.get('link') ?? '')) {
          const linked = { target: locationBelow(base, link.target) ?? '' }
          if (linked.target.includes(' ')) {
            fail({ target }, 'links below the base', linked.target)
            continue
          }
          const { status, headers } = await ask(linked)
          same(linked, 'status', status, 200)
          same(linked, 'content-type', headers.get('content-type'), `${link.type ?? ''}; charset=utf-8`)
          const language = link.hreflang ?? first.headers.get('content-language')
          same(linked, 'content-language', headers.get('content-language'), language)
        }
      })
    },
  },
]

interface Link {
  readonly target: string
  readonly type: string | undefined
  readonly hreflang: string | undefined
}

/** The links whose relation is `alternate`. Source: RFC 8288, 3. */
function readLinks(header: string): Link[] {
  const links = header.matchAll(/<([^<>]*)>((?:\s*;\s*[\w*-]+=(?:"[^"]*"|[^",;\s]+))*)/g)
  return [...links].flatMap(([, target = '', rest = '']) => {
    const parameter = (name: string): string | undefined =>
      new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^",;\\s]+))`).exec(rest)?.slice(1).find(Boolean)
    return parameter('rel') === 'alternate'
      ? [{ target, type: parameter('type'), hreflang: parameter('hreflang') }]
      : []
  })
}
