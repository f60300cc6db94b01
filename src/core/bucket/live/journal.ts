/** `journal.json`, the storage of the lease: its holder, and the torn slots. `lease.ts` writes it. */

import { z } from 'zod'
import { aFlag, aText, count, parseStrictly, textThat, time } from '../../snapshot/forms.ts'
import type { Holder } from '../../system/holder.ts'
import { messageOf } from '../../system/message.ts'
import { readReplaceable } from '../store/read.ts'
import type { ObjectStore } from '../store/store.ts'
import { isChangesKey, journalKey, lostList, slots } from './layout.ts'

/** `journal/lost`, or the key of a list of changes. */
const listKey = textThat((value) => value === lostList || isChangesKey(value), 'the key of a list of changes')

/** Fields: see `src/core/bucket/keys.md`. */
const journalShape = z.object(
  {
    format: z.literal(1, '1'),
    id: aText,
    isHeld: aFlag,
    holder: z.object(
      { host: aText, pid: count, world: aText, startedAt: aText.optional() },
      'who holds the lease',
    ) satisfies z.ZodType<Holder>,
    seconds: z.number('a number of seconds').nonnegative('a number of seconds'),
    /** For each torn slot the key of the list that names the objects in an unknown state. */
    changing: z.partialRecord(z.enum(slots, 'slots'), listKey, 'slots with their lists'),
    /** True if the store may still carry out an unanswered request of this holder, or of one before it. */
    isUnsettled: aFlag,
    /** What all requests that may still arrive are publishing, and since when by the store's clock. */
    target: aText.optional(),
    targetSince: time.optional(),
    /** `restricted` of the live snapshot for which all earlier downloads were searched and cleared. */
    searched: aText.optional(),
    /** Makes each journal, and so its ETag, unique. */
    writes: count,
  },
  'a JSON object',
)

export type Journal = Readonly<z.infer<typeof journalShape>>
export type TornSlots = Readonly<Journal['changing']>

export type JournalObject = Awaited<ReturnType<typeof readJournal>>

/** @param isRepair takes a damaged journal for none @throws {Error} if it is damaged, or if the store fails */
export async function readJournal(store: ObjectStore, isRepair = false) {
  const { text: body, ...found } = await readReplaceable(store, journalKey)
  try {
    return { journal: body === null ? null : parseStrictly(journalShape, body), ...found }
  } catch (error) {
    if (isRepair) return { journal: null, ...found }
    throw new Error(
      `${store.name}: ${journalKey} is damaged (${messageOf(error)}), so nobody knows what the slots hold: ` +
        'run `fundpress publish --repair`, which lists them and writes it anew. Do not remove it',
      { cause: error },
    )
  }
}

/** The assumption of a repair without a journal: the content of each slot is unknown. */
export const allTorn: TornSlots = Object.fromEntries(slots.map((slot) => [slot, lostList]))

/** True if requests of a holder may still be carried out when the next one holds the lease. */
export const isLeftUnsettled = ({ isHeld, isUnsettled }: Journal) => isHeld || isUnsettled

/** @param isAlive checks a process of this world */
export function isHeldByOther(
  { journal, ageMs }: JournalObject,
  me: Holder,
  isAlive: (holder: Holder) => boolean,
): boolean {
  if (journal?.isHeld !== true || ageMs > journal.seconds * 1000) return false
  // A publish that was killed on this machine blocks no other.
  return journal.holder.world !== me.world || isAlive(journal.holder)
}

export function heldMessage(store: ObjectStore, { journal, ageMs }: JournalObject): string {
  if (journal === null) return `${store.name}: another publish took the lease`
  const { host, pid } = journal.holder
  const left = Math.max(1, Math.ceil(journal.seconds - ageMs / 1000))
  return `${store.name}: another publish is under way (process ${pid} on ${host}); if it is dead, its lease ends in ${left} s`
}
