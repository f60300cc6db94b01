/** Limits on how many things are in work at a time: what is beyond is refused, or waits. */

export interface Slots {
  /** @returns false if all are taken */
  readonly take: () => boolean
  /** Gives back one that was taken. */
  readonly give: () => void
}

export function slots(count: number): Slots {
  let taken = 0
  return {
    take: () => {
      if (taken >= count) return false
      taken++
      return true
    },
    give: () => {
      taken--
    },
  }
}

/** Slots of work that goes only as fast as its client reads. */
export interface ReaderSlots {
  /** @returns null if all are taken by clients that read */
  readonly take: () => ReaderSlot | null
  readonly taken: () => number
}

export interface ReaderSlot {
  /** Aborted when somebody else gets the slot. */
  readonly lost: AbortSignal
  /** Says that the client has to read before the work goes on, or that it has read. */
  readonly setWaiting: (isWaiting: boolean) => void
  readonly give: () => void
}

/**
 * If all slots are taken, the client that has not read for longest loses its slot to the next one: who does not read
 * cannot keep others out.
 * @param patienceMs how long a client may read nothing before it can lose its slot
 */
export function readerSlots(count: number, patienceMs: number): ReaderSlots {
  /** What ends the work that holds a slot, and since when it waits for its client. */
  const holders = new Map<AbortController, number>()

  const makeRoom = (): boolean => {
    const [longest] = [...holders].sort(([, one], [, other]) => one - other)
    if (longest === undefined || performance.now() - longest[1] < patienceMs) return false
    holders.delete(longest[0])
    longest[0].abort()
    return true
  }

  return {
    take: () => {
      if (holders.size >= count && !makeRoom()) return null
      const holder = new AbortController()
      holders.set(holder, Infinity)
      return {
        lost: holder.signal,
        setWaiting: (isWaiting) => {
          if (holders.has(holder)) holders.set(holder, isWaiting ? performance.now() : Infinity)
        },
        give: () => holders.delete(holder),
      }
    },
    taken: () => holders.size,
  }
}

/** Does a piece of work as soon as it may. */
export type Queue = <T>(work: () => Promise<T>) => Promise<T>

/** @param count how many pieces are in work at a time; the others wait, first come, first served */
export function queue(count: number): Queue {
  const waiting: (() => void)[] = []
  let taken = 0
  return async (work) => {
    if (taken < count) taken++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // Who has waited longest takes the place.
      const next = waiting.shift()
      if (next === undefined) taken--
      else next()
    }
  }
}
