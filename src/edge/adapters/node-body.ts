/** Objects as plain Node holds them: small ones in memory, large ones read in parts from where they lie. */

import type { ByteRange } from '../byte-range.ts'

/**
 * In bytes. A longer object is never in memory as a whole, and a cache does not keep it. A connection holds no more of
 * an answer than this, beyond the windows of a date range that are in work.
 */
export const mostInMemory = 256 * 1024

/**
 * How many parts of large objects are read at a time, for all connections: others are answered in between. A part of an
 * object in a bucket takes two milliseconds of work.
 */
export const largeReadsAtATime = 4

export interface LargeBody {
  /** In bytes. */
  readonly length: number
  /** Throws while it is read if the object is gone, or is another one now. End it early with `return`. */
  readonly read: (part: ByteRange) => AsyncGenerator<Uint8Array, void>
}

export type NodeBody = Buffer | LargeBody

/** For what has to be in memory: a window of a date range, a list of windows. */
export async function wholeOf(body: NodeBody): Promise<Buffer> {
  if (Buffer.isBuffer(body)) return body
  const chunks: Uint8Array[] = []
  for await (const chunk of body.read({ first: 0, last: body.length - 1 })) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** Latin-1 of the bytes. */
export const textOf = async (body: NodeBody): Promise<string> => (await wholeOf(body)).toString('latin1')
