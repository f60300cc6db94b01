/**
 * A shard: the funds of one part of the ISINs, built on a machine of its own. Its folder holds the files and the
 * manifest of these funds, and `shard.ndjson`: a line about the shard, then a line for each fund, for the merge.
 */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Finding } from '../data/check/finding.ts'
import type { FundEntry } from '../api/contract/page.ts'
import type { RowDigests } from '../data/read/fund-digests.ts'
import type { Arrival } from '../guards/arrivals.ts'
import type { AllowedObjection } from '../guards/guards.ts'
import { type NewPrice, traitNames } from '../guards/habits.ts'
import type { WithheldFund } from '../guards/plausibility.ts'
import { messageOf } from '../system/message.ts'
import { shellWord } from '../system/shell-text.ts'
import { privateFile } from '../system/private.ts'

export const shardKey = 'shard.ndjson'
export const shardFormat = 1

export interface Shard {
  /** From 1. */
  readonly number: number
  readonly of: number
}

const text = z.string()
const textOrNull = text.nullable()
const count = z.int().nonnegative()
const objection = { guard: text, subject: textOrNull, message: text }

const newPrice = z.object({
  isin: text,
  category: textOrNull,
  currency: text,
  day: text,
  nav: z.number(),
  unit: z.number(),
  before: z.number().nullable(),
  beforeDay: textOrNull,
  gap: z.number(),
  habit: z.object({ usualMove: z.number(), largeMove: z.number() }).nullable(),
  traits: z.partialRecord(z.enum(traitNames), z.object({ has: z.boolean(), before: z.number() })),
  portfolio: text,
  strictness: z.number(),
  isRefused: z.boolean(),
}) satisfies z.ZodType<NewPrice>

const arrival = z.object({
  isin: text,
  newest: text,
  hasCome: z.boolean(),
  next: textOrNull,
  latest: textOrNull,
  missed: z.array(text).readonly(),
}) satisfies z.ZodType<Arrival>

/** The first line. */
const headShape = z.object({
  format: z.literal(shardFormat),
  number: z.int().positive(),
  of: z.int().positive(),
  /** The id of the shard's own manifest. */
  snapshot: text,
  /** SHA-256 of the database file, in hex. */
  source: text,
  asOf: text,
  docsUrl: text,
  baseUrl: text,
  /** Digest of the settings by which its pages mark prices; null without pages. */
  freshness: textOrNull,
  /** Digest of the publisher on its pages; null without pages. */
  publisher: textOrNull,
  /** Digest of the setting `derive`. */
  derive: text,
  hasPages: z.boolean(),
  /** True if its pages link to files for analysts, which the merge makes. */
  hasDownloads: z.boolean(),
  code: text,
  /** The snapshot that has the files that this folder lacks; null if it lacks none. */
  since: textOrNull,
  objects: count,
  bytes: count,
  /** Number of unchanged objects. */
  kept: count,
  newestPrice: textOrNull,
  warnings: z.array(
    z.looseObject({ severity: text, isin: textOrNull, table: text, message: text }),
  ) as unknown as z.ZodType<readonly Finding[]>,
  /** For the guards that compare funds: the merge asks them. */
  ofNight: z.object({ newPrices: z.array(newPrice).readonly(), arrivals: z.array(arrival).readonly() }),
  /** As in the manifest's first line. */
  allowed: (
    z.array(z.looseObject({ ...objection, who: text, reason: text })) as unknown as z.ZodType<
      readonly AllowedObjection[]
    >
  ).exactOptional(),
  withheld: z
    .array(z.object({ isin: text, message: text }) satisfies z.ZodType<WithheldFund>)
    .readonly()
    .exactOptional(),
})
export type ShardHead = Readonly<z.infer<typeof headShape>>

/** The ISINs of a shard: neighbours, and one more or less than in any other shard. */
export function isinsOfShard(isins: readonly string[], { number, of }: Shard): readonly string[] {
  const start = (part: number) => Math.floor((isins.length * part) / of)
  return isins.slice(start(number - 1), start(number))
}

/** Valid shards that no longer fit: of another database, or of another snapshot to continue from. */
export class OutdatedShards extends Error {}

/** Only its owner may read the file: findings and prices in it may not be given out. */
export function writeShard(folder: string, head: ShardHead, each: readonly FundNews[]): void {
  const lines = [head, ...each].map((line) => `${JSON.stringify(line)}\n`)
  writeFileSync(join(folder, shardKey), lines.join(''), { flag: 'wx', mode: privateFile })
}

export type ReadShard = ReturnType<typeof readShard>

