/** Answers that need neither a snapshot nor a request that could be read: JSON, without a link to the documentation. */

import type { Answer } from './answer.ts'

export interface StandaloneAnswer extends Answer<never> {
  readonly body: { readonly kind: 'text'; readonly text: string }
}

/** @param title in plain letters @param more headers of this answer alone */
export const standalone = (
  status: number,
  title: string,
  more?: Readonly<Record<string, string>>,
): StandaloneAnswer => ({
  status,
  headers: Object.assign(
    {
      'Access-Control-Allow-Origin': '*',
      'Cache-Control': 'no-store',
      'Content-Language': 'en',
      'Content-Type': 'application/json; charset=utf-8',
      'X-Content-Type-Options': 'nosniff',
    },
    more,
  ),
  // Put together: CloudFront's function has other names for the properties of an object.
  body: { kind: 'text', text: `{"title":"${title}","type":"about:blank","status":${status}}` },
})

/** The answer where the store fails. */
export const unavailable = /* @__PURE__ */ standalone(503, 'The service cannot answer just now', {
  'Retry-After': '5',
})
