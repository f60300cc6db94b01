/** Lists of objects as gzipped lines of JSON: manifests, changes, ETags. */

import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { pipeline } from 'node:stream/promises'
import { Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'

/** The lines of a gzipped file, parsed. @throws {Error} that names the file if it is damaged */
export async function* readNdjson(file: string): AsyncGenerator {
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
    throw new Error(`${file} is damaged: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    })
  } finally {
    // A reader that stops early leaves nothing open.
    unzipped.destroy()
  }
}

export async function writeNdjson(file: string, lines: AsyncIterable<object>): Promise<void> {
  async function* text() {
    for await (const line of lines) yield `${JSON.stringify(line)}\n`
  }
  await pipeline(Readable.from(text()), createGzip(), createWriteStream(file))
}

/** An empty stream, for a list that does not exist. */
export async function* nothing(): AsyncGenerator<never> {
  // Yields nothing.
}
