/**
 * How a run has ended: one record, which the command fills once. Everything that tells of it is a small function of this record: the
 * text and JSON of the log, the summary, the outputs of a workflow, the history, notices, the heartbeat and metrics.
 */

import type { News } from '../../bucket/changes/news.ts'
import type { FlipSummary } from '../../bucket/publish/flip-staged.ts'
import type { KeptHistory, NightlyFigures } from '../../bucket/nightly/history.ts'
import type { PublishSummary } from '../../bucket/publish/publish.ts'
import type { BuildSummary } from '../../build/build.ts'
import { type AllowedObjection, type Objection, type Override, Refusal } from '../../guards/guards.ts'
import type { Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { whoIs } from '../from-settings.ts'
import type { Step } from './log.ts'

export interface RunFacts {
  readonly command: string
  /** `open`: with --ask, there is something to do. */
  readonly outcome: 'done' | 'skipped' | 'open' | 'failed' | 'refused'
  /** Null if nothing says it. */
  readonly asOf: string | null
  /** What is live or staged now; of a failure, what would have been. */
  readonly snapshot: string | null
  readonly slot: string | null
  readonly isStaged: boolean
  /** Whether this run made it live, or staged it: it may have been so before. */
  readonly isNew: boolean
  /** A sentence about the rollback that holds what is live, or null. */
  readonly hold: string | null
  /** The step of a nightly run that failed or refused. */
  readonly step: Step | null
  readonly who: string
  /** Why an operator wants it so, or null. */
  readonly why: string | null
  /** Why it has failed or was refused, in one line; else null. */
  readonly reason: string | null
  /** Those that led to a failure, a line each; empty if the reason says it all. */
  readonly errors: readonly string[]
  readonly objections: readonly Objection[]
  /** What guards had against the data, and operators have allowed. */
  readonly allowed: readonly AllowedObjection[]
  readonly news: News | null
  /** Warnings that no run before has told. */
  readonly warnings: readonly string[]
  /** As far as the command knows them. */
  readonly figures: Partial<NightlyFigures>
  readonly night: NightFacts | null
  /** The last runs, this one included; null if the bucket does not say it. */
  readonly history: KeptHistory | null
}

/** What only a nightly run knows that has done all its steps. */
export interface NightFacts {
  readonly built: BuildSummary
  readonly published: PublishSummary
  /** In dollars: thirty such runs, and the storage of two slots. */
  readonly costOfMonth: number
  readonly newestPrice: string | null
  /** What was verified, in words. */
  readonly verified: string
  /** Warnings that runs before have told. */
  readonly toldBefore: readonly string[]
}

/** A run of which nothing is known but this. */
export const factsOf = (
  known: Pick<RunFacts, 'command' | 'outcome' | 'asOf' | 'who'> & Partial<RunFacts>,
): RunFacts => ({
  snapshot: null,
  slot: null,
  isStaged: false,
  isNew: false,
  hold: null,
  step: null,
  why: null,
  reason: null,
  errors: [],
  objections: [],
  allowed: [],
  news: null,
  warnings: [],
  figures: {},
  night: null,
  history: null,
  ...known,
})

/** @param known of the run that an error has ended */
export function factsOfFailure(
  session: Session,
  error: unknown,
  known: Pick<RunFacts, 'command'> & Partial<RunFacts>,
): RunFacts {
  const { signal } = session
  const isRefusal = error instanceof Refusal && !signal.aborted
  return factsOf({
    asOf: null,
    who: whoIs(session),
    ...known,
    outcome: isRefusal ? 'refused' : 'failed',
    reason: reasonOf(signal.aborted ? signal.reason : error),
    objections: isRefusal ? error.objections : [],
  })
}

/** The outcome of a publish or a flip. What was live or staged already was allowed before. */
export function factsOfPublish(
  command: RunFacts['command'],
  summary: PublishSummary | FlipSummary,
  { who, reason: why }: Pick<Override, 'who' | 'reason'>,
): RunFacts {
  const { snapshot, slot, hasFlipped, allowed, news, changed } = summary
  const published = 'put' in summary ? summary : null
  const { hasStaged = false, isStaged = false } = published ?? {}
  const isNew = hasFlipped || hasStaged
  const figures =
    published === null
      ? { changed }
      : { changed, written: published.put + published.deleted, seconds: published.seconds }
  const told = { isStaged, isNew, news, figures, allowed: isNew ? allowed : [] }
  // A snapshot id begins with its as-of date.
  return factsOf({ command, outcome: 'done', asOf: snapshot.slice(0, 10), snapshot, slot, who, why, ...told })
}

/** `live`, `failed in check`: how the run has ended, in a few words. @param subject what ran: a word for the command unless given */
export function outcomeOf({ command, outcome, step, isStaged }: RunFacts, subject = command): string {
  switch (outcome) {
    case 'done':
      return isStaged ? 'staged' : 'live'
    case 'skipped':
      return 'nothing to do'
    case 'open':
      return 'not done yet'
    case 'failed':
    case 'refused':
      return step === null ? `${subject} ${outcome}` : `${outcome} in ${step}`
  }
}
