/** The live slot against its manifest: by listing, then by reading bodies where that is asked for. */

import { join } from 'node:path'
import { countFiles, type ManifestLine } from '../snapshot/manifest.ts'
import type { EtagLine } from './etags.ts'
import { inParallel } from './in-parallel.ts'
import { etagsKey, manifestIn, type Slot } from './layout.ts'
import { readLive, type Live } from './live.ts'
import { fetchList } from './manifest-reader.ts'
import { Damaged, nothing, readSorted, writeNdjson } from './ndjson.ts'
import { fetchManifest } from './prepare.ts'
import { mergeSorted } from './sorted.ts'
import { withFolder } from './status.ts'
import { verifyDownloads } from './verify-downloads.ts'
import type { ObjectStore } from './store.ts'
import { compareBody, compareWithListing, type Difference } from './verify.ts'

export interface VerifyOptions {
  /** How many bodies to read and hash: none, all, or so many of them, chosen at random. */
  readonly bodies: 'none' | 'all' | number
  readonly concurrency: number
  readonly signal: AbortSignal
  /** From 0 to below 1. */
  readonly random: () => number
  /** A promise that it returns is waited for. */
  readonly onDifference: (difference: Difference) => unknown
  /** Told how far the listing is. */
  readonly onListed: (done: number, of: number) => void
  readonly onBody: (done: number, of: number) => void
}

export interface Verified {
  readonly slot: Slot
  readonly snapshot: string
  /** The status files are among them. */
  readonly objects: number
  /** Files for analysts; null: `live.json` names none. */
  readonly downloads: number | null
  /** Bodies of objects that were read. */
  readonly bodies: number
  readonly differences: number
}

/**
 * @throws {Error} if nothing is live, if it has no manifest, if one of its lists is damaged, or if another snapshot went
 * live meanwhile
 */
export async function verifyLive(store: ObjectStore, options: VerifyOptions): Promise<Verified> {
  const { live } = await readLive(store)
  if (live === null) throw new Error(`${store.name}: nothing is live, there is nothing to verify`)
  const { slot, snapshot, liveSince } = live
  const found = await withFolder((folder) => verifyIn(store, live, folder, options)).catch(repairable)
  const { live: after } = await readLive(store)
  if (found.differences > 0 && after?.liveSince !== liveSince)
    throw new Error(`${store.name}: another snapshot went live meanwhile, verify again`)
  return { slot, snapshot, ...found }
}

async function verifyIn(
  store: ObjectStore,
  live: Live,
  folder: string,
  options: VerifyOptions,
): Promise<Omit<Verified, 'slot' | 'snapshot'>> {
  const { bodies, concurrency, signal } = options
  let differences = 0
  const onDifference = async (difference: Difference) => {
    differences++
    await options.onDifference(difference)
  }
  const found = await verifySlot(store, live.slot, live.snapshot, folder, { ...options, onDifference })
  const isDeep = bodies === 'all'
  const downloads = await verifyDownloads(store, live, { isDeep, concurrency, folder, signal, onDifference })
  return { ...found, downloads, differences }
}

function repairable(error: unknown): never {
  if (!(error instanceof Damaged)) throw error
  throw new Error(`${error.message}: publish with --repair`, { cause: error })
}

async function verifySlot(
  store: ObjectStore,
  slot: Slot,
  snapshot: string,
  folder: string,
  options: VerifyOptions,
): Promise<Pick<Verified, 'objects' | 'bodies'>> {
  const { bodies, concurrency, signal, onListed, onBody } = options
  const manifest = await fetchManifest(store, slot, folder)
  if (manifest?.head.snapshot !== snapshot) {
    const what = manifest === null ? 'is missing' : `is that of ${manifest.head.snapshot}`
    throw new Error(`${store.name}: ${manifestIn(slot)} ${what}, live is ${snapshot}: publish with --repair`)
  }
  const etagsFile = join(folder, `${slot}-etags.ndjson.gz`)
  const etags = (await fetchList<EtagLine>(store, etagsKey(slot), etagsFile, { signal })) ?? nothing

  const { lines } = manifest
  const objects = countFiles(manifest.head)
  const tell = options.onDifference
  const listing = { signal, onListed: (listed: number) => onListed(listed, objects) }
  async function* told() {
    for await (const difference of compareWithListing(store, slot, lines(), etags(), listing)) {
      await tell(difference)
      yield difference
    }
  }
  const known = join(folder, 'differences.ndjson.gz')
  await writeNdjson(known, told())

  const wanted = bodies === 'all' ? objects : bodies === 'none' ? 0 : Math.min(bodies, objects)
  let done = 0
  if (wanted > 0) {
    const chosen = sample(lines(), objects, wanted, options.random)
    const unsuspected = without(chosen, readSorted<Difference>(known))
    await inParallel(unsuspected, concurrency, async (line) => {
      signal.throwIfAborted()
      const difference = await compareBody(store, slot, line, { signal })
      if (difference !== null) await tell(difference)
      onBody(++done, wanted)
    })
  }
  return { objects, bodies: done }
}

/** So many of the lines, each as likely as any other, in their order. Source: Knuth, TAOCP 2, 3.4.2, algorithm S. */
async function* sample<T>(lines: AsyncIterable<T>, of: number, wanted: number, random: () => number) {
  let [left, missing] = [of, wanted]
  for await (const line of lines) {
    if (random() * left-- < missing) {
      missing--
      yield line
    }
  }
}

/** Objects that are known to differ need not be read. */
async function* without(lines: AsyncIterable<ManifestLine>, known: AsyncIterable<Difference>) {
  for await (const { values } of mergeSorted<readonly [ManifestLine, Difference]>(lines, known)) {
    const [line, difference] = values
    if (line !== undefined && difference === undefined) yield line
  }
}
