/** The lease: the right to write to the bucket. Acquired, renewed and released by conditional puts of `journal.json`. */

import { randomUUID } from 'node:crypto'
import { allTorn, heldMessage, isHeldByOther, isLeftUnsettled, readJournal } from './journal.ts'
import type { Journal, JournalObject, TornSlots } from './journal.ts'
import type { Holder } from '../../system/holder.ts'
import { messageOf } from '../../system/message.ts'
import { journalKey, type Slot, slotPrefix, slots } from './layout.ts'
import { smallObject } from './live.ts'
import { hasAny } from '../store/read.ts'
import { realTime, type Time } from '../store/retry.ts'
import { type Condition, ConditionFailed, ConditionsUnknown } from '../store/store.ts'
import type { NewObject, ObjectStore } from '../store/store.ts'

export interface LeaseOptions {
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
  readonly leaseSeconds: number
  /** False for a store without conditional writes: two publishes that begin at the same moment both win. */
  readonly isLocking: boolean
  /** Acquires the lease also if the journal is damaged or was removed. */
  readonly isRepair?: boolean
  /** Called before the first journal of a bucket is written. */
  readonly onNew?: () => Promise<void>
  readonly time?: Time
  readonly signal: AbortSignal
}

/** Error of an age: HTTP dates have whole seconds. */
export const roundingMs = 1000

interface State extends Pick<Journal, 'changing' | 'searched'> {
  /** When the first publish of this target began, by the store's clock. */
  readonly since: Date
  /** `lost`: another process may hold the lease, so this one writes nothing. */
  readonly phase: 'held' | 'lost' | 'released'
  /**
   * Requests of earlier holders: `late` ones may still be carried out, `repeating` ones bring the same bytes as this
   * publish, `over` ones were waited for, `settled` ones were waited for and fenced, or were all answered.
   */
  readonly earlier: 'late' | 'repeating' | 'over' | 'settled'
}

const acquired = (
  { journal, now }: JournalObject,
  changing: TornSlots,
  isLocking: boolean,
  target: string | undefined,
): State => {
  const isUnsettled = journal === null ? changing === allTorn : isLeftUnsettled(journal)
  // Without a fence, a late flip of an earlier holder would still count.
  const isRepeating = isLocking && target !== undefined && journal?.target === target
  const earlier = !isUnsettled ? 'settled' : isRepeating ? 'repeating' : 'late'
  const since = earlier === 'repeating' ? new Date(journal?.targetSince ?? now) : now
  return { phase: 'held', earlier, changing, searched: journal?.searched, since }
}
const ended = (state: State, phase: 'lost' | 'released'): State =>
  state.phase === 'held' ? { ...state, phase } : state
const marked = (state: State, slot: Slot, list: string | null): State => {
  const others = Object.entries(state.changing).filter(([other]) => other !== slot)
  return { ...state, changing: Object.fromEntries(list === null ? others : [...others, [slot, list]]) }
}

/**
 * Acquires the lease, renews it during the work, and releases it. Slots that are marked as torn stay torn.
 * @param target names all that a publish writes; absent for other commands
 * @throws {Error} if another process holds the lease, if the journal is lost, or if the store ignores conditions
 */
export async function withLease<T>(
  store: ObjectStore,
  options: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
  target?: string,
): Promise<T> {
  const { me, isAlive, isRepair = false, onNew } = options
  const found = await readJournal(store, isRepair)
  if (isHeldByOther(found, me, isAlive)) throw new Error(heldMessage(store, found))
  const torn = found.journal?.changing ?? (await tornWithoutJournal(store, found, isRepair))
  const lease = new Lease(store, options, found, torn, target)
  if (lease.isFirst) await onNew?.()
  await lease.acquire()
  try {
    return await work(lease)
  } finally {
    // After a failure the lease ends by itself.
    await lease.release().catch(() => undefined)
  }
}

export class Lease {
  readonly id = randomUUID()
  /** True if the bucket had no journal: nobody has published into it. */
  readonly isFirst: boolean
  /** The torn slots that the holder before has left. */
  readonly torn: TornSlots
  /** True if requests of earlier holders may have been under way when the lease was acquired. */
  readonly isUnsettled: boolean
  /** For each write: ends it when the command is stopped or the lease is lost, and checks the lease before each attempt. */
  readonly writing: { readonly signal: AbortSignal; readonly assertFresh: () => void }

  readonly #store: ObjectStore
  readonly #options: LeaseOptions
  readonly #target: string | undefined
  readonly #time: Time
  readonly #journal: ReturnType<typeof journalWriter>
  /** The last moment at which the holder before can have sent a request, by the steady clock. */
  readonly #earlierEndedAt: number
  readonly #lost = new AbortController()
  #state: State
  #renewal: NodeJS.Timeout | undefined

