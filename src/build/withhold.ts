/** Withholding: funds with implausible prices keep the live ones. The build reads a copy of the database with these. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Finding } from '../data/check/finding.ts'
import { livePrices, priceColumns, type LiveReader } from '../data/check/live-prices.ts'
import { changeCopy, copyDatabase, insertInto } from '../data/read/copy.ts'
import { schemaTables } from '../data/model/schema.ts'
import { openFunds, type FundDatabase } from '../data/read/open.ts'
import { messageOf } from '../system/message.ts'
import type { WithheldFund } from '../guards/plausibility.ts'
import type { ReadShard } from './shard.ts'

/** No failure: the build begins anew, with the live prices of these funds. */
export class WithholdPrices extends Error {
  readonly funds: readonly WithheldFund[]

  constructor(funds: readonly WithheldFund[]) {
    super('prices are to be withheld')
    this.funds = funds
  }
}

/** @param withheld funds with live prices: findings on them are about the live snapshot @throws {WithholdPrices} */
export function withholdMore(withheld: readonly WithheldFund[], findings: readonly Finding[]): void {
  const known = new Set(withheld.map(({ isin }) => isin))
  // Findings about many funds together stay errors: no price of them can be trusted.
  const refused = findings.flatMap(({ severity, guard, isin, message }) =>
    severity === 'error' && guard !== undefined && isin !== null ? [{ isin, message }] : [],
  )
  const more = [...Map.groupBy(refused, ({ isin }) => isin)].filter(([isin]) => !known.has(isin))
  if (more.length === 0) return
  const funds = more.map(([isin, some]) => ({ isin, message: some.map(({ message }) => message).join('; ') }))
  throw new WithholdPrices([...withheld, ...funds].sort((one, other) => (one.isin < other.isin ? -1 : 1)))
}

/**
 * Copies a database as its transaction sees it, and gives funds the live prices and currency, or no prices.
 * @param file of the copy; replaced if it exists @throws {Error} if live prices are missing or damaged
 */
export async function copyWithLivePrices(
  file: string,
  db: FundDatabase,
  funds: readonly WithheldFund[],
  read: LiveReader,
): Promise<FundDatabase> {
  const live = livePrices(read)
  await copyDatabase(file, db)
  for (const { isin } of funds) {
    const history = await live.history(isin).catch((error: unknown) => {
      throw new Error(`fund ${isin}: its prices cannot stay as they are live: ${messageOf(error)}`)
    })
    changeCopy(file, (copy) => {
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
export const readShards =
  (shards: readonly ReadShard[], live: LiveReader | null): LiveReader =>
  async (key) => {
    for (const { folder } of shards) {
      const found = await readFile(join(folder, key)).catch(() => null)
      if (found !== null) return found
    }
    return (await live?.(key)) ?? null
  }
