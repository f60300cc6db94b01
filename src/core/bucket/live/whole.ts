import { compareWithListing, type ObjectDifference } from '../manifest/listing.ts'
import { mergeSorted } from '../manifest/compare.ts'
import { etagLine, fetchList } from '../manifest/manifest.ts'
import { nothing } from '../manifest/ndjson.ts'
import { Damaged, type ObjectStore } from '../store/store.ts'
import { downloadsPrefix, etagsKey, type Slot } from './layout.ts'
import type { Arrival, Door } from './options.ts'
import { downloadsState } from './status.ts'

type Slotted = Pick<Arrival, 'slot' | 'manifest' | 'etags' | 'deleted'>

/**
 * Puts missing and different objects again, if the snapshot's folder is at hand, and lists the slot once more.
 * @returns the number of objects that were put again @throws {Error} that names the first of them, and the way out
 */
export async function assertWhole(door: Door, arrival: Arrival): Promise<number> {
  const { store, lease, onWarning } = door
  const { slot, mend } = arrival
  await assertDownloads(store, arrival)
  const damaged = await findDamage(door, arrival).catch((error: unknown) => {
    if (error instanceof Damaged) throw damagedSlot(store, slot, error.message, waysOut[arrival.kind])
    throw error
  })
  const [first] = damaged
  if (first === undefined) return 0
  if (mend === undefined) throw damagedSlot(store, slot, describeDamage(damaged), waysOut[arrival.kind])
  // All earlier requests were waited for: changed objects mean another writer, who would go on. Missing ones were lost before.
  const written = damaged.find(({ what }) => what !== 'missing')
  if (lease.isUnsettled && written !== undefined)
    throw new Error(
      `${store.name}: ${slot}/${describeDamage([written])} after this publish has put it: ${others}; nothing was flipped, publish again`,
    )
  await mend(damaged)
  onWarning(`${store.name}: ${slot} was not whole (${describeDamage(damaged)}): put again`)
  const left = await findDamage(door, arrival)
  if (left.length > 0) throw damagedSlot(store, slot, describeDamage(left), `${others}, publish again`)
  return damaged.length
}

const others = 'somebody else writes to it, or a proxy answers in place of the store'

const waysOut: Readonly<Record<Arrival['kind'], string>> = {
  publish: 'publish again with --repair',
  flip: 'publish with --repair instead: `fundpress publish --repair --out …`',
  rollback: 'publish the folder of that snapshot instead: `fundpress publish --repair --out …`',
  return: 'publish the folder of a right snapshot: `fundpress publish --repair --out …`',
}

/** Finds differences that harm readers. Foreign objects beside the snapshot do no harm. */
export async function findDamage(
  { store, folder, lease }: Pick<Door, 'store' | 'folder'> & { readonly lease?: Door['lease'] },
  { slot, manifest, etags: own, deleted = nothing }: Slotted,
): Promise<ObjectDifference[]> {
  const etags = own ?? (await fetchList(store, etagsKey(slot), etagLine, folder, true)) ?? nothing
  const signal = lease?.writing.signal
  const listed = compareWithListing(store, slot, manifest.lines(), etags(), { signal })
  const damaged: ObjectDifference[] = []
  for await (const { values } of mergeSorted(listed, deleted())) {
    const [difference, gone] = values
    if (difference !== undefined && (difference.what !== 'extra' || gone !== undefined))
      damaged.push(difference)
  }
  return damaged
}

/** Checks downloads before a flip: a publish has just put them, and a rollback must work without them, too. */
async function assertDownloads(
  store: ObjectStore,
  { kind, slot, manifest, brought }: Arrival,
): Promise<void> {
  if (kind !== 'flip') return
  const { downloads } = brought
  const state = await downloadsState(store, { ...manifest.head, downloads })
  if (state === 'missing' || state === 'other')
    throw damagedSlot(
      store,
      slot,
      `${downloadsPrefix(downloads?.folder ?? '')} does not hold its downloads`,
      waysOut[kind],
    )
}

/** `docs/a is missing, docs/b is another one, and 3 more` */
export function describeDamage(damaged: readonly ObjectDifference[]): string {
  const named = damaged
    .slice(0, 3)
    .map(({ key, what }) => `${key} is ${words[what]}`)
    .join(', ')
  return damaged.length > 3 ? `${named}, and ${damaged.length - 3} more` : named
}

const words: Readonly<Record<ObjectDifference['what'], string>> = {
  missing: 'missing',
  extra: 'there again',
  size: 'another one',
  etag: 'another one',
  body: 'another one',
  unsigned: 'unsigned',
  signature: 'signed by an unknown key',
  facts: 'of another snapshot',
  withdrawn: 'withdrawn',
}

const damagedSlot = (store: ObjectStore, slot: Slot, why: string, advice: string) =>
  new Error(`${store.name}: ${slot} is not whole (${why}): ${advice}`)
