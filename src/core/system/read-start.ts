import { closeSync, openSync, readSync } from 'node:fs'

/** The first bytes of a file, fewer if it is shorter. */
export function readStart(file: string, most: number): Buffer {
  const opened = openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(most)
    return bytes.subarray(0, readSync(opened, bytes))
  } finally {
    closeSync(opened)
  }
}
