/**
 * The conformance suite: does a deployment answer as the interface says, with the data of a database?
 * It runs one check after the other and never stops at a failure.
 */

import { assertFile } from '../system/place.ts'
import { randomFor } from '../system/random.ts'
import { equivalents, mayBeRefusedInFront } from './allowances.ts'
import { type BudgetOptions, measureBudget } from './budget/budget.ts'
import { largeSizes, smallSizes } from './budget/hostile.ts'
import { findLoadPlace, findPlace } from './budget/loads.ts'
import { processProbe, wallProbe } from './budget/probe.ts'
import type { Check, CheckContext, CheckFailure, CheckResult } from './check.ts'
import { answerChecks, refusalChecks } from './checks/answers.ts'
import { cachingChecks, codingChecks } from './checks/caching.ts'
import { hostileChecks } from './checks/hostile.ts'
import { httpChecks, partChecks } from './checks/http.ts'
import { linkChecks } from './checks/links.ts'
import { negotiationChecks } from './checks/negotiation.ts'
import { pageChecks } from './checks/pages.ts'
import { rangeChecks } from './checks/ranges.ts'
import { type HttpAnswer, type HttpRequest, NoAnswer, curlCommand, openHttpClient } from './client.ts'
import { tokenHeader } from './client.ts'
import { asSent, compareAnswer } from './compare.ts'
import { type Oracle, type OracleRequest, openOracle } from './oracle/oracle.ts'
import { findExamples, noSuchIsin } from './requests.ts'

export interface ConformOptions {
  /** http or https, with a path prefix or without. */
  readonly base: string
  /** The fund database that the answers were made from. */
  readonly db: string
  /** YYYY-MM-DD: the day that they were made as of. */
  readonly asOf: string
  readonly docsUrl: string
  /** Number of random requests. Default: 2,000. */
  readonly requests?: number
  /** Decides the random requests and the sample of funds. Default: 1. */
  readonly seed?: number
  /** Asks for the staged snapshot: the token of the edge. Raw bytes and the budget ask without it. */
  readonly previewToken?: string
  /** Requests at the same time. Default: 8. */
  readonly concurrency?: number
  readonly signal?: AbortSignal
  /** The server's process on this machine, or its parent. With it the suite measures CPU time and memory. */
  readonly pid?: number
  /** Whether to open hundreds of slow clients for some seconds. */
  readonly load?: boolean
}

export type ConformReport = Awaited<ReturnType<typeof conform>>

export type Suite = ReturnType<typeof openSuite>

export const checks: readonly Check[] = [
  ...answerChecks,
  ...refusalChecks,
  ...negotiationChecks,
  ...rangeChecks,
  ...httpChecks,
  ...partChecks,
  ...pageChecks,
  ...cachingChecks,
  ...linkChecks,
  ...codingChecks,
  ...hostileChecks,
]

/** The header of an answer that names the staged snapshot. */
const snapshotHeader = 'x-fundpress-snapshot'
/** If a database has more funds, the seed chooses this many of them. */
const mostFunds = 40
/** A check that always fails does not have to say so ten thousand times. */
const mostFailures = 10
/** After this many questions in a row without an answer, the server counts as gone. */
const mostSilences = 25

/**
 * Runs all checks.
 * @returns `funds`: how many are in the requests, and in the database; `failed` counts failures of the budget, too
 * @throws {Error} if the database cannot be read, nothing answers, or the run is aborted
 */
export async function conform(
  options: ConformOptions & { readonly onStep?: (done: number, of: number, name: string) => void },
) {
  const { base, asOf, onStep } = options
  const suite = openSuite(options)
  try {
    await suite.assertPreview()
    const results: CheckResult[] = []
    for (const check of checks) {
      results.push(await suite.run(check))
      onStep?.(results.length, checks.length, check.name)
    }
    const budget = await suite.measure(onStep)
    const sum = (of: 'requests' | 'failed') => results.reduce((total, result) => total + result[of], 0)
    const { seed, funds } = suite
    const failed = sum('failed') + budget.failures.length
    return { base, asOf, seed, funds, requests: sum('requests'), failed, checks: results, budget }
  } finally {
    suite.close()
  }
}

/**
 * Opens the suite to run single checks.
 * @param open opens the oracle; the suite closes it
 * @throws {Error} if the database cannot be read, or the process is none of this machine
 */
