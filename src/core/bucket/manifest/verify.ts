/** `fundpress verify`: compares the live slot with its manifest, and its downloads with their checksums. Writes nothing. */

import { hash } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { checksumsKey, countFiles, type ManifestLine } from '../../snapshot/manifest.ts'
import { digestOfFacts, factsKey, factsText, snapshotInFacts } from '../../snapshot/signed-facts.ts'
import { placeOf } from '../../api/routes/pages.ts'
import { changesFolder, liveKey, stagedKey } from '../live/layout.ts'
import { checksumsName, dayFolder, downloadEtagsKey, downloadsPrefix } from '../live/layout.ts'
import { checksumsIn, downloadsRoot, etagsKey, inSlot, manifestIn } from '../live/layout.ts'
import { dayOf, earlierFolders, isFolderOfSnapshot } from '../live/download-folders.ts'
import { readLive, type Live } from '../live/live.ts'
import { findStaged, readStaged } from '../live/staged.ts'
import { findWithdrawn } from '../live/removal.ts'
import { checkChanges, checkSnapshot, signedSums, sumsIn, textsIn } from '../live/signed.ts'
import { downloadLine } from '../publish/downloads.ts'
import { withFolder } from '../store/files.ts'
import { inParallel } from '../store/in-parallel.ts'
import { digestOf, readSmall } from '../store/read.ts'
import type { ObjectStore } from '../store/store.ts'
import { isBefore, mergeSorted } from './compare.ts'
import { compareBody, compareWithListing, listingDifferences } from './listing.ts'
import type { ExpectedObject, ObjectDifference } from './listing.ts'
import { adviseRepair, fetchHead, fetchList, fetchManifest } from './manifest.ts'
import { etagLine, type Manifest } from './manifest.ts'
import { nothing, ownLine, sortedList, writeNdjson } from './ndjson.ts'

export interface VerifyOptions {
  /** Bodies to read and hash: none, all, or this number of them, chosen at random. */
  readonly bodies: 'none' | 'all' | number
  readonly concurrency: number
  /** False after a listing of the slot: only bodies are read. */
  readonly isListing?: boolean
  readonly isStaged?: boolean
  /** Days of a legal hold; null: downloads of earlier days are not searched, since a publish has just searched them. */
  readonly keep: readonly string[] | null
  /** Keys that are trusted; none: those that the snapshot itself names. Null: it need not be signed. */
  readonly signedBy: readonly string[] | null
  readonly signal: AbortSignal
  /** From 0 to below 1. */
  readonly random: () => number
  /** A returned promise is awaited. */
  readonly onDifference: (difference: ObjectDifference) => unknown
  readonly onListed: (done: number, of: number) => void
  readonly onBody: (done: number, of: number) => void
}

export type Verified = Awaited<ReturnType<typeof verifyLive>>

/** @throws {Error} if nothing is live (or staged), if a list is damaged, or if another snapshot went live meanwhile */
export async function verifyLive(store: ObjectStore, options: VerifyOptions) {
  const read = async () => {
    const { live: now } = await readLive(store)
    return options.isStaged === true ? readStaged(store, now) : now
  }
  const live = await read()
  const what = options.isStaged === true ? 'staged' : 'live'
  if (live === null) throw new Error(`${store.name}: nothing is ${what}, there is nothing to verify`)
  const { slot, snapshot, liveSince } = live
  let differences = 0
  const onDifference = (difference: ObjectDifference) => {
    differences++
    return options.onDifference(difference)
  }
  const found = await withFolder(async (folder) => {
    const counting = { ...options, onDifference }
    const { keys, ...objects } = await verifySlot(store, live, folder, counting)
    const downloads = await verifyDownloads(store, live, folder, keys, counting)
    if (options.isStaged !== true) await verifyEarlier(store, live, counting)
    const isDeep = options.bodies === 'all' && options.isStaged !== true
    const earlierDays = isDeep ? await verifyEarlierDownloads(store, live, keys, counting) : 0
    return { ...objects, downloads, earlierDays }
  }).catch(adviseRepair)
  if (differences > 0 && (await read())?.liveSince !== liveSince)
    throw new Error(`${store.name}: another snapshot went live or was staged meanwhile, verify again`)
  return { slot, snapshot, ...found, differences }
}

