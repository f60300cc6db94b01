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

export interface Journal {
  readonly format: 1
  /** The publish that wrote it. */
  readonly id: string
  readonly isHeld: boolean
  readonly holder: Holder
  /** How long the lease lasts after each write, in seconds. */
  readonly seconds: number
  /** A slot whose objects under these keys are unknown. */
  readonly changing: { readonly slot: Slot; readonly keys: string } | null
  /** Counts the writes of this publish: no two journals are the same, so no two have the same ETag. */
  readonly writes: number
}

export interface Standing {
  readonly journal: Journal | null
  readonly condition: Condition
  /** Since it was last written, by the store's clock, in seconds. */
  readonly ageSeconds: number
}

export async function readJournal(store: ObjectStore): Promise<Standing> {
  const object = await readSmall(store, journalKey)
  if (object === null) return { journal: null, condition: { ifAbsent: true }, ageSeconds: Infinity }
  const ageSeconds = (object.now.getTime() - object.lastModified.getTime()) / 1000
  try {
    const journal = JSON.parse(object.text) as Journal | { readonly format?: unknown }
    if (isJournal(journal)) return { journal, condition: { ifMatch: object.etag }, ageSeconds }
  } catch {
    // Said below.
  }
  throw new Error(
    `${store.name}: ${journalKey} is not one of this fundpress: look at it, and remove it if nobody publishes`,
  )
}

const isJournal = (journal: Journal | { readonly format?: unknown }): journal is Journal =>
  journal.format === 1

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
  /** What a predecessor left unknown; null after a clean end. */
  readonly inherited: Journal['changing']
  /** Says what is about to be changed, before the first change. */
  readonly declare: (changing: Journal['changing']) => Promise<void>
  /** @throws {Error} if the lease was lost */
  readonly assertHeld: () => Promise<void>
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
  /** False with a store that knows no conditional writes: then nobody looks after two publishes at once. */
  readonly isLocking: boolean
}

/**
 * Takes the lease and keeps it until it is released.
 * @throws {Error} if somebody else holds it, or if the store ignores conditions
 */
export async function takeLease(store: ObjectStore, options: LeaseOptions): Promise<Lease> {
  const { id, me, seconds, isAlive, isLocking } = options
  const standing = await readJournal(store)
  if (isLocking && isHeldByOther(standing, me, isAlive)) throw new Error(heldMessage(store, standing))

  let changing = standing.journal?.changing ?? null
  let condition: Condition | undefined = isLocking ? standing.condition : undefined
  let writtenAt = performance.now()
  const lost = new AbortController()
  let writes = 0
  const journalOf = (isHeld: boolean): Journal => {
    return { format: 1, id, isHeld, holder: me, seconds, changing, writes: ++writes }
  }
  const write = async (isHeld: boolean) => {
    const journal = journalOf(isHeld)
    const startedAt = performance.now()
    const { etag } = await store.put(smallObject(journalKey, journal), condition)
    if (isLocking) condition = { ifMatch: etag }
    writtenAt = startedAt
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
    await assertConditionsHold(store, journalOf(false)).catch(async (error: unknown) => {
      await write(false).catch(() => undefined)
      throw error
    })
  }

  // Before the lease ends for others it ends for us: a renewal that hangs is not waited for.
  const isOver = () => performance.now() - writtenAt > seconds * 800
  const renewal = setInterval(() => {
    if (isOver()) lost.abort(lostError(store, null))
    void inTurn(() => write(true)).catch((error: unknown) => {
      if (error instanceof ConditionFailed || isOver()) lost.abort(lostError(store, error))
    })
  }, seconds * 200)
  renewal.unref()

  return {
    id,
    inherited: changing,
    lost: lost.signal,
    declare: (next) => {
      return inTurn(() => {
        changing = next
        return write(true)
      })
    },
    assertHeld: async () => {
      lost.signal.throwIfAborted()
      const { journal } = await readJournal(store)
      if (journal?.id !== id) throw lostError(store, null)
    },
    release: async () => {
      clearInterval(renewal)
      await inTurn(() => write(false))
    },
  }
}

const lostError = (store: ObjectStore, cause: unknown) =>
  new Error(`${store.name}: the lease was lost to another publish; nothing went live, publish again`, {
    cause,
  })

/**
 * A store that ignores conditions would let two publishes win.
 * @param free what such a store is left with: a journal that nobody holds @throws {ConditionsUnknown}
 */
async function assertConditionsHold(store: ObjectStore, free: Journal): Promise<void> {
  try {
    await store.put(smallObject(journalKey, { ...free, probe: true }), { ifAbsent: true })
  } catch (error) {
    if (error instanceof ConditionFailed) return
    throw error
  }
  throw new ConditionsUnknown('a conditional put that should have failed was carried out')
}