export function openSuite(options: ConformOptions, open = openOracle) {
  const { requests: randomRequests = 2000, seed = 1, concurrency = 8, signal, pid, load = false } = options
  const { previewToken } = options
  const isPreview = previewToken !== undefined
  const base = options.base.replace(/(?<!\/)\/+$/, '')
  const probe = pid === undefined ? wallProbe() : processProbe([pid])
  const oracle = openDatabase(options, open)
  const all = oracle.isins()
  const isins = all.length > mostFunds ? randomFor(seed, 'funds').draw(all, mostFunds).toSorted() : all
  const [isin = noSuchIsin] = isins
  const examples = findExamples(oracle, isins)
  const client = openHttpClient(base, concurrency, signal, isPreview ? { [tokenHeader]: previewToken } : {})
  let silences = 0

  const differences = (request: OracleRequest, asked: HttpRequest, answer: HttpAnswer) => {
    if (mayBeRefusedInFront(asked, answer)) {
      const other = all.find((each) => !request.target.includes(each) && answer.body.includes(each))
      if (other === undefined) return []
      return [{ expected: 'a refusal', got: `a fund that was not asked for: ${other}` }]
    }
    const differencesFrom = (one: OracleRequest) => compareAnswer(base, answer, oracle.answer(one))
    const found = differencesFrom(request)
    const isAnswerTo = (other: OracleRequest) => differencesFrom(other).length === 0
    return found.length > 0 && equivalents(request).some(isAnswerTo) ? [] : found
  }

  /** @throws {Error} if nothing answers any more, or the run is aborted */
  const run = async (check: Check): Promise<CheckResult> => {
    const { group, name } = check
    const failures: CheckFailure[] = []
    let [requests, failed] = [0, 0]
    const fail: CheckContext['fail'] = (asked, expected, got) => {
      failed++
      if (failures.length < mostFailures)
        failures.push({ request: curlCommand(base, asked, isPreview), expected, got })
    }
    const context: CheckContext = {
      base,
      oracle,
      isins,
      isin,
      examples,
      randomRequests,
      random: randomFor(seed, group, name),
      ask: async (asked, status) => {
        requests++
        const answer = await client.ask(asked).catch((error: unknown) => {
          if (!(error instanceof NoAnswer)) throw error
          fail(asked, 'an answer', error.message)
          if (++silences < mostSilences) throw error
          throw new Error(`${base} does not answer: ${error.message}`, { cause: error })
        })
        silences = 0
        if (status !== undefined) context.same(asked, 'status', answer.status, status)
        if (isPreview && answer.status === 200 && !answer.headers.has(snapshotHeader))
          fail(asked, 'an answer from the staged snapshot', 'one from the live snapshot')
        return answer
      },
      fail,
      compare: async (given) => {
        const request = { ...given, target: asSent(given.target) }
        const { method, target, accept, acceptLanguage } = request
        const headers = {
          ...(accept !== undefined && { accept }),
          ...(acceptLanguage !== undefined && { 'accept-language': acceptLanguage }),
        }
        const asked = { method, target, headers }
        const answer = await context.ask(asked)
        for (const { expected, got } of differences(request, asked, answer)) fail(asked, expected, got)
        return answer
      },
      compareAll: (list) => context.each(list, context.compare),
      same: (asked, what, got, expected) => {
        const text = (value: unknown) => (value === undefined ? 'absent' : JSON.stringify(value))
        const [one, other] = [text(got), text(expected)]
        if (one !== other) fail(asked, `${what} ${other}`, `${what} ${one}`)
      },
      each: async (items, work) => {
        const waiting = items.values()
        const next = async (): Promise<void> => {
          for (const item of waiting) {
            signal?.throwIfAborted()
            await work(item).catch(ignoreNoAnswer)
          }
        }
        await Promise.all(Array.from({ length: concurrency }, next))
      },
    }
    await check.run(context).catch(ignoreNoAnswer)
    return { group, name, requests, failed, failures }
  }

  return {
    seed,
    funds: { asked: isins.length, of: all.length },
    run,
    /** @throws {Error} if the staged snapshot is asked for, and does not answer */
    assertPreview: async () => {
      if (!isPreview) return
      const { headers } = await client.ask({ target: '/api/v1/prices-current-all/' })
      if (headers.has(snapshotHeader)) return
      throw new Error(
        `${base} shows no preview: nothing is staged, or the edge has another edge.previewToken`,
      )
    },
    /** @throws {Error} if nothing answers any more, the process ends, or the run is aborted */
    measure: async (onStep: BudgetOptions['onStep']) =>
      measureBudget({
        base,
        probe,
        place: findPlace(examples),
        // A deployment that does not refuse such requests might break down.
        sizes: load ? [...smallSizes, ...largeSizes] : smallSizes,
        ...(load && { load: await findLoadPlace(examples, client) }),
        signal,
        onStep,
      }),
    close: () => {
      client.close()
      oracle.close()
    },
  }
}

function openDatabase({ db, asOf, docsUrl }: ConformOptions, open: typeof openOracle): Oracle {
  try {
    assertFile(db)
    const oracle = open({ db, asOf, docsUrl })
    oracle.isins()
    return oracle
  } catch (error) {
    throw new Error(`${db} cannot be read as a fund database`, { cause: error })
  }
}

/** `ask` has reported a missing answer already. Any other error ends the run. */
function ignoreNoAnswer(error: unknown): void {
  if (!(error instanceof NoAnswer)) throw error
}
