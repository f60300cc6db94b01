/** The ETags of a slot's objects: what a listing can be compared with, whatever the store makes them of. */

import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { createGzip } from 'node:zlib'
import type { ManifestLine } from '../snapshot/manifest.ts'
import { readNdjson } from './ndjson.ts'
import { mergeSorted } from './sorted.ts'

export interface EtagLine {
  readonly key: string
  readonly etag: string
}

/** Notes ETags in the order of keys, in a file. */
export function etagWriter(file: string) {
  const gzip = createGzip()
  const output = gzip.pipe(createWriteStream(file))
  return {
    add: (key: string, etag: string) => {
      gzip.write(`${JSON.stringify({ key, etag })}\n`)
    },
    end: async () => {
      gzip.end()
      await once(output, 'close')
    },
    read: () => readNdjson(file) as AsyncIterable<EtagLine>,
  }
}

/** The list after a publish: of each object in the manifest the new ETag, else the one that is known. */
export async function* etagLines(
  next: AsyncIterable<ManifestLine>,
  known: AsyncIterable<EtagLine>,
  fresh: AsyncIterable<EtagLine>,
): AsyncGenerator<EtagLine> {
  for await (const { key, values } of mergeSorted<readonly [ManifestLine, EtagLine, EtagLine]>(
    next,
    known,
    fresh,
  )) {
    const [line, old, put] = values
    const etag = put?.etag ?? old?.etag
    if (line !== undefined && etag !== undefined) yield { key, etag }
  }
}
