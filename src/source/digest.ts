/** The digest of a database file, read while connections of ours hold locks on it. */

import { createHash } from 'node:crypto'
import { createReadStream, existsSync, realpathSync } from 'node:fs'
import { open } from 'node:fs/promises'

export interface OpenedFile {
  /** SHA-256 of the file in hex; with its write-ahead log, where that holds something. */
  readonly digest: () => Promise<string>
  /**
   * To be called after every connection of this process is closed: POSIX takes a process's locks on a file away when
   * it closes any descriptor of that file, and SQLite would not know that a writer may come in.
   */
  readonly close: () => Promise<void>
}

export async function openFile(file: string): Promise<OpenedFile> {
  const handle = await open(file)
  const log = `${realpathSync(file)}-wal`
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
      // SQLite locks the file and not its log: this one may be closed.
      if (existsSync(log)) for await (const chunk of createReadStream(log)) sha256.update(chunk as Buffer)
      return sha256.digest('hex')
    },
    close: () => handle.close(),
  }
}
