/**
 * `fundpress publish`: brings a snapshot into the slot that is not live, and makes it live in one write. A publish that
 * is killed at any point is taken up by the next one; the live slot is never written to.
 */

import { randomUUID } from 'node:crypto'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RouteTable } from '../routes/table.ts'
import { checksumsKey, manifestKey } from '../snapshot/manifest.ts'
import { bringIn, type Work } from './bring-in.ts'
import { noDownloads, type DownloadCounts } from './downloads.ts'
import { editionOf, isLiveAlready } from './edition.ts'
import type { Holder } from './journal.ts'
import { noCache, type Slot } from './layout.ts'
import { takeLease, type Lease } from './lease.ts'
import { readLive } from './live.ts'
import { point, type LivePointer } from './live-pointer.ts'
import { openManifest } from './manifest-reader.ts'
import type { MistakeLimits } from './mistakes.ts'
import type { Time } from './pause.ts'
import type { ObjectStore } from './store.ts'

export interface PublishOptions extends MistakeLimits {
  /** The snapshot's folder. */
  readonly out: string
  /** Tells endpoints and funds from keys. */
  readonly table: RouteTable
  /** The address that the API is published at, without a closing slash. */
  readonly baseUrl: string
  /** Of the objects in the slots. */
  readonly cacheControl: string
  readonly concurrency: number
  /** Puts a second at most, or null. */
  readonly maxRate: number | null
  /** Compares the slots with listings too, instead of trusting their manifests. */
  readonly isRepair: boolean
  /** A repair that reads and hashes every body. */
  readonly isDeep: boolean
  /** False for a store without conditional writes. */
  readonly isLocking: boolean
  readonly leaseSeconds: number
  /** How long a slot that was live is left alone, for readers that still read from it. */
  readonly graceSeconds: number
  /** How long a request may outlive whoever sent it: a publish that takes over waits for so long. */
  readonly lateSeconds: number
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
  /** Told what is live, too. */
  readonly pointer?: LivePointer | null
  /** The clocks of this machine unless given. */
  readonly time?: Time
  readonly signal: AbortSignal
  readonly onProgress?: (progress: {
    readonly done: number
    readonly of: number
    readonly bytes: number
  }) => void
  /** Told what failed and is no reason to stop, and what follows from it. */
  readonly onWarning: (warning: string) => void
}

export interface PublishSummary {
  readonly snapshot: string
  /** What was published beside its objects: `edition.ts`. */
  readonly edition: string
  readonly slot: Slot
  /** False where just this was live already. */
  readonly hasFlipped: boolean
  /** Documents that differ from those that were live before; null where that is not known. */
  readonly changed: number | null
  /** Objects, of what the slot that was written to held: a snapshot older than the one that was live. */
  readonly put: number
  readonly deleted: number
  /** Of the bodies that were put. */
  readonly bytes: number
  /** The analysts' files, which are in none of the figures above. */
  readonly downloads: DownloadCounts
  readonly requests: Readonly<Record<string, number>>
  readonly seconds: number
}

/**
 * @throws {Error} if somebody else publishes, if the snapshot is most likely a mistake, or if the store fails: what is
 * live stays live, and the next publish takes up what was begun
 */
export async function publish(store: ObjectStore, options: PublishOptions): Promise<PublishSummary> {
  const started = performance.now()
  const { head } = await openManifest(join(options.out, manifestKey))
  const { snapshot } = head
  const edition = await editionOf(options.out, head, options.baseUrl)
  const summary = (slot: Slot, done: Partial<PublishSummary>): PublishSummary => ({
    snapshot,
    edition,
    slot,
    hasFlipped: false,
    changed: 0,
    put: 0,
    deleted: 0,
    bytes: 0,
    downloads: noDownloads,
    ...done,
    requests: store.requests(),
    seconds: (performance.now() - started) / 1000,
  })
  const { live } = await readLive(store)
  if (isLiveAlready(live, snapshot, edition) && !options.isRepair) {
    await point(options.pointer, live)
    return summary(live.slot, {})
  }

  const target = `${snapshot} ${edition}`
  const lease = await takeLease(store, {
    ...options,
    id: randomUUID(),
    seconds: options.leaseSeconds,
    target,
  })
  const done = await publishUnder(lease, store, options, { snapshot, edition })
  return summary(done.slot, done)
}

async function publishUnder(
  lease: Lease,
  store: ObjectStore,
  options: PublishOptions,
  { snapshot, edition }: Pick<PublishSummary, 'snapshot' | 'edition'>,
): Promise<Partial<PublishSummary> & { readonly slot: Slot }> {
  let folder: string | undefined
  try {
    folder = await mkdtemp(join(tmpdir(), 'fundpress-publish-'))
    const lists = await keepLists(options.out, folder, snapshot)
    if ((await editionOf(options.out, lists.manifest.head, options.baseUrl)) !== edition)
      throw builtAnew(options.out)
    const signal = AbortSignal.any([options.signal, lease.lost])
    await lease.outwaitOthers(options.lateSeconds, {
      signal,
      onWait: (seconds) =>
        options.onWarning(
          `${store.name}: the publish before was killed or not answered: waiting ${seconds} s, until none of its requests can arrive any more`,
        ),
    })
    // Read anew under the lease: whoever held it before may have flipped.
    const standing = await readLive(store)
    if (isLiveAlready(standing.live, snapshot, edition) && !options.isRepair) {
      await point(options.pointer, standing.live)
      return { edition, slot: standing.live.slot }
    }
    const putFile: Work['putFile'] = async (file, key, type) => {
      const { assertFresh } = lease
      await store.putFile(file, { key, type, cacheControl: noCache }, { signal, assertFresh })
    }
    const done = await bringIn(
      store,
      { ...options, signal },
      {
        ...{ ...lists, edition, standing, lease, folder, putFile },
      },
    )
    return { ...done, edition, hasFlipped: true }
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    // The lease ends by itself too, a little later.
    await lease.release().catch(() => undefined)
  }
}

/**
 * Copies of the snapshot's lists: a build may exchange the snapshot at any moment, and what is put has to be of one.
 * @throws {Error} if it has done so just now
 */
async function keepLists(
  out: string,
  folder: string,
  snapshot: string,
): Promise<Pick<Work, 'manifest' | 'manifestFile' | 'checksumsFile'>> {
  const manifestFile = join(folder, manifestKey)
  const checksumsFile = join(folder, checksumsKey)
  const heads: string[] = []
  try {
    await copyFile(join(out, manifestKey), manifestFile)
    await copyFile(join(out, checksumsKey), checksumsFile)
    for (const file of [join(out, manifestKey), manifestFile])
      heads.push((await openManifest(file)).head.snapshot)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`${out}: its lists cannot be read: ${reason}`, { cause: error })
  }
  if (heads.some((head) => head !== snapshot)) throw builtAnew(out)
  return {
    manifest: await openManifest(manifestFile, { label: join(out, manifestKey) }),
    manifestFile,
    checksumsFile,
  }
}

const builtAnew = (out: string) => new Error(`${out}: the snapshot was built anew just now, publish again`)
