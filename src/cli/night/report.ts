/** What a night came to. */

import type { FreshnessCounts } from '../../freshness/assess.ts'
import type { NightFigures } from '../../night/figures.ts'
import type { Step } from './log.ts'

export interface DoneNight {
  readonly kind: 'done'
  readonly figures: NightFigures
  readonly slot: string
  readonly put: number
  readonly deleted: number
  /** In dollars: of thirty such nights, with two slots kept. */
  readonly costOfMonth: number
  readonly freshness: FreshnessCounts
  readonly newestPrice: string | null
  /** The watched fund whose newest price is the oldest, or null. */
  readonly oldestIsin: string | null
  /** What was verified, in words. */
  readonly verified: string
  /** The last nights, this one included. */
  readonly history: readonly NightFigures[]
}

/** This very database is live as of this day, or was and is not to be again. */
export interface SkippedNight {
  readonly kind: 'skipped'
  /** What is live. */
  readonly snapshot: string
  readonly slot: string
  /** Of the night. */
  readonly asOf: string
  /** The night's snapshot, where a rollback has taken it back. */
  readonly takenBack: string | null
}

export interface FailedNight {
  readonly kind: 'failed'
  readonly asOf: string
  readonly step: Step
  /** In one line. */
  readonly reason: string
  /** The single errors that led to it, in a line each; empty where the reason says it all. */
  readonly errors: readonly string[]
}

/** Nothing was done but to ask: there is something to do. */
export interface OpenNight {
  readonly kind: 'open'
  readonly asOf: string
}

export type NightReport = DoneNight | SkippedNight | OpenNight | FailedNight
