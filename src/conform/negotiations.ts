/** Accept and Accept-Language headers: those of a list, of every form that clients send, and random mixtures. */

import type { Random } from './random.ts'

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

/** Media ranges that count and others, each at most once, with and without weights. */
export function randomAccept(random: Random): string {
  const ranges = ['application/json', 'text/xml', '*/*', 'text/html', 'application/xhtml+xml']
  return weighed(random, ranges, ['0', '0.1', '0.25', '0.9', '1'])
}

export function randomAcceptLanguage(random: Random): string {
  return weighed(random, ['de', 'en-GB', '*', 'fr', 'it-CH'], ['0.001', '0.1', '0.25', '0.9', '1.000'])
}

function weighed(random: Random, ranges: readonly string[], weights: readonly string[]): string {
  return random
    .sample(ranges, 1 + random.below(ranges.length))
    .map((range) => (random.below(2) === 0 ? range : `${range};q=${random.pick(weights)}`))
    .join(random.pick([',', ', ', ' ,  ']))
}
