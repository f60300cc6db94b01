/** Snapshots in a folder, as `fundpress build` makes them: followed when a new one is swapped in. */

import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { RouteTable } from '../../routes/table.ts'
import type { Store } from '../answer.ts'
import { digests, folderStore } from './folder-store.ts'
import type { NodeBody } from './node-body.ts'
import type { Origin, PinnedSnapshot } from './node.ts'

export interface FolderOriginOptions {
  readonly folder: string
  /** A file that every snapshot has and that differs between any two: when it changes, the snapshot has. */
  readonly markFile: string
  /** Reads what the snapshot says of itself. */
  readonly readHead: (folder: string) => Promise<{ readonly snapshot: string; readonly table: RouteTable }>
  /** Brings back the snapshot of a build that was killed while it exchanged it. */
  readonly recover: () => void
}

interface Live {
  readonly table: RouteTable
  readonly store: Store<NodeBody>
}

/** How long to wait for a snapshot that is just being exchanged: two renames. */
const waitsInMs = [1, 5, 20, 100]

export function folderOrigin({ folder, markFile, readHead, recover }: FolderOriginOptions): Origin {
  const known = digests()
  /** The snapshot that was opened last, by what tells it from any other that lay in the folder. */
  let last: { readonly mark: string; readonly live: Promise<Live> } | undefined

  const readMark = async (): Promise<string> => {
    const { ino, size, mtimeNs } = await stat(join(folder, markFile), { bigint: true })
    return `${ino} ${size} ${mtimeNs}`
  }
  const open = async (): Promise<Live> => {
    const { snapshot, table } = await readHead(folder)
    return { table, store: folderStore(folder, snapshot, known) }
  }

  const pin = async (): Promise<PinnedSnapshot> => {
    const mark = await readMark()
    if (last?.mark !== mark) last = { mark, live: open() }
    const opened = last
    try {
      const { table, store } = await opened.live
      return { table, store, isStillLive: async () => (await readMark().catch(() => '')) === mark }
    } catch (error) {
      // It was exchanged meanwhile, or cannot be opened: then it is tried anew.
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
          await new Promise((resolve) => setTimeout(resolve, wait))
        }
      }
      recover()
      return pin()
    },
  }
}
