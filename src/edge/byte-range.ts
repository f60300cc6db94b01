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
  const match = /^\s*bytes\s*=\s*(\d*)\s*-\s*(\d*)\s*$/i.exec(range || '')
  if (method !== 'GET' || match === null || (match[1] === '' && match[2] === '')) return null
  if (ifRange !== undefined && ifRange !== whole.etag && ifRange !== whole.lastModified) return null
  const { length } = whole
  if (match[1] === '') {
    const count = Math.min(Number(match[2]), length)
    return count === 0 ? 'outside' : { first: length - count, last: length - 1 }
  }
  const first = Number(match[1])
  const last = match[2] === '' ? length - 1 : Math.min(Number(match[2]), length - 1)
  if (match[2] !== '' && Number(match[2]) < first) return null
  return first >= length ? 'outside' : { first, last }
}

/** `Content-Range`. */
export const contentRange = (range: ByteRange | 'outside', length: number) =>
  range === 'outside' ? 'bytes */' + String(length) : `bytes ${range.first}-${range.last}/${length}`
