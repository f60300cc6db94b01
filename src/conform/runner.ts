/** Runs a check: asks for it, several requests at a time, counts, compares, and gathers what was wrong. */

import { mayBeRefusedInFront, equivalents } from './allowances.ts'
import type { Check, CheckResult, Context, Failure } from './check.ts'
import { NoAnswer, type Answer, type Asked, type Client } from './client.ts'
import { asSent, compareAnswer, type Difference } from './compare.ts'
import { curl } from './curl.ts'
import type { OracleRequest } from './oracle/oracle.ts'
import { seededRandom } from './random.ts'

export interface RunnerOptions extends Pick<
  Context,
  'base' | 'oracle' | 'isins' | 'examples' | 'randomRequests'
> {
  /** Of the whole database. */
  readonly allIsins: readonly string[]
  readonly seed: number
  readonly client: Client
  readonly concurrency: number
  readonly signal: AbortSignal | undefined
}

/** A check that fails everywhere need not say so ten thousand times. */
const mostFailures = 10

/** As many questions in a row without any answer: the server is gone. */
const mostSilences = 25

/** @returns runs a check, and throws if nothing answers any more, or the run is aborted */
export function openRunner(options: RunnerOptions): (check: Check) => Promise<CheckResult> {
  const { base, oracle, allIsins, seed, client, concurrency, signal } = options
  let silences = 0

  const askAloud = async (asked: Asked): Promise<Answer> => {
    try {
      const answer = await client.ask(asked)
      silences = 0
      return answer
    } catch (error) {
      if (!(error instanceof NoAnswer) || ++silences < mostSilences) throw error
      throw new Error(`${base} does not answer: ${error.message}`, { cause: error })
    }
  }

  const differences = (request: OracleRequest, asked: Asked, answer: Answer): readonly Difference[] => {
    if (mayBeRefusedInFront(asked, answer)) {
      const other = allIsins.find((isin) => !request.target.includes(isin) && answer.body.includes(isin))
      return other === undefined
        ? []
        : [{ expected: 'a refusal', got: `a fund that was not asked for: ${other}` }]
    }
    const found = compareAnswer(base, answer, oracle.answer(request))
    const isAnswerTo = (other: OracleRequest) =>
      compareAnswer(base, answer, oracle.answer(other)).length === 0
    const mayPass = found.length > 0 && equivalents(request).some(isAnswerTo)
    return mayPass ? [] : found
  }

  return async ({ group, name, run }) => {
    const failures: Failure[] = []
    let [requests, failed] = [0, 0]
    const fail: Context['fail'] = (asked, expected, got) => {
      failed++
      if (failures.length < mostFailures) failures.push({ request: curl(base, asked), expected, got })
    }
    const ask: Context['ask'] = async (asked) => {
      requests++
      return askAloud(asked).catch((error: unknown) => {
        if (error instanceof NoAnswer) fail(asked, 'an answer', error.message)
        throw error
      })
    }
    await run({
      ...options,
      random: seededRandom(seed, group, name),
      ask,
      fail,
      compare: async (given) => {
        const request = { ...given, target: asSent(given.target) }
        const asked = askedFor(request)
        const answer = await ask(asked)
        for (const { expected, got } of differences(request, asked, answer)) fail(asked, expected, got)
        return answer
      },
      same: (asked, what, got, expected) => {
        const [one, other] = [JSON.stringify(got), JSON.stringify(expected)]
        if (one !== other) fail(asked, `${what} ${other}`, `${what} ${one}`)
      },
      each: async (items, work) => {
        const waiting = items.values()
        const next = async (): Promise<void> => {
          for (const item of waiting) {
            signal?.throwIfAborted()
            await work(item).catch(reported)
          }
        }
        await Promise.all(Array.from({ length: concurrency }, next))
      },
    }).catch(reported)
    return { group, name, requests, failed, failures }
  }
}

/** A silence has been reported where it was met; anything else ends the run. */
function reported(error: unknown): void {
  if (!(error instanceof NoAnswer)) throw error
}

function askedFor({ method, target, accept, acceptLanguage }: OracleRequest): Asked {
  const headers = {
    ...(accept === undefined ? {} : { accept }),
    ...(acceptLanguage === undefined ? {} : { 'accept-language': acceptLanguage }),
  }
  return { method, target, headers }
}
