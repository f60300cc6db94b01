/** Requests whose answer hangs on their Accept and Accept-Language headers. */
import type { OracleRequest } from './oracle.ts'

const accepts = [
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

const languages = [
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

/** Each header on an answer with languages, on one without, and on refusals. */
export function negotiationRequests(isin: string): OracleRequest[] {
  const targets = [
    `/api/v2/asset-allocations/with-derivatives/${isin}/`,
    `/api/v1/prices-historic/${isin}/2023-12-20/2024-01-10/`,
    `/api/v1/prices-current/${isin}/?format=xml`,
    '/api/v1/figures/',
    `/api/v1/figures/${isin}/?format=yaml`,
    '/nothing/',
  ]
  return targets.flatMap((target) => [
    ...accepts.map((accept) => ({ target, accept })),
    ...languages.map((acceptLanguage) => ({ target, acceptLanguage })),
    { target, accept: 'text/xml', acceptLanguage: 'en' },
  ])
}
