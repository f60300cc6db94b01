/** `fundpress rollback`: makes the other slot live again, in one write of `live.json`, under the lease. */

import type { ManifestHead } from '../../build/manifest.ts'
import { compareWithListing } from '../manifest/listing.ts'
import { type EtagLine, fetchHead, fetchList, fetchManifest, type Manifest } from '../manifest/manifest.ts'
import { nothing } from '../manifest/ndjson.ts'
import { withFolder } from '../store/files.ts'
import { hasAny } from '../store/read.ts'
import type { ObjectStore } from '../store/store.ts'
import { prefixOf } from './download-folders.ts'
import { assertFollowed, flip, type Following, liveAfter, point, pointStaged } from './flip.ts'
import { dayFolder, etagsKey, manifestIn, otherSlot, type Slot } from './layout.ts'
import { type Lease, type LeaseOptions, withLease } from './lease.ts'
import { type Live, type LiveSnapshot, readLive, revertedBefore, snapshotOf, tornSlots } from './live.ts'
import { findStaged } from './staged.ts'
import { downloadsState } from './status.ts'
import { digestOfRestricted, restrictedBeside } from './withdrawn.ts'

export interface RollbackOptions extends Following, Omit<LeaseOptions, 'isRepair' | 'target'> {
  /** The snapshot that is to be live; null for the one that the other slot holds. */
  readonly to: string | null
  /** Whether it may be a snapshot that a rollback has reverted. */
  readonly isAgain: boolean
  /** Whether the slot is listed first, and compared with its manifest. */
  readonly isChecking: boolean
  /** Called with what a rollback does not restore, and what may have happened although it was stopped. */
  readonly onWarning: (warning: string) => void
}

/**
 * Waits for no late requests of a killed publish: they can change only a torn slot, and a rollback refuses that one.
 * @returns what is live now, and the snapshot that was live until then
 * @throws {Error} if another process holds the lease, or if the other slot is torn, does not hold that snapshot or holds one
 * that a rollback has reverted
 */
export async function rollback(store: ObjectStore, options: RollbackOptions) {
  const { live } = await readLive(store)
  if (live === null) throw nothingLive(store)
  assertFollowed(store, live, options)
  return withLease(store, options, (lease) =>
    withFolder((folder) => rollBackUnder(lease, store, folder, options)),
  )
}

async function rollBackUnder(lease: Lease, store: ObjectStore, folder: string, options: RollbackOptions) {
  const { to, isAgain, isChecking, isLocking, signal, onWarning } = options
  const expected = await readLive(store)
  const { live } = expected
  if (live === null) throw nothingLive(store)
  assertFollowed(store, live, options)
  const slot = otherSlot(live.slot)
  const manifest = await fetchManifest(store, slot, folder)
  const refused = (why: string) => new Error(`${store.name}: ${why}`)
  await refuseStaged(store, live)
  if (manifest === null) throw refused(`${slot} holds no snapshot, there is nothing to go back to`)
  const { snapshot } = manifest.head
  if (to !== null && snapshot !== to)
    throw refused(live.snapshot === to ? `${to} is live already` : `${slot} holds ${snapshot}, not ${to}`)
  if (!isAgain && revertedBefore(live)?.snapshot === snapshot)
    throw refused(
      `the rollback of ${live.liveSince} has reverted ${snapshot}, so this would make it live again: ` +
        'do so with --again; a publish replaces it',
    )
  if (tornSlots({ changing: lease.torn }, live)[slot] !== undefined)
    throw tornSlot(store, slot, 'a publish was stopped in it')
  if (isChecking) await assertWhole(store, slot, manifest, folder)

  const before = snapshotBefore(store, live, { slot, snapshot, to })
  const keyValueStore = options.pointer?.name
  const brought = { ...besideManifest(before, live), broughtBy: 'rollback', keyValueStore } as const
  const next = liveAfter(manifest.head, slot, brought, { now: await lease.assertHeld(), before: live })
  await flip(store, next, expected, { isLocking, lease, signal, onWarning })
  await point(options.pointer, next)
  await pointStaged(options.pointer, null)
  const warnings = [await givenOutAgain(store, live, manifest.head), await lostDownloads(store, next, live)]
  for (const warning of warnings) if (warning !== null) onWarning(`${store.name}: ${warning}`)
  return { ...snapshotOf(next), reverted: live.snapshot }
}

