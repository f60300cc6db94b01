/** What a check of the suite is, what it is given to work with, and what it finds. */

import type { Answer, Asked } from './client.ts'
import type { Example } from './examples.ts'
import type { Oracle, OracleRequest } from './oracle/oracle.ts'
import type { Random } from './random.ts'

export const groups = [
  'answers',
  'refusals',
  'negotiation',
  'ranges',
  'http',
  'caching',
  'links',
  'codings',
  'hostile',
] as const

export type Group = (typeof groups)[number]

export interface Check {
  readonly group: Group
  /** Reads as a specification: `answers 304 to the ETag that it gave`. */
  readonly name: string
  readonly run: (context: Context) => Promise<void>
}

/** One thing that was not as it has to be. */
export interface Failure {
  /** The request as a line for a shell: `curl …`. */
  readonly request: string
  readonly expected: string
  readonly got: string
}

export interface CheckResult extends Pick<Check, 'group' | 'name'> {
  readonly requests: number
  readonly failed: number
  /** The first of them. */
  readonly failures: readonly Failure[]
}

export interface Context {
  /** Without a slash at its end. */
  readonly base: string
  readonly oracle: Oracle
  /** The funds that are asked for: all of a small database, a sample of a large one. */
  readonly isins: readonly string[]
  /** Requests that are answered with 200, one of each kind that the database has. */
  readonly examples: readonly Example[]
  /** Numbers of this check's own: the same seed, the same requests. */
  readonly random: Random
  /** How many random requests the whole suite may make. */
  readonly randomRequests: number
  /** @throws {NoAnswer} */
  readonly ask: (asked: Asked) => Promise<Answer>
  /** Asks, and reports what is not as the oracle has it or as every answer must be. */
  readonly compare: (request: OracleRequest) => Promise<Answer>
  readonly fail: (asked: Asked, expected: string, got: string) => void
  /** Reports where the two differ, as JSON. */
  readonly same: (asked: Asked, what: string, got: unknown, expected: unknown) => void
  /** Works on all items, several at a time; an item without an answer is a failure and no end. */
  readonly each: <T>(items: readonly T[], work: (item: T) => Promise<unknown>) => Promise<void>
}
