/**
 * How many requests a store gets at the same time: fewer while it throttles, more again while it answers. Additive increase,
 * multiplicative decrease, as in TCP. Pure: `retry.ts` asks it for all requests of a client together.
 */

export interface Concurrency {
  readonly most: number
  /** Between 1 and `most`; its whole part counts. */
  readonly allowed: number
  /** How often it was halved. */
  readonly cuts: number
}

export const fullConcurrency = (most: number): Concurrency => ({ most, allowed: most, cuts: 0 })

/** One more for as many answers as are allowed at the same time. */
export const afterAnswer = ({ most, allowed, cuts }: Concurrency): Concurrency => {
  return { most, allowed: Math.min(most, allowed + 1 / allowed), cuts }
}

/**
 * Half as many. What was sent before the last cut says nothing about the number since then: a hundred refusals of one moment
 * halve it once.
 * @param cuts those of the moment when the refused request was sent
 */
export const afterRefusal = (now: Concurrency, cuts: number): Concurrency =>
  cuts < now.cuts ? now : { ...now, allowed: Math.max(1, now.allowed / 2), cuts: now.cuts + 1 }
