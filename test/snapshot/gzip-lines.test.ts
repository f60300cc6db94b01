/** A gzip file whose first line comes last: any program that knows gzip reads it. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { compressLines, writeGzip } from '../../src/snapshot/gzip-lines.ts'
import { makeTempFolder } from '../support/product.ts'

const folder = makeTempFolder()
afterAll(folder.remove)
let count = 0

async function written(first: string, pieces: readonly string[]): Promise<string> {
  const [temporary, file] = [folder.file(`lines-${count}`), folder.file(`file-${count++}`)]
  async function* lines() {
    yield* pieces
  }
  await writeGzip(file, first, await compressLines(lines(), temporary))
  return file
}

const line = fc.stringMatching(/^[ -~]{0,200}$/).map((text) => `${text}\n`)

it('holds the first line and the others, with their checksum', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.array(line, { maxLength: 40 }), async (first, pieces) => {
      const file = await written(first, pieces)
      expect(gunzipSync(readFileSync(file)).toString()).toBe(Buffer.from(first + pieces.join('')).toString())
    }),
    { numRuns: 60 },
  )
})

it.each([
  ['no line at all', '', []],
  ['a first line longer than a stored block', `${'ä'.repeat(100_000)}\n`, ['a\n']],
  [
    'more lines than are read at a time',
    'first\n',
    Array.from({ length: 50 }, (_, i) => `${i}x\n`.repeat(5000)),
  ],
])('is read by another program: %s', async (_, first, pieces) => {
  const file = await written(first, pieces)
  const read = execFileSync('gzip', ['--decompress', '--stdout'], {
    input: readFileSync(file),
    maxBuffer: 1 << 28,
  })
  expect(read.equals(Buffer.from(first + pieces.join('')))).toBe(true)
})
