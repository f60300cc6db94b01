/** The lease: the right to write to the bucket. Acquired, renewed and released by conditional puts of `journal.json`. */

import {
  allTorn,
  heldMessage,
  isHeldByOther,
  isLeftUnsettled,
  readJournal,
  type Holder,
  type Journal,
  type Standing,
  type Unknown,
} from './journal.ts'
import { journalKey, slotPrefix, slots, type Slot } from './layout.ts'
import { smallObject } from './live.ts'
import { realTime, type Time } from './pause.ts'
import { ConditionFailed, ConditionsUnknown, type Condition, type ObjectStore } from './store.ts'

export interface Lease {
  readonly id: string
  /** The slots that predecessors left torn. */
  readonly inherited: Unknown
  /** Whether requests of predecessors may still be carried out. */
  readonly isUnsettled: boolean
  /**
   * Waits until no request of a predecessor can be carried out any more. A publish of the very snapshot that all of them
   * were publishing does not wait: their requests can only repeat what it does itself.
   * @param lateSeconds how long a request may outlive its sender @param onWait told before it waits
   */
  readonly outwaitOthers: (
    lateSeconds: number,
    options: { readonly signal: AbortSignal; readonly onWait: (seconds: number) => void },
  ) => Promise<void>
  /** Says that nothing which predecessors sent can do harm any more, if they were waited for: now they are fenced, too. */
  readonly settle: () => void
  /** Says what is about to be changed, before the first change; null when the slot is whole. */
  readonly declare: (slot: Slot, keys: string | null) => Promise<void>
  /** Asks the clocks of this machine: no request. @throws {Error} if the lease may have ended meanwhile */
  readonly assertFresh: () => void
  /** Asks the store. @returns its clock @throws {Error} if the lease was lost */
  readonly assertHeld: () => Promise<Date>
  /** Gives it back; what is still declared stays torn. */
  readonly release: () => Promise<void>
  /** Aborted when the lease is lost. */
  readonly lost: AbortSignal
}

export interface LeaseOptions {
  readonly id: string
  readonly me: Holder
  readonly seconds: number
  readonly isAlive: (holder: Holder) => boolean
  /** False with a store that knows no conditional writes: then two that begin at the same moment both win. */
  readonly isLocking: boolean
  /** A repair acquires the lease also where the journal is damaged or was removed. */
  readonly isRepair?: boolean
  /** The snapshot that is about to be published, with its edition; absent for a holder that does not publish one. */
  readonly target?: string
  readonly time?: Time
}

/** Dates of HTTP have no parts of a second: an age that is told by two of them can be that much too large. */
const roundingMs = 1000

/**
 * Acquires the lease and keeps it until it is released.
 * @throws {Error} if somebody else holds it, if the journal is lost, or if the store ignores conditions
 */
