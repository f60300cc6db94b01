/** `fundpress rollback`: makes the other slot live again. One write. */

import { heldMessage, isHeldByOther, readJournal, type Holder } from './journal.ts'
import { downloadsState } from './downloads-state.ts'
import { dayFolder, otherSlot, type Slot } from './layout.ts'
import {
  isSameLive,
  liveAfter,
  liveSnapshot,
  notWhole,
  readLive,
  snapshotOf,
  writeLive,
  type Live,
  type LiveObject,
  type LiveSnapshot,
} from './live.ts'
import { prefixOf } from './live-downloads.ts'
import { point, type LivePointer } from './live-pointer.ts'
import type { Manifest } from './manifest-reader.ts'
import { nothing } from './ndjson.ts'
import { fetchEtags, fetchManifest } from './prepare.ts'
import { withFolder } from './status.ts'
import { ConditionFailed, type ObjectStore } from './store.ts'
import { compareWithListing } from './verify.ts'

export interface RollbackOptions {
  /** The snapshot that is to be live; null for whatever the other slot holds. */
  readonly to: string | null
  /** Whether the slot is listed first, and compared with its manifest. */
  readonly isChecking: boolean
  readonly isLocking: boolean
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
  /** Told what is live, too. */
  readonly pointer?: LivePointer | null
  readonly signal: AbortSignal
  /** Told what a rollback does not take back, and what a command that was stopped has done all the same. */
  readonly onWarning: (warning: string) => void
}

/**
 * @returns what is live now
 * @throws {Error} if the other slot does not hold that snapshot, is not whole, or is being written to
 */
export function rollback(store: ObjectStore, options: RollbackOptions): Promise<LiveSnapshot> {
  return withFolder(async (folder) => {
    const { to, isChecking } = options
    // In this order: a publish that begins after the journal was read finds what is live here.
    const standing = await readLive(store)
    const { live } = standing
    if (live === null) throw new Error(`${store.name}: nothing is live, there is nothing to take back`)
    const slot = otherSlot(live.slot)
    const manifest = await fetchManifest(store, slot, folder)
    if (manifest === null)
      throw new Error(`${store.name}: ${slot} holds no snapshot, there is nothing to go back to`)
    const { snapshot } = manifest.head
    if (to !== null && snapshot !== to) {
      const why = live.snapshot === to ? `${to} is live already` : `${slot} holds ${snapshot}, not ${to}`
      throw new Error(`${store.name}: ${why}`)
    }
    await assertFree(store, slot, live, options)
    if (isChecking) {
      await assertWhole(store, slot, manifest, folder)
      // The listing took its time.
      await assertFree(store, slot, live, options)
    }
    const { previous } = live
    const before = previous?.snapshot === snapshot ? previous : null
    const { changes, downloads } = before ?? {}
    // Earlier versions had one folder a day: there the files of the other edition stay.
    const isTouched = downloads === undefined && live.downloads === undefined && before?.asOf === live.asOf
    const edition = isTouched ? undefined : before?.edition
    const told = { before: live, now: standing.now(), changes, edition, downloads }
    const next = liveSnapshot(manifest.head, slot, told)
    const made = await makeLive(store, next, { ...standing, live }, options)
    await warnOfDownloads(store, made, live, options)
    return made
  })
}

/** Tells where the files for analysts are not those of what is live now: only a publish can bring them. */
async function warnOfDownloads(
  store: ObjectStore,
  now: LiveSnapshot,
  before: LiveSnapshot,
  { onWarning }: RollbackOptions,
): Promise<void> {
  if (now.downloads !== undefined) {
    const state = await downloadsState(store, now).catch(() => null)
    if (state === 'whole') return
    onWarning(
      `${store.name}: ${prefixOf(now)} could not be found whole: publish the folder of ${now.snapshot} again ` +
        '(`fundpress publish --repair --out …`)',
    )
    return
  }
  if (now.asOf !== before.asOf || before.downloads !== undefined) return
  const folder = dayFolder(now.asOf)
  // What cannot be listed may be there.
  if (!(await hasAny(store, folder).catch(() => true))) return
  onWarning(
    `${store.name}: ${folder} and downloads/latest/ were not taken back: they still hold the files of ` +
      `${before.snapshot}, prices included. Publish the folder of ${now.snapshot} again (\`fundpress publish --out …\`) ` +
      `to put both right; the next night puts downloads/latest/ right only`,
  )
}

