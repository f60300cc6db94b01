/** Last decisions about an answer with a known body: compression, conditional requests, byte ranges. The platform sends. */

import { isText } from '../../api/routes/content-types.ts'
import { otherVersionDocument } from '../../api/routes/problems.ts'
import type { Answer, Body } from './answer.ts'
import { noStore, snapshotHeader } from './preview.ts'
import type { Header } from './resolve.ts'
import { headersOfOwn } from './standalone.ts'

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
  const verdict = verdictOf(header, etag, lastModified)
  if (verdict === 'failed') return Object.assign({ part: null }, preconditionFailed(headers))
  if (verdict === 'not modified')
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

/** What the conditions of a request make of an answer 200, before a range is cut. */
type Verdict = 'failed' | 'not modified' | 'whole'

/** @param etag, lastModified of the answer; empty if it has none. Source: RFC 9110, 13.2.2 */
export function verdictOf(header: Header, etag: string, lastModified: string): Verdict {
  if (isFailed(header, etag, lastModified)) return 'failed'
  return isNotModified(header, etag, lastModified) ? 'not modified' : 'whole'
}

/** True if the client insists on another version. If-Unmodified-Since counts only without If-Match. Source: RFC 9110, 13.1.1, 13.1.4. */
function isFailed(header: Header, etag: string, lastModified: string): boolean {
  const ifMatch = header('if-match')
  if (ifMatch === undefined) {
    const since = header('if-unmodified-since')
    // An invalid date is NaN, and no comparison with NaN is true.
    return since !== undefined && parseHttpDate(lastModified) > parseHttpDate(since)
  }
  if (ifMatch.trim() === '*') return false
  const pieces = ifMatch.split('"')
  // A weak tag is none of these: `W/` stands before it.
  return !pieces.some((_, at) => isTag(pieces, at, etag) && /^[\s,]*$/.test(pieces[at - 1] || ''))
}

/** Every other piece stands between two quotation marks. (In njs, a global regular expression takes quadratic time.) */
const isTag = (pieces: readonly string[], at: number, etag: string) =>
  at % 2 === 1 && at < pieces.length - 1 && '"' + pieces[at] + '"' === etag

/** @param of headers of the answer that is refused: the refusal has its format, if that is XML, else JSON. Source: RFC 9110, 15.5.13 */
export function preconditionFailed(of: Readonly<Record<string, string>>): Answer<never> {
  const format = (of['Content-Type'] || '').indexOf('application/xml') === 0 ? 'xml' : 'json'
  const headers = headersOfOwn(format)
  if (of['Vary']) headers['Vary'] = of['Vary']
  if (of[snapshotHeader])
    Object.assign(headers, { 'Cache-Control': noStore, [snapshotHeader]: of[snapshotHeader] })
  const text = otherVersionDocument(format)
  return { status: 412, headers, body: { kind: 'text', text } }
}

/** True if the client's copy is current. If-Modified-Since counts only without If-None-Match. Source: RFC 9110, 13.1.2, 13.1.3. */
export function isNotModified(header: Header, etag: string, lastModified: string): boolean {
  const ifNoneMatch = header('if-none-match')
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch.trim() === '*') return true
    const pieces = ifNoneMatch.split('"')
    return pieces.some((_, at) => isTag(pieces, at, etag))
  }
  const since = header('if-modified-since')
  return since !== undefined && parseHttpDate(lastModified) <= parseHttpDate(since)
}

/** A day and a time in each of the three forms, with a two-digit year in the second. Source: RFC 9110, 5.6.7. */
const httpDates = [
  /^[A-Z][a-z]{2}, (\d\d) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{5,8}, (\d\d)-([A-Z][a-z]{2})-(\d\d) (\d\d:\d\d:\d\d) GMT$/,
  /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([ \d]\d) (\d\d:\d\d:\d\d) (\d{4})$/,
]

/** @returns milliseconds since 1970, NaN for any other text: `Date.parse` knows more than HTTP has, and local times */
export function parseHttpDate(text: string): number {
  const dated = (httpDates[0] as RegExp).exec(text) || (httpDates[1] as RegExp).exec(text)
  if (dated) return timeOf(dated[1] as string, dated[2] as string, dated[3] as string, dated[4] as string)
  const asctime = (httpDates[2] as RegExp).exec(text)
  if (asctime === null) return NaN
  return timeOf(asctime[2] as string, asctime[1] as string, asctime[4] as string, asctime[3] as string)
}

const monthNames = 'JanFebMarAprMayJunJulAugSepOctNovDec'

/** A two-digit year is of this century up to 69. */
function timeOf(day: string, month: string, year: string, time: string): number {
  const at = monthNames.indexOf(month)
  const fullYear = year.length > 2 ? year : (year < '70' ? '20' : '19') + year
  const clock = time.split(':')
  if (at % 3 !== 0) return NaN
  return Date.UTC(Number(fullYear), at / 3, Number(day), Number(clock[0]), Number(clock[1]), Number(clock[2]))
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
