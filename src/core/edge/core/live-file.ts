/**
 * The strict parser of `live.json` and `staged.json` for every edge. A program with the right to write to the bucket can write anything
 * into these files, and their values become keys, paths, headers and addresses. The publisher has a check of its own, of all fields:
 * test/support/live-examples.ts holds both to the same texts.
 */
import type { Placed } from '../../api/routes/pages.ts'
import { isDay } from '../../api/routes/values.ts'

/** Fields for an edge. Source: src/core/bucket/keys.md. */
export interface LiveSlot extends Placed {
  /** `blue`, `green`, or `slot-3` and so on: a folder of the bucket. */
  readonly slot: string
  readonly docsUrl: string
  /** ISO 8601. */
  readonly liveSince: string
}

interface LiveFile extends LiveSlot {
  /** `liveSince` of the snapshot before; null without one. */
  readonly previousSince: string | null
}

/** Limit of an edge. A publish writes far less. */
export const maxLiveBytes = 1024 * 1024

type Fields = Readonly<Record<string, unknown>>
type Checks = Readonly<Record<string, (value: unknown) => boolean>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Characters that no value may have. In njs, `$` matches before a line feed, too. */
const control = /[\0-\x1f\x7f-\x9f]/

/** Checks the type, too: a regular expression alone would turn a number or an array into text. */
const isLike = (value: unknown, form: RegExp): value is string =>
  typeof value === 'string' && !control.test(value) && form.test(value)

const isDated = (value: unknown, form: RegExp): value is string =>
  isLike(value, form) && isDay(value.slice(0, 10))

const isTime = (value: unknown) => isDated(value, /^[\d-]{10}T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{3})?Z$/)

export const isFolder = (value: unknown): value is string => isDated(value, /^[\d-]{10}(-[0-9a-f]{12}){1,2}$/)

/** Tests the folders of a month: `19-3f9c2ab4d1e0 17-0`. */
export const isMonth = (value: unknown): value is string =>
  isLike(value, /^([0-3]\d(-0|(-[0-9a-f]{12}){1,2})( (?=\d)|$))+$/)

const slotChecks: Checks = {
  slot: (value) => isLike(value, /^[a-z]{4,5}(-\d)?$/),
  snapshot: (value) => isDated(value, /^[\d-]{10}-[0-9a-f]{12}$/),
  docsUrl: (value) => isLike(value, /^(https?:\/)?\/\S*$/) && value.length <= 2048,
  liveSince: isTime,
}

const fileChecks: Checks = /* @__PURE__ */ Object.assign({}, slotChecks, {
  format: (value: unknown) => value === 1,
  downloads: (value: unknown) => value === undefined || (isFields(value) && isFolder(value['folder'])),
  earlierDownloads: (value: unknown) =>
    isFields(value) &&
    Object.keys(value).every((month) => isLike(month, /^\d{4}-(0[1-9]|1[0-2])$/) && isMonth(value[month])),
  previous: (value: unknown) => value === null || (isFields(value) && isTime(value['liveSince'])),
})

const wrongIn = (fields: Fields, checks: Checks): string | undefined =>
  Object.keys(checks).filter((name) => !(checks[name] as Checks[string])(fields[name]))[0]

export type Repeated = Omit<LiveSlot, 'downloads' | 'earlierDownloads'>

export const isRepeated = (value: unknown): value is Repeated =>
  isFields(value) && wrongIn(value, slotChecks) === undefined

/** @throws {Error} that {@link isDamaged} knows, if a field is not as `fundpress publish` writes it */
export function parseLiveFile(text: string, name: 'live.json' | 'staged.json'): LiveFile {
  const fields = text.length > maxLiveBytes ? null : parsed(text)
  const wrong = isFields(fields) ? wrongIn(fields, fileChecks) : 'text'
  if (wrong !== undefined)
    throw damage(
      name +
        ' was not written by this version of fundpress (' +
        wrong +
        '): `fundpress status` says what to do',
    )
  const file = fields as LiveSlot & { readonly previous: LiveSlot | null }
  const { slot, snapshot, docsUrl, liveSince, downloads, earlierDownloads, previous } = file
  return {
    slot,
    snapshot,
    docsUrl,
    liveSince,
    downloads: downloads && { folder: downloads.folder },
    earlierDownloads,
    previousSince: previous ? previous.liveSince : null,
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (_error) {
    return null
  }
}

const damaged = 'LiveDamaged'

function damage(message: string): Error {
  const error = new Error(message)
  error.name = damaged
  return error
}

export const isDamaged = (error: unknown) => (error as Error).name === damaged

/** Reads a small file of the bucket. @returns null if there is none; a text that no parser takes if it is too long */
export type ReadText = (key: string) => Promise<string | null>

interface FoundLive {
  readonly live: LiveSlot
  /** Set if `live` is the last good one. */
  readonly trouble: 'damaged' | 'missing' | null
}

/**
 * Reads `live.json`. If it is damaged or gone, the last good one counts for as long as its slot holds its snapshot. Nobody makes
 * another one live meanwhile: that takes a good `live.json`, or a repair, which waits the grace period before it writes to a slot.
 * @param last the last good one
 * @throws {Error} that {@link isDamaged} knows, without a last good one, or if its slot may hold something else by now
 */
export async function readLiveOrLast(readText: ReadText, last: LiveSlot | undefined): Promise<FoundLive> {
  const text = await readText('live.json')
  try {
    if (text === null)
      throw damage(
        'live.json is missing: nothing is live, or it was removed. `fundpress status` says what to do',
      )
    return { live: parseLiveFile(text, 'live.json'), trouble: null }
  } catch (error) {
    if (last === undefined || !(await isUntouched(readText, last))) throw error
    return { live: last, trouble: text === null ? 'missing' : 'damaged' }
  }
}

/** True if the slot holds the snapshot, and no publish has begun to change it. A publish names the slot in `journal.json` first. */
async function isUntouched(readText: ReadText, { slot, snapshot }: LiveSlot): Promise<boolean> {
  // This order matters: a journal that is read first may be older than what is written into the slot.
  const status = parsed((await readText(slot + '/status/index.json')) || '')
  const journal = parsed((await readText('journal.json')) || '')
  if (!isFields(status) || status['snapshot'] !== snapshot) return false
  const torn = isFields(journal) && journal['format'] === 1 ? journal['changing'] : null
  return isFields(torn) && torn[slot] === undefined
}
