/** `fundpress verify`: compares the live slot with its manifest, and its downloads with their checksums. Writes nothing. */

import { createHash, hash } from 'node:crypto'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { checksumsKey, countFiles, type ManifestLine } from '../../build/manifest.ts'
import { signatureKey, signingKeyKey } from '../../build/manifest.ts'
import { placeOf } from '../../api/routes/pages.ts'
import { checksumsName, dayFolder, downloadEtagsKey, downloadsPrefix } from '../live/layout.ts'
import { checksumsIn, downloadsRoot, etagsKey, inSlot, manifestIn, type Slot } from '../live/layout.ts'
import { dayOf, isOurFolder, prefixOf } from '../live/download-folders.ts'
import { readLive, type Live } from '../live/live.ts'
import { findStaged, readStaged } from '../live/staged.ts'
import { findWithdrawn } from '../live/removal.ts'
import { downloadLine, sumsIn } from '../publish/downloads.ts'
import { isSignedBy, keysIn } from '../../system/ssh-signature.ts'
import { withFolder } from '../store/files.ts'
import { inParallel } from '../store/in-parallel.ts'
import { digestOf, readSmall } from '../store/read.ts'
import type { ObjectStore } from '../store/store.ts'
import { isBefore, mergeSorted } from './compare.ts'
import { compareBody, compareWithListing, listingDifferences } from './listing.ts'
import type { ExpectedObject, ObjectDifference } from './listing.ts'
import { adviseRepair, fetchHead, fetchList, fetchManifest } from './manifest.ts'
import { etagLine, type Manifest } from './manifest.ts'
import { nothing, ownLine, readSorted, writeNdjson } from './ndjson.ts'

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
    return { ...objects, downloads }
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
  const noted = isListing ? await fetchList(store, etagsKey(slot), etagLine, folder) : null
  const etags = noted ?? nothing
  const objects = countFiles(head)

  const known = join(folder, 'differences.ndjson.gz')
  const listing = { signal, onListed: (listed: number) => onListed(listed, objects) }
  const listed = isListing ? compareWithListing(store, slot, lines(), etags(), listing) : nothing()
  await writeNdjson(known, reported(listed, onDifference))

  const keys = await verifySignature(store, slot, manifest, options)

  const wanted = bodies === 'all' ? objects : bodies === 'none' ? 0 : Math.min(bodies, objects)
  const chosen = wanted === 0 ? nothing() : sample(lines(), objects, wanted, random)
  let done = 0
  await inParallel(
    without(chosen, readSorted(known, ownLine<ObjectDifference>)),
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

/**
 * Compares the signature with the lines of the manifest, which make SHA256SUMS, and that file with them. So a manifest that somebody
 * has changed together with an object shows. Snapshots of earlier versions have no signature.
 * @returns the keys that are trusted; none if nothing has to be signed
 */
async function verifySignature(
  store: ObjectStore,
  slot: Slot,
  { head: { files = [] }, objects }: Manifest,
  { signedBy, signal, onDifference }: VerifyOptions,
): Promise<readonly string[]> {
  const isSigned = files.some(({ key }) => key === signatureKey)
  if (!isSigned && signedBy !== null) await onDifference({ key: checksumsKey, what: 'unsigned' })
  if (!isSigned) return signedBy ?? []
  const [sha256, sha512] = [createHash('sha256'), createHash('sha512')]
  const add = ({ sha256: digest, key }: ManifestLine) => {
    const line = `${digest}  ${key}\n`
    sha256.update(line)
    sha512.update(line)
  }
  for await (const line of objects()) add(line)
  for (const file of files) if (file.key !== signatureKey) add(file)
  const digest = await digestOf(store, checksumsIn(slot), { signal })
  if (digest !== sha256.digest('hex')) await onDifference({ key: checksumsKey, what: 'body' })
  const textOf = async (key: string) => (await readSmall(store, inSlot(slot, key), { signal }))?.text ?? ''
  const keys = signedBy === null || signedBy.length === 0 ? keysIn(await textOf(signingKeyKey)) : signedBy
  if (!isSignedBy(keys, await textOf(signatureKey), sha512.digest()))
    await onDifference({ key: signatureKey, what: 'signature' })
  return keys
}

/**
 * Compares the live snapshot's downloads by listing: names of `SHA256SUMS`, sizes and ETags of the publish; then by bodies if all are
 * to be read. Downloads of an earlier version have no list of ETags.
 */
async function verifyDownloads(
  store: ObjectStore,
  live: Live,
  folder: string,
  keys: readonly string[],
  options: VerifyOptions,
) {
  const { bodies, concurrency, signal, onDifference } = options
  const { downloads, slot } = live
  if (downloads === undefined) return null
  const prefix = prefixOf(live)
  const sumsKey = prefix + checksumsName
  const sums = await readSmall(store, sumsKey, { signal })
  const isRight = sums !== null && hash('sha256', sums.text) === downloads.sums
  if (sums !== null && !isRight) await onDifference({ key: sumsKey, what: 'body' })

  if (isRight) await verifyChecksums(store, sumsKey, sums.text, keys, options)
  const names = [...(isRight ? sumsIn(sums.text) : [])]
  const digests = names.map(([name, sha256]) => ({ key: prefix + name, sha256 }))
  const named = [{ key: sumsKey }, ...digests]
  const expected = new Map<string, ExpectedObject>(named.map((one) => [one.key, one]))
  const lines = await fetchList(store, downloadEtagsKey(slot), downloadLine, folder)
  // The list of a publish that was killed belongs to another folder.
  for await (const line of lines?.() ?? nothing())
    if (line.key.startsWith(prefix)) expected.set(line.key, line)

  const sorted = [...expected.values()].sort((one, other) => (isBefore(one.key, other.key) ? -1 : 1))
  const differing = new Set<string>()
  for await (const { difference } of listingDifferences(
    Readable.from(sorted),
    store.list(prefix, { signal }),
  )) {
    await onDifference(difference)
    differing.add(difference.key)
  }
  const alike = digests.filter(({ key }) => bodies === 'all' && !differing.has(key))
  await inParallel(alike, concurrency, async ({ key, sha256 }) => {
    signal.throwIfAborted()
    if ((await digestOf(store, key, { signal })) !== sha256) await onDifference({ key, what: 'body' })
  })
  return downloads.files
}

async function verifyChecksums(
  store: ObjectStore,
  key: string,
  text: string,
  keys: readonly string[],
  { signal, onDifference }: VerifyOptions,
) {
  if (keys.length === 0) return
  const signature = await readSmall(store, `${key}.sig`, { signal })
  if (signature === null) await onDifference({ key, what: 'unsigned' })
  else if (!isSignedBy(keys, signature.text, hash('sha512', text, 'buffer')))
    await onDifference({ key: `${key}.sig`, what: 'signature' })
}

/** Earlier downloads may hold withdrawn data only on a legal hold, out of reach of edges. */
async function verifyEarlier(store: ObjectStore, live: Live, { keep, signal, onDifference }: VerifyOptions) {
  if (live.restricted === undefined || keep === null) return
  const head = await fetchHead(store, manifestIn(live.slot))
  const folders = (await store.folders(downloadsRoot, { signal })).filter(isOurFolder)
  const { staged } = await findStaged(store, live)
  const others = folders.filter(
    (folder) => downloadsPrefix(folder) !== prefixOf(live) && folder !== staged?.downloads?.folder,
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
  let [left, missing] = [of, wanted]
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
