/** Lists of objects as gzipped lines of JSON: manifests, changes, ETags. */

import { createReadStream, createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { isBefore } from './sorted.ts'

/** A list is there, and is not one that this fundpress wrote: to ask for it again is of no use. */
export class Damaged extends Error {
  override readonly name = 'Damaged'
}

/**
 * The lines of a gzipped file, parsed.
 * @param label what the list is called in messages: where it was fetched from
 * @throws {Damaged} @throws {Error} if the file itself cannot be read
 */
export async function* readNdjson(file: string, label = file): AsyncGenerator {
  const unzipped = createGunzip()
  // Errors of the file have to reach the reader of the lines: pipeline destroys both.
  const piped = pipeline(createReadStream(file), unzipped)
  piped.catch(() => undefined)
  try {
    for await (const line of createInterface({ input: unzipped, crlfDelay: Infinity })) {
      if (line !== '') yield JSON.parse(line)
    }
    await piped
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    if (isOfFiles(error)) throw new Error(`${label} cannot be read: ${reason}`, { cause: error })
    throw new Damaged(`${label} is damaged: ${reason}`, { cause: error })
  } finally {
    // A reader that stops early leaves nothing open.
    unzipped.destroy()
  }
}

interface Keyed {
  readonly key: string
}

/**
 * The lines of a list in the order of their keys.
 * @param heads lines before the first one with a key @throws {Damaged} also if a line has no key or is out of order
 */
export async function* readSorted<T extends Keyed>(
  file: string,
  label = file,
  heads = 0,
): AsyncGenerator<T, void, undefined> {
  let left = heads
  let last: string | undefined
  for await (const line of readNdjson(file, label) as AsyncIterable<Partial<Keyed> | null>) {
    if (left-- > 0) continue
    const key = line?.key
    if (typeof key !== 'string') throw new Damaged(`${label} is damaged: a line has no key`)
    if (last !== undefined && !isBefore(last, key))
      throw new Damaged(`${label} is damaged: not sorted, ${key} after ${last}`)
    last = key
    yield line as T
  }
}

/** @throws {Error} that names the file if it cannot be written */
export async function writeNdjson(file: string, lines: AsyncIterable<object>): Promise<void> {
  async function* text() {
    for await (const line of lines) yield `${JSON.stringify(line)}\n`
  }
  await pipeline(Readable.from(text()), createGzip(), createWriteStream(file)).catch((error: unknown) => {
    throw unwritable(file, error)
  })
}

/** A list that is written as its lines come up. */
export interface LineWriter<T> {
  /** @returns a promise to wait for before much more is written @throws {Error} that names the file if it is lost */
  readonly add: (line: T) => Promise<void> | undefined
  /** @throws {Error} that names the file if it could not be written */
  readonly end: () => Promise<void>
  /** After the end. */
  readonly read: () => AsyncIterable<T>
}

export function lineWriter<T extends object>(file: string): LineWriter<T> {
  const gzip = createGzip()
  let failure: { readonly error: unknown } | undefined
  const written = pipeline(gzip, createWriteStream(file)).catch((error: unknown) => {
    failure = { error: unwritable(file, error) }
    throw failure.error
  })
  // Told by the next call.
  written.catch(() => undefined)
  let room: Promise<void> | undefined
  return {
    add: (line) => {
      if (failure !== undefined) throw failure.error
      if (gzip.write(`${JSON.stringify(line)}\n`)) return undefined
      room ??= Promise.race([once(gzip, 'drain').then(() => undefined), written]).finally(() => {
        room = undefined
      })
      room.catch(() => undefined)
      return room
    },
    end: () => {
      gzip.end()
      return written
    },
    read: () => readNdjson(file) as AsyncIterable<T>,
  }
}

/** An error of the file as one that names it; any other as it is. */
export function unwritable(file: string, error: unknown): unknown {
  if (!isOfFiles(error)) return error
  return new Error(`${file} cannot be written: ${error.message}`, { cause: error })
}

/** Errors of streams and of zlib have no system call. */
const isOfFiles = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error

/** An empty stream, for a list that does not exist. */
export async function* nothing(): AsyncGenerator<never> {
  // Yields nothing.
}
