/**
 * A shard: the funds of one part of the ISINs, built on a machine of its own. Its folder holds the files and the
 * manifest of these funds, and `shard.ndjson`: a line about the shard, then a line a fund with what a merge needs of it.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Finding } from '../source/finding.ts'
import type { FundNews } from './funds.ts'

export const shardKey = 'shard.ndjson'
export const shardFormat = 1

export interface Shard {
  /** From 1. */
  readonly number: number
  readonly of: number
}

/** What all shards of a snapshot have in common, and what each has. */
export interface ShardHead extends Shard {
  /** Version of this format. */
  readonly format: number
  /** The id of the shard's own manifest. */
  readonly snapshot: string
  /** SHA-256 of the database file, in hex. */
  readonly source: string
  readonly asOf: string
  readonly docsUrl: string
  readonly baseUrl: string
  /** Digest of the settings by which its pages mark prices; null without pages. */
  readonly freshness: string | null
  readonly hasPages: boolean
  /** Whether its pages lead to files for analysts, which the merge makes. */
  readonly hasDownloads: boolean
  /** Digest of the code that rendered. */
  readonly code: string
  /** The snapshot that has the files that this folder lacks, or null where it lacks none. */
  readonly since: string | null
  readonly objects: number
  readonly bytes: number
  readonly kept: number
  readonly newestPrice: string | null
  readonly warnings: readonly Finding[]
}

/** The ISINs of a shard: neighbours, as many as in any other, but for one. */
export function isinsOfShard(isins: readonly string[], { number, of }: Shard): readonly string[] {
  const start = (part: number) => Math.floor((isins.length * part) / of)
  return isins.slice(start(number - 1), start(number))
}

export function writeShard(folder: string, head: ShardHead, each: readonly FundNews[]): void {
  const lines = [head, ...each].map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(join(folder, shardKey), lines.join(''), { flag: 'wx' })
}

export interface ReadShard {
  readonly folder: string
  readonly head: ShardHead
  readonly each: readonly FundNews[]
}

/** @throws {Error} if the folder is no shard, or one of another format */
export function readShard(folder: string): ReadShard {
  const file = join(folder, shardKey)
  if (!existsSync(file)) {
    throw new Error(`${folder} is no shard: make one with \`fundpress build --shard 1/8 --out ${folder}\``)
  }
  try {
    const [head, ...each] = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    const { format } = head as ShardHead
    if (format !== shardFormat)
      throw new Error(`format ${String(format)}, this fundpress reads ${shardFormat}`)
    return { folder, head: head as ShardHead, each: each as readonly FundNews[] }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${file} cannot be read: ${reason}: build the shard again`, { cause: error })
  }
}

/** @throws {Error} if the folder holds a shard: it has only some of the funds */
export function refuseShard(folder: string): void {
  if (!existsSync(join(folder, shardKey))) return
  const { number, of } = readShard(folder).head
  throw new Error(
    `${folder} is shard ${number} of ${of}, it has only some of the funds: bring all of them together with ` +
      '`fundpress merge` first',
  )
}
