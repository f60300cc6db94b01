/**
 * The conformance suite: whether what answers at an address answers as the interface says, with the data of a database.
 * It knows nothing of how that is made. It works through the checks one after the other, and never stops at a failure.
 */

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
}

export interface Suite {
  readonly seed: number
  readonly funds: ConformReport['funds']
  /** @throws {Error} if nothing answers any more, or the run is aborted */
  readonly run: (check: Check) => Promise<CheckResult>
  readonly close: () => void
}

/** Of a database with more funds, so many are asked for, chosen by the seed. */
const mostFunds = 40

/** Runs all checks. @throws {Error} if the database cannot be read, nothing answers, or the run is aborted */
export async function conform(
  options: ConformOptions & { readonly onCheck?: (result: CheckResult, done: number, of: number) => void },
): Promise<ConformReport> {
  const suite = openSuite(options)
  try {
    const results: CheckResult[] = []
    for (const check of checks) {
      const result = await suite.run(check)
      results.push(result)
      options.onCheck?.(result, results.length, checks.length)
    }
    const sum = (of: 'requests' | 'failed') => results.reduce((total, result) => total + result[of], 0)
    const { base, asOf } = options
    const { seed, funds } = suite
    return { base, asOf, seed, funds, requests: sum('requests'), failed: sum('failed'), checks: results }
  } finally {
    suite.close()
  }
}

/** The same, check by check. @throws {Error} if the database cannot be read */
export function openSuite(options: ConformOptions): Suite {
  const { requests = 2000, seed = 1, concurrency = 8, timeoutMs = 30_000, signal } = options
  const base = options.base.replace(/(?<!\/)\/+$/, '')
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
