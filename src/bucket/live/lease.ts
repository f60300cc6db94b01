/** The lease: the right to write to the bucket. Acquired, renewed and released by conditional puts of `journal.json`. */

import { randomUUID } from 'node:crypto'
import { allTorn, heldMessage, isHeldByOther, isLeftUnsettled, readJournal } from './journal.ts'
import type { Journal, JournalObject, TornSlots } from './journal.ts'
import type { Holder } from '../../system/holder.ts'
import { journalKey, type Slot, slotPrefix } from './layout.ts'
import { smallObject } from './live.ts'
import { hasAny } from '../store/read.ts'
import { realTime, type Time } from '../store/retry.ts'
import { type Condition, ConditionFailed, ConditionsUnknown } from '../store/store.ts'
import type { NewObject, ObjectStore } from '../store/store.ts'

export interface LeaseOptions {
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
  readonly leaseSeconds: number
  /** False for a store without conditional writes: then two that begin at the same moment both win. */
  readonly isLocking: boolean
  /** A repair acquires the lease also if the journal is damaged or was removed. */
  readonly isRepair?: boolean
  /** The snapshot and edition that is about to be published; absent for a holder that publishes none. */
  readonly target?: string
  readonly time?: Time
  readonly signal: AbortSignal
}

/** HTTP dates have whole seconds: an age, the difference of two of them, can be too large by this much. */
export const roundingMs = 1000

export type Lease = Awaited<ReturnType<typeof acquireLease>>

/**
 * Acquires the lease, renews it while the work runs, and releases it. What is marked as torn then stays torn.
 * @throws {Error} if another process holds it, if the journal is lost, or if the store ignores conditions
 */
export async function withLease<T>(
  store: ObjectStore,
  options: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const lease = await acquireLease(store, options)
  try {
    return await work(lease)
  } finally {
    // If this fails, the lease ends by itself a little later.
    await lease.release().catch(() => undefined)
  }
}

async function acquireLease(store: ObjectStore, options: LeaseOptions) {
  const { me, isAlive, leaseSeconds: seconds, isLocking, isRepair = false, target, time = realTime } = options
  const id = randomUUID()
  const found = await readJournal(store, isRepair)
  if (isHeldByOther(found, me, isAlive)) throw new Error(heldMessage(store, found))
  const torn: TornSlots = found.journal?.changing ?? (await tornWithoutJournal(store, found, isRepair))
  const isUnsettled = found.journal === null ? torn === allTorn : isLeftUnsettled(found.journal)
  // Without a fence, a late flip of an earlier holder would still count.
  const isRepeating = isLocking && target !== undefined && found.journal?.target === target
  // Requests of earlier holders: `late` may still be carried out, `repeating` bring the same bytes as this publish, `over`
  // were waited for, `settled` were waited for and fenced, or were all answered.
  let earlier: 'late' | 'repeating' | 'over' | 'settled' = !isUnsettled
    ? 'settled'
    : isRepeating
      ? 'repeating'
      : 'late'
  const acquiredAt = time.clocks().steady
  const earlierEndedMs = sinceEarlierHolder(found, seconds * 1000)

  const lost = new AbortController()
  let changing = torn
  let searched = found.journal?.searched
  let writes = 0
  const journalOf = (isHeld: boolean): Journal => ({
    ...{ format: 1, id, isHeld, holder: me, seconds, changing },
    isUnsettled: earlier !== 'settled' || store.unanswered() > 0,
    target: earlier === 'late' ? undefined : target,
    searched,
    writes: ++writes,
  })
  let condition: Condition | undefined = isLocking ? found.condition : undefined
  let renewedAt = time.clocks()
  let said = ''
  const write = async (isHeld: boolean) => {
    const startedAt = time.clocks()
    const journal = journalOf(isHeld)
    const says = JSON.stringify({ ...journal, writes: 0 })
    const { etag } = await store.put(smallObject(journalKey, journal), condition, {
      isRenewal: says === said,
    })
    said = says
    if (isLocking) condition = { ifMatch: etag }
    renewedAt = startedAt
  }
  // Writes one after the other: each must find the ETag of the one before.
  let queue: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = queue.then(work)
    queue = turn.catch(() => undefined)
    return turn
  }

  await write(true).catch(async (error: unknown) => {
    if (!(error instanceof ConditionFailed)) throw error
    throw new Error(heldMessage(store, await readJournal(store)), { cause: error })
  })
  if (isLocking) {
    const isNew = 'ifAbsent' in found.condition
    await assertConditionsHold(store, journalOf(false), isNew).catch(async (error: unknown) => {
      await write(false).catch(() => undefined)
      throw error
    })
  }

  // The lease ends for us before it ends for others: nothing waits for a renewal that hangs. After a process was stopped,
  // or a machine slept, the wall clock shows it.
  const isOver = () => {
    const { wall, steady } = time.clocks()
    return Math.max(wall - renewedAt.wall, steady - renewedAt.steady) > seconds * 800
  }
  const assertFresh = () => {
    if (isOver()) lost.abort(leaseLost(store))
    lost.signal.throwIfAborted()
  }
  const renewal = setInterval(() => {
    if (isOver()) lost.abort(leaseLost(store))
    void inTurn(() => write(true)).catch((error: unknown) => {
      if (error instanceof ConditionFailed || isOver()) lost.abort(leaseLost(store, error))
    })
  }, seconds * 200)
  renewal.unref()

  const signal = AbortSignal.any([options.signal, lost.signal])
  return {
    id,
    /** The torn slots, as the holder before left them. */
    torn,
    /** Whether requests of earlier holders may have been on their way when the lease was acquired. */
    isUnsettled,
    /** Looks at the clocks of this machine; sends no request. @throws {LeaseLost} if the lease may have ended */
    assertFresh,
    /** For each write: ends it when the command is stopped or the lease is lost, and asks before each attempt. */
    writing: {
      signal,
      assertFresh: () => {
        signal.throwIfAborted()
        assertFresh()
      },
    },
    /** Asks the store. @returns its clock @throws {LeaseLost} if the lease was lost */
    assertHeld: async (): Promise<Date> => {
      assertFresh()
      const { journal, now } = await readJournal(store)
      if (journal?.id !== id) throw leaseLost(store)
      return now
    },
    /**
     * Waits until no request of an earlier holder can be carried out any more. A publish of the very snapshot that all of
     * them were publishing does not wait: their requests can only repeat its own.
     * @param lateSeconds how long a request may outlive its sender @param onWait hears how many seconds it will wait
     */
    awaitLateRequests: async (lateSeconds: number, onWait: (seconds: number) => void): Promise<void> => {
      if (earlier !== 'late') return
      const passed = earlierEndedMs + time.clocks().steady - acquiredAt
      const wait = lateSeconds * 1000 + roundingMs - passed
      if (lateSeconds > 0 && wait > 0) {
        onWait(Math.ceil(wait / 1000))
        await time.pause(wait, signal)
      }
      earlier = 'over'
    },
    /** To be called after the fence: requests of earlier holders can do no harm any more, if they were waited for. */
    settle: () => {
      if (earlier === 'over') earlier = 'settled'
    },
    /** Names a slot in the journal before its first change. @param list the key of the list; null: it is not torn */
    markTorn: (slot: Slot, list: string | null): Promise<void> =>
      inTurn(async () => {
        const others = Object.entries(changing).filter(([other]) => other !== slot)
        changing = Object.fromEntries(list === null ? others : [...others, [slot, list]])
        await write(true).catch((error: unknown) => {
          throw error instanceof ConditionFailed ? leaseLost(store, error) : error
        })
      }),
    searched: () => searched,
    /** The next write of the journal says it. @param restricted as `live.json` has it; undefined: downloads may hold anything */
    noteSearched: (restricted: string | undefined) => {
      searched = restricted
    },
    release: async (): Promise<void> => {
      clearInterval(renewal)
      // A lost lease belongs to somebody else.
      if (!lost.signal.aborted) await inTurn(() => write(false))
    },
  }
}

