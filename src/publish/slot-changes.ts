/**
 * `changes/` of a slot: what each of the last nights changed, an index of them, and a feed. The slot that is written to
 * takes over what the live one knows, so that it flips and rolls back with the snapshot.
 */

import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { dayChanges } from '../changes/day-changes.ts'
import { describeNight } from '../changes/describe-night.ts'
import { atomFeed } from '../changes/feed.ts'
import {
  fileOf,
  nextPublish,
  nightOf,
  noHistory,
  parseHistory,
  withNight,
  withoutNights,
  type History,
  type Night,
} from '../changes/history.ts'
import type { DayChanges, NightChanges } from '../changes/night-changes.ts'
import { contentTypeOf } from '../routes/content-types.ts'
import type { ToldRequests } from './cost.ts'
import { inParallel } from './in-parallel.ts'
import { changesFolder, inSlot, jsonType, type Slot } from './layout.ts'
import { readObject, readSmall } from './manifest-reader.ts'
import type { ObjectStore, WriteOptions } from './store.ts'

const indexKey = `${changesFolder}index.json`
const feedKey = `${changesFolder}feed.xml`
const keyOf = (asOf: string) => changesFolder + fileOf(asOf)

/** What the slots have. */
export interface StandingChanges {
  /** Of the live slot. */
  readonly history: History
  /** Its nights whose files the other slot lacks, or of which that is not sure. */
  readonly toCopy: readonly Night[]
  /** What the other slot has under `changes/`. */
  readonly keys: readonly string[]
}

export interface StandingOptions {
  /** The slot that is live, or null. */
  readonly live: Slot | null
  /** The slot to be written to. */
  readonly slot: Slot
  /** False where it is not known what stands there: after a publish that was killed, and for a repair. */
  readonly isTrusted: boolean
  readonly onWarning: (warning: string) => void
}

/** Two or three reads. */
export async function readStandingChanges(
  store: ObjectStore,
  { live, slot, isTrusted, onWarning }: StandingOptions,
): Promise<StandingChanges> {
  const sizes = new Map<string, number>()
  for await (const { key, bytes } of store.list(inSlot(slot, changesFolder)))
    sizes.set(key.slice(inSlot(slot, '').length), bytes)
  const history = live === null ? noHistory : await readHistory(store, live, onWarning)
  // What is wrong with the slot's own index costs a few copies, no more.
  const own = isTrusted && sizes.has(indexKey) ? await readHistory(store, slot, () => undefined) : noHistory
  const isThere = ({ asOf, bytes, sha256 }: Night) =>
    sizes.get(keyOf(asOf)) === bytes &&
    own.nights.some((night) => night.asOf === asOf && night.sha256 === sha256)
  return { history, toCopy: history.nights.filter((night) => !isThere(night)), keys: [...sizes.keys()] }
}

async function readHistory(
  store: ObjectStore,
  slot: Slot,
  onWarning: StandingOptions['onWarning'],
): Promise<History> {
  const key = inSlot(slot, indexKey)
  const anew = 'the list of what changed on the last nights starts anew'
  const object = await readSmall(store, key)
  if (object === null) {
    onWarning(`${store.name}: ${key} is missing, ${anew}`)
    return noHistory
  }
  try {
    return parseHistory(object.text)
  } catch (error) {
    onWarning(`${store.name}: ${key} is damaged (${(error as Error).message}), ${anew}`)
    return noHistory
  }
}

/** What `writeSlotChanges` asks of the store. */
export function countSlotChanges(
  standing: StandingChanges,
  night: { readonly asOf: string } | null,
): ToldRequests {
  const history = night === null ? standing.history : withNight(standing.history, placeholder(night.asOf))
  const copied = copiesOf(standing, history, night?.asOf).length
  const isFurther = night !== null && nightOf(standing.history, night.asOf) !== undefined
  return {
    puts: copied + (night === null ? 2 : 3),
    gets: copied + (isFurther ? 1 : 0),
    deletes: strangersIn(standing, history).length > 0 ? 1 : 0,
    standing: standing.keys.length,
  }
}

const placeholder = (asOf: string) => ({
  ...{ asOf, snapshot: '', before: null, title: '', lines: [], file: fileOf(asOf), sha256: '', bytes: 0 },
})

