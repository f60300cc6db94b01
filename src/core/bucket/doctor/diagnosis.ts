/** What `fundpress check --bucket` finds, one line each. */

import { messageOf } from '../../system/message.ts'

/** `warning`: the next run goes well, but read this. `problem`: it would fail, or fail readers. */
export type Level = 'ok' | 'warning' | 'problem'

export interface Diagnosis {
  readonly what: string
  readonly level: Level
  /** Finding and, unless all is well, what to do. */
  readonly says: string
}

export const ok = (what: string, says: string): Diagnosis => ({ what, level: 'ok', says })
export const warning = (what: string, says: string): Diagnosis => ({ what, level: 'warning', says })
export const problem = (what: string, says: string): Diagnosis => ({ what, level: 'problem', says })

export const lineOf = (error: unknown): string => messageOf(error).replaceAll(/\s+/g, ' ')

export const problemIfThrown = (what: string, look: () => Promise<Diagnosis>): Promise<Diagnosis> =>
  look().catch((error: unknown) => problem(what, lineOf(error)))
