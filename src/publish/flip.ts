/** The moment a snapshot goes live, and what keeps everybody else from making its slot live before. */

import { LeaseLost, type Lease } from './lease.ts'
import {
  fence,
  isSameLive,
  liveChanged,
  notFlipped,
  readLive,
  writeLive,
  type Live,
  type LiveObject,
  type LiveSnapshot,
} from './live.ts'
import type { Time } from './pause.ts'
import { ConditionFailed, type ObjectStore } from './store.ts'

/** Dates of HTTP have no parts of a second: an age that is told by two of them can be that much too large. */
const roundingMs = 1000

/**
 * A slot that has just stopped being live is still read from, by edges that have not noticed yet.
 * @param ageMs how long ago that was
 */
export async function leaveTime(
  ageMs: number,
  {
    graceSeconds,
    signal,
    time,
  }: { readonly graceSeconds: number; readonly signal: AbortSignal; readonly time: Time },
): Promise<void> {
  if (graceSeconds === 0) return
  const wait = graceSeconds * 1000 + roundingMs - ageMs
  if (wait > 0) await time.pause(wait, signal)
}

/**
 * From here on nobody else makes the slot live that is about to be written to. Requests of predecessors that were never
 * answered may still arrive: the fence makes them fail. Else `live.json` only has to be what it was: another tool, or a
 * rollback of an earlier version, asks for no lease.
 * @returns what the flip has to find
 * @throws {Error} if something else went live
 */
export async function closeToOthers(
  store: ObjectStore,
  {
    isLocking,
    standing,
    lease,
  }: { readonly isLocking: boolean; readonly standing: LiveObject; readonly lease: Lease },
): Promise<LiveObject> {
  // While nothing is live there are no readers yet.
  if (!isLocking || standing.live === null) return standing
  if (lease.isUnsettled) return fence(store, standing, lease.id)
  const now = await readLive(store)
  // Also if it says the same again: somebody has flipped and taken back, and edges may have followed.
  const isUntouched = isSameLive(now.live, standing.live) && isSameCondition(now, standing)
  if (!isUntouched) throw liveChanged(store, notFlipped)
  return standing
}

const isSameCondition = ({ condition: one }: LiveObject, { condition: other }: LiveObject) =>
  'ifMatch' in one && 'ifMatch' in other && one.ifMatch === other.ifMatch

const words = {
  publish: { undone: notFlipped, again: ', and publish again' },
  rollback: { undone: 'nothing was taken back', again: '' },
}

export interface FlipOptions {
  /** False for a store without conditional writes. */
  readonly isLocking: boolean
  /** What stands in `live.json`. */
  readonly expected: LiveObject
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly onWarning: (warning: string) => void
  /** Who flips: errors say what was not done, and what to do. */
  readonly flipper: keyof typeof words
}

/**
 * The flip, of a publish or of a rollback: one write.
 * @throws {Error} if somebody else has flipped, or if nobody knows whether this one did
 */
export async function flip(
  store: ObjectStore,
  next: LiveSnapshot & Pick<Live, 'broughtBy'>,
  { isLocking, expected, lease, signal, onWarning, flipper }: FlipOptions,
): Promise<void> {
  const { undone, again } = words[flipper]
  const unanswered = store.unanswered()
  try {
    const condition = isLocking ? expected.condition : undefined
    await writeLive(store, next, expected.live, condition, { assertFresh: lease.assertFresh })
  } catch (error) {
    // Then nothing was sent.
    if (error instanceof LeaseLost && store.unanswered() === unanswered) throw error
    // The write can have been carried out although it was not answered.
    const found = await readLive(store).catch(() => null)
    if (found !== null && isSameLive(found.live, next)) return
    if (error instanceof ConditionFailed) throw liveChanged(store, undone, error)
    const unknown = `nobody knows whether ${next.snapshot} went live: look at \`fundpress status\`${again}`
    // Whoever stops a command is told no more than that it was stopped.
    if (signal.aborted) onWarning(unknown)
    throw new Error(`${reasonOf(error)}; ${unknown}`, { cause: error })
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error))
