/** Compression on Node. */

import { promisify } from 'node:util'
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from 'node:zlib'
import type { Answer } from '../core/answer.ts'
import { mayBeCoded } from '../core/finish.ts'
import { qualityOf } from '../core/negotiate.ts'
import { mostInMemory, type NodeBody } from './objects.ts'

export type Coding = 'br' | 'gzip' | 'identity'

/**
 * In bytes. A longer file goes out as it is: compressing it for each client would cost too much. CloudFront has the same
 * limit.
 */
const mostCompressed = 10_000_000

/** A date range of more windows is long: it goes out while it is read. */
const mostWindowsAtOnce = 3

/** The coding of an answer, and whether it could have been another one for another client. */
export function chooseCoding(
  acceptEncoding: string | undefined,
  { headers, body }: Pick<Answer<NodeBody>, 'headers' | 'body'>,
): { readonly coding: Coding; readonly mayDiffer: boolean } {
  const length = body.kind === 'joined' ? null : body.kind === 'stored' ? body.body.length : 0
  const mayDiffer = mayBeCoded(headers['Content-Type'] ?? '', length) && (length ?? 0) <= mostCompressed
  if (!mayDiffer || acceptEncoding === undefined) return { coding: 'identity', mayDiffer }
  const quality = (coding: Coding) => qualityOf(acceptEncoding, coding, codingSpecificity)
  const isGzip = isLong(body) || quality('gzip') > quality('br')
  const compressed = isGzip ? 'gzip' : 'br'
  const isWanted = quality(compressed) > 0 && quality(compressed) >= quality('identity')
  return { coding: isWanted ? compressed : 'identity', mayDiffer }
}

const codingSpecificity = (range: string, coding: Coding) => (range === coding ? 2 : range === '*' ? 1 : 0)

/** Brotli holds up to 2 MB for each client that reads slowly, gzip 0.3 MB: what is not compressed at once gets gzip only. */
function isLong(body: Answer<NodeBody>['body']): boolean {
  if (body.kind === 'joined') return body.windows.length > mostWindowsAtOnce
  return body.kind === 'stored' && body.body.length > mostInMemory
}

const gzipAsync = promisify(gzip)
const brotliAsync = promisify(brotliCompress)

const gzipOptions = { level: 6 }
/** The default, 11, is for files that are compressed once. */
const brotliParams = { [constants.BROTLI_PARAM_QUALITY]: 5 }

export async function compressed(bytes: Buffer, coding: Exclude<Coding, 'identity'>): Promise<Buffer> {
  if (coding === 'gzip') return gzipAsync(bytes, gzipOptions)
  return brotliAsync(bytes, { params: { ...brotliParams, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } })
}

/** The same for a body that goes out while it is read. */
export const compressor = (coding: Exclude<Coding, 'identity'>) =>
  coding === 'gzip' ? createGzip(gzipOptions) : createBrotliCompress({ params: brotliParams })
