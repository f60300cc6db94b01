/**
 * Writes `changes/` of a slot: the changes of the last publishes, with an index, a page and feeds. A publish copies the history of
 * the live slot and adds itself, so that the history flips and rolls back with the snapshot.
 */

import { hash } from 'node:crypto'
import type {
  ChangeHistory,
  DayChanges,
  HistoryDay,
  SnapshotChanges,
} from '../../core/api/contract/changes.ts'
import type { ManifestHead } from '../../core/snapshot/manifest.ts'
import { contentTypeOf } from '../../core/api/routes/content-types.ts'
import { changeFeeds } from './feed.ts'
import { changesPages, noHistory } from './pages.ts'
import { messageOf } from '../../core/system/message.ts'
import { changesFolder, downloadDaysKey, inSlot, type Slot } from '../../core/bucket/live/layout.ts'
import type { Live } from '../../core/bucket/live/live.ts'
import { digestOfRestricted } from '../../core/bucket/live/removal.ts'
import { checkChanges, signedNames, textsIn, type SignatureRules } from '../../core/bucket/live/signed.ts'
import type { Compared, Publish } from '../../core/bucket/publish/snapshot.ts'
import { inParallel } from '../../core/bucket/store/in-parallel.ts'
import { readObject, readSmall } from '../../core/bucket/store/read.ts'
import type { ObjectStore } from '../../core/bucket/store/store.ts'
import { dayChanges, parseDay, withoutPricesOf, fileOf, findDay } from './history.ts'
import { nextPublish, parseHistory, textOfDay, textOfHistory, timeOfPublish } from './history.ts'
import { withDay, withPublish } from './history.ts'

const indexKey = `${changesFolder}index.json`
const fileName = (key: string) => key.slice(changesFolder.length)
const keyOf = (asOf: string) => changesFolder + fileOf(asOf)

export const compared: Compared = {
  write: async (publish, changes) => writeFolder(publish, await readFolders(publish), changes),
  read: readWrittenChanges,
}

/**
 * The changes of the publish that put a snapshot into a slot; null if the file of the day lacks them.
 * @param sums as signed, by name; null: they need no signature
 */
async function readWrittenChanges(
  store: ObjectStore,
  slot: Slot,
  { asOf, snapshot }: ManifestHead,
  sums: ReadonlyMap<string, string> | null,
) {
  const object = await readObject(store, inSlot(slot, keyOf(asOf)))
  if (object !== null && sums !== null && sums.get(fileOf(asOf)) !== hash('sha256', object.body)) return null
  try {
    const day = parseDay(object?.body.toString('utf8') ?? '')
    return day.snapshot === snapshot ? day : null
  } catch {
    return null
  }
}

/**
 * `history`: of the live slot. `own`: the index of the other slot. `sizes`: by key, of the other slot. `published`: the time of
 * this publish.
 */
type Folders = Awaited<ReturnType<typeof readFolders>>

async function readFolders({ store, base, lease, onWarning, signing }: Publish) {
  const { slot, isTrusted, live } = base
  const sizes = new Map<string, number>()
  for await (const { key, bytes } of store.list(inSlot(slot, changesFolder)))
    sizes.set(key.slice(inSlot(slot, '').length), bytes)
  const history =
    live.live === null
      ? noHistory
      : await readHistory(store, live.live.slot, onWarning, { live: live.live, signing })
  // If the slot's own index is wrong, some files are written again.
  const own = isTrusted && sizes.has(indexKey) ? await readHistory(store, slot, () => undefined) : noHistory
  const published = timeOfPublish(lease.since(), live.live?.liveSince ?? null)
  return { history, own, sizes, published }
}

/**
 * @param signed of the live slot: what is carried on is signed by this publish, so somebody trusted must have signed it before
 */
async function readHistory(
  store: ObjectStore,
  slot: Slot,
  onWarning: Publish['onWarning'],
  signed?: { readonly live: Live; readonly signing: SignatureRules },
) {
  const key = inSlot(slot, indexKey)
  const startsAnew = (what: string) => {
    onWarning(`${store.name}: ${key} is ${what}, the list of what changed on the last days starts anew`)
    return noHistory
  }
  const object = await readSmall(store, key)
  if (object === null) return startsAnew('missing')
  const { text } = object
  const keys = signed?.signing.trusted ?? []
  if (signed !== undefined && keys.length > 0) {
    const { sums } = await checkChanges(textsIn(store, slot), signed.live, keys)
    if (sums?.get(fileName(indexKey)) !== hash('sha256', text))
      return startsAnew('not signed by a trusted key')
  }
  try {
    return parseHistory(text)
  } catch (error) {
    return startsAnew(`damaged (${messageOf(error)})`)
  }
}

