/** `live.json`, which names the live slot: its shape, its checks, and reading it. `flip.ts` writes it. */

import { hash } from 'node:crypto'
import { isDay } from '../../api/routes/values.ts'
import type { FreshnessCounts } from '../../guards/assess.ts'
import { readReplaceable } from '../store/read.ts'
import type { NewObject, ObjectStore } from '../store/store.ts'
import { type FoldersByMonth, isFolderOfSnapshot, type LiveDownloads } from './download-folders.ts'
import { allTorn, type Journal, type TornSlots } from './journal.ts'
import { isChangesKey, jsonType, liveKey, noCache, type Slot, slots, stagedKey } from './layout.ts'

/** What the edge, the next publish and people need to know about a snapshot without reading its manifest. */
export interface LiveSnapshot {
  readonly slot: Slot
  readonly snapshot: string
  readonly asOf: string
  readonly funds: number
  readonly objects: number
  readonly bytes: number
  /** ISO 8601 day of the newest price, or null without a price. */
  readonly newestPrice: string | null
  readonly docsUrl: string
  // Files of earlier versions lack what may be absent.
  readonly edition?: string | undefined
  readonly downloads?: LiveDownloads | undefined
  readonly freshness?: FreshnessCounts | undefined
  /** Digest of the manifest's `restricted`; absent if that is absent. */
  readonly restricted?: string | undefined
  /** ISO 8601 with time. */
  readonly liveSince: string
  /** The list of changes of the publish that uploaded it: the keys of that list are not torn. */
  readonly changes?: string | undefined
}

/** The fields are those of `src/bucket/keys.md`. */
export interface Live extends LiveSnapshot {
  readonly format: 1
  readonly fence?: string
  readonly broughtBy?: 'rollback' | undefined
  readonly earlierDownloads?: FoldersByMonth | undefined
  /** The ARN of CloudFront's KeyValueStore that follows the bucket; absent without one. */
  readonly keyValueStore?: string | undefined
  readonly previous: LiveSnapshot | null
}

export type LiveObject = Awaited<ReturnType<typeof readLive>>

/** @throws {LiveDamaged} if it is damaged @throws {Error} if the store fails */
export const readLive = (store: ObjectStore) => readLiveFile(store, liveKey)

/** The same for a file of the same shape: `staged.json`. */
export async function readLiveFile(store: ObjectStore, key: string) {
  const { text: body, ...found } = await readReplaceable(store, key)
  return { live: body === null ? null : parseLive(body, store, key), ...found }
}

/** Whether both say that the same snapshot went live at the same moment; a fence makes no difference. */
export const isSameLive = (one: LiveSnapshot | null, other: LiveSnapshot | null) =>
  one?.slot === other?.slot && one?.snapshot === other?.snapshot && one?.liveSince === other?.liveSince

/** What `live.json` says about its snapshot alone. */
export const snapshotOf = (live: Live): LiveSnapshot =>
  Object.fromEntries(snapshotFields.map(([field]) => [field, live[field]])) as unknown as LiveSnapshot

/** The snapshot that a rollback has reverted, if that was the last flip. The other slot holds it until the next publish. */
export const revertedBefore = (live: Live): LiveSnapshot | null =>
  live.broughtBy === 'rollback' ? live.previous : null

/**
 * The torn slots. If a publish was killed after its flip, the journal still names its list, and `live.json` names it, too:
 * that slot is not torn. If something is live and there is no journal, somebody removed it: no slot can be trusted.
 */
export function tornSlots(journal: Pick<Journal, 'changing'> | null, live: Live | null): TornSlots {
  const changing = journal?.changing ?? (live === null ? {} : allTorn)
  const done = [live?.changes, live?.previous?.changes]
  return Object.fromEntries(Object.entries(changing).filter(([, list]) => !done.includes(list)))
}

/** A small JSON object that changes under its key. */
export function smallObject(key: string, value: object): NewObject {
  const body = Buffer.from(`${JSON.stringify(value)}\n`)
  return { key, body, type: jsonType, cacheControl: noCache, sha256: hash('sha256', body) }
}

/** Nothing may be written to the bucket until somebody repairs `live.json`. Edges know the error by its name. */
export class LiveDamaged extends Error {
  override readonly name = 'LiveDamaged'
}

