/** What the doctor says of one thing that it looked at. */

import { messageOf } from '../../system/message.ts'

/** `warning`: tonight goes well, but read this. `problem`: tonight would fail, or fail readers. */
export type Level = 'ok' | 'warning' | 'problem'

export interface Diagnosis {
  /** What was looked at: `clock`. */
  readonly what: string
  readonly level: Level
  /** What was found and, unless all is well, what to do. */
  readonly says: string
}

export const ok = (what: string, says: string): Diagnosis => ({ what, level: 'ok', says })
export const warning = (what: string, says: string): Diagnosis => ({ what, level: 'warning', says })
export const problem = (what: string, says: string): Diagnosis => ({ what, level: 'problem', says })

export const lineOf = (error: unknown): string => messageOf(error).replaceAll(/\s+/g, ' ')

/** A look that throws is a problem, with the error's message. */
export const problemIfThrown = (what: string, look: () => Promise<Diagnosis>): Promise<Diagnosis> =>
  look().catch((error: unknown) => problem(what, lineOf(error)))
