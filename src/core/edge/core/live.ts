/** Follows the live snapshot, and lets a request get all of its answer from one snapshot. */

import { isDamaged, type LiveSlot } from './live-file.ts'

/** Identifies a snapshot's time as the live one: after a rollback, the same snapshot has another id. */
export const idOf = ({ slot, snapshot, liveSince }: LiveSlot) => [slot, snapshot, liveSince].join('_')

/** A time of at least `liveSince`: after a rollback, objects are older than what clients have seen. */
export const lastModifiedOf = (changed: number, liveSince: number) =>
  new Date(Math.max(changed, liveSince)).toUTCString()

const unanswered = 'NoAnswer'

/** The error of a store that refuses connections, hangs or fails. A denial, or a missing object, is an answer. */
export function noAnswer(message: string): Error {
  const error = new Error(message)
  error.name = unanswered
  return error
}

export const isNoAnswer = (error: unknown) => (error as Error).name === unanswered

/** The error of a request beyond the cache, while the edge is cut off. */
const notKept = () => noAnswer(missesCache)

/** True for errors that need no line in the log: the line about the outage is enough. */
export const isNotKept = (error: unknown) => (error as Error).message === missesCache

const missesCache = 'the store does not answer, and the cache does not have it'

/** Limit of a store's answer, in milliseconds. A request that needs it fails within 3 s, with its other work. */
export const longestReadMs = 2000
/** Time that a cut-off edge answers from its cache, in milliseconds, like `stale-if-error` of edge.cacheControl. */
const longestCutOffMs = 86_400_000
/** Wait of the one request that reads `live.json` while the last look is not too old, in milliseconds. */
const lookPatienceMs = 50
/** Pause between looks of a cut-off edge, in milliseconds. */
const retryMs = 1000
/** After a pause of this many milliseconds, a request of an edge that was cut off waits for the next look. */
const longestPauseMs = 10_000

/** The live snapshot at a moment by the clock, in milliseconds. */
export interface Look {
  readonly live: LiveSlot
  readonly at: number
}

/**
 * Reads `live.json`. Rejects with an error that `isDamaged` knows if that says nothing, and what it said last may be overwritten.
 * @param last what the last look found: it may go on counting
 */
export type ReadLive = (last: LiveSlot | undefined) => Promise<LiveSlot>

export interface FollowOptions {
  /** Time for answers from the slot that was live before, in milliseconds. */
  readonly ttlMs: number
  /** Milliseconds. */
  readonly clock: () => number
  /**
   * Wakes after some milliseconds. Absent if no request may wait for the work of another: on Cloudflare, I/O belongs to
   * one request, and a promise of a cancelled request never settles.
   */
  readonly sleep?: (ms: number) => Promise<unknown>
}

type Defer = (work: Promise<unknown>) => void

interface Following extends FollowOptions {
  last: Look | undefined
  /** Stays set if the request that reads is cancelled. When the last look is too old, all requests read for themselves. */
  looking: Promise<Look> | undefined
  /** End of the newest look, if it had no answer, or none that says what is live. */
  unansweredAt: number | undefined
  /** True if the store did not answer the newest look. */
  isSilent: boolean
}

/**
 * Reads `live.json` ("a look") at most once in the time to live, however many requests there are.
 *
 * If a look has no answer, or none that counts, when the last one is older than the time to live, the edge is cut off. It answers as of the last look, from
 * its cache, and looks once a second, in the background. A publish may go on meanwhile and overwrite the slot of the last look: so
 * nothing is read from that slot. The cache was read, or confirmed, while the slot was protected.
 */
