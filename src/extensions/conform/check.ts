/** The declaration of checks, their findings, and their tools to ask with. */

import type { Draws } from '../../core/system/random.ts'
import { equivalents, mayBeRefusedInFront } from './allowances.ts'
import { type Client, type HttpAnswer, type HttpRequest, NoAnswer, curlCommand } from './client.ts'
import { asSent, compareAnswer, hiddenHeaders, type Difference } from './compare.ts'
import type { Oracle, OracleRequest } from './oracle/oracle.ts'
import type { AnsweredRequest } from './requests.ts'

export interface Check {
  /** Checks of one group are counted together in the report. */
  readonly group: string
  readonly name: string
  readonly run: (context: CheckContext) => Promise<void>
}

interface CheckFailure extends Difference {
  readonly request: string
}

export interface CheckResult extends Pick<Check, 'group' | 'name'> {
  readonly requests: number
  readonly failed: number
  readonly failures: readonly CheckFailure[]
}

interface Subject {
  /** Without a slash at its end. */
  readonly base: string
  readonly oracle: Oracle
  /** All funds of a small database, a sample of a large one. */
  readonly isins: readonly string[]
  /** The first ISIN, or one that does not exist. */
  readonly isin: string
  /** Requests with the answer 200, one of each kind. */
  readonly examples: readonly AnsweredRequest[]
  /** The number for the whole suite. */
  readonly randomRequests: number
}

interface Asking {
  readonly client: Client
  readonly concurrency: number
  /** All answers have to be from the staged snapshot. */
  readonly isPreview: boolean
  readonly signal: AbortSignal | undefined
}

export type CheckContext = ReturnType<typeof checkContext>

export const stagedHeader = 'x-fundpress-snapshot'
const mostFailures = 10

export function checkContext(
  subject: Subject,
  { client, concurrency, isPreview, signal }: Asking,
  random: Draws,
) {
  const { base, oracle } = subject
  const found = { requests: 0, failed: 0, failures: new Array<CheckFailure>() }
  const fail = (asked: HttpRequest, expected: string, got: string): void => {
    if (found.failed++ < mostFailures)
      found.failures.push({ request: curlCommand(base, asked, isPreview), expected, got })
  }

  /** Reports a failure if the values differ as JSON. */
  const same = (asked: HttpRequest, what: string, got: unknown, expected: unknown): void => {
    const text = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value))
    const one = text(got)
    const other = text(expected)
    if (one !== other) fail(asked, `${what} ${other}`, `${what} ${one}`)
  }

  /** Reports a failure if the answer has another status, or a header that scripts of other origins do not see. @throws {NoAnswer} */
  const ask = async (asked: HttpRequest, status?: number): Promise<HttpAnswer> => {
    found.requests++
    const answer = await client.ask(asked).catch((error: unknown) => {
      if (error instanceof NoAnswer) fail(asked, 'an answer', error.message)
      throw error
    })
    if (status !== undefined) same(asked, 'status', answer.status, status)
    for (const { expected, got } of hiddenHeaders(answer)) fail(asked, expected, got)
    if (isPreview && answer.status === 200 && !answer.headers.has(stagedHeader))
      fail(asked, 'an answer from the staged snapshot', 'one from the live snapshot')
    return answer
  }

  /** Asks, and reports every difference from the oracle and from the rules for all answers. */
  const compare = async (given: OracleRequest): Promise<HttpAnswer> => {
    const request = { ...given, target: asSent(given.target) }
    const { method, target, accept, acceptLanguage } = request
    const headers = {
      ...(accept !== undefined && { accept }),
      ...(acceptLanguage !== undefined && { 'accept-language': acceptLanguage }),
    }
    const asked = { method, target, headers }
    const answer = await ask(asked)
    for (const { expected, got } of differences(base, oracle, request, asked, answer))
      fail(asked, expected, got)
    return answer
  }

  const each = eachBy(concurrency, signal)
  const compareAll = (requests: readonly OracleRequest[]): Promise<void> => each(requests, compare)
  return { ...subject, random, ask, compare, compareAll, fail, same, each, found }
}

/** Works on all items, several at a time. A missing answer does not stop the other items. */
const eachBy =
  (concurrency: number, signal: AbortSignal | undefined) =>
  async <T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> => {
    const waiting = items.values()
    const next = async (): Promise<void> => {
      for (const item of waiting) {
        signal?.throwIfAborted()
        await work(item).catch(ignoreNoAnswer)
      }
    }
    await Promise.all(Array.from({ length: concurrency }, next))
  }

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

export const checksOf = (group: string, runs: Readonly<Record<string, Check['run']>>): Check[] =>
  Object.entries(runs).map(([name, run]) => ({ group, name, run }))

type ExampleRun = (context: CheckContext & AnsweredRequest) => Promise<unknown>

export const exampleChecksOf = (group: string, runs: Readonly<Record<string, ExampleRun>>): Check[] =>
  Object.entries(runs).map(([name, run]) => ({
    group,
    name,
    run: (context) => context.each(context.examples, (example) => run({ ...context, ...example })),
  }))

/** Each target twice: unchanged, and in XML and English. */
export const inBothFormats = (targets: readonly string[]): OracleRequest[] =>
  targets.flatMap((target) => [{ target }, { target, accept: 'text/xml', acceptLanguage: 'en' }])
