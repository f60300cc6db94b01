/** The funds of a night out of shards: their files are linked (copied from another disk), their lines taken as they are. */

import { createReadStream, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { documentFiles, type DocumentFiles } from './document-files.ts'
import type { Funds } from './funds.ts'
import { manifestKey } from './manifest.ts'
import { objectPieces } from './merged-lines.ts'
import { laterDay } from './render-funds.ts'
import type { Night } from './render-night.ts'
import type { ReadShard } from './shard.ts'
import { anyLines } from './standing-lines.ts'

interface Merging extends Night {
  /** Of the database. */
  readonly isins: readonly string[]
  /** SHA-256 of the database file, in hex. */
  readonly source: string
}

/**
 * @param shards in the order of their funds
 * @throws {Error} if they are of another database, or if one is not whole
 */
export async function takeShards(
  shards: readonly ReadShard[],
  { options, settings, lines, isins, source }: Merging,
): Promise<Funds> {
  const each = shards.flatMap((shard) => shard.each)
  const [first] = shards
  if (first?.head.source !== source)
    throw new Error(`${options.db} is not the database that the shards were built from`)
  // Of the same database they hold the same funds, unless somebody has changed the files.
  if (each.map(({ isin }) => isin).join() !== isins.join())
    throw new Error('the shards do not hold every fund once')
  let documents = 0
  let funds = 0
  for (const { folder, head, each: some } of shards) {
    const files = documentFiles(settings.root, { kind: 'linked', folder })
    let taken = 0
    await pipeline(createReadStream(join(folder, manifestKey)), createGunzip(), async (unpacked) => {
      for await (const piece of objectPieces(unpacked as AsyncIterable<Buffer>)) {
        options.signal.throwIfAborted()
        taken += takeLines(piece, folder, files, head.since !== null)
        lines.add(`shard ${head.number}`, piece)
        options.onProgress?.({ funds, of: isins.length, documents: documents + taken })
        await setImmediate()
      }
    })
    if (taken !== head.objects)
      throw new Error(`${folder}: its manifest does not fit its shard: build it again`)
    documents += taken
    funds += some.length
    options.onProgress?.({ funds, of: isins.length, documents })
  }
  const sum = (of: (shard: ReadShard) => number) => shards.reduce((total, shard) => total + of(shard), 0)
  return {
    each,
    objects: documents,
    bytes: sum(({ head }) => head.bytes),
    kept: sum(({ head }) => head.kept),
    newestPrice: shards.reduce<string | null>((newest, { head }) => laterDay(newest, head.newestPrice), null),
    warnings: shards.flatMap(({ head }) => head.warnings),
  }
}

/** @returns how many lines there are */
function takeLines(piece: string, folder: string, files: DocumentFiles, isSparse: boolean): number {
  const found = anyLines(piece)
  if (found === null) throw new Error(`${folder}: its manifest is damaged: build it again`)
  for (const line of found) {
    if (isSparse && lstatSync(join(folder, line.key), { throwIfNoEntry: false }) === undefined) continue
    if (!files.keep([line]))
      throw new Error(`${folder} is not whole: ${line.key} is not as its manifest says`)
  }
  return found.length
}
