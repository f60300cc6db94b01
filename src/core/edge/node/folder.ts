/**
 * Snapshots in a folder, as `fundpress build` makes them. The origin follows when a build swaps in a new one, or when the folder
 * is a link that leads to another one; below it no link is followed. Small files stay in memory; of large files only the digests do.
 */

import { createHash, hash } from 'node:crypto'
import { closeSync, readSync, statSync, type BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import pLimit, { type LimitFunction } from 'p-limit'
import { downloadKey } from '../../api/routes/pages.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import { openBelow, openHandleBelow, realFolder } from '../../system/below.ts'
import type { Store, StoredObject } from '../core/answer.ts'
import type { ByteRange } from '../core/finish.ts'
import { largeReadsAtATime, mostInMemory, objectCache, reading, type NodeBody } from './objects.ts'
import type { Origin, PinnedSnapshot } from './server.ts'
import { systemCode } from '../../system/message.ts'

interface FolderOriginOptions {
  readonly folder: string
  /** A file of every snapshot that differs between any two: its change shows a new snapshot. */
  readonly markFile: string
  readonly readHead: (folder: string) => Promise<{ readonly snapshot: string; readonly table: RouteTable }>
  readonly recover: () => void
}

/** Waits for a swap, which is two renames. */
const waitsInMs = [1, 5, 20, 100]

export function folderOrigin({ folder, markFile, readHead, recover }: FolderOriginOptions): Origin {
  const md5Of = rememberedMd5()
  let last: { readonly mark: string; readonly live: ReturnType<typeof openSnapshot> } | undefined

  let reads = 0
  const countRead = () => {
    reads++
  }

  const readMark = (at: string) => markOf(join(at, markFile))
  const isStill = (mark: string): boolean => {
    try {
      return readMark(folder) === mark
    } catch {
      return false
    }
  }
  const openSnapshot = async (mark: string) => {
    // A link may lead to another snapshot while this one is read, and then back here, to what the cache has.
    const place = realFolder(folder)
    if (readMark(place) !== mark) throw changed(folder)
    const { snapshot, table } = await readHead(place)
    countRead()
    const live = { snapshot, since: null }
    return { table, live, store: folderStore(place, snapshot, md5Of, countRead) }
  }

  const pin = async (): Promise<PinnedSnapshot> => {
    const mark = readMark(folder)
    if (last?.mark !== mark) last = { mark, live: openSnapshot(mark) }
    const opened = last
    const readsBefore = reads
    // Bytes that were in memory when the request began had been read while the snapshot was live.
    const isStillLive = () => Promise.resolve(reads === readsBefore || isStill(mark))
    try {
      return { ...(await opened.live), isStillLive }
    } catch (error) {
      // The snapshot was swapped meanwhile, or cannot be opened: the next attempt begins anew.
      if (last === opened) last = undefined
      throw error
    }
  }

  return {
    pin: async () => {
      for (const wait of waitsInMs) {
        try {
          return await pin()
        } catch {
          await setTimeout(wait)
        }
      }
      recover()
      return pin()
    },
  }
}

/** Synchronous: each request needs it, most need nothing else of the disk, and asking another thread takes longer. */
function markOf(file: string): string {
  const { ino, size, mtimeNs } = statSync(file, { bigint: true })
  return `${ino} ${size} ${mtimeNs}`
}

interface Place {
  /** The folder of the snapshot, behind links. */
  readonly root: string
  readonly path: string
}

/** The MD5 of a large file, in hex. Rejects if the file was replaced. */
type Md5Of = (place: Place, stats: BigIntStats) => Promise<string>

/** Keeps MD5s across snapshots: each file is read once. */
function rememberedMd5(): Md5Of {
  const known = new LRUCache<string, string, { readonly place: Place; readonly stats: BigIntStats }>({
    max: 10_000,
    ignoreFetchAbort: true,
    fetchMethod: (_identity, _known, { context: { place, stats } }) =>
      withFile(place, async (file) => {
        await assertSame(place, file, stats)
        const md5 = createHash('md5')
        const chunk = Buffer.allocUnsafeSlow(chunkBytes)
        for (let read = await file.read(chunk); read.bytesRead > 0; read = await file.read(chunk))
          md5.update(chunk.subarray(0, read.bytesRead))
        return md5.digest('hex')
      }),
  })
  return (place, stats) => known.forceFetch(identityOf(stats), { context: { place, stats } })
}

/** @param onRead called at the end of each read of the disk; at its begin, if nothing of it is kept */
function folderStore(root: string, snapshot: string, md5Of: Md5Of, onRead: () => void): Store<NodeBody> {
  const cache = objectCache((body) => body.length)
  const inTurn = pLimit(largeReadsAtATime)
  const read = async (place: Place): Promise<StoredObject<NodeBody> | null> => {
    // Another thread would take ten times as long to find nothing, and any client can ask for missing files.
    if (statSync(join(root, place.path), { throwIfNoEntry: false }) === undefined) return null
    return withFile(place, async (file) => {
      const stats = await file.stat({ bigint: true })
      // A path of a page can end at a folder.
      if (!stats.isFile()) return null
      const length = Number(stats.size)
      const body =
        length > mostInMemory
          ? {
              length,
              read: (part: ByteRange) => {
                onRead()
                return readPart(place, stats, part, inTurn)
              },
            }
          : await file.readFile()
      // S3 gives the same object this ETag, so a client's copy outlives a move from here to there.
      const md5 = Buffer.isBuffer(body) ? hash('md5', body) : await md5Of(place, stats)
      return { body, etag: `"${md5}"`, lastModified: stats.mtime.toUTCString() }
    }).catch((error: unknown) => {
      // A path of a page can go on below a file.
      if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return null
      throw error
    })
  }
  // Keys are made of checked values only (an ISIN, a known type, a year of the window list, the plain names of a
  // page's path): they stay in the folder.
  const placeOf = (key: string): Place => ({ root, path: downloadKey(snapshot, key) })
  return {
    get: (key) => cache.get(key, () => read(placeOf(key)).finally(onRead)),
    slice: async (key, first, last) => {
      const whole = cache.known(key)?.body
      if (Buffer.isBuffer(whole)) return whole.subarray(first, last + 1)
      const readIt = () => {
        onRead()
        return Promise.resolve({ body: readSlice(placeOf(key), first, last), etag: '', lastModified: '' })
      }
      const slice = await cache.get(`${key} ${first}-${last}`, readIt)
      if (slice === null) throw new Error(`no document: ${key}`)
      return slice.body
    },
    ...reading,
  }
}

/** Synchronous: another thread would take ten times as long. @throws {Error} if the file is shorter */
function readSlice(place: Place, first: number, last: number): Buffer {
  const file = openBelow(place.root, place.path)
  try {
    const bytes = Buffer.allocUnsafe(last - first + 1)
    for (let at = 0; at < bytes.length;) {
      const read = readSync(file, bytes, at, bytes.length - at, first + at)
      if (read === 0) throw changed(place.path)
      at += read
    }
    return bytes
  } finally {
    closeSync(file)
  }
}

const chunkBytes = 64 * 1024

/** @throws {Error} if the file was replaced, or is shorter than it was */
async function* readPart(
  place: Place,
  stats: BigIntStats,
  { first, last }: ByteRange,
  inTurn: LimitFunction,
): AsyncGenerator<Buffer, void> {
  const file = await openHandleBelow(place.root, place.path)
  try {
    // A file that is removed or replaced from now on can still be read to its end.
    await assertSame(place, file, stats)
    const room = Buffer.allocUnsafeSlow(Math.min(chunkBytes, last - first + 1))
    for (let at = first; at <= last;) {
      const wanted = Math.min(room.length, last - at + 1)
      const { bytesRead } = await inTurn(() => file.read(room, 0, wanted, at))
      if (bytesRead === 0) throw changed(place.path)
      yield room.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    await file.close()
  }
}

async function assertSame({ path }: Place, file: FileHandle, stats: BigIntStats): Promise<void> {
  if (identityOf(await file.stat({ bigint: true })) !== identityOf(stats)) throw changed(path)
}

const identityOf = ({ dev, ino, size, mtimeNs }: BigIntStats) => `${dev} ${ino} ${size} ${mtimeNs}`

const changed = (path: string) => new Error(`${path} was changed while it was read`)

async function withFile<T>({ root, path }: Place, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await openHandleBelow(root, path)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}
