/**
 * The JSON answers of a snapshot, by its manifest: a sparse snapshot lists all of them, whatever files it has. Refusals are
 * none: they name funds that nothing is given out of. Source: keys.md.
 */

import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'

/** As a manifest's line begins. */
const jsonLine = /^\{"key":"(api\/[^"]+\.json)"/gm
const refusal = '/error.json'

/**
 * @param manifest gzipped
 * @returns all keys in the order of their bytes, many at a time
 * @throws {Error} if it cannot be read
 */
export async function* listedAnswers(manifest: string): AsyncGenerator<readonly string[]> {
  const unzipped = createGunzip({ chunkSize: 1 << 18 })
  // Errors of the file have to reach whoever reads: pipeline destroys both.
  const piped = pipeline(createReadStream(manifest), unzipped)
  piped.catch(() => undefined)
  try {
    let rest = ''
    for await (const chunk of unzipped as AsyncIterable<Buffer>) {
      // Keys are ASCII.
      const text = rest + chunk.toString('latin1')
      const end = text.lastIndexOf('\n') + 1
      const keys = [...text.slice(0, end).matchAll(jsonLine)].map(([, key = '']) => key)
      yield keys.filter((key) => !key.endsWith(refusal))
      rest = text.slice(end)
    }
    await piped
  } finally {
    // A reader that stops early leaves nothing open.
    unzipped.destroy()
  }
}