  constructor(
    store: ObjectStore,
    options: LeaseOptions,
    found: JournalObject,
    torn: TornSlots,
    target: string | undefined,
  ) {
    const { leaseSeconds, isLocking, time = realTime } = options
    this.isFirst = 'ifAbsent' in found.condition
    this.#store = store
    this.#options = options
    this.#target = target
    this.#time = time
    this.#journal = journalWriter(store, isLocking ? found.condition : undefined, time, this.#lost.signal)
    this.#earlierEndedAt = time.clocks().steady - sinceEarlierHolder(found, leaseSeconds * 1000)
    this.#state = acquired(found, torn, isLocking, target)
    this.torn = torn
    this.isUnsettled = this.#state.earlier !== 'settled'
    const signal = AbortSignal.any([options.signal, this.#lost.signal])
    const assertFresh = () => {
      signal.throwIfAborted()
      this.assertFresh()
    }
    this.writing = { signal, assertFresh }
  }

  /** Call once, before all else. */
  async acquire(): Promise<void> {
    const { isLocking, leaseSeconds } = this.#options
    await this.#write().catch(async (error: unknown) => {
      if (!(error instanceof LeaseLost)) throw error
      throw new Error(heldMessage(this.#store, await readJournal(this.#store)), { cause: error.cause })
    })
    if (isLocking)
      await assertConditionsHold(this.#store, this.#says(), this.isFirst).catch(async (error: unknown) => {
        await this.release().catch(() => undefined)
        throw error
      })
    const renew = () => void this.#write().catch(() => undefined)
    this.#renewal = setInterval(renew, leaseSeconds * 200).unref()
  }

  /** Compares the clocks of this machine; sends no request. @throws {LeaseLost} if the lease may have ended */
  readonly assertFresh = (): void => {
    // The lease ends here before it ends for others. After a process was stopped, or a machine slept, the wall clock shows it.
    const { wall, steady } = this.#time.clocks()
    const { renewedAt, trouble } = this.#journal.last
    const passed = Math.max(wall - renewedAt.wall, steady - renewedAt.steady) / 1000
    if (passed > this.#options.leaseSeconds * 0.8)
      this.#lose(`the lease could not be renewed for ${Math.round(passed)} s: ${trouble}`)
    this.#lost.signal.throwIfAborted()
  }

  /** @returns the store's time @throws {LeaseLost} if the journal names another holder */
  async assertHeld(): Promise<Date> {
    this.assertFresh()
    const { journal, now } = await readJournal(this.#store)
    if (journal?.id !== this.id) this.#lose(takenOver)
    return now
  }

  /**
   * Waits until no request of an earlier holder can be carried out any more. A publish of the same snapshot as all of them does not
   * wait: their requests can only repeat its own.
   * @param lateSeconds time that a request may outlive its sender @param onWait called with the seconds of the wait
   */
  async awaitLateRequests(lateSeconds: number, onWait: (seconds: number) => void): Promise<void> {
    if (this.#state.earlier !== 'late') return
    const passed = this.#time.clocks().steady - this.#earlierEndedAt
    const wait = lateSeconds * 1000 + roundingMs - passed
    if (lateSeconds > 0 && wait > 0) {
      onWait(Math.ceil(wait / 1000))
      await this.#time.pause(wait, this.writing.signal)
    }
    this.#state = { ...this.#state, earlier: 'over' }
  }

  /** Call after the fence: requests of earlier holders can do no harm any more, if they were waited for. */
  settle(): void {
    if (this.#state.earlier === 'over') this.#state = { ...this.#state, earlier: 'settled' }
  }

  /** Names a slot in the journal before its first change. @param list the key of the list; null: the slot is whole */
  async markTorn(slot: Slot, list: string | null): Promise<void> {
    this.#state = marked(this.#state, slot, list)
    await this.#write()
  }

  /** The same time for all publishes of one target that do not wait for each other: what they write is the same, too. */
  since(): Date {
    return this.#state.since
  }

  searched(): string | undefined {
    return this.#state.searched
  }

  /** For the next write of the journal. @param searched as in `live.json`; undefined: downloads may hold anything */
  noteSearched(searched: string | undefined): void {
    this.#state = { ...this.#state, searched }
  }

  async release(): Promise<void> {
    clearInterval(this.#renewal)
    this.#state = ended(this.#state, 'released')
    await this.#write()
  }

  async #write(): Promise<void> {
    this.assertFresh()
    try {
      await this.#journal.write(() => this.#says())
    } catch (error) {
      if (error instanceof ConditionFailed) this.#lose(takenOver, error)
      throw error
    }
  }

  #says(): Unwritten {
    const { me, leaseSeconds } = this.#options
    const { phase, earlier, changing, searched, since } = this.#state
    const target = earlier === 'late' ? undefined : this.#target
    return {
      format: 1,
      id: this.id,
      isHeld: phase === 'held',
      holder: me,
      seconds: leaseSeconds,
      changing,
      isUnsettled: earlier !== 'settled' || this.#store.unanswered() > 0,
      target,
      targetSince: target === undefined ? undefined : since.toISOString(),
      searched,
    }
  }

  #lose(why: string, cause?: unknown): never {
    clearInterval(this.#renewal)
    this.#state = ended(this.#state, 'lost')
    const lost = new LeaseLost(`${this.#store.name}: ${why}; nothing went live, publish again`, { cause })
    this.#lost.abort(lost)
    throw lost
  }
}

type Unwritten = Omit<Journal, 'writes'>

const takenOver = 'the lease was lost to another publish'
const unanswered = 'the store has not answered'
const stoodStill = 'this process or its machine stood still'

/** Writes the journal, one write after the other: each must find the ETag of the one before. @param signal ends the writes */
function journalWriter(
  store: ObjectStore,
  condition: Condition | undefined,
  time: Time,
  signal: AbortSignal,
) {
  let expected = condition
  let said = ''
  let writes = 0
  let queue = Promise.resolve()
  /** Begin of the last successful write, and the reason why none followed. */
  const last = { renewedAt: time.clocks(), trouble: stoodStill }
  const write = async (journal: Unwritten) => {
    const renewedAt = time.clocks()
    const says = JSON.stringify(journal)
    const object = smallObject(journalKey, { ...journal, writes: ++writes })
    last.trouble = unanswered
    const onFailure = (why: string) => (last.trouble = why)
    try {
      const { etag } = await store.put(object, expected, { isRenewal: says === said, onFailure, signal })
      if (expected !== undefined) expected = { ifMatch: etag }
    } catch (error) {
      if (last.trouble === unanswered) last.trouble = messageOf(error)
      throw error
    }
    said = says
    Object.assign(last, { renewedAt, trouble: stoodStill })
  }
  return {
    last: last as Readonly<typeof last>,
    write: (says: () => Unwritten): Promise<void> => {
      const turn = queue.then(() => {
        signal.throwIfAborted()
        return write(says())
      })
      queue = turn.catch(() => undefined)
      return turn
    },
  }
}

/** @throws {Error} if the journal was removed: the remains of a killed publish are unknown. A new bucket has none. */
async function tornWithoutJournal(store: ObjectStore, { condition }: JournalObject, isRepair: boolean) {
  // A first publish that was killed leaves objects, and no manifest.
  const isEmpty = async () => {
    for (const slot of slots) if (await hasAny(store, slotPrefix(slot))) return false
    return true
  }
  if ('ifAbsent' in condition && (await isEmpty())) return {}
  if (isRepair) return allTorn
  const advice = 'run `fundpress publish --repair`, which lists them and writes it anew'
  throw new Error(`${store.name}: ${journalKey} is missing, so nobody knows what the slots hold: ${advice}`)
}

/**
 * Milliseconds since the holder before can last have sent a request, by the store's clock; negative if it may still send one.
 * @param leaseMs the length of a lease whose journal cannot be read
 */
function sinceEarlierHolder({ journal, ageMs }: JournalObject, leaseMs: number): number {
  const age = Number.isFinite(ageMs) ? ageMs : 0
  if (journal === null) return age - leaseMs
  // A holder known to be dead may have sent requests until now; any other one until its lease ended.
  return journal.isHeld ? age - Math.min(age, journal.seconds * 1000) : age
}

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** Tests that a store honours conditions: `ifMatch` names an ETag that no object has. */
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
 * Refuses a store that ignores conditions: two publishes would win.
 * @param journal stays in such a store, without a holder
 * @param isNew true after the first write of the journal: the store must honour `If-None-Match` for `live.json`, too
 * @throws {ConditionsUnknown}
 */
async function assertConditionsHold(store: ObjectStore, journal: Unwritten, isNew: boolean): Promise<void> {
  const free = { ...journal, isHeld: false, writes: 0 } satisfies Journal
  const probe = smallObject(journalKey, { ...free, probe: true })
  if ((await isRefused(store, probe, 'ifMatch')) && (!isNew || (await isRefused(store, probe, 'ifAbsent'))))
    return
  throw new ConditionsUnknown('a conditional put that should have failed was carried out')
}
