/** Waiting between attempts. */

import { setTimeout } from 'node:timers/promises'

/** @param ms milliseconds @throws the signal's reason, as soon as it aborts */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await setTimeout(ms, undefined, signal === undefined ? {} : { signal })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
