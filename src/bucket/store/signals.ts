/** What stops a call of the store port. */

import { cleanUpMs } from '../../system/signals.ts'

/**
 * @param session stops all calls when it aborts; later ones, to clean up, go through, but not for long
 * @returns what stops a call: that, joined with the call's own signal
 */
export function joinedWith(session: AbortSignal | undefined) {
  let limit = session
  // One signal for all calls with the same one: a publish has a million calls.
  let joined = new WeakMap<AbortSignal, AbortSignal>()
  const beginCleanUp = () => {
    limit = AbortSignal.timeout(cleanUpMs)
    joined = new WeakMap()
  }
  if (session?.aborted === true) beginCleanUp()
  else session?.addEventListener('abort', beginCleanUp, { once: true })
  return (own: AbortSignal | undefined): AbortSignal | undefined => {
    if (limit === undefined || own === session) return own
    if (own === undefined) return limit
    const both = joined.get(own) ?? AbortSignal.any([limit, own])
    joined.set(own, both)
    return both
  }
}
