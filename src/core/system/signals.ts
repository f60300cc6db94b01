/**
 * Handles Ctrl-C and SIGTERM for commands that have something to undo or to tell. Others keep the default action: it ends the
 * process at once, also within a long statement of SQLite, where no handler can run. The first signal asks the running command to stop and clean up; a second one, or the end of its
 * time, ends the process at once. In the end the process kills itself with the same signal: a shell sees 130 or 143, and a loop
 * stops.
 */

import { constants } from 'node:os'

const caught = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** npm repeats a Ctrl-C that the terminal has already sent: two signals within this time count as one. */
const sameKeyMilliseconds = 400

/** Time to stop, in milliseconds: Docker kills a process after 10 s. Of these, notices may take 4 s. */
const stopMs = 9000

/** Time of the store to clean up within the time to stop (release of the lease), in milliseconds. */
export const cleanUpMs = 3000

export class Interrupted extends Error {
  readonly signal: NodeJS.Signals
  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`)
    this.signal = signal
  }
}

interface SignalWatch {
  /** Aborts with an {@link Interrupted} as its reason. */
  readonly signal: AbortSignal
  /** Begins to handle signals. Until then they end the process at once. */
  readonly handle: () => void
  /** Ends the process by the signal that it got; returns if there was none. */
  readonly endBySignal: () => void
}

/** @param onLate called with the reason if the command does not stop in time, before the process ends */
export function watchSignals(
  target: NodeJS.Process,
  now: () => number,
  onLate: (reason: Interrupted) => void,
  limitMs = stopMs,
): SignalWatch {
  const controller = new AbortController()
  let first: { readonly name: NodeJS.Signals; readonly at: number } | undefined

  const endBySignal = () => {
    if (first === undefined) return
    for (const name of caught) target.removeListener(name, onSignal)
    target.kill(target.pid, first.name)
    // Only the first process of a container gets here: no signal of its own ends it. Its exit code is a shell's.
    target.exit(128 + constants.signals[first.name])
  }
  const onSignal = (name: NodeJS.Signals) => {
    if (first === undefined) {
      first = { name, at: now() }
      const reason = new Interrupted(name)
      const endLate = () => {
        onLate(reason)
        endBySignal()
      }
      setTimeout(endLate, limitMs).unref()
      controller.abort(reason)
    } else if (now() - first.at > sameKeyMilliseconds) {
      endBySignal()
    }
  }
  let isHandling = false
  const handle = () => {
    if (isHandling) return
    isHandling = true
    for (const name of caught) target.on(name, onSignal)
  }
  return { signal: controller.signal, handle, endBySignal }
}
