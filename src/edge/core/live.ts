/** Which snapshot is live, and how a request gets all of its answer from one snapshot. */

import type { Placed } from '../../api/routes/pages.ts'

/** The part of `live.json` that the edge needs. Source: src/bucket/keys.md. */
export interface LiveSlot extends Placed {
  readonly docsUrl: string
  /** ISO 8601. */
  readonly liveSince: string
}

/** Tells a snapshot's time as the live one from any other: after a rollback, the same snapshot has another time. */
export const idOf = ({ slot, snapshot, liveSince }: LiveSlot) => [slot, snapshot, liveSince].join('_')

/** After a rollback, objects are older than what clients have seen. Their date is at least the moment at which they went live. */
export const lastModifiedOf = (changed: number, liveSince: number) =>
  new Date(Math.max(changed, liveSince)).toUTCString()

const damaged = 'LiveDamaged'

/** @param name of the file, `staged.json` has the same shape @throws {Error} named LiveDamaged, if it is not what `fundpress publish` writes */
export function parseLiveSlot(text: string, name = 'live.json'): LiveSlot {
  const { format, slot, snapshot, docsUrl, liveSince, downloads, earlierDownloads } = fieldsOf(text)
  if (
    format !== 1 ||
    (slot !== 'blue' && slot !== 'green') ||
    !/^[\w-]{1,100}$/.test(snapshot || '') ||
    !/^(https?:\/)?\/\S/.test(docsUrl || '') ||
    isNaN(Date.parse(liveSince || ''))
  ) {
    const error = new Error(name + ' is not one of this fundpress: `fundpress status` names what is wrong')
    error.name = damaged
    throw error
  }
  return { slot, snapshot, docsUrl, liveSince, downloads, earlierDownloads } as LiveSlot
}

function fieldsOf(text: string): Partial<LiveSlot> & { readonly format?: unknown } {
  try {
    return (JSON.parse(text) as object | null) || {}
  } catch (_error) {
    return {}
  }
}

/** What was live at a moment by the clock, in milliseconds. */
export interface Look {
  readonly live: LiveSlot
  readonly at: number
}

/** Reads `live.json`. Rejects with an error named LiveDamaged if somebody else wrote it. */
export type ReadLive = () => Promise<LiveSlot>

export interface FollowOptions {
  /** How long an answer may come from the slot that was live before, in milliseconds. */
  readonly ttlMs: number
  /** In milliseconds. */
  readonly clock: () => number
  /** Called each time `live.json` is found damaged, while the last look is still used. */
  readonly onDamaged: (error: Error) => void
  /**
   * Wakes after some milliseconds. Absent if no request may wait for what another one has begun: on Cloudflare, I/O belongs to
   * one request, and a promise of a cancelled request never settles.
   */
  readonly sleep?: (ms: number) => Promise<unknown>
}

/** Looks at `live.json` at most once in the time to live, however many requests there are. */
export function followLive({ ttlMs, clock, onDamaged, sleep }: FollowOptions) {
  let last: Look | undefined
  // Stays set if the request that looks is cancelled. When the last look is too old, all requests look for themselves.
  let looking: Promise<Look> | undefined
  const isYounger = (look: Look, factor: number) => clock() - look.at < ttlMs * factor

  const begin = async (read: ReadLive): Promise<Look> => {
    const at = clock()
    const known = last
    const live = await read().catch((error: unknown) => {
      const isDamaged = (error as Error).name === damaged
      if (!isDamaged || known === undefined || at - known.at >= ttlMs * 2) throw error
      onDamaged(error as Error)
      // Nobody publishes while live.json is damaged. Nobody had begun to write to the slot before, either: it is still live.
      return known.live
    })
    const look = { live, at }
    // If two looks overlap, the one that began later counts.
    if (last === undefined || last.at <= at) last = look
    return look
  }
  const look = (read: ReadLive): Promise<Look> => {
    if (sleep !== undefined && looking !== undefined) return looking
    const begun = begin(read)
    looking = begun
    const end = () => {
      looking = undefined
    }
    begun.then(end, end)
    return begun
  }
  /**
   * What is live now, as far as it is known within the time to live.
   * @throws {Error} if `live.json` cannot be read and the last look is too old
   */
  const current = async (read: ReadLive): Promise<Look> => {
    const known = last
    if (known === undefined || !isYounger(known, 1.5)) return look(read)
    if (isYounger(known, 1) || (looking !== undefined && sleep === undefined)) return known
    // A look that fails or takes long need not fail requests while there is time left to answer.
    const found = look(read).catch((error: unknown) => {
      if (isYounger(known, 1.5)) return known
      throw error
    })
    if (sleep === undefined) return found
    return Promise.race([found, sleep(known.at + ttlMs * 1.5 - clock()).then(() => known)])
  }
  /** Whether bucket.graceSeconds still protects the slot of a look. */
  const isSafe = (seen: Look) => isYounger(seen, 2)
  /** Whether all that was read from the slot of a look belongs to its snapshot. Else it may have been overwritten. */
  const isStillLive = async (seen: Look, read: ReadLive) =>
    isSafe(seen) || idOf((await current(read)).live) === idOf(seen.live)
  return { current, isSafe, isStillLive }
}

/** A snapshot that one request reads all it needs from. */
export interface Pinned {
  /** Whether all that was read belongs to this snapshot. */
  readonly isStillLive: () => Promise<boolean>
}

/**
 * Makes an answer from one snapshot. If the snapshot changes meanwhile, it pins the new one and starts again: then missing objects
 * are no failure.
 * @param attempts how many snapshots it tries
 * @param discard gives back what an answer holds that is not going to be sent
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
