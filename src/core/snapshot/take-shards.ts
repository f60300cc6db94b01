/** Takes the funds of shards into a snapshot: links their files (copies from another disk), and keeps their lines. */

import { createReadStream, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { judgeFindings, refusalOf } from '../data/check/finding.ts'
import { findingsOfColumns } from '../data/check/columns.ts'
import { findingsAcross } from '../data/check/prices.ts'
import { wholeLines } from '../system/whole-lines.ts'
import { documentFiles } from './document-files.ts'
import { manifestKey, type ParsedLine, parseLines } from './manifest.ts'
import type { Build } from './prepare.ts'
import { laterDay, sum } from './render-fund.ts'
import { OutdatedShards, type ReadShard } from './shard.ts'

/**
 * @param shards in the order of their funds @param source SHA-256 of the database file, in hex
 * @throws {Error} for an incomplete shard or another database, {@link ImplausibleDatabase} by guards across funds
 */
export async function takeShards(shards: readonly ReadShard[], build: Build, source: Promise<string>) {
  const { options, settings, isins, judgement } = build
  const each = shards.flatMap((shard) => shard.each)
  if (shards[0]?.head.source !== (await source))
    throw new OutdatedShards(`${options.db} is not the database that the shards were built from`)
  // Shards of the same database hold the same funds, unless their files were changed.
  if (each.map(({ isin }) => isin).join() !== isins.join())
    throw new Error('the shards do not hold every fund once')
  const ofNight = {
    newPrices: shards.flatMap(({ head }) => head.ofNight.newPrices),
    arrivals: shards.flatMap(({ head }) => head.ofNight.arrivals),
  }
  const found = [
    ...findingsAcross(ofNight, options.asOf, settings.expectations),
    ...(await findingsOfColumns(options.live ?? null, judgement.statistics, settings.expectations)),
  ]
  const across = judgeFindings(found, options.override)
  if (across.findings.some(({ severity }) => severity === 'error'))
    throw refusalOf(options.db, across.findings)
  let documents = 0
  let funds = 0
  const tell = (more: number) =>
    options.onProgress?.({ funds, of: isins.length, documents: documents + more })
  for (const shard of shards) {
    documents += await takeDocuments(shard, build, tell)
    funds += shard.each.length
    tell(0)
  }
  return {
    each,
    objects: documents,
    bytes: sum(shards, ({ head }) => head.bytes),
    reused: sum(shards, ({ head }) => head.kept),
    newestPrice: shards.reduce<string | null>((newest, { head }) => laterDay(newest, head.newestPrice), null),
    warnings: [...shards.flatMap(({ head }) => head.warnings), ...across.findings],
    allowed: [...shards.flatMap(({ head }) => head.allowed ?? []), ...across.allowed],
  }
}

/** @param tell called with the number of documents so far @returns the number of the shard's documents */
async function takeDocuments(
  { folder, head }: ReadShard,
  { options, settings, lines: objectLines }: Build,
  tell: (documents: number) => void,
): Promise<number> {
  const files = documentFiles(settings.root, { kind: 'folder', folder })
  const take = (line: ParsedLine) => {
    if (head.since !== null && lstatSync(join(folder, line.key), { throwIfNoEntry: false }) === undefined)
      return
    if (!files.reuse([line]))
      throw new Error(`${folder} is incomplete: ${line.key} is not as its manifest says`)
  }
  let taken = 0
  await pipeline(createReadStream(join(folder, manifestKey)), createGunzip(), async (unpacked) => {
    let isFirst = true
    for await (const lines of wholeLines(unpacked as AsyncIterable<Buffer>)) {
      options.signal.throwIfAborted()
      // The first line is about the snapshot.
      const piece = isFirst ? lines.slice(lines.indexOf('\n') + 1) : lines
      isFirst = false
      const found = parseLines(piece)
      if (found === null) throw new Error(`${folder}: its manifest is damaged: build it again`)
      found.forEach(take)
      taken += found.length
      objectLines.add(`shard ${head.number}`, piece)
      tell(taken)
      await setImmediate()
    }
  })
  if (taken !== head.objects)
    throw new Error(`${folder}: its manifest does not fit its shard: build it again`)
  return taken
}
