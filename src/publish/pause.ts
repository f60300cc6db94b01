/** Waiting, and the clocks that it is measured by. */

import { setTimeout } from 'node:timers/promises'

/** The time of this machine. Tests have one of their own, in which days pass at once. */
export interface Time {
  /** In milliseconds. The wall clock can be set; the steady one stands still while a machine sleeps. */
  readonly clocks: () => { readonly wall: number; readonly steady: number }
  /** @param ms milliseconds @throws the signal's reason, as soon as it aborts */
  readonly pause: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** @param ms milliseconds @throws the signal's reason, as soon as it aborts */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}

export const realTime: Time = {
  clocks: () => ({ wall: Date.now(), steady: performance.now() }),
  pause,
}
