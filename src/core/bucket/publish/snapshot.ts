/** The snapshot of a publish: its lists as they were at the begin, and its edition. Reads the folder only. */

import { hash } from 'node:crypto'
import { copyFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { checksumsKey, type ManifestHead, manifestKey } from '../../snapshot/manifest.ts'
import { messageOf } from '../../system/message.ts'
import { checksumsName, dayFolder, type Slot } from '../live/layout.ts'
import type { Live, LiveObject } from '../live/live.ts'
import { type Manifest, openManifest } from '../manifest/manifest.ts'
import { orIfMissing } from '../store/files.ts'
import type { SnapshotChanges } from '../../api/contract/changes.ts'
import type { Door, DoorOptions, ReadsChanges } from '../live/options.ts'

type Snapshot = Awaited<ReturnType<typeof copySnapshot>>

/** Equal id and edition mean equal bytes. */
export interface Identity {
  readonly snapshot: string
  readonly edition: string
}

export async function identifySnapshot(out: string, baseUrl: string): Promise<Identity> {
  const { head } = await openManifest(join(out, manifestKey))
  return { snapshot: head.snapshot, edition: await editionOf(out, head, baseUrl) }
}

export const namesSnapshot = (live: Live | null, { snapshot, edition }: Identity): live is Live =>
  live?.snapshot === snapshot && live.edition === edition

/**
 * A digest of what a publish uploads beside the objects that make the id: `status/`, the analysts' files, the address in the feed.
 * Other thresholds, another licence or baseUrl may change them and no object.
 * @returns 12 hex digits
 */
async function editionOf(out: string, { asOf, files }: ManifestHead, baseUrl: string): Promise<string> {
  const file = join(out, dayFolder(asOf), checksumsName)
  const sums = await readFile(file, 'utf8').catch(orIfMissing(null))
  const beside = files.map(({ key, sha256, type }) => [key, sha256, type])
  return hash('sha256', JSON.stringify([beside, sums, baseUrl])).slice(0, 12)
}

/** Copies the lists: all that is put must be of one snapshot. @throws {Error} if a build has just replaced it */
export async function copySnapshot(out: string, folder: string, baseUrl: string, identity: Identity) {
  const { snapshot, edition } = identity
  const manifestFile = join(folder, manifestKey)
  const checksumsFile = join(folder, checksumsKey)
  const copy = async () => {
    await copyFile(join(out, manifestKey), manifestFile)
    await copyFile(join(out, checksumsKey), checksumsFile)
    const copied = await openManifest(manifestFile, { label: join(out, manifestKey) })
    return [copied, await openManifest(join(out, manifestKey))] as const
  }
  const [manifest, now] = await copy().catch((error: unknown) => {
    throw new Error(`${out}: its lists cannot be read: ${messageOf(error)}`, { cause: error })
  })
  if (manifest.head.snapshot !== snapshot || now.head.snapshot !== snapshot) throw builtAnew(out)
  await assertUnchanged(out, { manifest, edition }, baseUrl)
  return { manifest, manifestFile, checksumsFile, edition }
}

export async function assertUnchanged(
  out: string,
  { manifest, edition }: { readonly manifest: Manifest; readonly edition: string },
  baseUrl: string,
): Promise<void> {
  if ((await editionOf(out, manifest.head, baseUrl)) !== edition) throw builtAnew(out)
}

const builtAnew = (out: string) =>
  new Error(`${out} was built anew meanwhile; nothing was flipped, publish again`)

/** Hook of an extension: the old and the new documents were compared, and readers can be told. */
export interface Compared extends ReadsChanges {
  /**
   * Writes into `changes/` of the slot, after the upload.
   * @param changes null if the snapshot is the one that is live
   * @returns SHA-256 of all its files, by name: the publish signs them
   */
  readonly write: (publish: Publish, changes: SnapshotChanges | null) => Promise<ReadonlyMap<string, string>>
}

/** What a publish has found before it writes to a slot. */
export interface Plan {
  readonly slot: Slot
  /** The snapshot is live, or staged, already: no object differs. */
  readonly state: 'new' | 'live' | 'staged'
  /** Number of objects that differ from the slot's. */
  readonly put: number
  readonly deleted: number
  /** Size of the objects to put. */
  readonly bytes: number
}

export interface PublishOptions extends DoorOptions {
  readonly compared: Compared | null
  readonly out: string
  readonly baseUrl: string
  readonly cacheControl: string
  /** Puts a second at most, or null. */
  readonly maxRate: number | null
  /** A repair that reads and hashes every body. */
  readonly isDeep: boolean
  /** Does everything but the flip. */
  readonly isStaging?: boolean
  readonly onPlan?: (plan: Plan) => void
  readonly onProgress?: (progress: { done: number; of: number; bytes: number }) => void
}

export interface Publish extends PublishOptions, Door {
  readonly compared: Compared | null
  readonly snapshot: Snapshot
  /** State of the bucket. Decided once, when no request of an earlier holder can change it any more. */
  readonly base: {
    readonly live: LiveObject
    /** The other slot: the publish writes to it. */
    readonly slot: Slot
    /** The key of the list of changes if a publish was stopped in that slot, or null. */
    readonly torn: string | null
    /** The slot holds what its own lists name: it is not torn, and this is no repair. */
    readonly isTrusted: boolean
    /** `staged.json` goes before the slot changes. */
    readonly hasStagedFile: boolean
  }
  readonly putOwn: (file: string, key: string, type: string) => Promise<void>
}
