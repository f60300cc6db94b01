/** A sparse snapshot holds only the files that one slot lacked when it was built: another slot needs others, too. */

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readSparse } from '../snapshot/sparse.ts'
import type { Slot } from './layout.ts'
import { readNdjson } from './ndjson.ts'
import type { Change } from './plan.ts'
import type { Prepared } from './prepare.ts'

/**
 * To be called before anything is written.
 * @param out the snapshot's folder
 * @throws {Error} if it is sparse, and a file that has to be put is not there
 */
export async function refuseSparse(out: string, slot: Slot, { file, standing }: Prepared): Promise<void> {
  const sparse = readSparse(out)
  if (sparse === null) return
  for await (const change of readNdjson(file) as AsyncIterable<Change>) {
    if (change.kind === 'delete' || existsSync(join(out, change.key))) continue
    const holds = standing === null ? 'holds no snapshot' : `holds ${standing.snapshot}`
    throw new Error(
      `${out} is sparse, it goes on from ${sparse.since}, but ${slot} ${holds} and needs ${change.key}, which is not in ` +
        'the folder: build with --since other, or without --since, and publish again',
    )
  }
}
