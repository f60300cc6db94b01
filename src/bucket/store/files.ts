/** Files of this machine: as bodies of puts, their size and digest, their errors, and temporary folders. */

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import type { ClientRequest } from 'node:http'
import { Readable } from 'node:stream'
import type { PutObjectCommand } from '@aws-sdk/client-s3'
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

/**
 * Gives a put without a body a file as its body. The SDK (3.1169) never repeats a request whose body is a stream, because a
 * stream cannot be read twice. So the SDK does not see one: a middleware behind its retries opens the file for each attempt.
 * @param bytes the file's length, which the command must give as ContentLength
 */
export function sendFile(put: PutObjectCommand, file: string, bytes: number): void {
  put.middlewareStack.add(
    (next) => (args) =>
      next({ ...args, request: { ...(args.request as object), body: fileBody(file, bytes) } }),
    { step: 'finalizeRequest', priority: 'low', name: 'openFile' },
  )
}

/** Opens the file when it is piped, and closes it with the request, however that ends. */
function fileBody(file: string, bytes: number): Readable {
  const body = new Readable({ read: () => undefined })
  // The SDK would pipe it: an answer that comes before the body is sent would leave the file open, and an error of the
  // file would leave the request waiting.
  body.pipe = (destination) => {
    const request = destination as unknown as ClientRequest
    const source = Readable.from(wholeFile(file, bytes), { objectMode: false })
    // Not pipeline: it aborts a request without the reason.
    source.once('error', (error) => request.destroy(error))
    request.once('close', () => source.destroy())
    source.pipe(request)
    return destination
  }
  return body
}

/** As many bytes as were announced: with fewer the store would wait for the rest. */
async function* wholeFile(file: string, bytes: number): AsyncGenerator<Buffer> {
  let read = 0
  try {
    for await (const chunk of createReadStream(file, { end: bytes - 1, highWaterMark: 256 * 1024 })) {
      read += (chunk as Buffer).length
      yield chunk as Buffer
    }
  } catch (error) {
    throw unreadable(file, error)
  }
  if (read < bytes) throw new Error(`${file} became shorter while it was read`)
}
