/** Compares an answer with the oracle's, and with the rules for all answers. */

import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { locationBelow, varyText, wayHeaders } from './allowances.ts'
import type { HttpAnswer } from './client.ts'
import type { OracleAnswer } from './oracle/oracle.ts'

export interface Difference {
  readonly expected: string
  readonly got: string
}

export function compareAnswer(base: string, answer: HttpAnswer, expected: OracleAnswer): Difference[] {
  const { page } = expected
  const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true
  if (page !== undefined && isPage) return comparePage(answer, page)
  const found: Difference[] = []
  const check = (what: string, got: string | number | undefined, wanted: string | number | undefined) => {
    if (got !== wanted)
      found.push({ expected: `${what} ${wanted ?? 'absent'}`, got: `${what} ${got ?? 'absent'}` })
  }
  const { headers } = answer
  check('status', answer.status, expected.status)
  check('content-language', headers.get('content-language'), expected.headers['content-language'])
  check('content-disposition', headers.get('content-disposition'), expected.headers['content-disposition'])
  check('location', locationBelow(base, headers.get('location')), expected.headers['location'])
  check('vary', varyText(headers.get('vary')), expected.headers['vary'] ?? '')
  // A 204 and a redirect have no body, so they have no type.
  if (expected.body !== '')
    check('content-type', headers.get('content-type'), expected.headers['content-type'])
  if (expected.headers['allow'] !== undefined) check('allow', headers.get('allow'), expected.headers['allow'])
  if (expected.body !== '' || answer.status >= 300) found.push(...bodyDifference(answer, expected))
  return found.concat(missingHeaders(answer))
}

/** The oracle does not know the text of a page. */
function comparePage(
  { status, headers }: HttpAnswer,
  expected: Pick<OracleAnswer, 'status' | 'headers'>,
): Difference[] {
  const names = ['content-type', 'content-language', 'vary']
  const value = (name: string) => (name === 'vary' ? varyText(headers.get(name)) : headers.get(name))
  const got = { status, ...Object.fromEntries(names.map((name) => [name, value(name)])) }
  const wanted = { status: expected.status, ...expected.headers }
  const isEqual = JSON.stringify(got) === JSON.stringify(wanted)
  const found = isEqual ? [] : [{ expected: JSON.stringify(wanted), got: JSON.stringify(got) }]
  return [...found, ...missingPageHeaders(headers)]
}

/** Sources: Content Security Policy Level 3, Referrer Policy, Fetch (nosniff), Permissions Policy. */
const pageRules: readonly (readonly [name: string, form: RegExp])[] = [
  ['content-security-policy', /(?:^|; *)default-src 'none'(?:;|$)/],
  ['content-security-policy', /(?:^|; *)frame-ancestors 'none'(?:;|$)/],
  // No wildcard and nothing unsafe.
  ['content-security-policy', /^(?!.*'unsafe-)[^*]*$/],
  ['referrer-policy', /^(?:no-referrer|same-origin|strict-origin|strict-origin-when-cross-origin)$/],
  ['x-content-type-options', /^nosniff$/],
  ['permissions-policy', /\bcamera=\(\)/],
]

export const missingPageHeaders = (headers: HttpAnswer['headers']): Difference[] =>
  pageRules
    .map(([name, form]) => ({ name, form, value: headers.get(name) ?? 'absent' }))
    .filter(({ form, value }) => !form.test(value))
    .map(({ name, form, value }) => ({ expected: `${name} like ${form.source}`, got: `${name}: ${value}` }))

/**
 * Headers that scripts of other origins may read anyway, or that browsers obey themselves: no script sees a redirect.
 * Source: Fetch, CORS-safelisted response-header name.
 */
const needNoLeave =
  /^(access-control-.*|cache-control|content-language|content-length|content-security-policy|content-type|expires|last-modified|location|permissions-policy|pragma|referrer-policy|x-content-type-options)$/

/** Headers that a script of another origin does not see, of an answer that it may read. */
export function hiddenHeaders({ headers }: HttpAnswer): Difference[] {
  if (!headers.has('access-control-allow-origin')) return []
  const list = headers.get('access-control-expose-headers') ?? 'absent'
  const exposed = list
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
  return [...headers.keys()]
    .filter((name) => !needNoLeave.test(name) && !wayHeaders.test(name) && !exposed.includes(name))
    .map((name) => ({
      expected: `access-control-expose-headers with ${name}`,
      got: `access-control-expose-headers ${list}`,
    }))
}

function missingHeaders({ status, headers }: HttpAnswer): Difference[] {
  const isCoded = headers.has('content-encoding')
  const rules: readonly (readonly [name: string, form: RegExp, says: string])[] = [
    ['access-control-allow-origin', /^\*$/, '*'],
    ['x-content-type-options', /^nosniff$/i, 'nosniff'],
    ['cache-control', /\S/, 'that says how long the answer may be kept'],
  ]
  const ofFound: typeof rules = [
    isCoded
      ? ['etag', /^(W\/)?"[\x21\x23-\x7e]+"$/, 'that is an entity tag']
      : ['etag', /^"[\x21\x23-\x7e]+"$/, 'that is a strong entity tag'],
    ['last-modified', /^\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d GMT$/, 'that is an HTTP date'],
    ['link', /rel="?alternate"?/, 'to the alternates'],
  ]
  return [...rules, ...(status === 200 ? ofFound : [])]
    .filter(([name, form]) => !form.test(headers.get(name) ?? ''))
    .map(([name, , says]) => ({
      expected: `${name} ${says}`,
      got: `${name} ${headers.get(name) ?? 'absent'}`,
    }))
}

function bodyDifference(answer: HttpAnswer, expected: OracleAnswer): Difference[] {
  const text = decoded(answer)?.toString()
  if (text === undefined) {
    const coding = answer.headers.get('content-encoding') ?? ''
    return [{ expected: 'a body that its content-encoding decodes', got: `a broken body in ${coding}` }]
  }
  if (text === expected.body) return []
  let at = 0
  while (at < expected.body.length && text[at] === expected.body[at]) at++
  const start = Math.max(0, at - 40)
  const around = (body: string): string =>
    `body of ${body.length} characters, from ${start}: ${JSON.stringify(body.slice(start, at + 60))}`
  return [{ expected: around(expected.body), got: around(text) }]
}

/** The body without its content coding; undefined if it cannot be decoded. */
export function decoded({ headers, body }: HttpAnswer): Buffer | undefined {
  const coding = headers.get('content-encoding') ?? 'identity'
  const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
    identity: (bytes) => bytes,
    gzip: (bytes) => gunzipSync(bytes),
    br: (bytes) => brotliDecompressSync(bytes),
  }
  try {
    return decoders[coding]?.(body)
  } catch {
    return undefined
  }
}

/** Percent-encodes the characters that a request line cannot contain. */
export const asSent = (target: string): string => target.replace(/[^\x21-\x7e]/g, encodeURIComponent)
