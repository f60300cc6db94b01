/** Checks: what they are, what they find, and what they ask with. */

import type { Draws } from '../system/random.ts'
import { equivalents, mayBeRefusedInFront } from './allowances.ts'
import { type Client, type HttpAnswer, type HttpRequest, NoAnswer, curlCommand } from './client.ts'
import { asSent, compareAnswer, type Difference } from './compare.ts'
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

export interface CheckFailure extends Difference {
  /** The request as a shell command: `curl …`. */
  readonly request: string
}

export interface CheckResult extends Pick<Check, 'group' | 'name'> {
  readonly requests: number
  readonly failed: number
  /** The first ten. */
  readonly failures: readonly CheckFailure[]
}

/** What all checks of a suite share. */
export interface Subject {
  /** Without a slash at its end. */
  readonly base: string
  readonly oracle: Oracle
  /** The funds in the requests: all of a small database, a sample of a large one. */
  readonly isins: readonly string[]
  /** The first of them; one that does not exist if there is none. */
  readonly isin: string
  /** Requests with the answer 200: one of each kind that the database has. */
  readonly examples: readonly AnsweredRequest[]
  /** The number of random requests of the whole suite. */
  readonly randomRequests: number
}

/** How the checks of a suite ask. */
export interface Asking {
  readonly client: Client
  /** Requests at the same time. */
  readonly concurrency: number
  /** Whether all answers have to be from the staged snapshot. */
  readonly isPreview: boolean
  readonly signal: AbortSignal | undefined
}

export type CheckContext = ReturnType<typeof checkContext>

/** The header of an answer that names the staged snapshot. */
export const stagedHeader = 'x-fundpress-snapshot'
/** A check that always fails does not have to say so ten thousand times. */
const mostFailures = 10

/** Counts what a check asks, and keeps what fails. */
export class Findings {
  requests = 0
  failed = 0
  readonly failures: CheckFailure[] = []
  readonly #describe: (asked: HttpRequest) => string

  constructor(base: string, isPreview: boolean) {
    this.#describe = (asked) => curlCommand(base, asked, isPreview)
  }

  add(asked: HttpRequest, expected: string, got: string): void {
    this.failed++
    if (this.failures.length < mostFailures)
      this.failures.push({ request: this.#describe(asked), expected, got })
  }
}

/**
 * What one check works with.
 * @param random the same seed gives the same requests
 */
export function checkContext(
  subject: Subject,
  { client, concurrency, isPreview, signal }: Asking,
  random: Draws,
  findings: Findings,
) {
  const { base, oracle } = subject
  const fail = (asked: HttpRequest, expected: string, got: string) => findings.add(asked, expected, got)

  /** Reports a failure if the two differ as JSON. */
  const same = (asked: HttpRequest, what: string, got: unknown, expected: unknown): void => {
    const text = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value))
    const [one, other] = [text(got), text(expected)]
    if (one !== other) fail(asked, `${what} ${other}`, `${what} ${one}`)
  }

  /** @param status reports a failure if the answer has another one @throws {NoAnswer} */
  const ask = async (asked: HttpRequest, status?: number): Promise<HttpAnswer> => {
    findings.requests++
    const answer = await client.ask(asked).catch((error: unknown) => {
      if (error instanceof NoAnswer) fail(asked, 'an answer', error.message)
      throw error
    })
    if (status !== undefined) same(asked, 'status', answer.status, status)
    if (isPreview && answer.status === 200 && !answer.headers.has(stagedHeader))
      fail(asked, 'an answer from the staged snapshot', 'one from the live snapshot')
    return answer
  }

  /** Asks, and reports every difference from the oracle and from what all answers must be. */
  const compare = async (given: OracleRequest): Promise<HttpAnswer> => {
    const request = { ...given, target: asSent(given.target) }
    const { method, target, accept, acceptLanguage } = request
    const headers = {
      ...(accept !== undefined && { accept }),
      ...(acceptLanguage !== undefined && { 'accept-language': acceptLanguage }),
    }
    const asked = { method, target, headers }
    const answer = await ask(asked)
    const found = differences(base, oracle, request, asked, answer)
    for (const { expected, got } of found) fail(asked, expected, got)
    return answer
  }

  /** Works on all items, several at a time. A missing answer is a failure; the other items go on. */
  const each = async <T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> => {
    const waiting = items.values()
    const next = async (): Promise<void> => {
      for (const item of waiting) {
        signal?.throwIfAborted()
        await work(item).catch(ignoreNoAnswer)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, next))
  }

  const compareAll = (requests: readonly OracleRequest[]): Promise<void> => each(requests, compare)
  return { ...subject, random, ask, compare, compareAll, fail, same, each }
}

/** Where an answer differs from the oracle's, apart from what platforms are allowed. */
function differences(
  base: string,
  oracle: Oracle,
  request: OracleRequest,
  asked: HttpRequest,
  answer: HttpAnswer,
): readonly Difference[] {
  if (mayBeRefusedInFront(asked, answer)) {
    const other = oracle.isins().find((each) => !request.target.includes(each) && answer.body.includes(each))
    if (other === undefined) return []
    return [{ expected: 'a refusal', got: `a fund that was not asked for: ${other}` }]
  }
  const differencesFrom = (one: OracleRequest) => compareAnswer(base, answer, oracle.answer(one))
  const found = differencesFrom(request)
  const isAnswerTo = (other: OracleRequest) => differencesFrom(other).length === 0
  return found.length > 0 && equivalents(request).some(isAnswerTo) ? [] : found
}

/** `ask` has reported a missing answer already. Any other error ends the run. */
export function ignoreNoAnswer(error: unknown): void {
  if (!(error instanceof NoAnswer)) throw error
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