const copiesOf = ({ toCopy }: StandingChanges, { nights }: History, asOf: string | undefined) =>
  toCopy.filter((night) => night.asOf !== asOf && nights.some((kept) => kept.asOf === night.asOf))

const strangersIn = ({ keys }: StandingChanges, { nights }: History) => {
  const known = new Set([indexKey, feedKey, ...nights.map(({ asOf }) => keyOf(asOf))])
  return keys.filter((key) => !known.has(key))
}

export interface ChangesOptions extends StandingOptions {
  /** Null where the snapshot is the one that is live. */
  readonly changes: NightChanges | null
  readonly asOf: string
  readonly baseUrl: string
  readonly cacheControl: string
  readonly concurrency: number
  readonly writing: WriteOptions
}

export async function writeSlotChanges(
  store: ObjectStore,
  standing: StandingChanges,
  options: ChangesOptions,
): Promise<void> {
  const { slot, changes, asOf, baseUrl, cacheControl, concurrency, writing, onWarning } = options
  const put = async (key: string, type: string, body: Buffer) => {
    const object = { key: inSlot(slot, key), body, type, cacheControl, sha256: digestOf(body) }
    await store.put(object, undefined, writing)
  }
  let history = standing.history
  if (changes !== null) {
    const day = await withEarlier(store, standing.history, changes, options)
    const body = Buffer.from(`${JSON.stringify(day)}\n`)
    await put(keyOf(asOf), jsonType, body)
    history = withNight(history, describeDay(day, body))
  }
  const lost: Night[] = []
  const copies = copiesOf(standing, history, changes?.asOf)
  await inParallel(Readable.from(copies) as AsyncIterable<Night>, concurrency, async (night) => {
    const body = await readLiveNight(store, night, options)
    if (body !== null) return put(keyOf(night.asOf), jsonType, body)
    lost.push(night)
    onWarning(
      `${store.name}: what changed on ${night.asOf} is missing or damaged in ${options.live}, it is left out`,
    )
  })
  history = withoutNights(history, lost)
  await put(feedKey, contentTypeOf(feedKey), Buffer.from(atomFeed(history, baseUrl, asOf)))
  await put(indexKey, jsonType, Buffer.from(`${JSON.stringify(history)}\n`))
  const strangers = strangersIn(standing, history)
  // At last: whoever is stopped before finds them in the listing again.
  if (strangers.length > 0)
    await store.delete(
      strangers.map((key) => inSlot(slot, key)),
      writing,
    )
}

/** The file of the day: what was published on it before stays in it. */
async function withEarlier(
  store: ObjectStore,
  history: History,
  changes: NightChanges,
  options: ChangesOptions,
): Promise<DayChanges> {
  const publish = nextPublish(history, changes.asOf)
  const night = nightOf(history, changes.asOf)
  if (night === undefined) return dayChanges(changes, publish, null)
  const body = await readLiveNight(store, night, options)
  try {
    if (body === null) throw new Error('it is missing or damaged')
    return dayChanges(changes, publish, body.toString('utf8'))
  } catch (error) {
    options.onWarning(
      `${store.name}: what changed earlier on ${night.asOf} cannot be read in ${options.live} ` +
        `(${(error as Error).message}), the file of this day leaves it out`,
    )
    return dayChanges(changes, publish, null)
  }
}

/** The file of a night in the live slot; null where it is not what the index says. */
async function readLiveNight(
  store: ObjectStore,
  { asOf, sha256 }: Night,
  { live, writing }: ChangesOptions,
): Promise<Buffer | null> {
  const object = live === null ? null : await readObject(store, inSlot(live, keyOf(asOf)), writing)
  return object !== null && digestOf(object.body) === sha256 ? object.body : null
}

function describeDay(changes: DayChanges, body: Buffer): Omit<Night, 'publish' | 'earlier'> {
  const { asOf, snapshot, before } = changes
  const { title, lines } = describeNight(changes)
  return {
    asOf,
    snapshot,
    before,
    title,
    lines,
    file: fileOf(asOf),
    sha256: digestOf(body),
    bytes: body.length,
  }
}

const digestOf = (body: Buffer) => createHash('sha256').update(body).digest('hex')
