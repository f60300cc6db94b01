/**
 * Withholding: funds with implausible prices keep the live ones. This is a step before the build, which then reads a copy of
 * the database that has them.
 */

import { rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Finding, generalWarning } from '../data/check/finding.ts'
import { livePrices, priceColumns, type LiveReader } from '../data/check/live-prices.ts'
import { changeCopy, copyDatabase, insertInto } from '../data/read/copy.ts'
import { schemaTables } from '../data/model/schema.ts'
import { openFunds, type FundDatabase } from '../data/read/open.ts'
import { messageOf } from '../system/message.ts'
import { defaultExpectations, type WithheldFund } from '../guards/plausibility.ts'
import { judgeFunds } from './judge.ts'
import type { BuildOptions } from './options.ts'
import type { PreparedDatabase } from './prepare.ts'
import type { RenderPool } from './render-pool.ts'
import type { ReadShard } from './shard.ts'

/**
 * Judges the prices of a database, and has a snapshot built from it: from a copy, if prices are withheld. The copy holds what
 * was judged, and is gone afterwards.
 * @param db in the read transaction of the pool @param folder for the copy
 * @throws {Error} what `build` throws; if live prices that are to stay are missing or damaged
 */
export async function withholdPrices<T>(
  options: BuildOptions,
  isins: readonly string[],
  { db, pool, folder }: { readonly db: FundDatabase; readonly pool: RenderPool; readonly folder: string },
  build: (prepared: PreparedDatabase) => Promise<T>,
): Promise<T> {
  const { part = null, live = null, expectations = defaultExpectations } = options
  const judgement = await judgeFunds(options, isins, pool)
  const { findings } = judgement
  const refused = expectations.onImplausible === 'withhold' ? refusedFunds(findings) : []
  if (refused.length > 0 && live === null) {
    const warned = { ...judgement, findings: [...findings, unknownLive] }
    return build({ db, judgement: warned, withheld: [] })
  }
  const shards = part?.kind === 'shards' ? part.shards : []
  const withheld = [...shards.flatMap(({ head }) => head.withheld ?? []), ...refused]
  if (withheld.length === 0) return build({ db, judgement, withheld })
  const file = join(folder, '.withheld.sqlite')
  const copy = await copyWithLivePrices(file, db, withheld, readShards(shards, live))
  try {
    await pool.read(copy)
    return await build({ db: copy, judgement: await judgeFunds(options, isins, pool), withheld })
  } finally {
    copy.close()
    rmSync(file, { force: true })
  }
}

/** What is wrong with prices; live ones make no figure of another table right. */
const tablesOfPrices = ['price', 'corporate_action', 'fund']

/** Findings about many funds together are left out and stay errors: no price of them can be trusted. */
function refusedFunds(findings: readonly Finding[]): readonly WithheldFund[] {
  const refused = findings.flatMap(({ severity, isin, table, message }) =>
    severity === 'error' && isin !== null && tablesOfPrices.includes(table) ? [{ isin, message }] : [],
  )
  return [...Map.groupBy(refused, ({ isin }) => isin)].map(([isin, some]) => ({
    isin,
    message: some.map(({ message }) => message).join('; '),
  }))
}

const unknownLive = generalWarning(
  'no price can be withheld: it is not known what is live (--since)',
  'price',
)

/**
 * Copies a database as its transaction sees it, and gives funds the live prices and currency, or no prices.
 * @param file of the copy @throws {Error} if live prices are missing or damaged
 */
async function copyWithLivePrices(
  file: string,
  db: FundDatabase,
  funds: readonly WithheldFund[],
  read: LiveReader,
): Promise<FundDatabase> {
  const live = livePrices(read)
  const liveActions = await live.actions()
  await copyDatabase(file, db)
  for (const { isin } of funds) {
    const history = await live.history(isin).catch((error: unknown) => {
      throw new Error(`fund ${isin}: its prices cannot stay as they are live: ${messageOf(error)}`)
    })
    changeCopy(file, (copy) => {
      const { name, columns } = schemaTables.corporateActions
      copy.prepare(`DELETE FROM ${name} WHERE isin = ?`).run(isin)
      const insertAction = insertInto(
        copy,
        schemaTables.corporateActions,
        columns.map((column) => column.name),
      )
      for (const action of liveActions?.get(isin) ?? []) {
        const row: Readonly<Record<string, string | null>> = { isin, ...action }
        insertAction.run(...columns.map(({ field }) => row[field] ?? null))
      }
      copy.prepare('DELETE FROM price WHERE isin = ?').run(isin)
      if (history === null) return
      const names = priceColumns.map(({ name }) => name)
      const insert = insertInto(copy, schemaTables.prices, ['isin', ...names])
      for (const price of history.prices) insert.run(isin, ...price)
      copy.prepare('UPDATE fund SET currency = ? WHERE isin = ?').run(history.currency, isin)
    })
  }
  return openFunds(file)
}

/** Reads live prices from shards that withhold them; a sparse shard lacks files that `live` has. */
const readShards =
  (shards: readonly ReadShard[], live: LiveReader | null): LiveReader =>
  async (key) => {
    for (const { folder } of shards) {
      const found = await readFile(join(folder, key)).catch(() => null)
      if (found !== null) return found
    }
    return (await live?.(key)) ?? null
  }
