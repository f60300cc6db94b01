/** Lists of objects as gzipped lines of JSON: manifests, changes, ETags. */

import { createReadStream, createWriteStream } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { StringDecoder } from 'node:string_decoder'
import { createGunzip, createGzip, type Gunzip } from 'node:zlib'
import { WrongForm } from '../../snapshot/forms.ts'
import { messageOf } from '../../system/message.ts'
import { assertFile } from '../../system/place.ts'
import { isFileError, unwritable, withFolder } from '../store/files.ts'
import { Damaged } from '../store/store.ts'
import { isBefore, type KeyedLine } from './compare.ts'

/** Limits against foreign lists in the bucket. Our lists stay far below. */
const limits = {
  /** Characters: a key has 1,024 bytes at most. */
  line: 64 * 1024,
  /** Characters: the first line of a manifest names restricted and withheld funds, and exceptions of an operator. */
  firstLine: 4 * 2 ** 20,
  /** Bytes, unpacked: a line of the manifest takes 250. */
  total: 4 * 2 ** 30,
  /** Unpacked by packed size. Lists of digests reach 4, gzip can reach 1,032. */
  ratio: 200,
  /** Bytes, unpacked: below, any ratio is allowed. */
  ratioFrom: 16 * 2 ** 20,
}

export interface ListSource {
  /** Source of the list, for messages; its file's name by default. */
  readonly label?: string
  readonly signal?: AbortSignal | undefined
}

/** Bytes, unpacked: each chunk is a turn of another thread. */
const chunkSize = limits.line

/** Parses a line, ahead of its reader. @param index of the line, from 0 @throws {Error} that says what is wrong with it */
type ParseLine<T> = (line: string, index: number) => T

/** For a list that this process has written. A list of the bucket is checked. */
export const ownLine = <T>(line: string): T => JSON.parse(line) as T

/**
 * Parses the lines of a gzipped list.
 * @param packed the path of its file, or its bytes
 * @throws {Damaged} also if it is above the limits @throws {Error} if the file itself cannot be read
 */
export async function* readNdjson<T>(
  packed: string | AsyncIterable<Uint8Array>,
  parse: ParseLine<T>,
  source: ListSource = {},
): AsyncGenerator<T, void, undefined> {
  for await (const lines of readBatches(packed, parse, source)) yield* lines
}

/** Yields the lines of a chunk at a time: a wait for each line would take longer than to parse it. */
async function* readBatches<T>(
  packed: string | AsyncIterable<Uint8Array>,
  parse: ParseLine<T>,
  { label = typeof packed === 'string' ? packed : '', signal }: ListSource,
): AsyncGenerator<readonly T[], void, undefined> {
  if (typeof packed === 'string') assertFile(packed)
  const unzipped = createGunzip({ chunkSize })
  // Errors of the source have to reach the reader of the lines: pipeline destroys both.
  const source = typeof packed === 'string' ? createReadStream(packed) : Readable.from(packed)
  const piped = pipeline(source, unzipped)
  piped.catch(() => undefined)
  let index = 0
  try {
    for await (const lines of linesOf(unzipped, signal)) {
      const parsed: T[] = []
      try {
        for (const line of lines) parsed.push(parse(line, index++))
      } finally {
        // Those before a damaged one count.
        yield parsed
      }
    }
    await piped
  } catch (error) {
    signal?.throwIfAborted()
    const reason = error instanceof WrongForm ? `line ${index}: ${error.message}` : messageOf(error)
    if (isFileError(error)) throw new Error(`${label} cannot be read: ${reason}`, { cause: error })
    throw new Damaged(`${label} is damaged: ${reason}`, { cause: error })
  } finally {
    // After an early stop, nothing stays open.
    unzipped.destroy()
  }
}

