/** The checks of the suite: what they get to work with, and what they find. */

import type { Draws } from '../system/random.ts'
import type { HttpAnswer, HttpRequest } from './client.ts'
import type { Oracle, OracleRequest } from './oracle/oracle.ts'
import type { AnsweredRequest } from './requests.ts'

type CheckGroup =
  | 'answers'
  | 'refusals'
  | 'negotiation'
  | 'ranges'
  | 'http'
  | 'pages'
  | 'caching'
  | 'links'
  | 'codings'
  | 'hostile'

export interface Check {
  readonly group: CheckGroup
  /** Reads as a specification: `answers 304 to the ETag that it gave`. */
  readonly name: string
  readonly run: (context: CheckContext) => Promise<void>
}

/** One unexpected answer. */
export interface CheckFailure {
  /** The request as a shell command: `curl …`. */
  readonly request: string
  readonly expected: string
  readonly got: string
}

export interface CheckResult extends Pick<Check, 'group' | 'name'> {
  readonly requests: number
  readonly failed: number
  /** The first ten. */
  readonly failures: readonly CheckFailure[]
}

export interface CheckContext {
  /** Without a slash at its end. */
  readonly base: string
  readonly oracle: Oracle
  /** The funds in the requests: all of a small database, a sample of a large one. */
  readonly isins: readonly string[]
  /** The first of them; one that does not exist if there is none. */
  readonly isin: string
  /** Requests with the answer 200: one of each kind that the database has. */
  readonly examples: readonly AnsweredRequest[]
  /** Random numbers of this check: the same seed gives the same requests. */
  readonly random: Draws
  /** The number of random requests of the whole suite. */
  readonly randomRequests: number
  /** @param status reports a failure if the answer has another one @throws {NoAnswer} */
  readonly ask: (asked: HttpRequest, status?: number) => Promise<HttpAnswer>
  /** Asks, and reports every difference from the oracle and from what all answers must be. */
  readonly compare: (request: OracleRequest) => Promise<HttpAnswer>
  readonly compareAll: (requests: readonly OracleRequest[]) => Promise<void>
  readonly fail: (asked: HttpRequest, expected: string, got: string) => void
  /** Reports a failure if the two differ as JSON. */
  readonly same: (asked: HttpRequest, what: string, got: unknown, expected: unknown) => void
  /** Works on all items, several at a time. A missing answer is a failure; the other items go on. */
  readonly each: <T>(items: readonly T[], work: (item: T) => Promise<unknown>) => Promise<void>
}

/** Checks of a group, by their names. */
export const checksOf = (group: CheckGroup, runs: Readonly<Record<string, Check['run']>>): Check[] =>
  Object.entries(runs).map(([name, run]) => ({ group, name, run }))

type ExampleRun = (context: CheckContext & AnsweredRequest) => Promise<unknown>

/** Checks that work on each example. */
export const exampleChecksOf = (group: CheckGroup, runs: Readonly<Record<string, ExampleRun>>): Check[] =>
  Object.entries(runs).map(([name, run]) => ({
    group,
    name,
    run: (context) => context.each(context.examples, (example) => run({ ...context, ...example })),
  }))

/** Each target twice: as it is, and in XML and English. */
export const inBothFormats = (targets: readonly string[]): OracleRequest[] =>
  targets.flatMap((target) => [{ target }, { target, accept: 'text/xml', acceptLanguage: 'en' }])
