/** Where things lie in the bucket, beside and in the two slots. Source: keys.md; the journal's keys are ours. */

import { checksumsKey, manifestKey } from '../snapshot/manifest.ts'

export const slots = ['blue', 'green'] as const
export type Slot = (typeof slots)[number]

export const liveKey = 'live.json'
export const journalKey = 'journal.json'

export const otherSlot = (slot: Slot): Slot => (slot === 'blue' ? 'green' : 'blue')

export const slotPrefix = (slot: Slot) => `${slot}/`
export const inSlot = (slot: Slot, key: string) => slotPrefix(slot) + key
export const manifestIn = (slot: Slot) => inSlot(slot, manifestKey)
export const checksumsIn = (slot: Slot) => inSlot(slot, checksumsKey)

/** Folders of a slot that a publish fills by itself: what it says of a night depends on what was live before it. */
export const changesFolder = 'changes/'
export const statusFolder = 'status/'

/** What lies in every slot beside the objects of its manifest. @param key relative to the slot */
export const isBookkeeping = (key: string): boolean =>
  key === manifestKey || key === checksumsKey || key.startsWith(changesFolder) || key.startsWith(statusFolder)

/** What a publish is about to change: a line a key. */
export const changesKey = (publishId: string) => `journal/${publishId}.changes.ndjson.gz`

/** Stands for the list of a slot whose list was lost with the journal. There is no such object. */
export const lostList = 'journal/lost'

/** The ETags that the store gave for a slot's objects: what a listing is compared with. */
export const etagsKey = (slot: Slot) => `journal/${slot}.etags.ndjson.gz`

/** The files for analysts: a folder a snapshot. */
export const downloadsFolder = 'downloads/'
export const downloadsPrefix = (folder: string) => `${downloadsFolder}${folder}/`

/**
 * The folder of a day: in a snapshot's folder, and in buckets of earlier versions.
 * @param asOf ISO 8601 day
 */
export const dayFolder = (asOf: string) => downloadsPrefix(asOf)

/** The ETags that the store gave for the downloads of a slot's snapshot: what a listing is compared with. */
export const downloadEtagsKey = (slot: Slot) => `journal/${slot}.downloads.ndjson.gz`

/** Where the doctor tries what it is allowed to do. */
export const scratchKey = (uuid: string) => `journal/doctor-${uuid}`
export const isScratchKey = (key: string) => key.startsWith('journal/doctor-')

/** Caches must ask again for what changes under its key. */
export const noCache = 'no-cache'

export const jsonType = 'application/json; charset=utf-8'
export const gzipType = 'application/gzip'
