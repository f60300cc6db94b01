/** Room for a rollback on a full disk: a file that gives its place to `live.json` and `journal.json`, and is made again later. */

import { randomBytes } from 'node:crypto'
import { rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenFolder } from '../../system/below.ts'
import { systemCode } from '../../system/message.ts'
import { statOf } from './folder-files.ts'

/** `live.json`, `journal.json` and the history, each beside the file that it replaces, in blocks of 4 KB. */
const reserveBytes = 128 * 1024

/** @param own the folder of the store, which holds no objects */
export function openReserve(own: OpenFolder) {
  /** Without a reserve all goes on as with one, up to the full disk: no failure of this matters before. */
  const make = () => {
    try {
      own.within((at) => {
        const file = join(at, 'reserve')
        // A process that was killed, or found the disk full, may have left a part.
        if (Number(statOf(file)?.size ?? 0) === reserveBytes) return
        rmSync(file, { force: true })
        try {
          // Some file systems keep no block for zeros.
          writeFileSync(file, randomBytes(reserveBytes), { flag: 'wx', flush: true })
        } catch {
          rmSync(file, { force: true })
        }
      })
    } catch {
      // See above.
    }
  }
  make()
  return {
    make,
    /** @returns whether there is more room now */
    release: (): boolean => {
      try {
        own.within((at) => {
          unlinkSync(join(at, 'reserve'))
        })
        return true
      } catch {
        return false
      }
    },
  }
}

export const isDiskFull = (error: unknown): boolean => ['ENOSPC', 'EDQUOT'].includes(systemCode(error))
