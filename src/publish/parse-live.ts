/** What stands in `live.json`, checked field by field: whoever can write to the bucket can write anything into it. */

import { isDay } from '../routes/values.ts'
import { slots } from './layout.ts'
import { isFolderOfSnapshot } from './live-downloads.ts'
import type { Live } from './live.ts'

type Fields = Readonly<Record<string, unknown>>

/** A field, and what it has to be. */
type Check = readonly [field: string, isRight: (value: unknown) => boolean, expected: string]

const isText = (value: unknown): value is string => typeof value === 'string'
const isCount = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= 0
const isAbsentOr = (isRight: (value: unknown) => boolean) => (value: unknown) =>
  value === undefined || isRight(value)
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** As `toISOString` writes it. */
function isTime(value: unknown): boolean {
  if (!isText(value) || !/^\d{4}-\d\d-\d\dT[\d:.]{8,12}Z$/.test(value)) return false
  return isDay(value.slice(0, 10)) && !Number.isNaN(Date.parse(value))
}

/** An address of its own, or a path below that of the API. */
function isAddress(value: unknown): boolean {
  if (!isText(value) || value.length > 2048 || /\s/.test(value)) return false
  return value.startsWith('/') || (/^https?:\/\//.test(value) && URL.canParse(value))
}

const isDownloads = (value: unknown): boolean =>
  isFields(value) &&
  isText(value['folder']) &&
  isFolderOfSnapshot(value['folder']) &&
  isCount(value['files']) &&
  isCount(value['bytes']) &&
  isText(value['sums']) &&
  /^[0-9a-f]{64}$/.test(value['sums'])

const isEarlierDownloads = (value: unknown): boolean =>
  isFields(value) &&
  Object.entries(value).every(
    ([month, rests]) => /^\d{4}-\d\d$/.test(month) && isText(rests) && /^[0-9a-f -]*$/.test(rests),
  )

const ofSnapshot: readonly Check[] = [
  ['slot', (value) => slots.some((slot) => slot === value), 'blue or green'],
  ['snapshot', (value) => isText(value) && /^[\w-]{1,100}$/.test(value), 'a snapshot id'],
  ['asOf', (value) => isText(value) && isDay(value), 'a day'],
  ['liveSince', isTime, 'a time in UTC'],
  ['docsUrl', isAddress, 'an http(s) address or a path'],
  ['funds', isCount, 'a count'],
  ['objects', isCount, 'a count'],
  ['bytes', isCount, 'a count'],
  ['newestPrice', (value) => value === null || (isText(value) && isDay(value)), 'a day or null'],
  ['edition', isAbsentOr(isText), 'a text'],
  ['changes', isAbsentOr(isText), 'a text'],
  ['freshness', isAbsentOr(isFields), 'an object'],
  ['downloads', isAbsentOr(isDownloads), 'a folder of downloads'],
]

const ofFile: readonly Check[] = [
  ['format', (value) => value === 1, '1'],
  ['earlierDownloads', isAbsentOr(isEarlierDownloads), 'folders of downloads by month'],
  ['previous', (value) => value === undefined || value === null || isFields(value), 'an object or null'],
]

/** Nothing may be written to the bucket until somebody has put it right. */
export class LiveDamaged extends Error {
  override readonly name = 'LiveDamaged'
}

/**
 * @param place what the file is called in messages
 * @throws {LiveDamaged} that names the first field that is wrong, and says what to do
 */
export function parseLive(text: string, place: string): Live {
  const wrong = whatIsWrong(text)
  if (wrong === null) return JSON.parse(text) as Live
  throw new LiveDamaged(
    `${place} is damaged: ${wrong}. Bring back its last version, if the bucket keeps versions; ` +
      'else remove it, and run `fundpress publish --repair`: nothing is served in between',
  )
}

function whatIsWrong(text: string): string | null {
  const live = parsed(text)
  if (!isFields(live)) return 'it is no JSON object'
  const { previous } = live
  return (
    firstWrong(live, ofFile, '') ??
    firstWrong(live, ofSnapshot, '') ??
    (isFields(previous) ? firstWrong(previous, ofSnapshot, 'previous.') : null)
  )
}

function firstWrong(fields: Fields, checks: readonly Check[], prefix: string): string | null {
  const wrong = checks.find(([field, isRight]) => !isRight(fields[field]))
  if (wrong === undefined) return null
  const [field, , expected] = wrong
  return `${prefix}${field} is ${shown(fields[field])}, not ${expected}`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** JSON, cut off: a message is one line that can be read. */
function shown(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