async function verifySlot(store: ObjectStore, live: Live, folder: string, options: VerifyOptions) {
  const { slot, snapshot } = live
  const { bodies, isListing = true, concurrency, signal, onDifference, onListed, onBody, random } = options
  const manifest = await fetchManifest(store, slot, folder)
  if (manifest?.head.snapshot !== snapshot) {
    const what = manifest === null ? 'is missing' : `is that of ${manifest.head.snapshot}`
    throw new Error(
      `${store.name}: ${manifestIn(slot)} ${what}, ${options.isStaged === true ? 'staged' : 'live'} is ${snapshot}: publish with --repair`,
    )
  }
  const { head, lines } = manifest
  // Bodies tell more than ETags: a bucket that was copied to another kind of store has others.
  const noted =
    isListing && bodies !== 'all' ? await fetchList(store, etagsKey(slot), etagLine, folder) : null
  const etags = noted ?? nothing
  const objects = countFiles(head)

  const known = join(folder, 'differences.ndjson.gz')
  const listing = { signal, onListed: (listed: number) => onListed(listed, objects) }
  const listed = isListing ? compareWithListing(store, slot, lines(), etags(), listing) : nothing()
  await writeNdjson(known, reported(listed, onDifference))

  const keys = await verifySignature(store, live, manifest, options)

  const wanted = bodies === 'all' ? objects : bodies === 'none' ? 0 : Math.min(bodies, objects)
  const chosen = wanted === 0 ? nothing() : sample(lines(), objects, wanted, random)
  let done = 0
  await inParallel(
    without(chosen, sortedList(known, ownLine<ObjectDifference>)()),
    concurrency,
    async (line) => {
      signal.throwIfAborted()
      const difference = await compareBody(store, slot, line, { signal })
      if (difference !== null) await onDifference(difference)
      onBody(++done, wanted)
    },
  )
  return { objects, bodies: done, keys }
}

/** Reports what is not signed as it should be. @returns the keys that count; none if nothing has to be signed */
async function verifySignature(
  store: ObjectStore,
  live: Live,
  manifest: Manifest,
  options: VerifyOptions,
): Promise<readonly string[]> {
  const { isListing = true, signedBy, signal, onDifference } = options
  const { slot } = live
  const texts = textsIn(store, slot, { signal })
  if (factsText(live) !== factsText(manifest.head))
    await onDifference({ key: options.isStaged === true ? stagedKey : liveKey, what: 'facts' })
  const { keys, sha256, faults } = await checkSnapshot(texts, manifest, signedBy)
  if (sha256 !== null && (await digestOf(store, checksumsIn(slot), { signal })) !== sha256)
    await onDifference({ key: checksumsKey, what: 'body' })
  for (const { key, what } of faults) await onDifference({ key, what })
  if (keys.length === 0 && signedBy === null) return keys
  const changes = await checkChanges(texts, manifest.head, keys)
  for (const { key, what } of changes.faults) await onDifference({ key, what })
  // They are few and small.
  if (changes.sums !== null && isListing)
    await verifyFolder(store, inSlot(slot, changesFolder), changes.sums, [], { ...options, bodies: 'all' })
  return keys
}

/**
 * Compares the live snapshot's downloads by listing: names of `SHA256SUMS`, sizes and ETags of the publish; then by bodies if all are
 * to be read.
 */
async function verifyDownloads(
  store: ObjectStore,
  live: Live,
  folder: string,
  keys: readonly string[],
  options: VerifyOptions,
) {
  const { signal, onDifference } = options
  const { downloads, slot } = live
  if (downloads === undefined) return null
  const prefix = downloadsPrefix(downloads.folder)
  const found = await verifySums(store, prefix, keys, options)
  const isRight = found.text !== null && hash('sha256', found.text) === downloads.sums
  if (found.text !== null && !isRight) await onDifference({ key: prefix + checksumsName, what: 'body' })
  const sums: ReadonlyMap<string, string> = isRight ? found.sums : new Map()
  if (isRight && keys.length > 0 && sums.get(factsKey) !== digestOfFacts(live))
    await onDifference({ key: prefix + factsKey, what: 'facts' })
  const lines = await fetchList(store, downloadEtagsKey(slot), downloadLine, folder)
  const known: ExpectedObject[] = []
  // The list of a publish that was killed belongs to another folder.
  for await (const { etag, ...line } of lines?.() ?? nothing())
    if (line.key.startsWith(prefix)) known.push(options.bodies === 'all' ? line : { ...line, etag })
  signal.throwIfAborted()
  await verifyFolder(store, prefix, sums, known, options)
  return downloads.files
}

/** Downloads of the days before, as edges give them out: all bodies. Each was signed on its day. @returns the number of days */
async function verifyEarlierDownloads(
  store: ObjectStore,
  live: Live,
  keys: readonly string[],
  options: VerifyOptions,
): Promise<number> {
  const { signal, onDifference } = options
  const folders = earlierFolders(live.earlierDownloads).filter(isFolderOfSnapshot)
  for (const folder of folders) {
    const prefix = downloadsPrefix(folder)
    const { text, sums } = await verifySums(store, prefix, keys, options)
    if (text === null) await onDifference({ key: prefix + checksumsName, what: 'missing' })
    if (text === null) continue
    await verifyFolder(store, prefix, sums, [], options)
    if (keys.length === 0) continue
    const facts = await readSmall(store, prefix + factsKey, { signal })
    // A later edition of the same snapshot has a name of its own, which begins with the id.
    if (facts === null || !folder.startsWith(snapshotIn(facts.text)))
      await onDifference({ key: prefix + factsKey, what: 'facts' })
  }
  return folders.length
}

