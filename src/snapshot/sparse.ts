/** `sparse.json`: says of a folder that it holds a whole manifest, but only the files that another snapshot lacks. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const sparseKey = 'sparse.json'

export interface Sparse {
  /** The id of the snapshot that has all the other files. */
  readonly since: string
}

export function writeSparse(folder: string, sparse: Sparse): void {
  writeFileSync(join(folder, sparseKey), `${JSON.stringify(sparse)}\n`)
}

/** @returns null for a folder that holds all its files @throws {Error} if the file says nothing that can be read */
export function readSparse(folder: string): Sparse | null {
  try {
    return JSON.parse(readFileSync(join(folder, sparseKey), 'utf8')) as Sparse
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw new Error(`${join(folder, sparseKey)} is damaged: remove ${folder} and build it again`, {
      cause: error,
    })
  }
}
