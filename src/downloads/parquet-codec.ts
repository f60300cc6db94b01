/** How pages of Parquet files are compressed. */

import { constants, gzipSync } from 'node:zlib'

/** Every reader has it. Snappy, which is as common, would be JavaScript: slower, and a third larger. */
export const codec = 'GZIP'

export function compress(bytes: Uint8Array): Uint8Array {
  const packed = gzipSync(bytes, { level: constants.Z_BEST_SPEED })
  packed[systemAt] = anySystem
  return packed
}

/** Where the header names the system that it was packed on. Source: RFC 1952. */
const systemAt = 9
const anySystem = 255
