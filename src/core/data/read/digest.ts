/** The digest of a database file, read while connections of ours hold locks on it. */

import { createHash } from 'node:crypto'
import { createReadStream, existsSync, realpathSync, statSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import type { FundDatabase } from './open.ts'

export type OpenedFile = Awaited<ReturnType<typeof openFile>>

/** @param identity of the file, found before anything else of the same file was opened */
export async function openFile(file: string, identity = identityOf(file)) {
  const handle = await open(file)
  const log = await digestOfLog(`${realpathSync(file)}-wal`)
  return {
    /**
     * SHA-256 of the file in hex; with the digest of its write-ahead log as it was when the file was opened, where that held
     * something. A transaction that began since then sees at least this, and what others commit while it reads is in none
     * of the two: they write to the log, and nothing of that goes into the file before we have let go.
     */
    digest: async (signal?: AbortSignal): Promise<string> => {
      const sha256 = createHash('sha256')
      const buffer = Buffer.allocUnsafe(1 << 20)
      for (let at = 0; ;) {
        signal?.throwIfAborted()
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
        if (bytesRead === 0) break
        sha256.update(buffer.subarray(0, bytesRead))
        at += bytesRead
      }
      if (log !== null) sha256.update(log)
      return sha256.digest('hex')
    },
    /** @throws {Error} if another file has replaced it: what was opened meanwhile may be of either */
    assertSame: (): void => {
      if (identityOf(file) !== identity)
        throw new Error(`${file} was replaced while it was being opened: build again`)
    },
    /**
     * No program writes to the database through SQLite meanwhile: a writer waits, or writes to the log.
     * @param db in a read transaction, until the answer has been asked
     * @returns rejects if another program has written to the file since the call: the digest may be of a mixture
     */
    watch: async (db: FundDatabase): Promise<() => Promise<void>> => {
      // SQLite moves the log into the file at any time.
      if (db.pragma('journal_mode', { simple: true }) === 'wal') return () => Promise.resolve()
      const before = await contentOf(handle)
      const advice = 'build again, and replace databases by a rename (mv)'
      return async () => {
        if ((await contentOf(handle)) !== before)
          throw new Error(`${file} was overwritten while it was being read: ${advice}`)
      }
    },
    /**
     * To be called after every connection of this process is closed: POSIX takes a process's locks on a file away when
     * it closes any descriptor of that file, and SQLite would not know that a writer may come in. A digest that is being computed
     * rejects.
     */
    close: (): Promise<void> => handle.close(),
  }
}

const contentOf = async (handle: FileHandle) => {
  const { size, mtimeNs } = await handle.stat({ bigint: true })
  return `${size} ${mtimeNs}`
}

/** SQLite locks the file and not its log: this one may be closed. @returns null if there is none or it is empty */
async function digestOfLog(log: string): Promise<Buffer | null> {
  if (!existsSync(log)) return null
  const sha256 = createHash('sha256')
  let bytes = 0
  for await (const chunk of createReadStream(log) as AsyncIterable<Buffer>) {
    sha256.update(chunk)
    bytes += chunk.length
  }
  return bytes === 0 ? null : sha256.digest()
}

/**
 * The same for the same file, through links, for as long as a program has the file open; '' if there is none. No time of
 * the file counts: on a disk without times of creation, that time is the time of the last write.
 */
export function identityOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.dev} ${stats.ino}`
}
