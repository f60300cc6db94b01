/** Format and language of answers, and the links from each to the others. */

import type { Draws } from '../../../core/system/random.ts'
import { locationBelow } from '../allowances.ts'
import { checksOf, exampleChecksOf, type CheckContext } from '../check.ts'

export const negotiationChecks = checksOf('negotiation', {
  'weighs the formats of Accept by their q-values, the more exact range first': (context) =>
    context.compareAll(targetsOf(context).flatMap((target) => accepts.map((accept) => ({ target, accept })))),
  'weighs the languages of Accept-Language, and answers in German where none fits': (context) => {
    const inEach = (target: string) => acceptLanguages.map((acceptLanguage) => ({ target, acceptLanguage }))
    return context.compareAll(targetsOf(context).flatMap(inEach))
  },
  'answers each kind of document in each format and language that headers ask for': (context) => {
    const headers = ['application/json', 'application/xml', 'text/csv'].flatMap((accept) =>
      ['de', 'en'].map((acceptLanguage) => ({ accept, acceptLanguage })),
    )
    return context.compareAll(
      context.examples.flatMap(({ target }) => headers.map((asked) => ({ target, ...asked }))),
    )
  },
  'lets the query win over the headers': ({ examples, compareAll }) =>
    compareAll(
      examples.flatMap(({ target }) => [
        { target: `${target}?format=json&language=de`, accept: 'application/xml', acceptLanguage: 'en' },
        { target: `${target}?language=en&format=xml`, accept: 'application/json', acceptLanguage: 'de' },
        { target: `${target}?format=xml`, accept: 'application/json', acceptLanguage: 'en' },
        { target: `${target}?format=csv`, accept: 'application/xml' },
      ]),
    ),
  'weighs any mixture of media ranges and languages': (context) => {
    const { random, randomRequests, compareAll } = context
    const targets = targetsOf(context)
    const requests = Array.from({ length: Math.ceil(randomRequests / 5) }, () => ({
      target: random.pick(targets),
      accept: weighed(
        random,
        'application/json | text/xml | text/csv | */* | text/html | application/xhtml+xml',
      ),
      acceptLanguage: weighed(random, 'de | en-GB | * | fr | it-CH'),
    }))
    return compareAll(requests)
  },
})

/** Answers with and without languages, a range, and refusals. */
function targetsOf({ examples, isin }: CheckContext): string[] {
  const ofKind = (kind: string): string[] =>
    examples.flatMap((example) => (example.kind === kind ? [example.target] : [])).slice(0, 1)
  return [
    ...ofKind('an answer with languages'),
    ...ofKind('a range that is cut and joined'),
    ...ofKind('a stored answer').map((target) => `${target}?format=xml`),
    '/api/v1/figures/',
    `/api/v1/figures/${isin}/?format=yaml`,
    '/nothing/',
  ]
}

const alternatives = (text: string) => text.split('|').map((value) => value.trim())

const accepts =
  alternatives(`*/* | application/json | text/json | application/xml | text/xml | application/hal+json |
  application/*+json | Application/XML | text/html |
  text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8 | application/xml;q=0.5,*/*;q=0.8 |
  application/xml;q=0.5, application/json;q=0.4 | application/json;q=0.5,application/xml |
  application/xml,application/json | application/json,application/xml | */*,text/xml |
  text/xml;q=0.9,*/*;q=0.9 | application/json;q=0,*/* | application/json;q=x,*/* |
  application/json;q=0.5,*/*;q=0.8 | application/xml;q=0 | application/xml;q=0.000, text/plain |
  text/xml;q=0.001 | text/xml; q=1.000 | text/xml;charset=utf-8 | text/xml ; q=0.3 , */* ; q=0.2 |
  application/json;q=0.2,application/hal+json;q=0.8,text/xml;q=0.7 | | , | ; | xml | text/xml;q= | text/xml;q=x |
  text/xml;q=2 | * | text/csv | text/csv,*/* | text/csv;q=0.5,*/*;q=0.4 | text/csv;q=0.1,application/json;q=0.2`)

const acceptLanguages =
  alternatives(`de | en | en-GB | de-AT,en | EN | en;q=0.8,de;q=0.9 | en;q=0.9,de;q=0.8 | fr |
  fr,en;q=0.1 | * | en,* | *,en | en;q=0.5,* | fr,*;q=0.5,en;q=0.4 | de;q=0,en;q=0.1 | en;q=0 | en;q=x | | , | ;q=1 |
  english | en,de | de,en | en-US,en;q=0.9,de;q=0.8`)

/** Draws ranges, each at most once, with and without weights. */
function weighed(random: Draws, text: string): string {
  const ranges = alternatives(text)
  const weight = () =>
    random.pick(['', '', '', ';q=0', ';q=0.001', ';q=0.1', ';q=0.25', ';q=0.9', ';q=1.000'])
  const chosen = random.draw(ranges, random.whole(1, ranges.length))
  return chosen.map((range) => range + weight()).join(random.pick([',', ', ', ' ,  ']))
}

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
