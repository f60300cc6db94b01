/** Objects in a slot that no manifest knows. Where it is not sure what the slot holds, nothing of it is named. */

import { join } from 'node:path'
import { countFiles } from '../snapshot/manifest.ts'
import type { Journal } from './journal.ts'
import { inSlot, isBookkeeping, manifestIn, slotPrefix, type Slot } from './layout.ts'
import type { Live } from './live.ts'
import { fetchList, type Manifest } from './manifest-reader.ts'
import { Damaged, nothing } from './ndjson.ts'
import { fetchManifest } from './prepare.ts'
import type { Garbage } from './prune.ts'
import { mergeSorted } from './sorted.ts'
import type { ListedObject, ObjectStore } from './store.ts'

interface Keyed {
  readonly key: string
}

export interface SlotState {
  readonly live: Live
  /** What a publish that was killed had said it would change. */
  readonly changing: Journal['changing']
  /** Where lists are kept. */
  readonly folder: string
  /** Told how many objects have been listed, and how many there should be. */
  readonly onListed: (done: number, of: number) => void
  readonly onNote: (note: string) => void
}

export async function* slotGarbage(
  store: ObjectStore,
  slot: Slot,
  state: SlotState,
): AsyncGenerator<Garbage> {
  const known = await knownKeys(store, slot, state)
  if (typeof known === 'string') {
    state.onNote(`${slot} is left alone: ${known}`)
    return
  }
  const rows = mergeSorted<readonly [ListedObject, Keyed, Keyed]>(
    counted(store.list(slotPrefix(slot)), (listed) =>
      state.onListed(listed, Math.max(listed, known.objects)),
    ),
    withSlot(known.manifest(), slot),
    withSlot(known.changes(), slot),
  )
  for await (const { key, values } of rows) {
    const [object, line, change] = values
    if (object === undefined || line !== undefined || change !== undefined) continue
    // Without a manifest what goes with it is of no use either.
    const isOurs = key === manifestIn(slot) || (known.isWhole && isBookkeeping(withoutSlot(key, slot)))
    if (!isOurs) yield { kind: 'unknown', key, bytes: object.bytes }
  }
}

interface Known {
  readonly isWhole: boolean
  /** As its manifest or `live.json` says; 0 if neither does. */
  readonly objects: number
  readonly manifest: () => AsyncIterable<Keyed>
  /** What an unfinished publish may have put already. */
  readonly changes: () => AsyncIterable<Keyed>
}

/** @returns or why nothing of the slot can be told from what is needed */
async function knownKeys(
  store: ObjectStore,
  slot: Slot,
  { live, changing, folder }: SlotState,
): Promise<Known | string> {
  const isLive = live.slot === slot
  const unfinished = changing[slot] ?? null
  const manifest = await readableManifest(store, slot, folder)
  if (typeof manifest === 'string') return manifest
  if (manifest === null) {
    if (isLive) return 'it is live, and its manifest is missing: publish with --repair'
    if (unfinished !== null) return 'a publish was stopped in it, and it has no manifest yet: publish again'
    if (live.previous?.slot !== slot && !(await isEmpty(store.list(slotPrefix(slot)))))
      return 'it has no manifest, and nothing was live in it'
    const objects = live.previous?.slot === slot ? live.previous.objects : 0
    return { isWhole: false, objects, manifest: nothing, changes: nothing }
  }
  if (isLive && manifest.head.snapshot !== live.snapshot)
    return `its manifest is that of ${manifest.head.snapshot}, live is ${live.snapshot}: publish with --repair`
  const known = { isWhole: true, objects: countFiles(manifest.head), manifest: manifest.lines }
  if (unfinished === null) return { ...known, changes: nothing }
  const file = join(folder, `${slot}-unfinished.ndjson.gz`)
  const changes = await fetchList<Keyed>(store, unfinished, file)
  if (changes === null)
    return `a publish was stopped in it, and its list ${unfinished} is gone: publish with --repair`
  // A damaged list must not be noticed halfway.
  const damage = await countOf(changes()).then(() => null, damageOf)
  if (damage !== null) return `a publish was stopped in it, and ${damage}: publish with --repair`
  return { ...known, changes }
}

/** @returns null if there is none; a text if it is there and cannot be relied on */
async function readableManifest(
  store: ObjectStore,
  slot: Slot,
  folder: string,
): Promise<Manifest | string | null> {
  try {
    const manifest = await fetchManifest(store, slot, folder)
    if (manifest === null) return null
    const objects = await countOf(manifest.lines())
    const said = countFiles(manifest.head)
    return objects === said ? manifest : `its manifest lists ${objects} objects and says ${said}`
  } catch (error) {
    return `its manifest cannot be read (${damageOf(error)})`
  }
}

/** What is damaged, as a text; the network's failures are not the list's. */
function damageOf(error: unknown): string {
  if (error instanceof Damaged) return error.message
  throw error
}

async function isEmpty(objects: AsyncIterable<unknown>): Promise<boolean> {
  return (await objects[Symbol.asyncIterator]().next()).done === true
}

async function countOf(lines: AsyncIterable<unknown>): Promise<number> {
  const iterator = lines[Symbol.asyncIterator]()
  let count = 0
  while ((await iterator.next()).done !== true) count++
  return count
}

async function* counted<T>(items: AsyncIterable<T>, onCount: (count: number) => void): AsyncGenerator<T> {
  let count = 0
  for await (const item of items) {
    onCount(++count)
    yield item
  }
}

async function* withSlot(lines: AsyncIterable<Keyed>, slot: Slot): AsyncGenerator<Keyed> {
  for await (const { key } of lines) yield { key: inSlot(slot, key) }
}

const withoutSlot = (key: string, slot: Slot) => key.slice(slotPrefix(slot).length)
