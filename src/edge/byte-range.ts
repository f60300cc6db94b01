/** Byte ranges of files (pages and downloads): `Range` and `If-Range`. Source: RFC 9110, 14. */

/** First and last byte, both included. */
export interface ByteRange {
  readonly first: number
  readonly last: number
}

/** What decides it of a request. */
export interface RangeRequest {
  readonly method: string
  readonly range: string | undefined
  readonly ifRange: string | undefined
}

/**
 * One range of bytes; of several, or of a unit that is not known, the whole is given, as the RFC allows. A HEAD is told
 * of the whole, too: only for GET is a range defined (14.2).
 * @param length of the whole, in bytes
 * @returns null for the whole; `outside` where not one byte of it is there (416)
 */
export function byteRange(
  { method, range, ifRange }: RangeRequest,
  whole: { readonly length: number; readonly etag: string; readonly lastModified: string },
): ByteRange | 'outside' | null {
  const asked = readRange(range || '')
  if (method !== 'GET' || asked === null) return null
  if (ifRange !== undefined && ifRange !== whole.etag && ifRange !== whole.lastModified) return null
  const { length } = whole
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

/**
 * The two numbers of `bytes = from - to`, of which one may be empty; null for anything else. Not by a regular expression:
 * one with blanks around each part takes quadratic time.
 */
function readRange(range: string): { readonly from: string; readonly to: string } | null {
  const sides = range.split('=')
  const numbers = (sides[1] || '').split('-').map((text) => text.trim())
  const [from, to] = numbers
  if (sides.length !== 2 || numbers.length !== 2 || (sides[0] as string).trim().toLowerCase() !== 'bytes')
    return null
  if (from === undefined || to === undefined || from + to === '' || !/^\d+$/.test(from + to)) return null
  return { from, to }
}

/** `Content-Range`. */
export const contentRange = (range: ByteRange | 'outside', length: number) =>
  range === 'outside' ? 'bytes */' + String(length) : `bytes ${range.first}-${range.last}/${length}`
