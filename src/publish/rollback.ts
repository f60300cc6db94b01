/** `fundpress rollback`: makes the other slot live again, in one write of `live.json`, under the lease. */

import { randomUUID } from 'node:crypto'
import { downloadsState } from './downloads-state.ts'
import { flip } from './flip.ts'
import { dayFolder, otherSlot, type Slot } from './layout.ts'
import { takeLease, type Lease, type LeaseOptions } from './lease.ts'
import { liveAfter, liveSnapshot, readLive, tornSlots, type LiveSnapshot } from './live.ts'
import { prefixOf } from './live-downloads.ts'
import { point, type LivePointer } from './live-pointer.ts'
import type { Manifest } from './manifest-reader.ts'
import { nothing } from './ndjson.ts'
import { fetchEtags, fetchManifest } from './prepare.ts'
import { withFolder } from './status.ts'
import type { ObjectStore } from './store.ts'
import { compareWithListing } from './verify.ts'

export interface RollbackOptions extends Omit<LeaseOptions, 'id' | 'isRepair'> {
  /** The snapshot that is to be live; null for whatever the other slot holds. */
  readonly to: string | null
  /** Whether the slot is listed first, and compared with its manifest. */
  readonly isChecking: boolean
  /** Told what is live, too. */
  readonly pointer?: LivePointer | null
  readonly signal: AbortSignal
  /** Told what a rollback does not take back, and what a command that was stopped has done all the same. */
  readonly onWarning: (warning: string) => void
}

/**
 * Waits for no late requests of a killed publish: they can change a torn slot only, and that one is refused.
 * @returns what is live now
 * @throws {Error} if somebody else holds the lease, or if the other slot is torn or does not hold that snapshot
 */
export async function rollback(store: ObjectStore, options: RollbackOptions): Promise<LiveSnapshot> {
  if ((await readLive(store)).live === null) throw nothingLive(store)
  const lease = await takeLease(store, { ...options, id: randomUUID() })
  try {
    return await rollBackUnder(lease, store, options)
  } finally {
    // The lease ends by itself too, a little later.
    await lease.release().catch(() => undefined)
  }
}

function rollBackUnder(lease: Lease, store: ObjectStore, options: RollbackOptions): Promise<LiveSnapshot> {
  return withFolder(async (folder) => {
    const { to, isChecking } = options
    const expected = await readLive(store)
    const { live } = expected
    if (live === null) throw nothingLive(store)
    const slot = otherSlot(live.slot)
    const manifest = await fetchManifest(store, slot, folder)
    if (manifest === null)
      throw new Error(`${store.name}: ${slot} holds no snapshot, there is nothing to go back to`)
    const { snapshot } = manifest.head
    if (to !== null && snapshot !== to) {
      const why = live.snapshot === to ? `${to} is live already` : `${slot} holds ${snapshot}, not ${to}`
      throw new Error(`${store.name}: ${why}`)
    }
    if (tornSlots({ changing: lease.inherited }, live)[slot] !== undefined)
      throw tornSlot(store, slot, 'a publish was stopped in it')
    if (isChecking) await assertWhole(store, slot, manifest, folder)
    const { previous } = live
    const before = previous?.snapshot === snapshot ? previous : null
    const { changes, downloads } = before ?? {}
    // Earlier versions had one folder a day: there the files of the other edition stay.
    const isTouched = downloads === undefined && live.downloads === undefined && before?.asOf === live.asOf
    const edition = isTouched ? undefined : before?.edition
    const now = await lease.assertHeld()
    const next = liveSnapshot(manifest.head, slot, { before: live, now, changes, edition, downloads })
    const taken = { ...next, broughtBy: 'rollback' as const }
    await flip(store, taken, { ...options, expected, lease, flipper: 'rollback' })
    await point(options.pointer, liveAfter(next, live))
    await warnOfDownloads(store, next, live, options)
    return next
  })
}

const nothingLive = (store: ObjectStore) =>
  new Error(`${store.name}: nothing is live, there is nothing to take back`)

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
