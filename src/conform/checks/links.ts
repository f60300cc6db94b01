/** Links to the other format and language, and the security headers of pages. */

import { locationBelow } from '../allowances.ts'
import { checksOf, exampleChecksOf } from '../check.ts'

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

/** Sources: Content Security Policy Level 3, Referrer Policy, Fetch (nosniff), Permissions Policy. */
const rules: readonly (readonly [name: string, form: RegExp])[] = [
  ['content-security-policy', /(?:^|; *)default-src 'none'(?:;|$)/],
  ['content-security-policy', /(?:^|; *)frame-ancestors 'none'(?:;|$)/],
  ['referrer-policy', /^(?:no-referrer|same-origin|strict-origin|strict-origin-when-cross-origin)$/],
  ['x-content-type-options', /^nosniff$/],
  ['permissions-policy', /\bcamera=\(\)/],
]

export const pageChecks = checksOf('http', {
  'lets no other site put a page into a frame, and no page run what it did not bring': async (context) => {
    const { each, ask, fail } = context
    const pages = ['/docs/', '/docs/explorer/', '/funds/', '/status/', '/downloads/latest/']
    await each(pages, async (target) => {
      const { status, headers } = await ask({ target })
      if (status !== 200 || headers.get('content-type')?.startsWith('text/html') !== true) return
      for (const [name, form] of rules) {
        const value = headers.get(name) ?? 'absent'
        if (!form.test(value)) fail({ target }, `${name} like ${form.source}`, value)
      }
      const policy = headers.get('content-security-policy') ?? ''
      if (/'unsafe-|\*/.test(policy)) fail({ target }, 'a policy without unsafe sources', policy)
    })
  },
})
