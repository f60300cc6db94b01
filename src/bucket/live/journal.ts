/** `journal.json`, the storage of the lease: who holds it, and which slots are torn. `lease.ts` writes it. */

import type { Holder } from '../../system/holder.ts'
import { readReplaceable } from '../store/read.ts'
import type { ObjectStore } from '../store/store.ts'
import { journalKey, lostList, type Slot, slots } from './layout.ts'

/** For each torn slot the key of the list that names the objects in an unknown state. */
export type TornSlots = Readonly<Partial<Record<Slot, string>>>

/** The fields are those of `src/bucket/keys.md`. */
export interface Journal {
  readonly format: 1
  readonly id: string
  readonly isHeld: boolean
  readonly holder: Holder
  readonly seconds: number
  readonly changing: TornSlots
  /** Whether the store may still carry out a request of this holder, or of one before it, that it never answered. */
  readonly isUnsettled: boolean
  readonly target?: string | undefined
  /** `restricted` of the live snapshot for which all earlier downloads were searched, and cleared. */
  readonly searched?: string | undefined
  /** No two journals are the same, so no two have the same ETag. */
  readonly writes: number
}

export type JournalObject = Awaited<ReturnType<typeof readJournal>>

/** @param isRepair whether a damaged journal counts as none @throws {Error} if it is damaged, or if the store fails */
export async function readJournal(store: ObjectStore, isRepair = false) {
  const { text, ...found } = await readReplaceable(store, journalKey)
  const journal = text === null ? null : parseJournal(text)
  if (text !== null && journal === null && !isRepair)
    throw new Error(
      `${store.name}: ${journalKey} is damaged, so nobody knows what the slots hold: ` +
        'run `fundpress publish --repair`, which lists them and writes it anew. Do not remove it',
    )
  return { journal, ...found }
}

/** @returns null for a text that is no journal */
function parseJournal(text: string): Journal | null {
  try {
    const journal = JSON.parse(text) as Journal
    const { format, id, isHeld, seconds, holder, changing }: Partial<Record<keyof Journal, unknown>> = journal
    const isTorn = ([slot, list]: [string, unknown]) =>
      slots.some((one) => one === slot) && typeof list === 'string'
    const isRight =
      format === 1 &&
      typeof id === 'string' &&
      typeof isHeld === 'boolean' &&
      Number.isFinite(seconds) &&
      typeof (holder as Holder).host === 'string' &&
      typeof changing === 'object' &&
      changing !== null &&
      Object.entries(changing).every(isTorn)
    return isRight ? journal : null
  } catch {
    return null
  }
}

/** What a repair must assume after the journal was lost: nobody knows what any slot holds. */
export const allTorn: TornSlots = Object.fromEntries(slots.map((slot) => [slot, lostList]))

/** Whether requests of a holder may still be carried out when the next one holds the lease. */
export const isLeftUnsettled = ({ isHeld, isUnsettled }: Journal) => isHeld || isUnsettled

/** Whether another process holds the lease now. @param isAlive looks at a process of this world */
export function isHeldByOther(
  { journal, ageMs }: JournalObject,
  me: Holder,
  isAlive: (holder: Holder) => boolean,
): boolean {
  if (journal?.isHeld !== true || ageMs > journal.seconds * 1000) return false
  // Nobody has to wait for a publish that was killed on this very machine.
  return journal.holder.world !== me.world || isAlive(journal.holder)
}

/** Why a command cannot acquire the lease. */
export function heldMessage(store: ObjectStore, { journal, ageMs }: JournalObject): string {
  if (journal === null) return `${store.name}: another publish took the lease`
  const { host, pid } = journal.holder
  const left = Math.max(1, Math.ceil(journal.seconds - ageMs / 1000))
  return `${store.name}: another publish is under way (process ${pid} on ${host}); if it is dead, its lease ends in ${left} s`
}
