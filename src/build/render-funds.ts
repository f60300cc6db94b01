/** The documents and pages of all funds: rendered in threads, or taken from shards. Their lines go to the manifest. */

import { createReadStream, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { checkTables } from '../data/check/check.ts'
import { RefusedDatabase, type Finding } from '../data/check/finding.ts'
import { readPriceDays } from '../data/read/fund-reader.ts'
import { overdueFunds } from '../freshness/assess.ts'
import { wholeLines } from '../system/whole-lines.ts'
import { documentFiles, type DocumentFiles } from './document-files.ts'
import { parseLines } from './lines.ts'
import { manifestKey } from './manifest.ts'
import type { Build } from './prepare.ts'
import type { RenderPool } from './render-pool.ts'
import type { RenderedFund } from './render-fund.ts'
import type { FundNews, ReadShard } from './shard.ts'

export type RenderedFunds = Awaited<ReturnType<typeof renderFunds>>

/** @throws {RefusedDatabase} */
export async function renderFunds(
  { options, db, plans, makers, rules, base, lines }: Build,
  isins: readonly string[],
  pool: RenderPool,
) {
  const folders = [...plans, ...makers.fundPages].map(({ folder }) => folder)
  const previous = await base.manifest
  const findings: Finding[] = []
  const hasErrors = () => findings.some(({ severity }) => severity === 'error')
  // Pages say which prices are late. The main thread finds out: to load the holidays of the world in each thread takes long.
  const marks =
    makers.fundPages.length === 0
      ? new Map<string, never>()
      : overdueFunds(readPriceDays(db, isins, 1), await rules, options.asOf)
  /** In the order of their ISINs. */
  const each: FundNews[] = []
  /** The previous manifest's lines of funds that are being rendered, a text a folder. */
  const waiting = new Map<string, readonly string[]>()
  let done = 0
  const total = { objects: 0, bytes: 0, reused: 0 }
  let newestPrice = null as string | null
  const takeFund = (fund: RenderedFund) => {
    const { isin } = fund.news
    const unchanged = waiting.get(isin)
    waiting.delete(isin)
    for (const [index, folder] of folders.entries())
      lines.add(folder, fund.lines.get(index) ?? unchanged?.[index] ?? '')
    each.push(fund.news)
    total.objects += fund.objects
    total.bytes += fund.bytes
    total.reused += fund.reused
    newestPrice = laterDay(newestPrice, fund.newestPrice)
  }
  const previousOf = (isin: string) => {
    const texts = folders.map((folder) => previous.linesOf(folder, `${folder}${isin}/`))
    waiting.set(isin, texts)
    return texts
  }
  const asked = pool.ask(
    isins,
    (some) => ({
      kind: 'render',
      isins: some,
      previous: some.map(previousOf),
      overdue: some.map((isin) => marks.get(isin) ?? null),
      isRefused: hasErrors(),
    }),
    (reply, some) => {
      for (const finding of reply.findings) findings.push(finding)
      for (const fund of reply.funds) takeFund(fund)
      done += some.length
      options.onProgress?.({ funds: done, of: isins.length, documents: total.objects })
    },
  )
  // It is awaited below; the checks of the tables run while the threads are busy.
  asked.catch(() => undefined)
  findings.push(...checkTables(db))
  await asked
  if (hasErrors()) throw new RefusedDatabase(options.db, findings)
  return { each, ...total, newestPrice, warnings: findings }
}

/** The later of two days; null is none. */
const laterDay = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one

/**
 * The funds of shards: their files are linked (copied from another disk), and their lines stay as they are.
 * @param shards in the order of their funds @param source SHA-256 of the database file, in hex
 * @throws {Error} if they are of another database, or if one is not complete
 */
export async function takeShards(
  shards: readonly ReadShard[],
  { options, settings, lines: objectLines }: Build,
  isins: readonly string[],
  source: string,
): Promise<RenderedFunds> {
  const each = shards.flatMap((shard) => shard.each)
  if (shards[0]?.head.source !== source)
    throw new Error(`${options.db} is not the database that the shards were built from`)
  // Shards of the same database hold the same funds, unless somebody has changed the files.
  if (each.map(({ isin }) => isin).join() !== isins.join())
    throw new Error('the shards do not hold every fund once')
  let documents = 0
  let funds = 0
  for (const { folder, head, each: some } of shards) {
    const files = documentFiles(settings.root, { kind: 'folder', folder })
    let taken = 0
    await pipeline(createReadStream(join(folder, manifestKey)), createGunzip(), async (unpacked) => {
      let isFirst = true
      for await (const lines of wholeLines(unpacked as AsyncIterable<Buffer>)) {
        options.signal.throwIfAborted()
        // The first line is about the snapshot.
        const piece = isFirst ? lines.slice(lines.indexOf('\n') + 1) : lines
        isFirst = false
        taken += takeLines(piece, folder, files, head.since !== null)
        objectLines.add(`shard ${head.number}`, piece)
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
    reused: sum(({ head }) => head.kept),
    newestPrice: shards.reduce<string | null>((newest, { head }) => laterDay(newest, head.newestPrice), null),
    warnings: shards.flatMap(({ head }) => head.warnings),
  }
}

/** @returns how many lines there are */
function takeLines(piece: string, folder: string, files: DocumentFiles, isSparse: boolean): number {
  const found = parseLines(piece)
  if (found === null) throw new Error(`${folder}: its manifest is damaged: build it again`)
  for (const line of found) {
    if (isSparse && lstatSync(join(folder, line.key), { throwIfNoEntry: false }) === undefined) continue
    if (!files.reuse([line]))
      throw new Error(`${folder} is incomplete: ${line.key} is not as its manifest says`)
  }
  return found.length
}