/** @throws {Error} if the folder is no shard, or has another format */
export function readShard(folder: string) {
  const file = join(folder, shardKey)
  if (!existsSync(file)) {
    throw new Error(
      `${folder} is no shard: make one with \`fundpress build --shard 1/8 --out ${shellWord(folder)}\``,
    )
  }
  try {
    const [head, ...each] = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    const { format } = (head ?? {}) as { readonly format?: unknown }
    if (format !== shardFormat)
      throw new Error(`format ${String(format)}, this fundpress reads ${shardFormat}`)
    return { folder, head: parseHead(head), each: each as readonly FundNews[] }
  } catch (error) {
    throw new Error(`${file} cannot be read: ${messageOf(error)}: build the shard again`, { cause: error })
  }
}

/** @throws {Error} that names the first wrong field */
function parseHead(head: unknown): ShardHead {
  const found = headShape.safeParse(head)
  if (found.success) return found.data
  const [{ path, message } = { path: [], message: 'it is none' }] = found.error.issues
  throw new Error(`${path.join('.')} of its first line is wrong (${message})`)
}

/** @throws {Error} if the folder holds a shard: it has only some of the funds */
export function refuseShard(folder: string): void {
  if (!existsSync(join(folder, shardKey))) return
  const { number, of } = readShard(folder).head
  throw new Error(
    `${folder} is shard ${number} of ${of}, it has only some of the funds: bring all of them together with ` +
      '`fundpress build --merge` first',
  )
}

/** Facts about a fund for a merge and the documents over all funds. */
export interface FundNews {
  readonly isin: string
  readonly from: Readonly<Record<string, string>>
  /** Number of endpoints with answers for the fund. */
  readonly answers: number
  readonly entry: FundEntry | null
  readonly rows: RowDigests
}

/**
 * @param code digest of the code that merges @returns the shards in the order of their funds
 * @throws {Error} that names the folders, {@link OutdatedShards} if the input changed between machines
 */
export function checkShards(shards: readonly ReadShard[], code: string) {
  const [first] = shards
  if (first === undefined) throw new Error('there are no shards to merge')
  for (const [name, of, advice = 'build them with the same settings'] of common) {
    const [one, ...others] = shards.filter(({ head }) => of(head) !== null)
    const stranger = others.find(({ head }) => one !== undefined && of(head) !== of(one.head))
    if (one === undefined || stranger === undefined) continue
    const [has, other] = [one, stranger].map(({ folder, head }) => `${folder} has ${of(head) ?? ''}`)
    const Kind = changing.includes(name) ? OutdatedShards : Error
    throw new Kind(`shards of different ${name}: ${has ?? ''}, ${other ?? ''}: ${advice}`)
  }
  if (first.head.code !== code)
    throw new Error(`${first.folder} was built by another version of fundpress: build it again with this one`)
  const sorted = shards.toSorted((one, two) => one.head.number - two.head.number)
  const { of } = first.head
  const byNumber = Map.groupBy(sorted, ({ head }) => head.number)
  for (const [number, same] of byNumber) {
    const folders = same.map(({ folder }) => folder).join(', ')
    if (same.length > 1) throw new Error(`shard ${number} of ${of} is there more than once: ${folders}`)
  }
  const missing = Array.from({ length: of }, (_, index) => index + 1).filter(
    (number) => !byNumber.has(number),
  )
  if (missing.length > 0)
    throw new Error(`of ${of} shards ${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`)
  return { shards: sorted, head: first.head }
}

/** The snapshot that has the files that sparse shards lack, or null if none lacks any. @param shards checked ones */
export const lackedBy = (shards: readonly ReadShard[]): string | null =>
  shards.find(({ head }) => head.since !== null)?.head.since ?? null

/** Inputs that can change while the machines of a night are at work. */
const changing: readonly string[] = ['databases', '--since']

/** Facts that all shards must have in common: name, text (null if a shard fits to any), and advice. */
const common: readonly (readonly [name: string, of: (head: ShardHead) => string | null, advice?: string])[] =
  [
    ['as-of dates', ({ asOf }) => asOf, 'build them with the same --as-of'],
    ['databases', ({ source }) => `SHA-256 ${source.slice(0, 12)}…`, 'give each machine the same file'],
    ['numbers of shards', ({ of }) => String(of), 'build them with the same --shard …/n'],
    ['docsUrl', ({ docsUrl }) => docsUrl],
    ['baseUrl', ({ baseUrl }) => baseUrl],
    ['pages', ({ hasPages }) => (hasPages ? 'pages' : 'none')],
    ['freshness', ({ freshness }) => `settings ${freshness ?? 'none'}`],
    ['downloads', ({ hasDownloads }) => (hasDownloads ? 'downloads' : 'none')],
    ['versions of fundpress', ({ code }) => `code ${code.slice(0, 12)}…`, 'build them with the same version'],
    ['publishers', ({ publisher }) => publisher],
    // A shard that continues from nothing has all its files.
    ['--since', ({ since }) => since, 'build them all from the same manifest'],
  ]
