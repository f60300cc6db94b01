/** What `fundpress serve` serves: a snapshot in a folder, or the live one in a bucket; and where it listens. */

import { createReadStream, existsSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { routeTable } from '../api/derive/route-table.ts'
import { endpoints } from '../api/endpoints/index.ts'
import { checksumsIn, inSlot } from '../bucket/live/layout.ts'
import { readLive } from '../bucket/live/live.ts'
import { readPart, readUpTo } from '../bucket/store/read.ts'
import type { S3Store } from '../bucket/store/s3.ts'
import { exampleTargets } from '../build/examples.ts'
import { checksumsKey, manifestKey, readManifestHead, readSparse } from '../build/manifest.ts'
import { recoverSnapshot } from '../build/staging.ts'
import { bucketOrigin } from '../edge/node/bucket.ts'
import { folderOrigin } from '../edge/node/folder.ts'
import type { Origin } from '../edge/node/server.ts'

export interface Served {
  readonly origin: Origin
  /** The id of the snapshot that is served now. */
  readonly snapshot: string
  /** The folder or bucket, for messages. */
  readonly place: string
  /** Pages to open and requests to try. */
  readonly examples: () => Promise<string[]>
}

/** @throws {Error} if the folder holds no snapshot, or a sparse one */
export async function serveFolder(out: string): Promise<Served> {
  recoverSnapshot(out)
  const readHead = async (folder: string) => {
    const head = await readManifestHead(folder)
    if (readSparse(folder) === null) return head
    throw new Error(`${folder} is sparse, it lacks unchanged documents: publish it, or build without --since`)
  }
  const { snapshot } = await readHead(out)
  const origin = folderOrigin({
    folder: out,
    markFile: manifestKey,
    // The edge's own errors link to the same documentation as those of the snapshot.
    readHead: async (folder) => {
      const head = await readHead(folder)
      return { snapshot: head.snapshot, table: routeTable(endpoints, head.docsUrl) }
    },
    recover: () => recoverSnapshot(out),
  })
  const examples = () =>
    exampleTargets(createReadStream(join(out, checksumsKey)), (key) => existsSync(join(out, key)))
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
    /** Called when `live.json` is damaged; the edge keeps serving what was live before. */
    readonly onDamaged: (error: Error) => void
  },
): Promise<Served> {
  const liveNow = async () => {
    const { live } = await readLive(store)
    if (live === null) throw new Error(`${store.name}: nothing is live, there is nothing to serve`)
    return live
  }
  const origin = bucketOrigin({
    readLive: liveNow,
    table: routeTable(endpoints, ''),
    reader: {
      read: (key, most) => readUpTo(store, key, most),
      readPart: (key, part, etag) => readPart(store, key, part, etag),
    },
    ttlMs: liveTtlMs,
    clock,
    onDamaged,
  })
  const { slot, snapshot } = await liveNow()
  const examples = async () => {
    const list = await store.get(checksumsIn(slot))
    if (list === null) return []
    const has = async (key: string) => {
      const object = await store.get(inSlot(slot, key))
      object?.cancel()
      return object !== null
    }
    const found = await exampleTargets(Readable.from(list.body), has)
    list.cancel()
    return found
  }
  return { origin, snapshot, place: store.name, examples }
}

/** @returns the address to put into a browser: `http://127.0.0.1:8080` @throws {Error} if the port cannot be opened */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason: Readonly<Record<string, string>> = {
        EADDRINUSE: 'another program uses it: choose another --port (0: any free port)',
        EACCES: 'permission denied: choose a --port above 1023',
        EADDRNOTAVAIL: 'this machine does not have that address: choose another --host',
        ENOTFOUND: 'that host does not exist: choose another --host',
      }
      const known = reason[error.code ?? '']
      reject(known === undefined ? error : new Error(`${host} port ${port}: ${known}`, { cause: error }))
    })
    server.listen(port, host, resolve)
  })
  const { address, family, port: actual } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`
}
