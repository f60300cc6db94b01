/** Files that only their owner may read and write: with a secret, or with data that may not be given out. */

import { closeSync, fchmodSync, openSync } from 'node:fs'

export const privateFile = 0o600

/** Makes an empty file for others to fill, such as SQLite. @throws {Error} if there is something already */
export function makePrivateFile(file: string): void {
  const opened = openSync(file, 'wx', privateFile)
  try {
    // The umask may have taken rights of the owner, too.
    fchmodSync(opened, privateFile)
  } finally {
    closeSync(opened)
  }
}
