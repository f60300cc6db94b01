/** Judges the prices of a database and the columns of all tables, before anything is rendered. */

import { type Finding, judgeFindings } from '../data/check/finding.ts'
import { findingsOfColumns } from '../data/check/columns.ts'
import { comparePrices, findingsAcross, type OfNight } from '../data/check/prices.ts'
import { gatherStatistics, mergedStatistics } from '../data/read/statistics.ts'
import { statisticsKey } from '../guards/statistics.ts'
import type { AllowedObjection } from '../guards/guards.ts'
import { defaultExpectations } from '../guards/plausibility.ts'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BuildOptions } from './options.ts'
import type { RenderPool } from './render-pool.ts'
import type { ReadShard } from './shard.ts'

/** The shards of a merge have judged their funds: its own judgement is empty. */
export interface Judgement {
  /** A refused price is an error, unless the operator allows it. */
  readonly findings: readonly Finding[]
  readonly allowed: readonly AllowedObjection[]
  /** For the guards across funds. */
  readonly ofNight: OfNight
  /** The parts of the file of the snapshot: what the columns hold. */
  readonly statistics: readonly Buffer[]
}

/** Compares the funds with what is live. @throws {Error} if that cannot be reached, or a shard has no statistics */
export async function judgeFunds(
  { part = null, live = null, asOf, expectations = defaultExpectations, override }: BuildOptions,
  isins: readonly string[],
  pool: RenderPool,
): Promise<Judgement> {
  if (part?.kind === 'shards')
    return {
      findings: [],
      allowed: [],
      ofNight: { newPrices: [], arrivals: [] },
      statistics: statisticsOf(part.shards),
    }
  const { findings, ofNight, statistics } = await judgeEach(isins, pool, live)
  // A shard lacks funds: the merge compares them.
  const across =
    part === null
      ? [
          ...findingsAcross(ofNight, asOf, expectations),
          ...(await findingsOfColumns(live, statistics, expectations)),
        ]
      : []
  return { ...judgeFindings([...findings, ...across], override), ofNight, statistics }
}

/** Each fund by itself. A function of its own: what it gathers is as large as the file, and nobody needs it afterwards. */
async function judgeEach(isins: readonly string[], pool: RenderPool, live: BuildOptions['live'] = null) {
  const statistics = gatherStatistics()
  const compared = await comparePrices(live)
  await pool.ask(
    isins,
    (some) => ({ kind: 'judge', isins: some }),
    async (reply) => {
      for (const judged of reply.prices) await compared.add(judged)
      for (const lines of reply.statistics) statistics.add(lines)
    },
  )
  return { ...compared.end(), statistics: statistics.end() }
}

/** @param shards in the order of their funds */
const statisticsOf = (shards: readonly ReadShard[]) =>
  mergedStatistics(shards.map(({ folder }) => readFileSync(join(folder, statisticsKey))))
