/** Snapshots in a folder, as `fundpress build` makes them: followed when a new one is swapped in. */

import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RouteTable } from '../../routes/table.ts'
import type { Store, StoredObject } from '../answer.ts'
import type { Origin } from './node.ts'
import { objectCache } from './object-cache.ts'

export interface FolderOriginOptions {
  readonly folder: string
  /** A file that every snapshot has and that differs between any two: when it changes, the snapshot has. */
  readonly markFile: string
  /** Reads what the snapshot itself says of its routes. */
  readonly readTable: (folder: string) => Promise<RouteTable>
}

interface Live {
  /** What tells this snapshot from any other that lay in the folder. */
  readonly mark: string
  readonly table: RouteTable
  readonly store: Store<Buffer>
}

/** How long to wait for a snapshot that is just being exchanged: two renames. */
const waitsInMs = [1, 5, 20, 100]

export function folderOrigin({ folder, markFile, readTable }: FolderOriginOptions): Origin {
  let live: Promise<Live> | undefined
  let liveMark = ''

  const readMark = async (): Promise<string> => {
    const { ino, size, mtimeNs } = await stat(join(folder, markFile), { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  }
  const open = async (mark: string): Promise<Live> => ({
    mark,
    table: await readTable(folder),
    store: folderStore(folder),
  })

  return {
    pin: async () => {
      const mark = await withPatience(readMark)
      if (live === undefined || mark !== liveMark) {
        liveMark = mark
        live = open(mark)
        // A snapshot that cannot be opened is tried again by the next request.
        live.catch(() => {
          live = undefined
        })
      }
      const pinned = await live
      return {
        table: pinned.table,
        store: pinned.store,
        isStillLive: async () => (await readMark().catch(() => '')) === pinned.mark,
      }
    },
  }
}

async function withPatience(readMark: () => Promise<string>): Promise<string> {
  for (const wait of waitsInMs) {
    try {
      return await readMark()
    } catch {
      await new Promise((resolve) => setTimeout(resolve, wait))
    }
  }
  return readMark()
}

function folderStore(folder: string): Store<Buffer> {
  const cache = objectCache<StoredObject<Buffer>>(({ body }) => body.length)
  return {
    // Keys are made of checked values only (an ISIN, a known type, a year of the window list): they stay in the folder.
    get: (key) => cache.get(key, () => readObject(join(folder, key))),
    text: (body) => Promise.resolve(body.toString('latin1')),
  }
}

async function readObject(path: string): Promise<StoredObject<Buffer> | null> {
  try {
    const [body, { mtime }] = await Promise.all([readFile(path), stat(path)])
    // The ETag that S3 gives the same object, so that a client's copy outlives a move from here to there.
    const etag = `"${createHash('md5').update(body).digest('hex')}"`
    return { body, etag, lastModified: mtime.toUTCString() }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
