/**
 * `changes/` of a slot: what each of the last publishes changed, an index and a feed of them. A publish copies what the live
 * slot knows into the slot that it writes to and adds itself, so that they flip and roll back with the snapshot.
 */

import { hash } from 'node:crypto'
import { contentTypeOf } from '../../api/routes/content-types.ts'
import { messageOf } from '../../system/message.ts'
import { changesFolder, inSlot, jsonType, type Slot } from '../live/layout.ts'
import type { AllowedObjection } from '../../guards/guards.ts'
import type { DocumentComparison } from '../manifest/documents.ts'
import type { Publish } from '../publish/options.ts'
import { inParallel } from '../store/in-parallel.ts'
import { readObject, readSmall } from '../store/read.ts'
import type { ObjectStore } from '../store/store.ts'
import { changesWithout, readChanges } from './compare.ts'
import { dayChanges, type DayChanges, type SnapshotChanges, type SnapshotName } from './day.ts'
import { atomFeed } from './feed.ts'
import { type ChangeHistory, describeChanges, fileOf, findDay, type HistoryDay } from './history.ts'
import { nextPublish, noHistory, parseHistory, withPublish } from './history.ts'

const indexKey = `${changesFolder}index.json`
const feedKey = `${changesFolder}feed.xml`
const keyOf = (asOf: string) => changesFolder + fileOf(asOf)

/**
 * Reads what differs from the live snapshot, and writes `changes/` of the slot. To be called after the upload.
 * @param compared with the live snapshot; null if its manifest cannot be read, or nothing is live
 * @returns how many documents differ from those that are live; null if that is not known
 * @throws {Error} if the store fails
 */
export async function tellChanges(
  publish: Publish,
  compared: DocumentComparison | null,
  allowed: readonly AllowedObjection[],
): Promise<number | null> {
  const { store, base, snapshot, onWarning } = publish
  const { head } = snapshot.manifest
  const { live } = base.live
  const found = await readFolders(publish)
  // A repair uploads the snapshot that is live into the other slot.
  if (live?.snapshot === head.snapshot) {
    await writeFolder(publish, found, null)
    return 0
  }
  if (live === null) {
    await writeFolder(publish, found, changesWithout(head, null, allowed))
    return head.objects
  }
  const changes = await readChanges(publish, live, compared, allowed)
  const { notCompared, documents } = changes
  const warn = (warning: string) => onWarning(`${store.name}: ${warning}`)
  const [example] = notCompared
  if (compared === null)
    warn(`${live.slot} has no manifest of ${live.snapshot}, so it is not known what changed`)
  else if (example !== undefined)
    warn(
      `${notCompared.length} documents could not be compared with those that are live, ${example} is one of them`,
    )
  await writeFolder(publish, found, changes)
  return compared === null ? null : documents.added + documents.removed + documents.changed
}

/**
 * What an operator had allowed when a snapshot was put into a slot; nothing if its file of changes does not say it.
 * @throws {Error} if the store fails
 */
export async function allowedIn(store: ObjectStore, slot: Slot, { asOf, snapshot }: SnapshotName) {
  const object = await readObject(store, inSlot(slot, keyOf(asOf)))
  try {
    const day = JSON.parse(object?.body.toString('utf8') ?? '') as Partial<DayChanges>
    return day.snapshot === snapshot ? (day.allowed ?? []) : []
  } catch {
    return []
  }
}

/**
 * What the two slots have under `changes/`: the history in the live slot, its days whose files the other slot lacks or may
 * lack, and all keys of that.
 */
type Folders = Awaited<ReturnType<typeof readFolders>>

async function readFolders({ store, base, onWarning }: Publish) {
  const { slot, isTrusted, live } = base
  const sizes = new Map<string, number>()
  for await (const { key, bytes } of store.list(inSlot(slot, changesFolder)))
    sizes.set(key.slice(inSlot(slot, '').length), bytes)
  const history = live.live === null ? noHistory : await readHistory(store, live.live.slot, onWarning)
  // If the slot's own index is wrong, some files are copied again.
  const own = isTrusted && sizes.has(indexKey) ? await readHistory(store, slot, () => undefined) : noHistory
  const isThere = ({ asOf, bytes, sha256 }: HistoryDay) =>
    sizes.get(keyOf(asOf)) === bytes && findDay(own, asOf)?.sha256 === sha256
  return { history, toCopy: history.nights.filter((day) => !isThere(day)), keys: [...sizes.keys()] }
}

