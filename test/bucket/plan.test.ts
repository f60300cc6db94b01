/** The plan of an upload: which objects of a slot change. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ManifestLine } from '../../src/build/manifest.ts'
import { type Change, mergeSorted, planChanges } from '../../src/bucket/manifest/compare.ts'

async function* stream<T>(items: Iterable<T>) {
  for (const item of items) yield await Promise.resolve(item)
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const key = fc.constantFrom('a/1', 'a/2', 'a-/1', 'b/index.json', 'b/index.xml', 'c', 'd/2020.json', 'e')

/** Few keys and few digests, so that snapshots overlap. */
const snapshot = fc
  .uniqueArray(fc.record({ key, sha256: fc.constantFrom('1', '2'), bytes: fc.constantFrom(10, 20) }), {
    selector: (line) => line.key,
  })
  .map((lines) => sorted(lines).map((line): ManifestLine => ({ ...line, type: 'application/json' })))

const sorted = <T extends { key: string }>(lines: T[]) => lines.toSorted((a, b) => (a.key < b.key ? -1 : 1))
const keys = fc.uniqueArray(key).map((some) => sorted(some.map((one) => ({ key: one }))))

/** The content of a slot whose objects under the unknown keys may be anything. */
function apply(
  current: readonly ManifestLine[],
  unknown: readonly { key: string }[],
  changes: readonly Change[],
) {
  const slot = new Map(current.map((line) => [line.key, line.sha256 + String(line.bytes)]))
  for (const one of unknown) slot.set(one.key, 'anything')
  for (const change of changes) {
    if (change.kind === 'delete') slot.delete(change.key)
    else slot.set(change.key, change.sha256 + String(change.bytes))
  }
  return slot
}

it('plans, in the order of keys, only puts that are needed and changes that make any slot the new snapshot', async () => {
  await fc.assert(
    fc.asyncProperty(snapshot, snapshot, keys, async (next, current, unknown) => {
      const changes = await collect(planChanges(stream(next), stream(current), stream(unknown)))
      const wanted = new Map(next.map((line) => [line.key, line.sha256 + String(line.bytes)]))
      expect(apply(current, unknown, changes)).toEqual(wanted)
      const planned = changes.map((change) => change.key)
      expect(planned).toEqual(planned.toSorted())
      const isKnown = ({ key: one, sha256, bytes }: ManifestLine) =>
        !unknown.some((other) => other.key === one) &&
        current.some((other) => other.key === one && other.sha256 === sha256 && other.bytes === bytes)
      const needed = next.filter((line) => !isKnown(line)).map((line) => line.key)
      expect(changes.filter(({ kind }) => kind === 'put').map((change) => change.key)).toEqual(needed)
    }),
    { numRuns: 500 },
  )
})

it('refuses a list that is not sorted, since a merge would lose lines', async () => {
  await expect(collect(mergeSorted(stream([{ key: 'b' }, { key: 'a' }])))).rejects.toThrow(
    'not sorted: a after b',
  )
})

it('merges a million keys in constant memory', { timeout: 60_000 }, async () => {
  async function* many(step: number) {
    for (let index = 0; index < 1_000_000; index += step) yield { key: String(index).padStart(7, '0') }
  }
  const before = process.memoryUsage().heapUsed
  let rows = 0
  let peak = 0
  for await (const { values } of mergeSorted<readonly [{ key: string }, { key: string }]>(many(2), many(3))) {
    if (values[0] !== undefined || values[1] !== undefined) rows++
    if (rows % 100_000 === 0) peak = Math.max(peak, process.memoryUsage().heapUsed - before)
  }
  expect(rows).toBe(666_667)
  expect(peak).toBeLessThan(60 * 1024 * 1024)
})
