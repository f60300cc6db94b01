/** Files of this machine: as bodies of puts, their size and digest, their errors, and temporary folders. */

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { makeTemporaryFolder } from '../../system/temporary.ts'

/** A folder for lists that need not fit into memory, removed afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder()
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Smaller files are read into memory: one pass instead of two. In bytes. */
export const streamedFrom = 8 * 1024 * 1024

/** S3 takes larger objects in parts only. In bytes. */
export const maxPutBytes = 5 * 1024 ** 3

/** @throws {Error} that names the file, if it cannot be read or is too large */
export async function sizeOf(file: string): Promise<number> {
  const found = await stat(file).catch((error: unknown) => {
    throw unreadable(file, error)
  })
  if (!found.isFile()) throw new Error(`${file} cannot be read: it is no file`)
  const { size } = found
  if (size > maxPutBytes)
    throw new Error(`${file} has ${size} bytes: a store takes ${maxPutBytes} (5 GiB) in one put at most`)
  return size
}

/** In hex. */
export async function digestOfFile(file: string, signal?: AbortSignal, algorithm = 'sha256') {
  const hash = createHash(algorithm)
  try {
    for await (const chunk of createReadStream(file, { signal })) hash.update(chunk as Buffer)
  } catch (error) {
    signal?.throwIfAborted()
    throw unreadable(file, error)
  }
  return hash.digest('hex')
}

export function unreadable(file: string, error: unknown): Error {
  const reason = (error as NodeJS.ErrnoException).code ?? String(error)
  return new Error(`${file} cannot be read (${reason})`, { cause: error })
}

/** An error of the file as one that names it; any other as it is. */
export function unwritable(file: string, error: unknown): unknown {
  if (!isFileError(error)) return error
  return new Error(`${file} cannot be written: ${error.message}`, { cause: error })
}

/** For `catch`: this value if the file is missing. @throws any other error */
export const orIfMissing =
  <T>(value: T) =>
  (error: unknown): T => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return value
    throw error
  }

/** Errors of streams and of zlib have no system call. */
export const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error