async function hasAny(store: ObjectStore, prefix: string): Promise<boolean> {
  for await (const _ of store.list(prefix)) return true
  return false
}

/** @throws {Error} if somebody publishes, or was stopped in the slot */
async function assertFree(
  store: ObjectStore,
  slot: Slot,
  live: Live,
  { me, isAlive }: RollbackOptions,
): Promise<void> {
  const journal = await readJournal(store)
  if (isHeldByOther(journal, me, isAlive)) throw new Error(heldMessage(store, journal))
  if (notWhole(journal.journal?.changing ?? {}, live)[slot] !== undefined)
    throw tornSlot(store, slot, 'a publish was stopped in it')
}

interface Standing extends LiveObject {
  readonly live: Live
}

async function makeLive(
  store: ObjectStore,
  next: LiveSnapshot,
  standing: Standing,
  options: RollbackOptions,
): Promise<LiveSnapshot> {
  const written = await writeNext(store, next, standing, options)
  const { live, isLocking } = { ...standing, ...options }
  // A publish that took the lease since we looked may have begun to write to what is live now. One that has not said so
  // yet looks at live.json before it does, and gives up.
  const after = await readJournal(store).catch((error: unknown) => {
    const what = `${next.snapshot} is live, but nobody could ask whether a publish writes to it: look at \`fundpress status\``
    if (options.signal.aborted) options.onWarning(what)
    throw new Error(`${what} (${reasonOf(error)})`, { cause: error })
  })
  if (
    after.journal?.changing[next.slot] !== undefined &&
    next.changes !== after.journal.changing[next.slot]
  ) {
    const { live: now } = await readLive(store)
    const { broughtBy } = live
    const restored = { ...snapshotOf(live), broughtBy }
    await writeLive(store, restored, now, isLocking ? written : undefined).catch(changedMeanwhile(store))
    throw new Error(`${heldMessage(store, after)}: it began at the same moment, nothing was taken back`)
  }
  await point(options.pointer, liveAfter(next, live))
  return next
}

/** @returns what the next write has to find */
async function writeNext(
  store: ObjectStore,
  next: LiveSnapshot,
  { live, condition }: Standing,
  { isLocking, signal, onWarning }: RollbackOptions,
): Promise<LiveObject['condition']> {
  try {
    const taken = { ...next, broughtBy: 'rollback' as const }
    const { etag } = await writeLive(store, taken, live, isLocking ? condition : undefined)
    return { ifMatch: etag }
  } catch (error) {
    if (error instanceof ConditionFailed) return changedMeanwhile(store)(error)
    // The write can have been carried out although it was not answered.
    const now = await readLive(store).catch(() => null)
    if (now !== null && isSameLive(now.live, next)) return now.condition
    const unknown = `nobody knows whether ${next.snapshot} is live: look at \`fundpress status\``
    if (signal.aborted) onWarning(unknown)
    throw new Error(`${reasonOf(error)}; ${unknown}`, { cause: error })
  }
}

const changedMeanwhile =
  (store: ObjectStore) =>
  (error: unknown): never => {
    if (!(error instanceof ConditionFailed)) throw error
    throw new Error(`${store.name}: somebody else changed live.json meanwhile; nothing was taken back`, {
      cause: error,
    })
  }

/** @throws {Error} that names the first object that differs from the slot's manifest */
async function assertWhole(
  store: ObjectStore,
  slot: Slot,
  manifest: Manifest,
  folder: string,
): Promise<void> {
  const etags = await fetchEtags(store, slot, folder, true)
  const differing = compareWithListing(store, slot, manifest.lines(), etags?.() ?? nothing())
  for await (const { key, what } of differing) {
    // What is there beside the snapshot harms nobody.
    if (what !== 'extra')
      throw tornSlot(store, slot, `${key} is ${what === 'missing' ? what : 'another one'}`)
  }
}

const tornSlot = (store: ObjectStore, slot: Slot, why: string) =>
  new Error(`${store.name}: ${slot} is not whole (${why}): publish again instead`)

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
