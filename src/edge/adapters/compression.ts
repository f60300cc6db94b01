/** Compression on plain Node. Each coding is a representation of its own, with an ETag of its own (RFC 9110, 8.8.3). */

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { isText } from '../../routes/content-types.ts'
import type { Answer } from '../answer.ts'
import { qualityOf } from '../negotiate.ts'

export type Coding = 'br' | 'gzip' | 'identity'

/** Below this, compressing costs more than it saves. CloudFront draws the line there too. */
const worthCompressing = 1000

/** The coding of an answer, and whether it could have been another one for another client. */
export function chooseCoding(
  acceptEncoding: string | undefined,
  { headers, body }: Pick<Answer<Buffer>, 'headers' | 'body'>,
): { readonly coding: Coding; readonly mayDiffer: boolean } {
  const isLong = body.kind === 'joined' || (body.kind === 'stored' && body.body.length >= worthCompressing)
  const mayDiffer = isLong && isText(headers['Content-Type'] ?? '')
  if (!mayDiffer || acceptEncoding === undefined) return { coding: 'identity', mayDiffer }
  const quality = (coding: Coding) => qualityOf(acceptEncoding, coding, codingSpecificity)
  const compressed = quality('gzip') > quality('br') ? 'gzip' : 'br'
  const isWanted = quality(compressed) > 0 && quality(compressed) >= quality('identity')
  return { coding: isWanted ? compressed : 'identity', mayDiffer }
}

const codingSpecificity = (range: string, coding: Coding) => (range === coding ? 2 : range === '*' ? 1 : 0)

/** The headers of an answer in a coding: the ETag says which it is. */
export function withCoding(
  headers: Readonly<Record<string, string>>,
  coding: Coding,
): Record<string, string> {
  const vary = [headers['Vary'], 'Accept-Encoding'].filter(Boolean).join(', ')
  if (coding === 'identity') return { ...headers, Vary: vary }
  const etag = headers['ETag']?.replace(/"$/, `-${coding}"`) ?? ''
  return { ...headers, Vary: vary, ETag: etag, 'Content-Encoding': coding }
}

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

export async function compress(bytes: Buffer, coding: Exclude<Coding, 'identity'>): Promise<Buffer> {
  if (coding === 'gzip') return gzipAsync(bytes, { level: 6 })
  return brotliAsync(bytes, {
    params: {
      // The default, 11, is for files that are compressed once.
      [constants.BROTLI_PARAM_QUALITY]: 5,
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
    },
  })
}
