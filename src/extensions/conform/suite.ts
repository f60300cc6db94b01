/** The conformance suite, which compares a deployment with the interface and a database. It never stops at a failure. */

import { assertFile } from '../../core/system/place.ts'
import { randomFor } from '../../core/system/random.ts'
import { type Check, type CheckResult, checkContext, ignoreNoAnswer, stagedHeader } from './check.ts'
import { answerChecks, refusalChecks } from './checks/answers.ts'
import { cachingChecks, codingChecks } from './checks/caching.ts'
import { hostileChecks } from './checks/hostile.ts'
import { httpChecks, partChecks } from './checks/http.ts'
import { linkChecks, negotiationChecks } from './checks/negotiation.ts'
import { pageChecks } from './checks/pages.ts'
import { rangeChecks } from './checks/ranges.ts'
import { openHttpClient, tokenHeader } from './client.ts'
import { type Oracle, openOracle } from './oracle/oracle.ts'
import { findExamples, noSuchIsin } from './requests.ts'

interface ConformOptions {
  /** http or https, with or without a path prefix. */
  readonly base: string
  readonly db: string
  /** YYYY-MM-DD */
  readonly asOf: string
  readonly docsUrl: string
  /** Number of random requests. Default: 2,000. */
  readonly requests?: number
  /** Decides the random requests and the sample of funds. Default: 1. */
  readonly seed?: number
  /** The token of the edge, which asks for the staged snapshot. Raw bytes are sent without it. */
  readonly previewToken?: string
  /** Requests at the same time. Default: 8. */
  readonly concurrency?: number
  readonly signal?: AbortSignal
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

/** The seed chooses this many funds of a larger database. */
const mostFunds = 40

/** @throws {Error} if the database cannot be read, nothing answers, or the run is aborted */
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
    const sum = (of: 'requests' | 'failed') => results.reduce((total, result) => total + result[of], 0)
    const { seed, funds } = suite
    return { base, asOf, seed, funds, requests: sum('requests'), failed: sum('failed'), checks: results }
  } finally {
    suite.close()
  }
}

/** Runs single checks. @param open opens the oracle, which the suite closes @throws {Error} if the database cannot be read */
export function openSuite(options: ConformOptions, open = openOracle) {
  const { requests: randomRequests = 2000, seed = 1, concurrency = 8, signal, previewToken } = options
  const isPreview = previewToken !== undefined
  const base = options.base.replace(/(?<!\/)\/+$/, '')
  const oracle = openDatabase(options, open)
  const all = oracle.isins()
  const isins = all.length > mostFunds ? randomFor(seed, 'funds').draw(all, mostFunds).toSorted() : all
  const [isin = noSuchIsin] = isins
  const subject = { base, oracle, isins, isin, examples: findExamples(oracle, isins), randomRequests }
  const client = openHttpClient(base, concurrency, signal, isPreview ? { [tokenHeader]: previewToken } : {})
  return {
    seed,
    funds: { asked: isins.length, of: all.length },
    /** @throws {Error} if the server is gone, or the run is aborted */
    run: async (check: Check): Promise<CheckResult> => {
      const { group, name } = check
      const asking = { client, concurrency, isPreview, signal }
      const context = checkContext(subject, asking, randomFor(seed, group, name))
      await check.run(context).catch(ignoreNoAnswer)
      return { group, name, ...context.found }
    },
    /** @throws {Error} if the options ask for the staged snapshot, and it does not answer */
    assertPreview: async () => {
      if (!isPreview) return
      const { headers } = await client.ask({ target: '/api/v1/prices-current-all/' })
      if (headers.has(stagedHeader)) return
      throw new Error(
        `${base} shows no preview: nothing is staged, or the edge has another edge.previewToken`,
      )
    },
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
