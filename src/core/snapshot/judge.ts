/** Judges the prices of a database, before anything is rendered. */

import { type Finding, judgeFindings } from '../data/check/finding.ts'
import { comparePrices, findingsAcross, type OfNight } from '../data/check/prices.ts'
import type { AllowedObjection } from '../guards/guards.ts'
import { defaultExpectations } from '../guards/plausibility.ts'
import type { BuildOptions } from './options.ts'
import type { RenderPool } from './render-pool.ts'

/** The shards of a merge have judged their funds: its own judgement is empty. */
export interface Judgement {
  /** A refused price is an error, unless the operator allows it. */
  readonly findings: readonly Finding[]
  readonly allowed: readonly AllowedObjection[]
  /** For the guards across funds. */
  readonly ofNight: OfNight
}

/** Compares the prices of funds with what is live. @throws {Error} if that cannot be reached */
export async function judgePrices(
  { part = null, live = null, asOf, expectations = defaultExpectations, override }: BuildOptions,
  isins: readonly string[],
  pool: RenderPool,
): Promise<Judgement> {
  if (part?.kind === 'shards') return { findings: [], allowed: [], ofNight: { newPrices: [], arrivals: [] } }
  const compared = await comparePrices(live)
  await pool.ask(
    isins,
    (some) => ({ kind: 'judge', isins: some }),
    async (reply) => {
      for (const judged of reply) await compared.add(judged)
    },
  )
  const { findings, ofNight } = compared.end()
  // A shard lacks funds: the merge compares them.
  const across = part === null ? findingsAcross(ofNight, asOf, expectations) : []
  return { ...judgeFindings([...findings, ...across], override), ofNight }
}
