/** The manifest's lines: whatever runs they come in, they end up in the byte order of their keys. */
import { mkdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { routeTable } from '../../src/core/api/derive/route-table.ts'
import { endpoints } from '../../src/core/api/endpoints/index.ts'
import { manifestLine, type ManifestHead, parseLines } from '../../src/core/snapshot/manifest.ts'
import { objectLines } from '../../src/core/snapshot/object-lines.ts'
import { tempFolder } from '../support/folders.ts'
import { times } from '../support/rounds.ts'

const folder = tempFolder()

const sha256 = 'a'.repeat(64)
const lineOf = (key: string) => manifestLine({ key, sha256, bytes: 1, type: 'text/plain', from: 'f' })
const table = routeTable(endpoints, 'https://docs.example.org')
const head = { snapshot: 'x' } as ManifestHead
let count = 0
const root = () => {
  const place = folder.file(`root-${count++}`)
  mkdirSync(place)
  return place
}

/** Names that sort before, at and after a slash. */
const segment = fc.constantFrom('a', 'a-b', 'a.b', 'a0', 'b', 'v1', 'v1-x', 'v1.html', 'Z', '_')
const key = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => segments.join('/'))

describe('lines of a manifest', () => {
  it('are sorted by key, in any number of runs that lie between each other', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.tuple(key, fc.nat({ max: 5 })), { selector: ([name]) => name, maxLength: 60 }),
        async (keys) => {
          const place = root()
          const lines = objectLines(place, table)
          const sorted = keys
            .map(([name]) => name)
            .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
          for (const name of sorted)
            lines.add(String(keys.find(([other]) => other === name)?.[1]), lineOf(name))
          await lines.digest()
          lines.list([])
          await lines.write(head)
          const manifest = gunzipSync(readFileSync(`${place}/manifest.ndjson.gz`)).toString()
          expect(manifest).toBe(`{"snapshot":"x"}\n${sorted.map(lineOf).join('')}`)
          const sums = sorted.map((name) => `${sha256}  ${name}\n`).join('')
          expect(readFileSync(`${place}/SHA256SUMS`, 'utf8')).toBe(sums)
        },
      ),
      { numRuns: times(400) },
    )
  })

  it.each(['../a', 'a/../b', 'a/..', '..', 'a/./b', '.'])('are no lines with the key %s', (outside) => {
    expect(parseLines(lineOf('a') + lineOf(outside))).toBeNull()
  })

  it('may have dots in names', () => {
    const keys = ['a../b', 'a..b', '.well-known/c', '..d']
    expect(parseLines(keys.map(lineOf).join(''))?.map(({ key }) => key)).toEqual(keys)
  })

  it('are refused out of order, and with a key that is there twice', async () => {
    const lines = objectLines(root(), table)
    lines.add('run', lineOf('b'))
    expect(() => {
      lines.add('run', lineOf('a'))
    }).toThrow('a comes after b')
    lines.add('other', lineOf('a') + lineOf('b'))
    await expect(lines.digest()).rejects.toThrow('two objects have the key b')
  })
})
