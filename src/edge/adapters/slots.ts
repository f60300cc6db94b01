/** Limits on how many things are in work at a time: what is beyond is refused, or waits. */

export interface Slots {
  /** @returns false if all are taken */
  readonly take: () => boolean
  /** Gives back one that was taken. */
  readonly give: () => void
  readonly taken: () => number
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
    taken: () => taken,
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