/** Yields the lines of each chunk. */
async function* linesOf(
  unzipped: Gunzip,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly string[]> {
  const decoder = new StringDecoder('utf8')
  let begun = ''
  let total = 0
  let limit = limits.firstLine
  for await (const chunk of unzipped as AsyncIterable<Buffer>) {
    signal?.throwIfAborted()
    total += chunk.length
    if (total > limits.total) throw new Error(`it unpacks to more than ${limits.total} bytes`)
    if (total > limits.ratioFrom && total > unzipped.bytesWritten * limits.ratio)
      throw new Error(`it unpacks to more than ${limits.ratio} times its size`)
    const lines = (begun + decoder.write(chunk)).split('\n')
    begun = lines.pop() ?? ''
    if (lines.length > 0) limit = limits.line
    yield lines.filter((line) => line !== '')
    // A chunk is no longer than the limit: only the unfinished line can be too long.
    if (begun.length > limit) throw new Error(`a line has more than ${limit} characters`)
  }
  const last = begun + decoder.end()
  if (last !== '') yield [last]
}

/**
 * A list in the order of its keys. Its lines are checked until one reading has come to the end: the file is of this process.
 * @param parse null: a line without a key @returns a new stream at each call @throws {Damaged} for a line out of order, too
 */
export function sortedList<T extends KeyedLine>(
  file: string,
  parse: ParseLine<T | null>,
  source: ListSource = {},
): () => AsyncGenerator<T, void, undefined> {
  const { label = file } = source
  let isChecked = false
  const parseAgain: ParseLine<T | null> = (line, index) =>
    index === 0 ? parse(line, index) : ownLine<T>(line)
  return async function* () {
    let last: string | undefined
    for await (const lines of readBatches(file, isChecked ? parseAgain : parse, source)) {
      for (const line of lines) {
        if (line === null) continue
        const { key } = line
        if (last !== undefined && !isBefore(last, key))
          throw new Damaged(`${label} is damaged: not sorted, ${key} after ${last}`)
        last = key
        yield line
      }
    }
    isChecked = true
  }
}

/** Writes a list. Await `add` before much more is added; after `end`, `read` reads it. Errors name the file. */
export function lineWriter<T extends object>(file: string) {
  const gzip = createGzip()
  let failure: { readonly error: unknown } | undefined
  const written = pipeline(gzip, createWriteStream(file)).catch((error: unknown) => {
    failure = { error: unwritable(file, error) }
    throw failure.error
  })
  // The next call throws the error.
  written.catch(() => undefined)
  let room: Promise<void> | undefined
  let begun = ''
  return {
    add: (line: T): Promise<void> | undefined => {
      if (failure !== undefined) throw failure.error
      begun += `${JSON.stringify(line)}\n`
      if (begun.length < chunkSize) return undefined
      const chunk = begun
      begun = ''
      if (gzip.write(chunk)) return undefined
      room ??= Promise.race([once(gzip, 'drain').then(() => undefined), written]).finally(() => {
        room = undefined
      })
      room.catch(() => undefined)
      return room
    },
    end: (): Promise<void> => {
      // A second end must not write.
      if (begun === '') gzip.end()
      else gzip.end(begun)
      begun = ''
      return written
    },
    read: () => readNdjson(file, ownLine<T>),
  }
}

export async function writeNdjson(file: string, lines: AsyncIterable<object>): Promise<void> {
  const list = lineWriter(file)
  try {
    for await (const line of lines) await list.add(line)
  } finally {
    await list.end()
  }
}

export async function* nothing(): AsyncGenerator<never> {
  // Yields nothing.
}

/** A list in a JSON document that can be larger than memory: a file keeps it until the fields before it are known. */
export interface JsonList<T> {
  /** @returns a promise to await before much more is added @throws {Error} that names the file if it cannot be written */
  readonly add: (entry: T) => Promise<void> | undefined
  /** Ends the list and writes it as a field of an object, between others, as JSON.stringify would. */
  readonly write: (send: (text: string) => void, field: JsonField) => Promise<void>
}

export interface JsonField {
  readonly before: object
  readonly name: string
  readonly after?: object
}

export const withJsonList = <T extends object, R>(work: (list: JsonList<T>) => Promise<R>): Promise<R> =>
  withFolder(async (folder) => {
    const { add, end, read } = lineWriter<T>(join(folder, 'list.ndjson.gz'))
    const write: JsonList<T>['write'] = async (send, { before, name, after = {} }) => {
      await end()
      send(JSON.stringify({ ...before, [name]: [] }).slice(0, -2))
      let comma = ''
      for await (const entry of read()) {
        send(comma + JSON.stringify(entry))
        comma = ','
      }
      const rest = JSON.stringify(after).slice(1)
      send(`]${rest === '}' ? '' : ','}${rest}\n`)
    }
    try {
      return await work({ add, write })
    } finally {
      // Without a write the file is still open.
      await end().catch(() => undefined)
    }
  })
