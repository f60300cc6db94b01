/** Links to the other format and language. */

import { locationBelow } from '../allowances.ts'
import { exampleChecksOf } from '../check.ts'

export const linkChecks = exampleChecksOf('links', {
  'links to the other format, and to the other language where there is one': async (context) => {
    const { ask, same, target, hasLanguages, hasCsv } = context
    const csv = hasCsv ? ['text/csv'] : []
    for (const [query, type, language] of [
      ['', 'application/xml', 'en'],
      ['?format=xml&language=en', 'application/json', 'de'],
      ['?format=xml&x=1', 'application/json', 'en'],
    ] as const) {
      const asked = { target: target + query }
      const links = readLinks((await ask(asked)).headers.get('link') ?? '')
      const found = links.map((link) => link.hreflang ?? link.type).sort()
      same(
        asked,
        'types and languages of the alternates',
        found,
        hasLanguages ? [type, language] : [type, ...csv],
      )
    }
  },
  'answers each linked alternate with the type and language that the link says': async (context) => {
    const { base, ask, same, fail, target } = context
    const first = await ask({ target })
    for (const link of readLinks(first.headers.get('link') ?? '')) {
      const linked = { target: locationBelow(base, link.target) ?? '' }
      if (linked.target.includes(' ')) {
        fail({ target }, 'links below the base', linked.target)
        continue
      }
      const { headers } = await ask(linked, 200)
      same(linked, 'content-type', headers.get('content-type'), `${link.type ?? ''}; charset=utf-8`)
      const language = link.hreflang ?? first.headers.get('content-language')
      same(linked, 'content-language', headers.get('content-language'), language)
    }
  },
})

/** The links whose relation is `alternate`. Source: RFC 8288, 3. */
function readLinks(header: string) {
  const links = header.matchAll(/<([^<>]*)>((?:\s*;\s*[\w*-]+=(?:"[^"]*"|[^",;\s]+))*)/g)
  return [...links].flatMap(([, target = '', rest = '']) => {
    const parameter = (name: string): string | undefined =>
      new RegExp(`;\\s*${name}=(?:"([^"]*)"|([^",;\\s]+))`).exec(rest)?.slice(1).find(Boolean)
    if (parameter('rel') !== 'alternate') return []
    return [{ target, type: parameter('type'), hreflang: parameter('hreflang') }]
  })
}