/** @throws {Error} if a staged snapshot has taken the place of the one before */
async function refuseStaged(store: ObjectStore, live: Live): Promise<void> {
  const { staged } = await findStaged(store, live)
  if (staged === null) return
  const { slot, snapshot } = staged
  throw new Error(
    `${store.name}: ${snapshot} is staged in ${slot}, which held the snapshot before: there is nothing to go back to. ` +
      `\`fundpress flip ${snapshot}\` makes it live, a publish replaces it`,
  )
}

/**
 * What `live.json` says of the snapshot in the other slot; null if it names none.
 * @throws {Error} if it names another one, unless the operator does
 */
function snapshotBefore(
  store: ObjectStore,
  // Earlier versions wrote no `previous`.
  { previous }: Partial<Live>,
  { slot, snapshot, to }: { readonly slot: Slot; readonly snapshot: string; readonly to: string | null },
): LiveSnapshot | null {
  if (previous?.snapshot === snapshot) return previous
  // Somebody removed or damaged staged.json by hand.
  if (previous === undefined || to === snapshot) return null
  const advice = `--to ${snapshot} makes it live all the same`
  throw new Error(`${store.name}: ${slot} holds ${snapshot}, which was not live before: ${advice}`)
}

/** @throws {Error} that names the first object that differs from the slot's manifest */
export async function assertWhole(store: ObjectStore, slot: Slot, { lines }: Manifest, folder: string) {
  const etags = (await fetchList<EtagLine>(store, etagsKey(slot), folder, true)) ?? nothing
  for await (const { key, what } of compareWithListing(store, slot, lines(), etags())) {
    // An object beside the snapshot harms nobody.
    if (what !== 'extra')
      throw tornSlot(store, slot, `${key} is ${what === 'missing' ? what : 'another one'}`, byRepair)
  }
}

export const tornSlot = (store: ObjectStore, slot: Slot, why: string, advice = 'publish again instead') =>
  new Error(`${store.name}: ${slot} is not whole (${why}): ${advice}`)

/** Any other publish trusts the manifest of a slot. */
export const byRepair = 'publish with --repair instead'

function besideManifest(before: LiveSnapshot | null, live: LiveSnapshot) {
  const { changes, downloads } = before ?? {}
  // Earlier versions had one folder a day: its files stay those of the other edition.
  const isOtherEdition = downloads === undefined && live.downloads === undefined && before?.asOf === live.asOf
  return { changes, downloads, edition: isOtherEdition ? undefined : before?.edition }
}

const nothingLive = (store: ObjectStore) =>
  new Error(`${store.name}: nothing is live, there is nothing to take back`)

/** Funds that something may not be given out of any more, by the snapshot that was live: that one may be right. */
async function givenOutAgain(
  store: ObjectStore,
  live: LiveSnapshot,
  { snapshot, restricted = {} }: ManifestHead,
) {
  if (live.restricted === undefined || live.restricted === digestOfRestricted(restricted)) return null
  const head = await fetchHead(store, manifestIn(live.slot)).catch(() => null)
  const isins = Object.values(restrictedBeside(head?.restricted ?? {}, restricted)).flat()
  if (isins.length === 0) return null
  const named = isins.slice(0, 10).join(', ') + (isins.length > 10 ? ` and ${isins.length - 10} more` : '')
  return `${snapshot} may give out again what ${live.snapshot} withheld of ${named}`
}

/** What to do if the files for analysts are not those of what is live now: only a publish can upload them. */
async function lostDownloads(store: ObjectStore, now: LiveSnapshot, before: LiveSnapshot) {
  if (now.downloads !== undefined) {
    const state = await downloadsState(store, now).catch(() => null)
    if (state === 'whole') return null
    const advice = `publish the folder of ${now.snapshot} again (\`fundpress publish --repair --out …\`)`
    return `${prefixOf(now)} could not be found whole: ${advice}`
  }
  if (now.asOf !== before.asOf || before.downloads !== undefined) return null
  const folder = dayFolder(now.asOf)
  // What cannot be listed may be there.
  if (!(await hasAny(store, folder).catch(() => true))) return null
  return (
    `${folder} and downloads/latest/ were not taken back: they still hold the files of ` +
    `${before.snapshot}, prices included. Publish the folder of ${now.snapshot} again (\`fundpress publish --out …\`) ` +
    `to put both right; the next nightly run puts downloads/latest/ right only`
  )
}