/** The id in a `snapshot.json`; a text that no folder has as its beginning if that is none. */
function snapshotIn(text: string): string {
  try {
    return snapshotInFacts(text)
  } catch {
    return 'none'
  }
}

/** Reads `SHA256SUMS` of a folder, and reports its signature if it has to be signed. */
async function verifySums(
  store: ObjectStore,
  prefix: string,
  keys: readonly string[],
  { signal, onDifference }: VerifyOptions,
) {
  const key = prefix + checksumsName
  const text = (await readSmall(store, key, { signal }))?.text ?? null
  if (text !== null && keys.length > 0) {
    const signature = (await readSmall(store, `${key}.sig`, { signal }))?.text ?? null
    for (const { key: at, what } of signedSums({ key, text, signature }, keys).faults)
      await onDifference({ key: at, what })
  }
  return { text, sums: sumsIn(text ?? '') }
}

/** A folder with its `SHA256SUMS`: nothing is missing or foreign, and the bodies that are read have these digests. */
async function verifyFolder(
  store: ObjectStore,
  prefix: string,
  sums: ReadonlyMap<string, string>,
  known: readonly ExpectedObject[],
  { bodies, concurrency, signal, onDifference }: VerifyOptions,
) {
  const digests = [...sums].map(([name, sha256]) => ({ key: prefix + name, sha256 }))
  const expected = new Map<string, ExpectedObject>(
    [{ key: prefix + checksumsName }, ...digests, ...known].map((one) => [one.key, one]),
  )
  const sorted = [...expected.values()].sort((one, other) => (isBefore(one.key, other.key) ? -1 : 1))
  const differing = new Set<string>()
  const doubtful = new Set<string>()
  for await (const difference of listingDifferences(Readable.from(sorted), store.list(prefix, { signal }))) {
    const { key, what } = difference
    // Whoever needs the signature has read it.
    if (what === 'extra' && key === `${prefix}${checksumsName}.sig`) continue
    // In a folder that was restored or copied, only the body tells. That of the checksums was compared above.
    if (what === 'etag' && !store.areEtagsDigests) doubtful.add(key)
    else {
      await onDifference(difference)
      differing.add(key)
    }
  }
  const toRead = digests.filter(({ key }) => doubtful.has(key) || (bodies === 'all' && !differing.has(key)))
  await inParallel(toRead, concurrency, async ({ key, sha256 }) => {
    signal.throwIfAborted()
    if ((await digestOf(store, key, { signal })) !== sha256) await onDifference({ key, what: 'body' })
  })
}

/** Earlier downloads may hold withdrawn data only on a legal hold, out of reach of edges. */
async function verifyEarlier(store: ObjectStore, live: Live, { keep, signal, onDifference }: VerifyOptions) {
  if (live.restricted === undefined || keep === null) return
  const head = await fetchHead(store, manifestIn(live.slot))
  const folders = (await store.folders(downloadsRoot, { signal })).filter(isFolderOfSnapshot)
  const { staged } = await findStaged(store, live)
  const others = folders.filter(
    (folder) => folder !== live.downloads?.folder && folder !== staged?.downloads?.folder,
  )
  const found = await findWithdrawn(store, head?.restricted ?? {}, others, { signal })
  const isServed = (folder: string) =>
    placeOf(live, dayFolder(dayOf(folder)))?.startsWith(downloadsPrefix(folder)) === true
  for (const folder of [...found.keys()].sort())
    if (!keep.includes(dayOf(folder)) || isServed(folder))
      await onDifference({ key: downloadsPrefix(folder), what: 'withdrawn' })
}

async function* reported<T>(differences: AsyncIterable<T>, onDifference: (difference: T) => unknown) {
  for await (const difference of differences) {
    await onDifference(difference)
    yield difference
  }
}

/** Yields `wanted` lines, each equally likely, in their order. Source: Knuth, TAOCP 2, 3.4.2, algorithm S. */
async function* sample<T>(lines: AsyncIterable<T>, of: number, wanted: number, random: () => number) {
  let left = of
  let missing = wanted
  for await (const line of lines) {
    if (random() * left-- >= missing) continue
    missing--
    yield line
  }
}

async function* without(lines: AsyncIterable<ManifestLine>, known: AsyncIterable<ObjectDifference>) {
  for await (const { values } of mergeSorted(lines, known)) {
    const [line, difference] = values
    if (line !== undefined && difference === undefined) yield line
  }
}
