import { createHash } from 'node:crypto'
import { createReadStream, type Stats, statSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { makeTemporaryFolder } from '../../system/temporary.ts'
import { systemCode } from '../../system/message.ts'

/** Gives a folder for lists that need not fit into memory, and removes it afterwards. */
export async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await makeTemporaryFolder()
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Limit in bytes: smaller files are read into memory, in one pass instead of two. */
export const streamedFrom = 8 * 1024 * 1024

/** Limit of S3 in bytes: larger objects have to come in parts. */
const maxPutBytes = 5 * 1024 ** 3

export function sizeOf(file: string): number {
  const { size } = statFile(file)
  if (size > maxPutBytes)
    throw new Error(`${file} has ${size} bytes: a store takes ${maxPutBytes} (5 GiB) in one put at most`)
  return size
}

/** To ask takes less time than to ask another thread. */
function statFile(file: string) {
  let found: Stats
  try {
    found = statSync(file)
  } catch (error) {
    throw unreadable(file, error)
  }
  if (!found.isFile()) throw new Error(`${file} cannot be read: it is no file`)
  return found
}

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
  const reason = systemCode(error) || String(error)
  return new Error(`${file} cannot be read (${reason})`, { cause: error })
}

export function unwritable(file: string, error: unknown): unknown {
  if (!isFileError(error)) return error
  return new Error(`${file} cannot be written: ${error.message}`, { cause: error })
}

/** For `catch`: this value if the file is missing. @throws any other error */
export const orIfMissing =
  <T>(value: T) =>
  (error: unknown): T => {
    if (systemCode(error) === 'ENOENT') return value
    throw error
  }

/** True for an error of a file: those of streams and of zlib have no system call. */
export const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error
