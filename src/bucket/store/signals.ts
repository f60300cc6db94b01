/** What stops a call of the store port. */

/** @param session stops all calls when it aborts; later ones, to clean up, go through. @returns it, joined with the call's own */
export function joinedWith(session: AbortSignal | undefined) {
  // One signal for all calls with the same one: a publish has a million calls.
  const joined = new WeakMap<AbortSignal, AbortSignal>()
  return (own: AbortSignal | undefined): AbortSignal | undefined => {
    if (session === undefined || session.aborted) return own
    if (own === undefined || own === session) return session
    const both = joined.get(own) ?? AbortSignal.any([session, own])
    joined.set(own, both)
    return both
  }
}
