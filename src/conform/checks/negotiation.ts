/** Which format and language an answer is in. */

import type { Check, Context } from '../check.ts'
import { acceptLanguages, accepts, randomAccept, randomAcceptLanguage } from '../negotiations.ts'

export const negotiationChecks: readonly Check[] = [
  {
    group: 'negotiation',
    name: 'weighs the formats of Accept by their q-values, the more exact range first',
    run: async (context) => {
      const targets = targetsOf(context)
      await context.each(
        targets.flatMap((target) => accepts.map((accept) => ({ target, accept }))),
        context.compare,
      )
    },
  },
  {
    group: 'negotiation',
    name: 'weighs the languages of Accept-Language, and answers in German where none fits',
    run: async (context) => {
      const targets = targetsOf(context)
      await context.each(
        targets.flatMap((target) => acceptLanguages.map((acceptLanguage) => ({ target, acceptLanguage }))),
        context.compare,
      )
    },
  },
  {
    group: 'negotiation',
    name: 'answers each kind of document in each format and language that headers ask for',
    run: async ({ examples, each, compare }) => {
      const headers = ['application/json', 'application/xml'].flatMap((accept) =>
        ['de', 'en'].map((acceptLanguage) => ({ accept, acceptLanguage })),
      )
      await each(
        examples.flatMap(({ target }) => headers.map((asked) => ({ target, ...asked }))),
        compare,
      )
    },
  },
  {
    group: 'negotiation',
    name: 'lets the query win over the headers',
    run: async ({ examples, each, compare }) => {
      await each(
        examples.flatMap(({ target }) => [
          { target: `${target}?format=json&language=de`, accept: 'application/xml', acceptLanguage: 'en' },
          { target: `${target}?language=en&format=xml`, accept: 'application/json', acceptLanguage: 'de' },
          { target: `${target}?format=xml`, accept: 'application/json', acceptLanguage: 'en' },
        ]),
        compare,
      )
    },
  },
  {
    group: 'negotiation',
    name: 'weighs any mixture of media ranges and languages',
    run: async (context) => {
      const { random, randomRequests, each, compare } = context
      const targets = targetsOf(context)
      const requests = Array.from({ length: Math.ceil(randomRequests / 5) }, () => ({
        target: random.pick(targets),
        accept: randomAccept(random),
        acceptLanguage: randomAcceptLanguage(random),
      }))
      await each(requests, compare)
    },
  },
]

/** Answers with languages and without, cut and whole, and refusals. */
function targetsOf({ examples, isins }: Context): string[] {
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
