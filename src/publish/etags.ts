/** The ETags of a slot's objects: what a listing can be compared with, whatever the store makes them of. */

import type { ManifestLine } from '../snapshot/manifest.ts'
import { lineWriter } from './ndjson.ts'
import { mergeSorted } from './sorted.ts'

export interface EtagLine {
  readonly key: string
  readonly etag: string
}

/** Notes ETags in the order of keys, in a file. */
export function etagWriter(file: string) {
  const { add, end, read } = lineWriter<EtagLine>(file)
  return { add: (key: string, etag: string) => add({ key, etag }), end, read }
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
