/**
 * The end of a run: one record, filled once. All reports are small functions of it: the text and JSON of the log, the summary,
 * the outputs of a workflow, the history, notices and metrics.
 */

import type { News } from '../bucket/changes/news.ts'
import type { FlipSummary } from '../bucket/publish/flip-staged.ts'
import type { KeptHistory, NightlyFigures } from '../bucket/nightly/history.ts'
import type { PublishSummary } from '../bucket/publish/publish.ts'
import type { BuildSummary } from '../snapshot/build.ts'
import type { AllowedObjection, Objection, Override } from '../guards/guards.ts'
import type { NightStates } from './nightly/states.ts'

/** `night` is the whole run. */
export type Step = 'night' | 'check' | 'build' | 'plan' | 'publish' | 'verify' | 'status'

export interface NightlyWarning {
  readonly step: Step
  readonly message: string
}

/** `open`: with --ask, there is something to do. */
export type Outcome = 'done' | 'skipped' | 'open' | 'failed' | 'refused'

export interface RunFacts {
  readonly command: string
  /** The subject of `… failed`: the command, or a part of it, such as a shard. */
  readonly subject: string
  readonly outcome: Outcome
  readonly asOf: string | null
  /** The snapshot that is live or staged now, or would be without a failure. */
  readonly snapshot: string | null
  readonly slot: string | null
  readonly isStaged: boolean
  /** False if another run made the snapshot live, or staged it. */
  readonly isNew: boolean
  readonly reverted: string | null
  /** A sentence about the rollback that holds the live snapshot. */
  readonly hold: string | null
  readonly step: Step | null
  readonly who: string
  /** The operator's reason. */
  readonly why: string | null
  /** The reason of a failure or a refusal, in one line. */
  readonly reason: string | null
  /** Errors that led to a failure; empty if the reason says all. */
  readonly errors: readonly string[]
  readonly objections: readonly Objection[]
  readonly allowed: readonly AllowedObjection[]
  readonly news: News | null
  /** Warnings that no earlier run has reported. */
  readonly warnings: readonly string[]
  readonly figures: Partial<NightlyFigures>
  /** Null unless a nightly run has done all its steps. */
  readonly night: NightFacts | null
  /** Includes this run; null if the bucket did not answer. */
  readonly history: KeptHistory | null
}

interface NightFacts {
  readonly built: BuildSummary
  readonly published: PublishSummary
  /** In dollars: thirty such runs, and the storage of all slots. */
  readonly costOfMonth: number
  readonly newestPrice: string | null
  readonly verified: string
  /** Warnings that earlier runs have reported. */
  readonly toldBefore: readonly string[]
  readonly states: NightStates
}

export type Known = Pick<RunFacts, 'command'> & Partial<RunFacts>

export const factsOf = (known: Pick<RunFacts, 'outcome' | 'asOf' | 'who'> & Known): RunFacts => ({
  subject: known.command,
  snapshot: null,
  slot: null,
  isStaged: false,
  isNew: false,
  reverted: null,
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

/** The facts of a publish or a flip. Earlier runs report what was allowed for an earlier snapshot. */
export function factsOfPublish(
  command: string,
  summary: PublishSummary | FlipSummary,
  { who, reason: why }: Pick<Override, 'who' | 'reason'>,
): RunFacts {
  const { snapshot, slot, outcome, allowed, news, changed } = summary
  const isStaged = outcome === 'staged' || outcome === 'already staged'
  const isNew = outcome === 'flipped' || outcome === 'staged'
  const figures =
    'put' in summary
      ? { changed, written: summary.put + summary.deleted, seconds: summary.seconds }
      : { changed }
  const told = { isStaged, isNew, news, figures, allowed: isNew ? allowed : [] }
  // A snapshot id begins with its as-of date.
  return factsOf({ command, outcome: 'done', asOf: snapshot.slice(0, 10), snapshot, slot, who, why, ...told })
}

/** The outcome in a few words: `live`, `failed in check`. */
export function outcomeOf({ subject, outcome, step, isStaged, reverted }: RunFacts): string {
  switch (outcome) {
    case 'done':
      return reverted !== null ? 'rolled back' : isStaged ? 'staged' : 'live'
    case 'skipped':
      return 'nothing to do'
    case 'open':
      return 'not done yet'
    case 'failed':
    case 'refused':
      return step === null ? `${subject} ${outcome}` : `${outcome} in ${step}`
  }
}