/** @param changes null if the snapshot is the one that is live @returns SHA-256 of all files, by name */
async function writeFolder(
  publish: Publish,
  found: Folders,
  changes: SnapshotChanges | null,
): Promise<ReadonlyMap<string, string>> {
  const { store, base, snapshot, baseUrl, concurrency, onWarning } = publish
  const { asOf, site: pages, merged = {} } = snapshot.manifest.head
  const site = {
    baseUrl,
    publisher: pages?.publisher ?? null,
    isAlone: pages === null,
    parts: pages?.parts ?? [],
  }
  const { writing } = publish.lease
  const put = async (key: string, text: string) => {
    const body = Buffer.from(text)
    const type = contentTypeOf(key)
    const sha256 = hash('sha256', body)
    const object = { key: inSlot(base.slot, key), body, type, cacheControl: publish.cacheControl, sha256 }
    await store.put(object, undefined, writing)
    return { sha256, bytes: body.length }
  }
  const { texts, unread, ...cleared } = await cleanDays(publish, found.history)
  const textOf = async (day: HistoryDay) => texts.get(day.as_of) ?? (await readLiveDay(publish, day))
  let { history }: { history: ChangeHistory } = cleared
  if (changes !== null) {
    const day = await withEarlier(publish, history, { changes, published: found.published }, textOf)
    history = withPublish(history, day, await put(keyOf(asOf), textOfDay(day)))
  }
  const lost = new Set<string>()
  const toMake = history.nights.filter(
    (day) => day.as_of !== changes?.as_of && (unread.has(day.as_of) || !isThere(day, found)),
  )
  await inParallel(toMake, concurrency, async (day) => {
    const text = await textOf(day)
    const parsed = dayIn(day, text)
    if (text !== null && parsed !== null) {
      await put(keyOf(day.as_of), text)
      return
    }
    lost.add(day.as_of)
    const place = `missing or damaged in ${base.live.live?.slot ?? ''}`
    onWarning(`${store.name}: what changed on ${day.as_of} is ${place}, it is left out`)
  })
  history = { ...history, nights: history.nights.filter((day) => !lost.has(day.as_of)) }
  const ofAllDays = changesPages(history, site, Object.keys(merged))
  const overAll = [...ofAllDays, ...changeFeeds(history, site, asOf)]
  const written = new Map(history.nights.map(({ file, sha256 }) => [file, sha256]))
  const putOverAll = async (key: string, text: string) =>
    written.set(fileName(key), (await put(key, text)).sha256)
  for (const { key, content } of overAll) await putOverAll(key, String(content))
  await putOverAll(indexKey, textOfHistory(history))
  const known = new Set([
    indexKey,
    downloadDaysKey,
    ...(publish.signing.key === null ? [] : signedNames.map((name) => changesFolder + name)),
    ...overAll.map(({ key }) => key),
    ...history.nights.map((day) => keyOf(day.as_of)),
  ])
  const gone = [...found.sizes.keys()].filter((key) => !known.has(key)).map((key) => inSlot(base.slot, key))
  // Deletes come last: after a stop, the next publish finds the keys in the listing again.
  if (gone.length > 0) await store.delete(gone, writing)
  return written
}

function isThere({ as_of, bytes, sha256 }: HistoryDay, { own, sizes }: Folders): boolean {
  return findDay(own, as_of)?.sha256 === sha256 && sizes.get(keyOf(as_of)) === bytes
}

/**
 * Removes prices of restricted funds from the days before. All files are read only if the restricted funds differ from the live
 * snapshot's.
 * @returns the history, by day the text of each changed file, and the days whose file cannot be read
 */
async function cleanDays(publish: Publish, before: ChangeHistory) {
  const { base, snapshot, concurrency } = publish
  const { restricted = {} } = snapshot.manifest.head
  const isins = new Set([...(restricted.data ?? []), ...(restricted.prices ?? [])])
  const texts = new Map<string, string>()
  const unread = new Set<string>()
  let history = before
  const isClean = isins.size === 0 || base.live.live?.restricted === digestOfRestricted(restricted)
  if (isClean) return { history, texts, unread }
  await inParallel(before.nights, concurrency, async (day) => {
    const text = await readLiveDay(publish, day)
    const parsed = dayIn(day, text)
    if (parsed === null) {
      unread.add(day.as_of)
      return
    }
    const cut = withoutPricesOf(isins, parsed)
    const body = textOfDay(cut)
    if (body === text) return
    texts.set(day.as_of, body)
    history = withDay(history, cut, { sha256: hash('sha256', body), bytes: Buffer.byteLength(body) })
  })
  return { history, texts, unread }
}

function dayIn({ as_of }: HistoryDay, text: string | null): DayChanges | null {
  try {
    const day = text === null ? null : parseDay(text)
    return day?.as_of === as_of ? day : null
  } catch {
    return null
  }
}

async function withEarlier(
  { store, base, onWarning }: Publish,
  history: ChangeHistory,
  { changes, published }: { readonly changes: SnapshotChanges; readonly published: string },
  textOf: (day: HistoryDay) => Promise<string | null>,
) {
  const { as_of: asOf } = changes
  const mark = { publish: nextPublish(history, asOf), published }
  const day = findDay(history, asOf)
  if (day === undefined) return dayChanges(changes, mark, null)
  const text = await textOf(day)
  try {
    if (text === null) throw new Error('it is missing or damaged')
    return dayChanges(changes, mark, text)
  } catch (error) {
    const place = `${store.name}: what changed earlier on ${asOf} cannot be read in ${base.live.live?.slot ?? ''}`
    onWarning(`${place} (${messageOf(error)}), the file of this day leaves it out`)
    return dayChanges(changes, mark, null)
  }
}

async function readLiveDay({ store, base, lease }: Publish, { as_of, sha256 }: HistoryDay) {
  const { live } = base.live
  const object =
    live === null ? null : await readObject(store, inSlot(live.slot, keyOf(as_of)), lease.writing)
  return object !== null && hash('sha256', object.body) === sha256 ? object.body.toString('utf8') : null
}
