/**
 * `journal.json`: who holds the lease, and which slots a killed publish left torn. `lease.ts` writes it. Why nothing
 * wrong goes live: README.md.
 */

import { journalKey, lostList, slots, type Slot } from './layout.ts'
import { readSmall } from './manifest-reader.ts'
import type { Condition, ObjectStore } from './store.ts'

/** A process, told apart from others of its number on this or another machine. */
export interface Holder {
  readonly host: string
  readonly pid: number
  /** Machine, boot and process namespace: two holders with the same one see each other's processes. */
  readonly world: string
  /** When it began, in the kernel's words: numbers of processes are used again. Absent where nobody can tell. */
  readonly startedAt?: string
}

/** By torn slot: where the list of the keys lies whose objects are unknown. */
export type Unknown = Readonly<Partial<Record<Slot, string>>>

export interface Journal {
  readonly format: 1
  /** The publish that wrote it. */
  readonly id: string
  readonly isHeld: boolean
  readonly holder: Holder
  /** How long the lease lasts after each write, in seconds. */
  readonly seconds: number
  /** By slot: the list of keys whose objects are unknown. */
  readonly changing: Unknown
  /** Whether the store may still carry out a request of this holder, or of one before it, that it never answered. */
  readonly isUnsettled: boolean
  /** The only snapshot, and its edition, whose bytes such requests can bring; absent if there may be several. */
  readonly target?: string
  /** Counts the writes of this publish: no two journals are the same, so no two have the same ETag. */
  readonly writes: number
}

export interface Standing {
  /** Null where there is none, or where a repair found a damaged one. */
  readonly journal: Journal | null
  readonly condition: Condition
  /** Since it was last written, by the store's clock, in seconds. */
  readonly ageSeconds: number
  /** The store's clock; this machine's where there is no journal yet. */
  readonly now: Date
}

/**
 * @param isRepair whether a damaged journal counts as none
 * @throws {Error} if the journal is damaged, or if the store fails
 */
export async function readJournal(store: ObjectStore, isRepair = false): Promise<Standing> {
  const object = await readSmall(store, journalKey)
  if (object === null)
    return { journal: null, condition: { ifAbsent: true }, ageSeconds: Infinity, now: new Date() }
  const { now, etag, lastModified } = object
  const ageSeconds = (now.getTime() - lastModified.getTime()) / 1000
  const standing = { condition: { ifMatch: etag }, ageSeconds, now }
  const journal = parseJournal(object.text)
  if (journal !== null || isRepair) return { journal, ...standing }
  throw new Error(
    `${store.name}: ${journalKey} is damaged, so nobody knows what the slots hold: ` +
      'run `fundpress publish --repair`, which lists them and writes it anew. Do not remove it',
  )
}

function parseJournal(text: string): Journal | null {
  try {
    const journal = JSON.parse(text) as Loose | null
    return isJournal(journal) ? journal : null
  } catch {
    return null
  }
}

/** What may stand there instead. */
type Loose = Partial<Omit<Journal, 'format' | 'changing'>> & {
  readonly format?: unknown
  readonly changing?: unknown
}

const isJournal = (journal: Loose | null): journal is Loose & Journal =>
  journal?.format === 1 &&
  typeof journal.id === 'string' &&
  typeof journal.isHeld === 'boolean' &&
  Number.isFinite(journal.seconds) &&
  typeof journal.holder?.host === 'string' &&
  typeof journal.changing === 'object' &&
  journal.changing !== null &&
  Object.entries(journal.changing).every(
    ([slot, list]) => slots.some((one) => one === slot) && typeof list === 'string',
  )

/** What a repair has to assume where the journal was lost: nobody knows what any slot holds. */
export const allTorn: Unknown = Object.fromEntries(slots.map((slot) => [slot, lostList]))

/** Whether requests of a holder may still be carried out when the next one holds the lease. */
export const isLeftUnsettled = ({ isHeld, isUnsettled }: Journal) => isHeld || isUnsettled

/** Whether somebody else is publishing now. @param isAlive asks after a holder of this world */
export function isHeldByOther(
  { journal, ageSeconds }: Standing,
  me: Holder,
  isAlive: (holder: Holder) => boolean,
): boolean {
  if (journal?.isHeld !== true || ageSeconds > journal.seconds) return false
  // A publish that was killed on this very machine need not be waited for.
  return journal.holder.world !== me.world || isAlive(journal.holder)
}

/** What is said to whoever comes second. */
export function heldMessage(store: ObjectStore, { journal, ageSeconds }: Standing): string {
  if (journal === null) return `${store.name}: another publish took the lease`
  const { host, pid } = journal.holder
  const left = Math.max(1, Math.ceil(journal.seconds - ageSeconds))
  return `${store.name}: another publish is under way (process ${pid} on ${host}); if it is dead, its lease ends in ${left} s`
}
