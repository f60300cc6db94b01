/** Last decisions about an answer with a known body: compression, conditional requests, byte ranges. The platform sends. */

import { isText } from '../../api/routes/content-types.ts'
import type { Answer, Body } from './answer.ts'
import type { Header } from './resolve.ts'

/** First and last byte, both included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

interface ChosenCoding {
  readonly mayDiffer: boolean
  /** `gzip` or `br`; empty without compression, or if the platform tells the codings apart. */
  readonly name: string
}

/** @returns headers that the caller may add to; `part`: the bytes of the stored body to send, null for all */
export function finish<B>(
  { status, headers: given, body }: Answer<B>,
  method: string,
  header: Header,
  { mayDiffer, name }: ChosenCoding,
  sizeOf: (body: B) => number,
) {
  const headers: Record<string, string> = Object.assign({}, given)
  const none: Body<B> = { kind: 'none' }
  const whole = { status, headers, body, part: null as ByteRange | null }
  if (status !== 200) return whole
  if (mayDiffer) headers['Vary'] = varyByCoding(headers['Vary'])
  // Each coding is a representation with an ETag of its own. Source: RFC 9110, 8.8.3.
  if (name !== '') headers['ETag'] = (headers['ETag'] || '').replace(/"$/, '-' + name + '"')
  const etag = headers['ETag'] || ''
  const lastModified = headers['Last-Modified'] || ''
  if (isNotModified(header, etag, lastModified))
    return { status: 304, headers: notModifiedHeaders(headers), body: none, part: null }
  const hasParts = headers['Accept-Ranges'] === 'bytes' && name === '' && method === 'GET'
  if (body.kind !== 'stored' || !hasParts) return whole
  const length = sizeOf(body.body)
  const part = byteRange(header, { length, etag, lastModified })
  if (part === null) return whole
  if (part === 'outside') {
    headers['Content-Range'] = 'bytes */' + String(length)
    return { status: 416, headers, body: none, part: null }
  }
  headers['Content-Range'] = `bytes ${part.first}-${part.last}/${length}`
  return { status: 206, headers, body, part }
}

/** Limit in bytes: below, compressing costs more than it saves. CloudFront has the same limit. */
const worthCompressing = 1000

/** True if an answer may be compressed. @param length in bytes; null for a joined body, which is seldom shorter */
export const mayBeCoded = (contentType: string, length: number | null): boolean =>
  (length === null || length >= worthCompressing) && isText(contentType)

export const varyByCoding = (vary: string | undefined) => (vary ? vary + ', ' : '') + 'Accept-Encoding'

/** True if the client's copy is current. If-Modified-Since counts only without If-None-Match. Source: RFC 9110, 13. */
export function isNotModified(header: Header, etag: string, lastModified: string): boolean {
  const ifNoneMatch = header('if-none-match')
  const ifModifiedSince = header('if-modified-since')
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() === '*') return true
    // Every other piece stands between two quotation marks. (In njs, a global regular expression takes quadratic time.)
    const pieces = ifNoneMatch.split('"')
    return pieces.some((piece, at) => at % 2 === 1 && at < pieces.length - 1 && '"' + piece + '"' === etag)
  }
  if (ifModifiedSince === undefined) return false
  // An invalid date is NaN, and no comparison with NaN is true.
  return Date.parse(lastModified) <= Date.parse(ifModifiedSince)
}

/** Drops the headers that describe a body. Source: RFC 9110, 15.4.5. */
export function notModifiedHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept: Record<string, string> = {}
  Object.keys(headers).forEach((name) => {
    if (!/^Content-/.test(name)) kept[name] = headers[name] as string
  })
  return kept
}

/**
 * One range of bytes of a GET. Several ranges, or another unit, give the whole. Source: RFC 9110, 14.2.
 * @returns null for the whole; `outside` if the file has none of these bytes (416)
 */
export function byteRange(
  header: Header,
  whole: { readonly length: number; readonly etag: string; readonly lastModified: string },
): ByteRange | 'outside' | null {
  const { length, etag, lastModified } = whole
  const asked = readRange(header('range') || '')
  const ifRange = header('if-range')
  if (asked === null || (ifRange !== undefined && ifRange !== etag && ifRange !== lastModified)) return null
  const { from, to } = asked
  if (from === '') {
    const count = Math.min(Number(to), length)
    return count === 0 ? 'outside' : { first: length - count, last: length - 1 }
  }
  const first = Number(from)
  const last = to === '' ? length - 1 : Math.min(Number(to), length - 1)
  if (to !== '' && Number(to) < first) return null
  return first >= length ? 'outside' : { first, last }
}

/** Parses `bytes = from - to`, else null. A regular expression would take quadratic time, since blanks are allowed. */
function readRange(range: string) {
  const sides = range.split('=')
  const numbers = (sides[1] || '').split('-').map((text) => text.trim())
  const isBytes = sides.length === 2 && (sides[0] as string).trim().toLowerCase() === 'bytes'
  if (!isBytes || numbers.length !== 2 || !/^\d+$/.test(numbers.join(''))) return null
  return { from: numbers[0] as string, to: numbers[1] as string }
}