export async function takeLease(store: ObjectStore, options: LeaseOptions): Promise<Lease> {
  const { id, me, seconds, isAlive, isLocking, isRepair = false, time = realTime } = options
  const standing = await readJournal(store, isRepair)
  if (isHeldByOther(standing, me, isAlive)) throw new Error(heldMessage(store, standing))

  const inherited = standing.journal?.changing ?? (await findLost(store, standing, isRepair))
  let changing = inherited
  const wasUnsettled = standing.journal === null ? inherited === allTorn : isLeftUnsettled(standing.journal)
  // Without a fence, a late flip of a predecessor would still count.
  const isSameTarget =
    isLocking && options.target !== undefined && standing.journal?.target === options.target
  let mustWait = wasUnsettled && !isSameTarget
  let hasLateOthers = wasUnsettled
  let hasOutwaited = !wasUnsettled
  const begunAt = time.clocks().steady
  const othersEndedMs = sinceOthers(standing, seconds) * 1000

  let condition: Condition | undefined = isLocking ? standing.condition : undefined
  let written = time.clocks()
  const lost = new AbortController()
  let writes = 0
  const journalOf = (isHeld: boolean): Journal => {
    const isUnsettled = hasLateOthers || store.unanswered() > 0
    const target = mustWait || options.target === undefined ? {} : { target: options.target }
    return { format: 1, id, isHeld, holder: me, seconds, changing, isUnsettled, ...target, writes: ++writes }
  }
  const write = async (isHeld: boolean) => {
    const journal = journalOf(isHeld)
    const startedAt = time.clocks()
    const { etag } = await store.put(smallObject(journalKey, journal), condition)
    if (isLocking) condition = { ifMatch: etag }
    written = startedAt
  }
  // Writes one after the other: each has to find what the one before has written.
  let queue: Promise<void> = Promise.resolve()
  const inTurn = (work: () => Promise<void>): Promise<void> => {
    const turn = queue.then(work)
    queue = turn.catch(() => undefined)
    return turn
  }

  try {
    await write(true)
  } catch (error) {
    if (error instanceof ConditionFailed)
      throw new Error(heldMessage(store, await readJournal(store)), { cause: error })
    throw error
  }
  if (isLocking) {
    const isNew = 'ifAbsent' in standing.condition
    await assertConditionsHold(store, journalOf(false), isNew).catch(async (error: unknown) => {
      await write(false).catch(() => undefined)
      throw error
    })
  }

  // Before the lease ends for others it ends for us: a renewal that hangs is not waited for. A process that was stopped,
  // or a machine that slept, sees it by the wall clock too.
  const isOver = () => {
    const now = time.clocks()
    return Math.max(now.wall - written.wall, now.steady - written.steady) > seconds * 800
  }
  const assertFresh = () => {
    if (isOver()) lost.abort(lostError(store))
    lost.signal.throwIfAborted()
  }
  const renewal = setInterval(() => {
    if (isOver()) lost.abort(lostError(store))
    void inTurn(() => write(true)).catch((error: unknown) => {
      if (error instanceof ConditionFailed || isOver()) lost.abort(lostError(store, error))
    })
  }, seconds * 200)
  renewal.unref()

  return {
    id,
    inherited,
    isUnsettled: wasUnsettled,
    outwaitOthers: async (lateSeconds, { signal, onWait }) => {
      if (!mustWait) return
      const passed = othersEndedMs + time.clocks().steady - begunAt
      const wait = lateSeconds * 1000 + roundingMs - passed
      if (lateSeconds > 0 && wait > 0) {
        onWait(Math.ceil(wait / 1000))
        await time.pause(wait, AbortSignal.any([signal, lost.signal]))
      }
      mustWait = false
      hasOutwaited = true
    },
    settle: () => {
      if (hasOutwaited) hasLateOthers = false
    },
    lost: lost.signal,
    declare: (slot, keys) => {
      return inTurn(async () => {
        const others = Object.entries(changing).filter(([other]) => other !== slot)
        changing = Object.fromEntries(keys === null ? others : [...others, [slot, keys]])
        await write(true).catch((error: unknown) => {
          throw error instanceof ConditionFailed ? lostError(store, error) : error
        })
      })
    },
    assertFresh,
    assertHeld: async () => {
      assertFresh()
      const { journal, now } = await readJournal(store)
      if (journal?.id !== id) throw lostError(store)
      return now
    },
    release: async () => {
      clearInterval(renewal)
      // What is lost is no longer ours to give back.
      if (!lost.signal.aborted) await inTurn(() => write(false))
    },
  }
}

/**
 * A bucket without a journal is new, or somebody removed the journal.
 * @throws {Error} if it was removed: what a killed publish left is forgotten then
 */
async function findLost(store: ObjectStore, standing: Standing, isRepair: boolean): Promise<Unknown> {
  const isDamaged = 'ifMatch' in standing.condition
  if (!isDamaged && (await isNewBucket(store))) return {}
  if (isRepair) return allTorn
  throw new Error(
    `${store.name}: ${journalKey} is missing, so nobody knows what the slots hold: ` +
      'run `fundpress publish --repair`, which lists them and writes it anew',
  )
}

/** Whether the slots are empty. A first publish that was killed leaves objects, and no manifest. */
async function isNewBucket(store: ObjectStore): Promise<boolean> {
  for (const slot of slots) for await (const _ of store.list(slotPrefix(slot))) return false
  return true
}

/**
 * How long ago a predecessor can last have sent a request, by the store's clock, in seconds; negative where it may
 * still send some.
 * @param seconds of a lease that nobody can read any more
 */
function sinceOthers({ journal, ageSeconds }: Standing, seconds: number): number {
  const age = Number.isFinite(ageSeconds) ? ageSeconds : 0
  if (journal === null) return age - seconds
  // A holder that is known to be dead sent until now, for all we know; any other one until its lease ended.
  return journal.isHeld ? age - Math.min(age, journal.seconds) : age
}

/** Somebody else may hold the lease by now. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

const lostError = (store: ObjectStore, cause?: unknown) =>
  new LeaseLost(`${store.name}: the lease was lost to another publish; nothing went live, publish again`, {
    cause,
  })

/** An ETag that no object has. */
const nobodysEtag = '"00000000000000000000000000000000"'

/**
 * A store that ignores conditions would let two publishes win.
 * @param free what such a store is left with: a journal that nobody holds
 * @param isNew whether the journal was made just now: then `live.json` is most likely still to be made, too
 * @throws {ConditionsUnknown}
 */
async function assertConditionsHold(store: ObjectStore, free: Journal, isNew: boolean): Promise<void> {
  const probe = smallObject(journalKey, { ...free, probe: true })
  const conditions: readonly Condition[] = [
    { ifMatch: nobodysEtag },
    ...(isNew ? [{ ifAbsent: true as const }] : []),
  ]
  for (const condition of conditions) {
    const isIgnored = await store.put(probe, condition).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ConditionFailed) return false
        throw error
      },
    )
    if (isIgnored) throw new ConditionsUnknown('a conditional put that should have failed was carried out')
  }
}
