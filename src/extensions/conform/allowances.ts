/**
 * All differences that platforms may have, because front servers and CDNs act by themselves, and no setting changes that:
 *
 * 1. Headers that describe the way of an answer (`wayHeaders`) may come, go and change.
 * 2. `Vary` may name Accept-Encoding besides what the answer depends on.
 * 3. A platform may compress an answer or not. If it does, it uses a coding that the client accepts, adds
 *    `Vary: Accept-Encoding`, and gives a weak ETag (`W/"…"`) or another strong one (`"…-gzip"`).
 * 4. Content-Length or chunks may give the length of a body. With HEAD both may be absent.
 * 5. A front server may answer 400, or close the connection, if the bytes are not an HTTP request, the target cannot be
 *    part of a URI (`/%zz`), or its path has `%00` or dot segments that lead out of the root.
 * 6. It may refuse a target or headers of more than 8,000 bytes with 400, 413, 414 or 431.
 * 7. It may refuse methods that REST clients do not use (TRACE, PROPFIND, …) with 400, 403, 405 or 501.
 * 8. A path with dot segments, plain or encoded, may be answered as the path without them: the two are equivalent
 *    (RFC 3986, 6.2.2.3), and clients send the shorter one anyway.
 * 9. `Location` may be absolute.
 */

import type { HttpAnswer, HttpRequest } from './client.ts'
import type { OracleRequest } from './oracle/oracle.ts'

export const wayHeaders =
  /^(age|alt-svc|cf-.*|connection|date|keep-alive|nel|report-to|server|server-timing|strict-transport-security|transfer-encoding|via|x-amz-.*|x-amzn-.*|x-cache.*|x-served-by|x-timer)$/

/** 1 and 4: headers that have to be equal in two answers to the same question. */
export function comparableHeaders({ headers }: HttpAnswer): Map<string, string> {
  const kept = [...headers].filter(([name]) => !wayHeaders.test(name) && name !== 'content-length')
  return new Map(kept.map(([name, value]) => [name, name === 'vary' ? varyText(value) : value]))
}

/** 2: names in `Vary` but Accept-Encoding, in lower case and sorted: `accept, accept-language`. */
export const varyText = (vary: string | undefined): string =>
  (vary ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'accept-encoding')
    .sort()
    .join(', ')

/** 3 */
export const mayBeTagOfCoded = (coded: string | undefined, plain: string | undefined): boolean =>
  coded !== undefined && /^(W\/)?"[\x21\x23-\x7e]*"$/.test(coded) && coded !== plain

/** 5 and 6 */
export function mayBeRefusedInFront({ target, headers = {} }: HttpRequest, { status }: HttpAnswer): boolean {
  const length = target.length + Object.entries(headers).join('\r\n').length
  if (length > 8000) return [400, 413, 414, 431].includes(status)
  return status === 400 && (!isUriPathAndQuery.test(target) || isUnfitForFiles(target))
}

/** Source: RFC 3986, appendix A: path-abempty and query. */
const isUriPathAndQuery =
  /^\/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?$/

/** 7 */
export const refusalsOfStrangeMethods = [400, 403, 405, 501]

/** 8 */
export function equivalents(request: OracleRequest): OracleRequest[] {
  const short = withoutDotSegments(request.target)
  return short === undefined ? [] : [{ ...request, target: short }]
}

/** 5: a path that no file can have. */
function isUnfitForFiles(target: string): boolean {
  const [path = ''] = target.split('?')
  if (path.includes('%00')) return true
  const decoded = path.replace(/%(2[ef])/gi, (escape) => decodeURIComponent(escape))
  let depth = 0
  for (const segment of decoded.split('/').filter((name) => name !== '' && name !== '.')) {
    depth += segment === '..' ? -1 : 1
    if (depth < 0) return true
  }
  return false
}

/** @returns undefined if the target has no dot segments. Source: RFC 3986, 5.2.4 */
export function withoutDotSegments(target: string): string | undefined {
  const [path = '', ...query] = target.split(/(?=\?)/)
  const segments = path.split('/').slice(1)
  const kept: string[] = []
  segments.forEach((segment, at) => {
    const isLast = at === segments.length - 1
    const plain = segment.replace(/%2e/gi, '.')
    if (plain === '..') kept.pop()
    if (plain !== '.' && plain !== '..') kept.push(segment)
    else if (isLast) kept.push('')
  })
  const short = `/${kept.join('/')}${query.join('')}`
  return short === target ? undefined : short
}

/** 9: the path below the base. An address elsewhere gets a form that equals no path. */
export function locationBelow(base: string, location: string | undefined): string | undefined {
  const { origin, pathname } = new URL(base)
  const path = location?.startsWith(`${origin}/`) === true ? location.slice(origin.length) : location
  const prefix = pathname.replace(/\/$/, '')
  if (path === undefined || prefix === '') return path
  return path.startsWith(`${prefix}/`) ? path.slice(prefix.length) : `${path} (not below ${base})`
}
