/** Which format and language an answer is in. */

import { checksOf, type CheckContext } from '../check.ts'
import type { SeededRandom } from '../random.ts'

export const negotiationChecks = checksOf('negotiation', {
  'weighs the formats of Accept by their q-values, the more exact range first': async (context) => {
    const targets = targetsOf(context)
    await context.each(
      targets.flatMap((target) => accepts.map((accept) => ({ target, accept }))),
      context.compare,
    )
  },
  'weighs the languages of Accept-Language, and answers in German where none fits': async (context) => {
    const targets = targetsOf(context)
    await context.each(
      targets.flatMap((target) => acceptLanguages.map((acceptLanguage) => ({ target, acceptLanguage }))),
      context.compare,
    )
  },
  'answers each kind of document in each format and language that headers ask for': async ({
    examples,
    each,
    compare,
  }) => {
    const headers = ['application/json', 'application/xml'].flatMap((accept) =>
      ['de', 'en'].map((acceptLanguage) => ({ accept, acceptLanguage })),
    )
    await each(
      examples.flatMap(({ target }) => headers.map((asked) => ({ target, ...asked }))),
      compare,
    )
  },
  'lets the query win over the headers': async ({ examples, each, compare }) => {
    await each(
      examples.flatMap(({ target }) => [
        { target: `${target}?format=json&language=de`, accept: 'application/xml', acceptLanguage: 'en' },
        { target: `${target}?language=en&format=xml`, accept: 'application/json', acceptLanguage: 'de' },
        { target: `${target}?format=xml`, accept: 'application/json', acceptLanguage: 'en' },
      ]),
      compare,
    )
  },
  'weighs any mixture of media ranges and languages': async (context) => {
    const { random, randomRequests, each, compare } = context
    const targets = targetsOf(context)
    const requests = Array.from({ length: Math.ceil(randomRequests / 5) }, () => ({
      target: random.pick(targets),
      accept: randomAccept(random),
      acceptLanguage: randomAcceptLanguage(random),
    }))
    await each(requests, compare)
  },
})

/** Answers with and without languages, a range, and refusals. */
function targetsOf({ examples, isins }: CheckContext): string[] {
  const ofKind = (kind: string): string[] => {
    const found = examples.find((example) => example.kind === kind)
    return found === undefined ? [] : [found.target]
  }
  const [isin = ''] = isins
  return [
    ...ofKind('an answer with languages'),
    ...ofKind('a range that is cut and joined'),
    ...ofKind('a stored answer').map((target) => `${target}?format=xml`),
    '/api/v1/figures/',
    `/api/v1/figures/${isin}/?format=yaml`,
    '/nothing/',
  ]
}

export const accepts = [
  '*/*',
  'application/json',
  'text/json',
  'application/xml',
  'text/xml',
  'application/hal+json',
  'application/*+json',
  'Application/XML',
  'text/html',
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'application/xml;q=0.5,*/*;q=0.8',
  'application/xml;q=0.5, application/json;q=0.4',
  'application/json;q=0.5,application/xml',
  'application/xml,application/json',
  'application/json,application/xml',
  '*/*,text/xml',
  'text/xml;q=0.9,*/*;q=0.9',
  'application/json;q=0,*/*',
  'application/json;q=x,*/*',
  'application/json;q=0.5,*/*;q=0.8',
  'application/xml;q=0',
  'application/xml;q=0.000, text/plain',
  'text/xml;q=0.001',
  'text/xml; q=1.000',
  'text/xml;charset=utf-8',
  'text/xml ; q=0.3 , */* ; q=0.2',
  'application/json;q=0.2,application/hal+json;q=0.8,text/xml;q=0.7',
  '',
  ',',
  ';',
  'xml',
  'text/xml;q=',
  'text/xml;q=x',
  'text/xml;q=2',
  '*',
]

export const acceptLanguages = [
  'de',
  'en',
  'en-GB',
  'de-AT,en',
  'EN',
  'en;q=0.8,de;q=0.9',
  'en;q=0.9,de;q=0.8',
  'fr',
  'fr,en;q=0.1',
  '*',
  'en,*',
  '*,en',
  'en;q=0.5,*',
  'fr,*;q=0.5,en;q=0.4',
  'de;q=0,en;q=0.1',
  'en;q=0',
  'en;q=x',
  '',
  ',',
  ';q=1',
  'english',
  'en,de',
  'de,en',
  'en-US,en;q=0.9,de;q=0.8',
]

/** Known and unknown media ranges, each at most once, with and without weights. */
export function randomAccept(random: SeededRandom): string {
  const ranges = ['application/json', 'text/xml', '*/*', 'text/html', 'application/xhtml+xml']
  return weighed(random, ranges, ['0', '0.1', '0.25', '0.9', '1'])
}

export function randomAcceptLanguage(random: SeededRandom): string {
  return weighed(random, ['de', 'en-GB', '*', 'fr', 'it-CH'], ['0.001', '0.1', '0.25', '0.9', '1.000'])
}

function weighed(random: SeededRandom, ranges: readonly string[], weights: readonly string[]): string {
  return random
    .sample(ranges, 1 + random.below(ranges.length))
    .map((range) => (random.below(2) === 0 ? range : `${range};q=${random.pick(weights)}`))
    .join(random.pick([',', ', ', ' ,  ']))
}