/**
 * A bucket without a journal is new, or somebody removed the journal.
 * @throws {Error} if it was removed: nobody knows what a killed publish left
 */
async function tornWithoutJournal(store: ObjectStore, { condition }: JournalObject, isRepair: boolean) {
  // A first publish that was killed leaves objects, and no manifest.
  const isEmpty = async (slot: Slot) => !(await hasAny(store, slotPrefix(slot)))
  if ('ifAbsent' in condition && (await isEmpty('blue')) && (await isEmpty('green'))) return {}
  if (isRepair) return allTorn
  const advice = 'run `fundpress publish --repair`, which lists them and writes it anew'
  throw new Error(`${store.name}: ${journalKey} is missing, so nobody knows what the slots hold: ${advice}`)
}

/**
 * How long ago the holder before can last have sent a request, by the store's clock, in milliseconds; negative if it may
 * still send one.
 * @param leaseMs the length of a lease whose journal cannot be read
 */
function sinceEarlierHolder({ journal, ageMs }: JournalObject, leaseMs: number): number {
  const age = Number.isFinite(ageMs) ? ageMs : 0
  if (journal === null) return age - leaseMs
  // A holder that is known to be dead may have sent requests until now; any other one until its lease ended.
  return journal.isHeld ? age - Math.min(age, journal.seconds * 1000) : age
}

/** Another process may hold the lease by now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

function leaseLost({ name }: ObjectStore, cause?: unknown) {
  return new LeaseLost(`${name}: the lease was lost to another publish; nothing went live, publish again`, {
    cause,
  })
}

/** Whether a store that honours conditions refuses a put: `ifMatch` names an ETag that no object has. */
export async function isRefused(store: ObjectStore, object: NewObject, kind: 'ifMatch' | 'ifAbsent') {
  const condition = kind === 'ifAbsent' ? { ifAbsent: true as const } : { ifMatch: `"${'0'.repeat(32)}"` }
  try {
    await store.put(object, condition)
    return false
  } catch (error) {
    if (error instanceof ConditionFailed) return true
    throw error
  }
}

/**
 * A store that ignores conditions would let two publishes win.
 * @param free what such a store is left with: a journal that nobody holds
 * @param isNew whether the journal was created just now: then the store must honour `If-None-Match` for `live.json`, too
 * @throws {ConditionsUnknown}
 */
async function assertConditionsHold(store: ObjectStore, free: Journal, isNew: boolean): Promise<void> {
  const probe = smallObject(journalKey, { ...free, probe: true })
  if ((await isRefused(store, probe, 'ifMatch')) && (!isNew || (await isRefused(store, probe, 'ifAbsent'))))
    return
  throw new ConditionsUnknown('a conditional put that should have failed was carried out')
}
