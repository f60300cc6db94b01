/** If-Match and its kin: of reads as HTTP has them, of writes as S3 does (or an older store). */
import { S3Error } from './errors.ts'
import type { Headers } from './request.ts'
import type { S3Settings } from './settings.ts'
import type { StoredObject } from './store.ts'

/** @throws {S3Error} PreconditionFailed, or NotModified without a body */
export function verifyRead(object: StoredObject, headers: Headers): void {
  const match = headers['if-match']
  const noneMatch = headers['if-none-match']
  const since = Date.parse(headers['if-modified-since'] ?? '')
  const unmodifiedSince = Date.parse(headers['if-unmodified-since'] ?? '')
  if (match !== undefined ? !isNamed(object.etag, match) : object.lastModified > unmodifiedSince)
    throw failed(match === undefined ? 'If-Unmodified-Since' : 'If-Match')
  if (noneMatch !== undefined ? isNamed(object.etag, noneMatch) : object.lastModified <= since)
    throw new S3Error('NotModified', 'Not Modified', { ETag: object.etag })
}

/** Of a put, a copy, or the end of an upload; `current` is what is there now. */
export function verifyWrite(
  current: StoredObject | undefined,
  headers: Headers,
  { conditions }: S3Settings,
): void {
  const match = headers['if-match']
  const noneMatch = headers['if-none-match']
  if (conditions === 'ignored' || (match === undefined && noneMatch === undefined)) return
  if (conditions === 'refused') throw unknown(match === undefined ? 'If-None-Match' : 'If-Match')
  if (noneMatch !== undefined) {
    if (noneMatch !== '*') throw unknown('If-None-Match')
    if (current !== undefined) throw failed('If-None-Match')
  }
  if (match === undefined || conditions === 'if-match-ignored') return
  if (current === undefined) throw new S3Error('NoSuchKey', 'The specified key does not exist.')
  const isMet = conditions === 'unquoted' ? current.etag === `"${match}"` : isNamed(current.etag, match)
  if (!isMet) throw failed('If-Match')
}

/** @param match If-Match, or the ETag that DeleteObjects names with a key */
export function verifyDelete(
  current: StoredObject | undefined,
  match: string | undefined,
  { conditions }: S3Settings,
): void {
  if (match === undefined || conditions === 'ignored' || conditions === 'unquoted') return
  if (conditions === 'refused') throw unknown('If-Match')
  if (current === undefined) throw new S3Error('NoSuchKey', 'The specified key does not exist.')
  if (!isNamed(current.etag, match)) throw failed('If-Match')
}

/** S3 takes ETags with their quotes and without. */
const isNamed = (etag: string, list: string): boolean =>
  list.trim() === '*' ||
  list.split(',').some((one) => `"${one.trim().replace(/^(?:W\/)?"(.*)"$/, '$1')}"` === etag)

const failed = (condition: string): S3Error =>
  new S3Error('PreconditionFailed', 'At least one of the pre-conditions you specified did not hold', {
    Condition: condition,
  })

const unknown = (header: string): S3Error =>
  new S3Error('NotImplemented', 'A header you provided implies functionality that is not implemented', {
    Header: header,
  })
