/** Limits on work: long answers at a time, and work in one turn of the event loop. */

/** Slots for work that is only as fast as its client reads. */
export type ReaderSlots = ReturnType<typeof readerSlots>

export type ReaderSlot = NonNullable<ReturnType<ReaderSlots['take']>>

interface Holder {
  onLost: () => void
}

/**
 * If all slots are taken, the client that has not read for the longest time loses its slot: idle clients keep no others out.
 * @param patienceMs time that a client may read nothing before it can lose its slot
 */
export function readerSlots(count: number, patienceMs: number) {
  /** By slot in use, the time since which it waits for its client. */
  const holders = new Map<Holder, number>()

  const makeRoom = (): boolean => {
    const [longest] = [...holders].sort(([, one], [, other]) => one - other)
    if (longest === undefined || performance.now() - longest[1] < patienceMs) return false
    holders.delete(longest[0])
    longest[0].onLost()
    return true
  }

  return {
    /** @returns null if all are taken by clients that read */
    take: () => {
      if (holders.size >= count && !makeRoom()) return null
      const holder: Holder = { onLost: () => undefined }
      holders.set(holder, Infinity)
      return {
        /** @param onLost ends the work when another client gets the slot */
        endWith: (onLost: () => void) => (holder.onLost = onLost),
        setWaiting: (isWaiting: boolean) => {
          if (holders.has(holder)) holders.set(holder, isWaiting ? performance.now() : Infinity)
        },
        give: () => holders.delete(holder),
      }
    },
    taken: () => holders.size,
  }
}

/** Lets `perTurn` callers go on in a turn of the event loop, so that long answers do not delay the others. */
export function turns(perTurn: number): () => Promise<void> {
  const waiting: (() => void)[] = []
  let left = perTurn
  let isRunning = false

  const nextTurn = (): void => {
    const next = waiting.splice(0, perTurn)
    left = perTurn - next.length
    isRunning = next.length > 0
    if (isRunning) setImmediate(nextTurn)
    next.forEach((goOn) => {
      goOn()
    })
  }

  return () =>
    new Promise((resolve) => {
      if (!isRunning) {
        isRunning = true
        setImmediate(nextTurn)
      }
      if (left > 0) {
        left--
        resolve()
      } else waiting.push(resolve)
    })
}
