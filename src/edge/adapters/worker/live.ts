/**
 * Following `live.json`: an isolate looks at most once in the time to live, however many requests it answers.
 *
 * No request waits for what another one has begun: I/O belongs to the request that began it, and a promise of a request
 * that was cancelled is never settled. So while one looks, the others go on with what was seen last.
 */

import { DamagedLive } from '../damaged-live.ts'
import type { Placed } from '../../../routes/pages.ts'

/** What `live.json` says. Source: keys.md. */
export interface LiveSlot extends Placed {
  readonly docsUrl: string
  /** ISO 8601. */
  readonly liveSince: string
}

/** What was live at a moment by the clock, in milliseconds. */
export interface Look {
  readonly live: LiveSlot
  readonly at: number
}

export interface LiveFollower {
  /**
   * What is live now, as far as it is known within the time to live.
   * @param read reads `live.json` on behalf of this request
   * @throws {Error} if it cannot be read and what was seen last is too old
   */
  readonly current: (read: () => Promise<LiveSlot>) => Promise<Look>
  /** Whether all that was read from the slot of a look is of its snapshot, or may have been written over meanwhile. */
  readonly isStillLive: (look: Look, read: () => Promise<LiveSlot>) => Promise<boolean>
  /** The same without asking: whether the slot is left alone for sure, for bucket.graceSeconds. */
  readonly isSafe: (look: Look) => boolean
}

/**
 * @param liveTtlMs how long an answer may come from the slot that was live before @param clock in milliseconds
 * @param onDamaged told each time `live.json` is found damaged, while what was live before is served
 */
export function followLive(
  liveTtlMs: number,
  clock: () => number,
  onDamaged: (error: Error) => void = () => undefined,
): LiveFollower {
  let last: Look | undefined
  // Stays true where the request that looks is cancelled: until what was seen is too old, then all look for themselves.
  let isLooking = false
  const isYounger = (look: Look, factor: number) => clock() - look.at < liveTtlMs * factor

  const look = async (read: () => Promise<LiveSlot>): Promise<Look> => {
    const at = clock()
    const known = last
    isLooking = true
    try {
      const live = await read().catch((error: unknown) => {
        if (!(error instanceof DamagedLive) || known === undefined || at - known.at >= liveTtlMs * 2)
          throw error
        onDamaged(error)
        // Still live: within this time nobody has begun to write to its slot, and now nobody does.
        return known.live
      })
      const seen = { live, at }
      // Of two looks at a time the one that began later counts.
      if (last === undefined || last.at <= at) last = seen
      return seen
    } finally {
      isLooking = false
    }
  }
  const isSafe = (seen: Look) => isYounger(seen, 2)

  return {
    current: async (read) => {
      const seen = last
      if (seen === undefined || !isYounger(seen, 1.5)) return look(read)
      if (isLooking || isYounger(seen, 1)) return seen
      try {
        return await look(read)
      } catch (error) {
        // One failed look need not fail requests, while there is time left to answer in.
        if (isYounger(seen, 1.5)) return seen
        throw error
      }
    },
    isStillLive: async (seen, read) => isSafe(seen) || idOf((await look(read)).live) === idOf(seen.live),
    isSafe,
  }
}

/** Tells a snapshot's time as the live one from any other. */
export const idOf = ({ slot, snapshot, liveSince }: LiveSlot) => `${slot} ${snapshot} ${liveSince}`

const damaged = 'live.json is not one of this fundpress: `fundpress status` names what is wrong'

/** @throws {DamagedLive} if it is not what `fundpress publish` writes */
export function parseLive(text: string): LiveSlot {
  const live = parsed(text)
  const { format, slot, snapshot, docsUrl, liveSince, downloads, earlierDownloads } = live
  if (
    format !== 1 ||
    (slot !== 'blue' && slot !== 'green') ||
    !/^[\w-]{1,100}$/.test(snapshot ?? '') ||
    !/^(https?:\/)?\/\S/.test(docsUrl ?? '') ||
    Number.isNaN(Date.parse(liveSince ?? ''))
  ) {
    throw new DamagedLive(damaged)
  }
  return {
    slot,
    snapshot: snapshot ?? '',
    docsUrl: docsUrl ?? '',
    liveSince: liveSince ?? '',
    downloads,
    earlierDownloads,
  }
}

type Loose = Partial<LiveSlot> & { readonly format?: unknown }

function parsed(text: string): Loose {
  try {
    return (JSON.parse(text) as Loose | null) ?? {}
  } catch {
    throw new DamagedLive(damaged)
  }
}
