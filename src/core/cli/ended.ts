/** The hook `ended`: what extensions tell and leave at the end of runs. `end.ts` asks them. */

import type { Diagnosis } from '../bucket/doctor/diagnosis.ts'
import type { Objection } from '../guards/guards.ts'
import type { Ages, LiveFacts } from './ages.ts'
import type { Session, Surroundings } from './command.ts'
import type { NightlyWarning, RunFacts, Step } from './facts.ts'

type Warn = (warning: string) => void

/** No member can fail a run: what it throws is a warning, except where a member says so. */
export interface Ended {
  /** Tells people how a run has ended. @returns false if somebody wants to know it, and nobody was told */
  readonly run?: (session: Session, facts: RunFacts, warn: Warn) => Promise<boolean>
  /** Tells news of what stays live or staged though its run fails: the next attempt finds it there, and has no news. */
  readonly news?: (session: Session, facts: RunFacts, warn: Warn) => Promise<unknown>
  /** Leaves files about a night. What it does before its first wait is done before fundpress waits for the bucket. */
  readonly night?: (session: Session, night: Night) => Promise<void> | void
  /** Leaves the refusal of any command to the workflow that runs it. */
  readonly refused?: (environment: Surroundings['environment'], objections: readonly Objection[]) => void
  /** Tells people that what is live is late, or that its prices are stale. */
  readonly aged?: (session: Session, found: Aged, warn: Warn) => Promise<unknown>
  /** Tells people that a load is late, or that it has come. @returns true if somebody was told */
  readonly load?: (session: Session, found: LoadState, warn: Warn) => Promise<boolean>
  /** Writes a summary of a night to the file of --summary. @throws {Error} if it cannot be written, which is a warning */
  readonly summary?: (file: string, night: Night) => void
  /** What leaves figures of `status` in the file of --metrics. @throws {UsageError} for a file that is not for them */
  readonly measured?: (session: Session, file: string) => LeaveFigures
  /** What `check --bucket` says of its settings. */
  readonly settings?: (session: Session) => Diagnosis
}

export interface Night {
  readonly facts: RunFacts
  /** Later ones are added. */
  readonly warnings: readonly NightlyWarning[]
  /** How long each step took, and the whole run as `night`. */
  readonly seconds: ReadonlyMap<Step, number>
  /** True with --ask. */
  readonly isAsking: boolean
  readonly warn: Warn
}

export interface Aged extends Ages {
  readonly live: LiveFacts | null
  /** The address of a deployment; null: the bucket of the settings. */
  readonly place: string | null
}

/** @throws {Error} if the file cannot be written, which is an alarm */
type LeaveFigures = (found: Measured) => void

export interface LoadState {
  readonly command: string
  /** The day whose load is late; null: it has come. */
  readonly missing: string | null
  /** The day that was told to be missing before; null while it is missing. */
  readonly come: string | null
  /** Why it is late, in a sentence. */
  readonly says: string | null
}

export interface Measured {
  readonly live: LiveFacts | null
  /** By the clock of `live`. */
  readonly now: Date
  readonly alarms: number
  /** The address of a deployment; undefined: the bucket of the settings. */
  readonly base: string | undefined
}
