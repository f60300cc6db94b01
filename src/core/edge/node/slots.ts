/** Limits on work, fair between clients: long answers at a time, and work in one turn of the event loop. */

import type { LongAnswerLimits } from '../limits.ts'

/** What waits, an entry of each client in turn: who asks for more waits longer, and nobody else does. */
function fairQueue<T>() {
  /** The client whose turn is next comes first. No queue is empty. */
  const queues = new Map<string, T[]>()
  let size = 0

  const forget = (client: string, queue: T[]): void => {
    size--
    if (queue.length === 0) queues.delete(client)
  }

  return {
    size: () => size,
    sizeOf: (client: string) => queues.get(client)?.length ?? 0,
    add: (client: string, entry: T): void => {
      const queue = queues.get(client) ?? []
      queue.push(entry)
      queues.set(client, queue)
      size++
    },
    remove: (client: string, entry: T): void => {
      const queue = queues.get(client) ?? []
      const at = queue.indexOf(entry)
      if (at < 0) return
      queue.splice(at, 1)
      forget(client, queue)
    },
    /** Takes the entry whose turn it is out of the queue. @param mayGoOn false for a client whose entries have to wait longer */
    next: (mayGoOn: (client: string) => boolean = () => true): T | undefined => {
      for (const [client, queue] of queues) {
        if (!mayGoOn(client)) continue
        const entry = queue.shift()
        queues.delete(client)
        if (queue.length > 0) queues.set(client, queue)
        size--
        return entry
      }
      return undefined
    },
    /** Takes the last entry of the client that has the most, if those are more than `most`. */
    lastOfLongest: (most: number): T | undefined => {
      const [longest] = [...queues].sort(([, one], [, other]) => other.length - one.length)
      if (longest === undefined || longest[1].length <= most) return undefined
      const [client, queue] = longest
      const entry = queue.pop()
      forget(client, queue)
      return entry
    },
  }
}

/** A long answer had to wait for too long, or too many wait. The answer is a 503, but nothing has failed. */
export class Busy extends Error {
  override readonly name = 'Busy'
}

/** The place of a request among the long answers. It takes none until it is asked to. */
export interface LongPlace {
  readonly client: string
  /** Waits for a slot, once: later calls give the same one. @throws {Busy} if the wait was too long, or the client has gone */
  readonly take: () => Promise<ReaderSlot>
  /** Gives the slot to another request, or stops waiting. */
  readonly leave: () => void
}

/** Work that is only as fast as its client reads. */
export interface ReaderSlot {
  /** @param onLost ends the work when another request gets the slot */
  readonly endWith: (onLost: () => void) => void
  readonly setWaiting: (isWaiting: boolean) => void
}

interface Holder {
  readonly client: string
  /** Time since which the answer waits for its client; Infinity while it does not. */
  waitsSince: number
  onLost: () => void
}

interface Waiting {
  readonly goOn: () => void
  readonly refuse: () => void
}

/** Pause between two looks for a client that has stopped reading, while somebody waits. In milliseconds. */
const lookMs = 100

export type LongAnswers = ReturnType<typeof longAnswers>

/**
 * Slots for long answers. A client has a share of them, and waits in turn with the others. If there is none left for it, the answer
 * whose client has not read for the longest time makes room: idle clients keep no others out.
 */
export function longAnswers({ ofClient, ofAll }: LongAnswerLimits) {
  const holders = new Set<Holder>()
  const queue = fairQueue<Waiting>()
  let looking: NodeJS.Timeout | undefined

  const shareOf = (client: string) => [...holders].filter((holder) => holder.client === client).length

  /** A client whose share is used up gets no more than that: only its own answers make room. */
  const makeRoom = (client: string, isShareUsed: boolean): boolean => {
    const [longest] = [...holders]
      .filter((holder) => !isShareUsed || holder.client === client)
      .sort((one, other) => one.waitsSince - other.waitsSince)
    if (longest === undefined || performance.now() - longest.waitsSince < ofAll.readerPatienceMs) return false
    holders.delete(longest)
    longest.onLost()
    return true
  }

  const hasRoom = (client: string): boolean => {
    const isShareUsed = shareOf(client) >= ofClient.longAnswers
    return (!isShareUsed && holders.size < ofAll.longAnswers) || makeRoom(client, isShareUsed)
  }

  const letIn = (): void => {
    for (let next = queue.next(hasRoom); next !== undefined; next = queue.next(hasRoom)) next.goOn()
    if (queue.size() > 0) {
      looking ??= setInterval(letIn, lookMs)
      return
    }
    clearInterval(looking)
    looking = undefined
  }

  /** True if one more of this client may wait. Too many: the client with the most gives up its last place. */
  const mayWait = (client: string): boolean => {
    if (queue.size() < ofAll.waiting) return true
    const other = queue.lastOfLongest(queue.sizeOf(client))
    other?.refuse()
    return other !== undefined
  }

  const placeOf = (client: string): LongPlace => {
    const holder: Holder = { client, waitsSince: Infinity, onLost: () => undefined }
    let waiting: Waiting | undefined
    let isGone = false
    const busy = () => new Busy('too many long answers are in work')

    const myTurn = () =>
      new Promise<void>((resolve, reject) => {
        const end = () => {
          clearTimeout(late)
          waiting = undefined
        }
        const place: Waiting = {
          goOn: () => {
            end()
            holders.add(holder)
            resolve()
          },
          refuse: () => {
            end()
            queue.remove(client, place)
            reject(busy())
          },
        }
        const late = setTimeout(place.refuse, ofAll.waitMs)
        waiting = place
        queue.add(client, place)
        letIn()
      })

    return {
      client,
      take: async () => {
        if (!holders.has(holder)) {
          if (isGone) throw busy()
          if (hasRoom(client)) holders.add(holder)
          else if (mayWait(client)) await myTurn()
          else throw busy()
        }
        return {
          endWith: (onLost) => (holder.onLost = onLost),
          setWaiting: (isWaiting) => (holder.waitsSince = isWaiting ? performance.now() : Infinity),
        }
      },
      leave: () => {
        isGone = true
        waiting?.refuse()
        if (holders.delete(holder)) letIn()
      },
    }
  }

  return { placeOf, taken: () => holders.size }
}

/** Lets `perTurn` callers go on in a turn of the event loop, each client in turn, so that long answers do not delay the others. */
export function turns(perTurn: number): (client: string) => Promise<void> {
  const queue = fairQueue<() => void>()
  let left = perTurn
  let isRunning = false

  const nextTurn = (): void => {
    const next: (() => void)[] = []
    for (let one = queue.next(); one !== undefined; one = queue.next()) {
      next.push(one)
      if (next.length === perTurn) break
    }
    left = perTurn - next.length
    isRunning = next.length > 0
    if (isRunning) setImmediate(nextTurn)
    next.forEach((goOn) => {
      goOn()
    })
  }

  return (client) =>
    new Promise((resolve) => {
      if (!isRunning) {
        isRunning = true
        setImmediate(nextTurn)
      }
      if (left > 0) {
        left--
        resolve()
      } else queue.add(client, resolve)
    })
}
