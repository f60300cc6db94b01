/** The keys of the bucket, beside and in the two slots. Pure. See `src/bucket/keys.md`. */

import { checksumsKey, manifestKey } from '../../build/manifest.ts'

export const slots = ['blue', 'green'] as const
export type Slot = (typeof slots)[number]

export const liveKey = 'live.json'
export const stagedKey = 'staged.json'
export const journalKey = 'journal.json'

export const otherSlot = (slot: Slot): Slot => (slot === 'blue' ? 'green' : 'blue')

export const slotPrefix = (slot: Slot) => `${slot}/`
export const inSlot = (slot: Slot, key: string) => slotPrefix(slot) + key
export const manifestIn = (slot: Slot) => inSlot(slot, manifestKey)
export const checksumsIn = (slot: Slot) => inSlot(slot, checksumsKey)

/** A publish writes this folder of a slot itself: what has changed depends on what was live before. */
export const changesFolder = 'changes/'
export const statusFolder = 'status/'

/** What lies in every slot beside the objects of its manifest. @param key relative to the slot */
export const isBookkeeping = (key: string): boolean =>
  key === manifestKey || key === checksumsKey || key.startsWith(changesFolder) || key.startsWith(statusFolder)

/** What a publish is about to change: a line a key. @param id of its lease */
export const changesKey = (id: string) => `journal/${id}.changes.ndjson.gz`
export const isChangesKey = (key: string) => /^journal\/[^/]+\.changes\.ndjson\.gz$/.test(key)
/** Stands for the list of a slot whose list was lost with the journal. There is no such object. */
export const lostList = 'journal/lost'
/** The ETags that the store gave for a slot's objects, and for the downloads of its snapshot. */
export const etagsKey = (slot: Slot) => `journal/${slot}.etags.ndjson.gz`
export const downloadEtagsKey = (slot: Slot) => `journal/${slot}.downloads.ndjson.gz`
/** The doctor tries its rights on this key. */
export const scratchKey = (uuid: string) => `journal/doctor-${uuid}`
export const isScratchKey = (key: string) => key.startsWith('journal/doctor-')

/** The files for analysts: one folder for each snapshot. */
export const downloadsRoot = 'downloads/'
export const downloadsPrefix = (folder: string) => `${downloadsRoot}${folder}/`
/** The folder of a day: in a snapshot's folder, and in buckets of earlier versions. @param asOf ISO 8601 day */
export const dayFolder = (asOf: string) => downloadsPrefix(asOf)
/** The file of such a folder that has the digests of all others. */
export const checksumsName = 'SHA256SUMS'

/** Caches must ask again for what changes under its key. */
export const noCache = 'no-cache'
export const jsonType = 'application/json; charset=utf-8'
export const gzipType = 'application/gzip'