type Fields = Readonly<Record<string, unknown>>
/** A field, its check, what it must be in words, and whether it may be absent. */
type Check<Field extends string> = readonly [Field, (value: unknown) => boolean, string, 'optional'?]

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown) => typeof value === 'string'
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const text = (isRight: (value: string) => boolean) => (value: unknown) => isText(value) && isRight(value)
const like = (pattern: RegExp) => text((value) => pattern.test(value))

/** As `toISOString` writes it. */
const isTime = text(
  (value) =>
    /^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(value) && isDay(value.slice(0, 10)) && !isNaN(Date.parse(value)),
)

/** An absolute address, or a path below that of the API. */
const isAddress = text(
  (value) =>
    /^\S{0,2048}$/.test(value) &&
    (value.startsWith('/') || (/^https?:\/\//.test(value) && URL.canParse(value))),
)

const isDownloads = (value: unknown) =>
  isFields(value) &&
  text(isFolderOfSnapshot)(value['folder']) &&
  [value['files'], value['bytes']].every(isCount) &&
  like(/^[0-9a-f]{64}$/)(value['sums'])

const isEarlierDownloads = (value: unknown) =>
  isFields(value) &&
  Object.entries(value).every(([month, rests]) => /^\d{4}-\d\d$/.test(month) && like(/^[0-9a-f -]*$/)(rests))

const snapshotFields: readonly Check<keyof LiveSnapshot>[] = [
  ['slot', (value) => slots.some((slot) => slot === value), 'blue or green'],
  ['snapshot', like(/^[\w-]{1,100}$/), 'a snapshot id'],
  ['asOf', text(isDay), 'a day'],
  ['funds', isCount, 'a count'],
  ['objects', isCount, 'a count'],
  ['bytes', isCount, 'a count'],
  ['newestPrice', (value) => value === null || text(isDay)(value), 'a day or null'],
  ['docsUrl', isAddress, 'an http(s) address or a path'],
  ['edition', isText, 'a text', 'optional'],
  ['downloads', isDownloads, 'a folder of downloads', 'optional'],
  ['freshness', isFields, 'an object', 'optional'],
  ['restricted', isText, 'a text', 'optional'],
  ['liveSince', isTime, 'a time in UTC'],
  ['changes', text(isChangesKey), 'the key of a list of changes', 'optional'],
]
const fileFields: readonly Check<keyof Live>[] = [
  ['format', (value) => value === 1, '1'],
  ['earlierDownloads', isEarlierDownloads, 'folders of downloads by month', 'optional'],
  ['keyValueStore', isText, 'an ARN', 'optional'],
  ['previous', (value) => value === null || isFields(value), 'an object or null', 'optional'],
]

/**
 * Checks every field: anybody who may write to the bucket can write anything into the file.
 * @throws {LiveDamaged} that names the first wrong field, and says what to do
 */
function parseLive(body: string, { name }: ObjectStore, key: string): Live {
  let live: unknown = null
  try {
    live = JSON.parse(body)
  } catch {
    // It counts as no object.
  }
  const [wrong] = isFields(live) ? wrongFields(live) : ['it is not a JSON object']
  if (wrong === undefined) return live as Live
  const restore = 'Restore its last version, if the bucket keeps versions; else remove it'
  const repair = 'run `fundpress publish --repair`: nothing is served in between'
  const advice = key === stagedKey ? 'Stage again (`fundpress publish --stage`)' : `${restore}, and ${repair}`
  throw new LiveDamaged(`${name}: ${key} is damaged: ${wrong}. ${advice}`)
}

function wrongFields(live: Fields): string[] {
  const wrongIn = (fields: Fields, checks: readonly Check<string>[], prefix = '') =>
    checks.flatMap(([field, isRight, expected, optional]) => {
      const value = fields[field]
      if (isRight(value) || (optional !== undefined && value === undefined)) return []
      return `${prefix}${field} is ${shown(value)}, not ${expected}`
    })
  const { previous } = live
  const before = isFields(previous) ? wrongIn(previous, snapshotFields, 'previous.') : []
  return [...wrongIn(live, fileFields), ...wrongIn(live, snapshotFields), ...before]
}

/** JSON, cut off so that the message stays one readable line. */
function shown(value: unknown): string {
  const json = value === undefined ? 'missing' : JSON.stringify(value)
  return json.length > 60 ? `${json.slice(0, 60)}…` : json
}
