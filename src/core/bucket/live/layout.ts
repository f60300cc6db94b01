/** The keys of the bucket. Pure. See `src/core/bucket/keys.md`. */

import { checksumsKey, manifestKey } from '../../snapshot/manifest.ts'

/** All names. A bucket uses the first of them, as many as `bucket.slots` says. */
export const slots = ['blue', 'green', 'slot-3', 'slot-4', 'slot-5', 'slot-6', 'slot-7'] as const
export type Slot = (typeof slots)[number]

export const liveKey = 'live.json'
export const stagedKey = 'staged.json'
export const journalKey = 'journal.json'

/** @param slot also one that an edge has read from `live.json` */
export const slotPrefix = (slot: string) => `${slot}/`
export const inSlot = (slot: string, key: string) => slotPrefix(slot) + key
export const manifestIn = (slot: Slot) => inSlot(slot, manifestKey)
export const checksumsIn = (slot: string) => inSlot(slot, checksumsKey)

/** A folder outside of the manifest: changes depend on what was live before. */
export const changesFolder = 'changes/'
/** The days whose downloads edges give out. The door writes it. */
export const downloadDaysKey = `${changesFolder}downloads.json`
export const statusFolder = 'status/'

/** True for what lies in every slot beside the objects of its manifest. @param key relative to the slot */
export const isBookkeeping = (key: string): boolean =>
  key === manifestKey || key === checksumsKey || key.startsWith(changesFolder) || key.startsWith(statusFolder)

/** The list of keys that a publish is about to change. @param id of its lease */
export const changesKey = (id: string) => `journal/${id}.changes.ndjson.gz`
export const isChangesKey = (key: string) => /^journal\/[^/]+\.changes\.ndjson\.gz$/.test(key)
/** Stands for a list that was lost with the journal. There is no such object. */
export const lostList = 'journal/lost'
/** The store's ETags of a slot's objects; the next key: of the downloads of its snapshot. */
export const etagsKey = (slot: Slot) => `journal/${slot}.etags.ndjson.gz`
export const downloadEtagsKey = (slot: Slot) => `journal/${slot}.downloads.ndjson.gz`
export const scratchKey = (uuid: string) => `journal/doctor-${uuid}`
export const isScratchKey = (key: string) => key.startsWith('journal/doctor-')

export const downloadsRoot = 'downloads/'
export const downloadsPrefix = (folder: string) => `${downloadsRoot}${folder}/`
/** The downloads in a snapshot's folder, and as readers name them. @param asOf ISO 8601 day */
export const dayFolder = (asOf: string) => downloadsPrefix(asOf)
export const checksumsName = 'SHA256SUMS'
/** Signed by the publish. */
export const changesSumsKey = changesFolder + checksumsName

/** For objects that change under their key. */
export const noCache = 'no-cache'
export const jsonType = 'application/json; charset=utf-8'
export const gzipType = 'application/gzip'
