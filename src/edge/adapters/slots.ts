/** A limit on how many things are in work at a time. */

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
