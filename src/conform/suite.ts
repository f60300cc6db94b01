/**
 * The conformance suite: whether what answers at an address answers as the interface says, with the data of a database.
 * It knows nothing of how that is made. It works through the checks one after the other, and never stops at a failure.
 */

import { measureBudget, type BudgetOptions, type BudgetReport } from './budget/budget.ts'
import { findLoadPlace, findPlace } from './budget/place.ts'
import { processProbe, wallProbe } from './budget/probe.ts'
import { largeSizes, smallSizes } from './budget/requests.ts'
import type { Check, CheckResult } from './check.ts'
import { checks } from './checks.ts'
import { openClient } from './client.ts'
import { openRunner } from './runner.ts'
import { findExamples } from './examples.ts'
import { openOracle, type Oracle } from './oracle/oracle.ts'
import { seededRandom } from './random.ts'

export interface ConformOptions {
  /** http or https, with a path prefix or without. */
  readonly base: string
  /** The fund database that the answers were made from. */
  readonly db: string
  /** YYYY-MM-DD: the day that they were made as of. */
  readonly asOf: string
  readonly docsUrl: string
  /** How many random requests to make: 2,000 unless given. */
  readonly requests?: number
  /** Decides the random requests and the sample of funds: 1 unless given. */
  readonly seed?: number
  /** Requests at a time: 8 unless given. */
  readonly concurrency?: number
  /** How long an answer may be silent: 30 s unless given. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** A process of this machine that answers, or the parent of those: costs are CPU time then, and memory is measured. */
  readonly pid?: number
  /** Also lets hundreds of clients hold on to the deployment for some seconds. */
  readonly load?: boolean
}

export interface ConformReport {
  readonly base: string
  readonly asOf: string
  readonly seed: number
  /** How many funds were asked for, of how many. */
  readonly funds: { readonly asked: number; readonly of: number }
  readonly requests: number
  readonly failed: number
  readonly checks: readonly CheckResult[]
  /** What hostile requests cost; its failures are among those that failed. */
  readonly budget: BudgetReport
}

export interface Suite {
  readonly seed: number
  readonly funds: ConformReport['funds']
  /** @throws {Error} if nothing answers any more, or the run is aborted */
  readonly run: (check: Check) => Promise<CheckResult>
  /** @throws {Error} if nothing answers any more, the process ends, or the run is aborted */
  readonly measure: (onStep: BudgetOptions['onStep']) => Promise<BudgetReport>
  readonly close: () => void
}

/** Of a database with more funds, so many are asked for, chosen by the seed. */
const mostFunds = 40

/** Runs all checks. @throws {Error} if the database cannot be read, nothing answers, or the run is aborted */
export async function conform(
  options: ConformOptions & { readonly onStep?: (done: number, of: number, name: string) => void },
): Promise<ConformReport> {
  const { onStep } = options
  const suite = openSuite(options)
  try {
    const results: CheckResult[] = []
    for (const check of checks) {
      const result = await suite.run(check)
      results.push(result)
      onStep?.(results.length, checks.length, check.name)
    }
    const budget = await suite.measure(onStep)
    const sum = (of: 'requests' | 'failed') => results.reduce((total, result) => total + result[of], 0)
    const { base, asOf } = options
    const { seed, funds } = suite
    const failed = sum('failed') + budget.failures.length
    return { base, asOf, seed, funds, requests: sum('requests'), failed, checks: results, budget }
  } finally {
    suite.close()
  }
}

/** The same, check by check. @throws {Error} if the database cannot be read, or the process is none of this machine */
export function openSuite(options: ConformOptions): Suite {
  const {
    requests = 2000,
    seed = 1,
    concurrency = 8,
    timeoutMs = 30_000,
    signal,
    pid,
    load = false,
  } = options
  const base = options.base.replace(/(?<!\/)\/+$/, '')
  const probe = pid === undefined ? wallProbe(() => performance.now()) : processProbe([pid])
  const oracle = openDatabase(options)
  const all = oracle.isins()
  const isins = all.length > mostFunds ? seededRandom(seed, 'funds').sample(all, mostFunds).sort() : all
  const client = openClient({ base, concurrency, timeoutMs, signal })
  const examples = findExamples(oracle, isins)
  const run = openRunner({
    base,
    oracle,
    isins,
    allIsins: all,
    examples,
    randomRequests: requests,
    seed,
    client,
    concurrency,
    signal,
  })
  return {
    seed,
    funds: { asked: isins.length, of: all.length },
    run,
    measure: async (onStep) =>
      measureBudget({
        base,
        probe,
        place: findPlace(examples),
        // What a deployment has to refuse may be too much for one that does not.
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

function openDatabase({ db, asOf, docsUrl }: ConformOptions): Oracle {
  try {
    const oracle = openOracle({ db, asOf, docsUrl })
    oracle.isins()
    return oracle
  } catch (error) {
    throw new Error(`${db} cannot be read as a fund database`, { cause: error })
  }
}