async function readHistory(store: ObjectStore, slot: Slot, onWarning: Publish['onWarning']) {
  const key = inSlot(slot, indexKey)
  const startsAnew = (what: string) => {
    onWarning(`${store.name}: ${key} is ${what}, the list of what changed on the last days starts anew`)
    return noHistory
  }
  const object = await readSmall(store, key)
  if (object === null) return startsAnew('missing')
  try {
    return parseHistory(object.text)
  } catch (error) {
    return startsAnew(`damaged (${messageOf(error)})`)
  }
}

/** @param changes null if the snapshot is the one that is live */
async function writeFolder(publish: Publish, found: Folders, changes: SnapshotChanges | null): Promise<void> {
  const { store, base, snapshot, baseUrl, cacheControl, concurrency, onWarning } = publish
  const { asOf } = snapshot.manifest.head
  const { writing } = publish.lease
  const put = async (key: string, body: Buffer, type = jsonType) => {
    const object = { key: inSlot(base.slot, key), body, type, cacheControl, sha256: hash('sha256', body) }
    await store.put(object, undefined, writing)
  }
  let { history } = found
  if (changes !== null) {
    const day = await withEarlier(publish, history, changes)
    const body = Buffer.from(`${JSON.stringify(day)}\n`)
    await put(keyOf(asOf), body)
    const file = { file: fileOf(asOf), sha256: hash('sha256', body), bytes: body.length }
    const { snapshot: id, before } = day
    history = withPublish(history, { asOf, snapshot: id, before, ...describeChanges(day), ...file })
  }
  const lost: HistoryDay[] = []
  const toCopy = found.toCopy.filter((day) => day.asOf !== changes?.asOf && findDay(history, day.asOf))
  await inParallel(toCopy, concurrency, async (day) => {
    const body = await readLiveDay(publish, day)
    if (body !== null) return put(keyOf(day.asOf), body)
    lost.push(day)
    const place = `missing or damaged in ${base.live.live?.slot ?? ''}`
    onWarning(`${store.name}: what changed on ${day.asOf} is ${place}, it is left out`)
  })
  history = { format: 1, nights: history.nights.filter((day) => !lost.includes(day)) }
  await put(feedKey, Buffer.from(atomFeed(history, baseUrl, asOf)), contentTypeOf(feedKey))
  await put(indexKey, Buffer.from(`${JSON.stringify(history)}\n`))
  const known = new Set([indexKey, feedKey, ...history.nights.map((day) => keyOf(day.asOf))])
  const gone = found.keys.filter((key) => !known.has(key)).map((key) => inSlot(base.slot, key))
  // Last: after a stop before this the next publish finds them in the listing again.
  if (gone.length > 0) await store.delete(gone, writing)
}

async function withEarlier(publish: Publish, history: ChangeHistory, changes: SnapshotChanges) {
  const { store, base, onWarning } = publish
  const { asOf } = changes
  const number = nextPublish(history, asOf)
  const day = findDay(history, asOf)
  if (day === undefined) return dayChanges(changes, number, null)
  const body = await readLiveDay(publish, day)
  try {
    if (body === null) throw new Error('it is missing or damaged')
    return dayChanges(changes, number, body.toString('utf8'))
  } catch (error) {
    const place = `${store.name}: what changed earlier on ${asOf} cannot be read in ${base.live.live?.slot ?? ''}`
    onWarning(`${place} (${messageOf(error)}), the file of this day leaves it out`)
    return dayChanges(changes, number, null)
  }
}

/** The file of a day in the live slot; null if it is not what the index says. */
async function readLiveDay({ store, base, lease }: Publish, { asOf, sha256 }: HistoryDay) {
  const { live } = base.live
  const object = live === null ? null : await readObject(store, inSlot(live.slot, keyOf(asOf)), lease.writing)
  return object !== null && hash('sha256', object.body) === sha256 ? object.body : null
}
