/** What the system says of a disk, with a way out. */

import { UnflushedError } from '../disk/durable.ts'

/**
 * A disk that is full or may not be written to: which one, and what to do. Other errors are handed back as they are.
 * @param out the folder that was to be replaced
 */
export function withAdvice(error: unknown, out: string): unknown {
  if (error instanceof UnflushedError)
    return new Error(`${out}: ${error.message}; ${out} is as it was`, { cause: error })
  const { code, path } = error as NodeJS.ErrnoException
  const advice: Readonly<Record<string, string>> = {
    ENOSPC: 'the disk is full: free some space, or choose another --out',
    EDQUOT: 'the quota is used up: free some space, or choose another --out',
    EFBIG: 'a file grew beyond the limit for files (ulimit -f)',
    EACCES: 'no right to write there',
    EPERM: 'no right to write there',
    EBUSY: 'it cannot be replaced, as a mount point for example: choose a folder in it',
    EROFS: 'the file system is read-only',
    EMFILE: 'too many open files (ulimit -n)',
  }
  const known = code === undefined ? undefined : advice[code]
  return known === undefined
    ? error
    : new Error(`${path ?? out}: ${known}; ${out} is as it was`, { cause: error })
}
