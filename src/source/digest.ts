/** The digest of a database file, read while connections of ours hold locks on it. */

import { createHash } from 'node:crypto'
import { createReadStream, existsSync, realpathSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { identityOf } from './identity.ts'
import type { FundDatabase } from './open.ts'

export interface OpenedFile {
  /**
   * SHA-256 of the file in hex; with the digest of its write-ahead log as it was when the file was opened, where that held
   * something. A transaction that began since then sees at least this, and what others commit while it reads is in none
   * of the two: they write to the log, and nothing of that goes into the file before we have let go.
   */
  readonly digest: () => Promise<string>
  /** @throws {Error} if another file has come into its place: what was opened meanwhile may be of either */
  readonly assertSame: () => void
  /**
   * Nobody who asks SQLite writes to the file of a database while we read: that has to wait, or goes to the log.
   * @param db in a read transaction, until the answer has been asked
   * @returns rejects if somebody has written all the same since the call: what was read may be of before and after
   */
  readonly watch: (db: FundDatabase) => Promise<() => Promise<void>>
  /**
   * To be called after every connection of this process is closed: POSIX takes a process's locks on a file away when
   * it closes any descriptor of that file, and SQLite would not know that a writer may come in.
   */
  readonly close: () => Promise<void>
}

/** @param identity of the file, found before anything else was opened that has to be of the same one */
export async function openFile(file: string, identity = identityOf(file)): Promise<OpenedFile> {
  const handle = await open(file)
  const log = await digestOfLog(`${realpathSync(file)}-wal`)
  return {
    digest: async () => {
      const sha256 = createHash('sha256')
      const buffer = Buffer.allocUnsafe(1 << 20)
      for (let at = 0; ;) {
        const { bytesRead } = await handle.read(buffer, 0, buffer.length, at)
        if (bytesRead === 0) break
        sha256.update(buffer.subarray(0, bytesRead))
        at += bytesRead
      }
      if (log !== null) sha256.update(log)
      return sha256.digest('hex')
    },
    assertSame: () => {
      if (identityOf(file) !== identity)
        throw new Error(`${file} was replaced while it was being opened: build again`)
    },
    watch: async (db) => {
      // What is in the log comes into the file at any time.
      if (db.pragma('journal_mode', { simple: true }) === 'wal') return () => Promise.resolve()
      const before = await contentOf(handle)
      return async () => {
        if ((await contentOf(handle)) !== before)
          throw new Error(
            `${file} was overwritten while it was read: build again, and put databases into their place by a rename (mv)`,
          )
      }
    },
    close: () => handle.close(),
  }
}

async function contentOf(handle: FileHandle): Promise<string> {
  const { size, mtimeNs } = await handle.stat({ bigint: true })
  return `${size} ${mtimeNs}`
}

/** SQLite locks the file and not its log: this one may be closed. @returns null where there is none, or an empty one */
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
