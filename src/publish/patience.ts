/** How long requests to a store are tried, and how long they may outlive whoever sent them. */

/** How long a request is tried. */
export interface Patience {
  /** With backoff, jitter and a rate that adapts to what the store can take. */
  readonly attempts: number
  /** Milliseconds until there is a connection. */
  readonly connectMs: number
  /** Milliseconds without a byte in either direction. */
  readonly silenceMs: number
}

export const ofANight: Patience = { attempts: 8, connectMs: 10_000, silenceMs: 60_000 }

/**
 * How long after its sender was killed, or gave it up, a request may still be carried out, in seconds: the time of one
 * attempt, and a margin for what queues in the network and in the store. README.md says why this matters.
 */
export const requestLifetimeSeconds = (ofANight.connectMs + ofANight.silenceMs) / 1000 + 20
