/** What a publish has to change in a slot. Pure: streams in, a stream out. */

import type { ManifestLine } from '../snapshot/manifest.ts'
import { mergeSorted } from './sorted.ts'

/** In the order of keys. */
export type Change =
  ({ readonly kind: 'put' } & ManifestLine) | { readonly kind: 'delete'; readonly key: string }

interface Key {
  readonly key: string
}

/**
 * Compares what is to be with what stands.
 * @param next the new manifest's lines @param standing the slot's manifest's lines
 * @param unknown keys of which nobody knows what stands there: they are put, or deleted, in any case
 */
export async function* planChanges(
  next: AsyncIterable<ManifestLine>,
  standing: AsyncIterable<ManifestLine>,
  unknown: AsyncIterable<Key>,
): AsyncGenerator<Change> {
  const rows = mergeSorted<readonly [ManifestLine, ManifestLine, Key]>(next, standing, unknown)
  for await (const { key, values } of rows) {
    const [wanted, there, doubtful] = values
    if (wanted === undefined) yield { kind: 'delete', key }
    else if (doubtful !== undefined || !isSame(wanted, there)) yield { kind: 'put', ...wanted }
  }
}

const isSame = (wanted: ManifestLine, there: ManifestLine | undefined) =>
  there?.sha256 === wanted.sha256 && there.bytes === wanted.bytes && there.type === wanted.type
