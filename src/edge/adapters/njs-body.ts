/** What an object holds on njs. */

import type { ByteRange } from '../byte-range.ts'
import type { NjsRequest } from './njs-types.ts'

/** Its bytes, or, of a large file, the way nginx sends it past njs. */
export type NjsBody =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'large'; readonly length: number; readonly send: SendLarge }

/** @param range null for all of it */
export type SendLarge = (
  request: NjsRequest,
  headers: Readonly<Record<string, string>>,
  range: ByteRange | null,
) => void

/** @throws {Error} for a large file: only pages are */
export function bytesOf(body: NjsBody): Buffer {
  if (body.kind === 'large') throw new Error('a document that is larger than memory')
  return body.bytes
}

export const lengthOf = (body: NjsBody) => (body.kind === 'large' ? body.length : body.bytes.length)