export function followLive(options: FollowOptions) {
  const known = { last: undefined, looking: undefined, unansweredAt: undefined, isSilent: false }
  const state: Following = Object.assign({}, options, known)
  const isCutOff = () => isStateCutOff(state)
  const current = (read: ReadLive, defer: Defer = () => undefined) => currentLook(state, read, defer)
  /** True while bucket.graceSeconds protects the slot of a look. */
  const isSafe = (seen: Look) => isYounger(state, seen, 2)
  /** Call before each read from the slot of a look. @throws {Error} named NoAnswer while the edge is cut off */
  const assertReachable = (): void => {
    if (isCutOff()) throw notKept()
  }
  return {
    /** The live snapshot; the last one while the edge is cut off. @throws {Error} if the last look is too old */
    current,
    isCutOff,
    isSafe,
    assertReachable,
    /** True if an answer belongs to the snapshot of a look. While the edge is cut off, all parts are confirmed already. */
    isStillLive: async (seen: Look, read: ReadLive) =>
      isSafe(seen) || isCutOff() || idOf((await current(read)).live) === idOf(seen.live),
    /** Call after each read, before its result is kept or used. @throws {Error} if it may belong to another snapshot */
    confirm: async ({ live }: Pick<Look, 'live'>, read: ReadLive): Promise<void> => {
      const isSame = (other: Look) => idOf(other.live) === idOf(live)
      const { last } = state
      if (last !== undefined && isSafe(last) && isSame(last)) return
      const now = await current(read)
      assertReachable()
      if (!isSame(now)) throw new Error('another snapshot is live now')
    },
    /** Takes over a look that was made elsewhere, if there is no newer one. */
    adopt: (found: Look): void => {
      if (state.last === undefined || state.last.at < found.at) state.last = found
    },
  }
}

const isYounger = ({ clock, ttlMs }: Following, look: Look, factor: number) =>
  clock() - look.at < ttlMs * factor

/** True if nothing may be read from the slot of the last look, although its snapshot still counts. */
function isStateCutOff(state: Following): boolean {
  const { last, unansweredAt, clock } = state
  if (last === undefined || unansweredAt === undefined || isYounger(state, last, 1)) return false
  return clock() - unansweredAt < longestPauseMs && clock() - last.at < longestCutOffMs
}

async function currentLook(state: Following, read: ReadLive, defer: Defer): Promise<Look> {
  const { last: known, sleep, clock } = state
  if (known === undefined) return look(state, read)
  if (isYounger(state, known, 1)) return known
  // A store that answers keeps no request waiting.
  if (isStateCutOff(state) && state.isSilent) {
    const isTime = state.looking === undefined && clock() - (state.unansweredAt || 0) >= retryMs
    if (isTime) defer(look(state, read).catch(() => undefined))
    return known
  }
  const isInTime = () => isYounger(state, known, 1.5)
  if (isInTime() && state.looking !== undefined) return known
  // A look that fails or takes long need not fail or delay requests while there is time left to answer.
  const found = look(state, read).catch((error: unknown) => {
    if (isInTime() || isStateCutOff(state)) return known
    throw error
  })
  if (sleep === undefined || !isInTime()) return found
  return Promise.race([found, sleep(lookPatienceMs).then(() => known)])
}

function look(state: Following, read: ReadLive): Promise<Look> {
  if (state.sleep !== undefined && state.looking !== undefined) return state.looking
  const begun = begin(state, read)
  state.looking = begun
  const end = () => {
    state.looking = undefined
  }
  begun.then(end, end)
  return begun
}

async function begin(state: Following, read: ReadLive): Promise<Look> {
  const { clock, last: known } = state
  const at = clock()
  // If two looks overlap, the one that began later counts.
  const isNewest = () => state.last === undefined || state.last.at <= at
  const live = await read(known && known.live).catch((error: unknown) => {
    if (isNewest()) {
      state.isSilent = isNoAnswer(error)
      state.unansweredAt = state.isSilent || isDamaged(error) ? clock() : undefined
    }
    throw error
  })
  const found = { live, at }
  if (isNewest()) {
    state.last = found
    state.unansweredAt = undefined
  }
  return found
}

export interface Pinned {
  readonly isStillLive: () => Promise<boolean>
}

/**
 * If the snapshot changes meanwhile, pins the new one and starts again: then missing objects are no failure.
 * @param discard frees an answer that is not going to be sent
 */
export async function fromOneSnapshot<P extends Pinned, R>(
  pin: () => Promise<P>,
  make: (pinned: P) => Promise<R>,
  attempts: number,
  discard?: (made: R) => Promise<void>,
): Promise<R> {
  let failure: unknown = new Error('the snapshot keeps changing')
  for (let attempt = 0; attempt < attempts; attempt++) {
    const pinned = await pin()
    let made: { readonly answer: R } | null = null
    try {
      made = { answer: await make(pinned) }
    } catch (error) {
      // Another snapshot does not help, and another look would take as long again.
      if (isNoAnswer(error)) throw error
      failure = error
    }
    let isLive = false
    try {
      isLive = await pinned.isStillLive()
    } finally {
      if (made !== null && !isLive && discard !== undefined) await discard(made.answer)
    }
    if (isLive && made !== null) return made.answer
    if (isLive) throw failure
  }
  throw failure
}
