/** What `fundpress serve` serves: a snapshot in a folder, or the live one in a bucket. */

import { createReadStream, existsSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Origin } from '../edge/adapters/node.ts'
import type { S3Store } from '../publish/s3-store.ts'

export interface Served {
  readonly origin: Origin
  /** The id of the snapshot that is there now. */
  readonly snapshot: string
  /** The folder or bucket, for messages. */
  readonly place: string
  /** Pages to open and requests to try. */
  readonly examples: () => Promise<string[]>
}

/** @throws {Error} if the folder holds no snapshot, or a sparse one */
export async function serveFolder(out: string): Promise<Served> {
  const { folderOrigin } = await import('../edge/adapters/folder-origin.ts')
  const { routeTable } = await import('../derive/route-table.ts')
  const { endpoints } = await import('../endpoints/index.ts')
  const { checksumsKey, manifestKey, readManifestHead } = await import('../snapshot/manifest.ts')
  const { readSparse } = await import('../snapshot/sparse.ts')
  const { recoverSnapshot } = await import('../snapshot/staging.ts')
  const { exampleTargets } = await import('../snapshot/examples.ts')

  recoverSnapshot(out)
  const readHead = async (folder: string) => {
    const head = await readManifestHead(folder)
    if (readSparse(folder) === null) return head
    throw new Error(
      `${folder} is sparse, it lacks the documents that did not change: publish it, or build without --since`,
    )
  }
  const { snapshot } = await readHead(out)
  const origin = folderOrigin({
    folder: out,
    markFile: manifestKey,
    // The errors that the edge writes link to where those of the snapshot do.
    readHead: async (folder) => {
      const head = await readHead(folder)
      return { snapshot: head.snapshot, table: routeTable(endpoints, head.docsUrl) }
    },
    recover: () => recoverSnapshot(out),
  })
  const examples = () =>
    exampleTargets({
      checksums: createReadStream(join(out, checksumsKey)),
      has: (key) => existsSync(join(out, key)),
    })
  return { origin, snapshot, place: out, examples }
}

/** @throws {Error} if nothing is live, or the bucket cannot be read */
export async function serveBucket(
  store: S3Store,
  {
    liveTtlMs,
    clock,
    onDamaged,
  }: {
    readonly liveTtlMs: number
    readonly clock: () => number
    /** Told each time `live.json` is found damaged, while what was live before is served. */
    readonly onDamaged: (error: Error) => void
  },
): Promise<Served> {
  const { bucketOrigin } = await import('../edge/adapters/bucket-origin.ts')
  const { DamagedLive } = await import('../edge/adapters/damaged-live.ts')
  const { routeTable } = await import('../derive/route-table.ts')
  const { endpoints } = await import('../endpoints/index.ts')
  const { checksumsIn, inSlot } = await import('../publish/layout.ts')
  const { readLive: readLiveObject } = await import('../publish/live.ts')
  const { LiveDamaged } = await import('../publish/parse-live.ts')
  const { readPart, readUpTo } = await import('../publish/read-part.ts')
  const { exampleTargets } = await import('../snapshot/examples.ts')

  const readLive = async () => {
    const { live } = await readLiveObject(store)
    if (live === null) throw new Error(`${store.name}: nothing is live, there is nothing to serve`)
    return live
  }
  const origin = bucketOrigin({
    readLive: async () => {
      const live = await readLive().catch((error: unknown) => {
        if (!(error instanceof LiveDamaged)) throw error
        throw new DamagedLive(error.message, { cause: error })
      })
      return { ...live, liveSince: new Date(live.liveSince), table: routeTable(endpoints, live.docsUrl) }
    },
    reader: {
      read: (key, most) => readUpTo(store, key, most),
      readPart: (key, part, etag) => readPart(store, key, part, etag),
    },
    liveTtlMs,
    clock,
    onDamaged,
  })
  const { slot, snapshot } = await readLive()
  const examples = async () => {
    const list = await store.get(checksumsIn(slot))
    if (list === null) return []
    const has = async (key: string) => {
      const object = await store.get(inSlot(slot, key))
      object?.cancel()
      return object !== null
    }
    const found = await exampleTargets({ checksums: Readable.from(list.body), has })
    list.cancel()
    return found
  }
  return { origin, snapshot, place: store.name, examples }
}
