/** One snapshot's files. Small ones are remembered; large ones are read in parts, and only their digests remembered. */

import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { LRUCache } from 'lru-cache'
import { downloadKey } from '../../routes/pages.ts'
import type { Store, StoredObject } from '../answer.ts'
import type { ByteRange } from '../byte-range.ts'
import { largeReadsAtATime, mostInMemory, textOf, type NodeBody } from './node-body.ts'
import { objectCache } from './object-cache.ts'
import { queue, type Queue } from './slots.ts'

/** The MD5 of large files, in hex, whatever snapshot they are in: each is read once. */
export interface Digests {
  /** @throws {Error} if the file is not that one any more */
  readonly md5: (path: string, stats: BigIntStats) => Promise<string>
}

const mostDigests = 10_000

export function digests(): Digests {
  const known = new LRUCache<string, string, { readonly path: string; readonly stats: BigIntStats }>({
    max: mostDigests,
    ignoreFetchAbort: true,
    fetchMethod: (_identity, _known, { context: { path, stats } }) =>
      withFile(path, async (file) => {
        await assertSame(path, file, stats)
        const md5 = createHash('md5')
        const chunk = Buffer.allocUnsafeSlow(chunkBytes)
        for (let read = await file.read(chunk); read.bytesRead > 0; read = await file.read(chunk))
          md5.update(chunk.subarray(0, read.bytesRead))
        return md5.digest('hex')
      }),
  })
  return { md5: (path, stats) => known.forceFetch(identityOf(stats), { context: { path, stats } }) }
}

export function folderStore(folder: string, snapshot: string, known: Digests): Store<NodeBody> {
  const cache = objectCache<StoredObject<NodeBody>>(({ body }) => body.length)
  const inTurn = queue(largeReadsAtATime)
  return {
    // Keys are made of checked values only (an ISIN, a known type, a year of the window list, the plain names of a
    // page's path): they stay in the folder.
    get: (key) => cache.get(key, () => readObject(join(folder, downloadKey(snapshot, key)), known, inTurn)),
    text: textOf,
  }
}

async function readObject(
  path: string,
  known: Digests,
  inTurn: Queue,
): Promise<StoredObject<NodeBody> | null> {
  try {
    return await withFile(path, async (file) => {
      const stats = await file.stat({ bigint: true })
      // A path of a page can end at what is a folder.
      if (!stats.isFile()) return null
      const length = Number(stats.size)
      const isLarge = length > mostInMemory
      const body = isLarge
        ? { length, read: (part: ByteRange) => readPart(path, stats, part, inTurn) }
        : await file.readFile()
      // The ETag that S3 gives the same object, so that a client's copy outlives a move from here to there.
      const md5 = Buffer.isBuffer(body)
        ? createHash('md5').update(body).digest('hex')
        : await known.md5(path, stats)
      return { body, etag: `"${md5}"`, lastModified: stats.mtime.toUTCString() }
    })
  } catch (error) {
    // A path of a page can go on below what is a file.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

/** Bytes that are read at a time. */
const chunkBytes = 64 * 1024

/** @throws {Error} if the file that lies there is another one, or is shorter than it was */
async function* readPart(
  path: string,
  stats: BigIntStats,
  { first, last }: ByteRange,
  inTurn: Queue,
): AsyncGenerator<Buffer, void> {
  const file = await open(path)
  try {
    // A file that is removed or replaced from now on can still be read to its end.
    await assertSame(path, file, stats)
    for (let at = first; at <= last;) {
      const length = Math.min(chunkBytes, last - at + 1)
      const { buffer, bytesRead } = await inTurn(() =>
        file.read(Buffer.allocUnsafeSlow(length), 0, length, at),
      )
      if (bytesRead === 0) throw changed(path)
      yield buffer.subarray(0, bytesRead)
      at += bytesRead
    }
  } finally {
    await file.close()
  }
}

async function assertSame(path: string, file: FileHandle, stats: BigIntStats): Promise<void> {
  if (identityOf(await file.stat({ bigint: true })) !== identityOf(stats)) throw changed(path)
}

const identityOf = ({ dev, ino, size, mtimeNs }: BigIntStats) => `${dev} ${ino} ${size} ${mtimeNs}`

const changed = (path: string) => new Error(`${path} was changed while it was read`)

async function withFile<T>(path: string, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}
