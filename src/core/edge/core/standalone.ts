/** Answers that need neither a snapshot nor a readable request: JSON, without a link to the documentation. */

import { exposedHeaders } from './exposed.ts'

type StandaloneAnswer = ReturnType<typeof standalone>

const standalone = (status: number, title: string, more?: Readonly<Record<string, string>>) => ({
  status,
  headers: Object.assign(headersOfOwn('json'), more),
  body: { kind: 'text' as const, text: JSON.stringify({ title, type: 'about:blank', status }) },
})

/** Of an answer that nobody keeps. */
export const headersOfOwn = (format: 'json' | 'xml'): Record<string, string> => ({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders,
  'Cache-Control': 'no-store',
  'Content-Language': 'en',
  'Content-Type': 'application/' + format + '; charset=utf-8',
  'X-Content-Type-Options': 'nosniff',
})

export const unavailable = /* @__PURE__ */ standalone(503, 'The service cannot answer just now', {
  'Retry-After': '5',
})

/** Limit of target and headers together. src/core/edge/README.md lists all limits. */
export const maxRequestBytes = 16 * 1024

export const targetTooLong = /* @__PURE__ */ standalone(414, 'The URL is longer than 16 KB')
export const headersTooLong = /* @__PURE__ */ standalone(431, 'The headers are longer than 16 KB')

export function refusalOfLength(target: string, headerBytes: number): StandaloneAnswer | null {
  if (target.length > maxRequestBytes) return targetTooLong
  return target.length + headerBytes > maxRequestBytes ? headersTooLong : null
}

/** Size of a header in a request, with its colon, its blank and its line ending. */
export const headerBytes = (name: string, value: string) => name.length + value.length + 4
