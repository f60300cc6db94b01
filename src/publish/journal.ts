/**
 * The journal: one object that is lease and memory. Who holds it may write to the slot that is not live; what it names
 * as changing is unknown to whoever comes after a publish that was killed.
 */

import { journalKey, type Slot } from './layout.ts'
import { smallObject } from './live.ts'
import { readSmall } from './manifest-reader.ts'
import { ConditionFailed, ConditionsUnknown, type Condition, type ObjectStore } from './store.ts'

/** A process, told apart from others of its number on this or another machine. */
export interface Holder {
  readonly host: string
  readonly pid: number
  /** Machine, boot and process namespace: two holders with the same one see each other's processes. */
  readonly world: string
  /** When it began, in the kernel's words: numbers of processes are used again. Absent where nobody can tell. */
  readonly startedAt?: string
}

/** Of each slot that is not whole: where the list of keys lies under which nobody knows what stands. */
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
  /** Whether writes of this publish, or of one before it, may still be on their way when its lease has ended. */
  readonly isUnsettled: boolean
  /** Counts the writes of this publish: no two journals are the same, so no two have the same ETag. */
  readonly writes: number
}

export interface Standing {
  readonly journal: Journal | null
  readonly condition: Condition
  /** Since it was last written, by the store's clock, in seconds. */
  readonly ageSeconds: number
  /** The store's clock; this machine's where there is no journal yet. */
  readonly now: Date
}

export async function readJournal(store: ObjectStore): Promise<Standing> {
  const object = await readSmall(store, journalKey)
  if (object === null)
    return { journal: null, condition: { ifAbsent: true }, ageSeconds: Infinity, now: new Date() }
  const ageSeconds = (object.now.getTime() - object.lastModified.getTime()) / 1000
  try {
    const journal = JSON.parse(object.text) as Loose | null
    if (isJournal(journal))
      return { journal, condition: { ifMatch: object.etag }, ageSeconds, now: object.now }
  } catch {
    // Said below.
  }
  throw new Error(
    `${store.name}: ${journalKey} is not one of this fundpress: look at it, and remove it if nobody publishes`,
  )
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
  typeof journal.seconds === 'number' &&
  typeof journal.holder?.host === 'string' &&
  typeof journal.changing === 'object' &&
  journal.changing !== null

/** Whether a publish that comes next has to reckon with late writes: nobody has given the lease back, or not with ease. */
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

export interface Lease {
  readonly id: string
  /** What predecessors left unknown. */
  readonly inherited: Unknown
  /** Whether something that was sent under it before, and never answered, can still arrive. */
  readonly isUnsettled: boolean
  /** Says what follows for those who come next; told to the store with the next write. */
  readonly settle: (isUnsettled: boolean) => void
  /** Says what is about to be changed, before the first change; null when the slot is whole. */
  readonly declare: (slot: Slot, keys: string | null) => Promise<void>
  /** Asks the clocks of this machine: no request. @throws {Error} if the lease may have ended meanwhile */
  readonly assertFresh: () => void
  /** Asks the store. @returns its clock @throws {Error} if the lease was lost */
  readonly assertHeld: () => Promise<Date>
  /** Gives it back; what is still declared stays unknown. */
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
}

/**
 * Takes the lease and keeps it until it is released.
 * @throws {Error} if somebody else holds it, or if the store ignores conditions
 */
export async function takeLease(store: ObjectStore, options: LeaseOptions): Promise<Lease> {
  const { id, me, seconds, isAlive, isLocking } = options
  const standing = await readJournal(store)
  if (isHeldByOther(standing, me, isAlive)) throw new Error(heldMessage(store, standing))

  const inherited = standing.journal?.changing ?? {}
  let changing = inherited
  const wasUnsettled = standing.journal !== null && isLeftUnsettled(standing.journal)
  let isUnsettled = wasUnsettled
  let condition: Condition | undefined = isLocking ? standing.condition : undefined
  let written = clocks()
  const lost = new AbortController()
  let writes = 0
  const journalOf = (isHeld: boolean): Journal => {
    return { format: 1, id, isHeld, holder: me, seconds, changing, isUnsettled, writes: ++writes }
  }
  const write = async (isHeld: boolean) => {
    const journal = journalOf(isHeld)
    const startedAt = clocks()
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
    await assertConditionsHold(store, journalOf(false), standing.journal === null).catch(
      async (error: unknown) => {
        await write(false).catch(() => undefined)
        throw error
      },
    )
  }

  // Before the lease ends for others it ends for us: a renewal that hangs is not waited for. A process that was stopped,
  // or a machine that slept, sees it by the wall clock too.
  const isOver = () => {
    const now = clocks()
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
    settle: (next) => {
      isUnsettled = next
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

/** In milliseconds. The wall clock can be set, the steady one stands still while a machine sleeps. */
const clocks = () => ({ wall: Date.now(), steady: performance.now() })

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
