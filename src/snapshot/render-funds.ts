/** The documents and pages of all funds of a night, in the rendering threads; their lines go to the manifest. */

import type { Overdue } from '../contract/page.ts'
import { overdueFunds } from '../freshness/assess.ts'
import { checkTables } from '../source/check.ts'
import { RefusedDatabase, type Finding } from '../source/finding.ts'
import { readPriceDays } from '../source/price-days.ts'
import type { FundNews, Funds } from './funds.ts'
import type { RenderedFund } from './render-fund.ts'
import type { Night } from './render-night.ts'
import type { RenderPool } from './render-pool.ts'
import type { RenderReply } from './render-worker.ts'

/** @throws {RefusedDatabase} */
export async function renderFunds(night: Night, isins: readonly string[], pool: RenderPool): Promise<Funds> {
  const { options, db, plans, makers, lines } = night
  const folders = [...plans, ...makers.fundPages].map(({ folder }) => folder)
  const previous = (await night.previous?.manifest) ?? null
  const findings: Finding[] = []
  const marks = await overdueIn(night, isins)
  const hasErrors = () => findings.some(({ severity }) => severity === 'error')
  const each: FundNews[] = []
  /** The previous manifest's lines of funds that are being rendered, a text a folder. */
  const waiting = new Map<string, readonly string[]>()
  let done = 0
  let objects = 0
  let bytes = 0
  let kept = 0
  let newestPrice: string | null = null
  const takeFund = (fund: RenderedFund, isin: string) => {
    const standing = waiting.get(isin)
    waiting.delete(isin)
    for (const [index, folder] of folders.entries()) {
      lines.add(folder, fund.lines.get(index) ?? standing?.[index] ?? '')
    }
    const { from, answers, entry, rows } = fund
    each.push({ isin, from, answers, entry, rows })
    objects += fund.objects
    bytes += fund.bytes
    kept += fund.kept
    newestPrice = laterDay(newestPrice, fund.newestPrice)
  }
  const take = (reply: RenderReply, some: readonly string[]) => {
    if (reply.kind !== 'rendered') return
    for (const finding of reply.findings) findings.push(finding)
    for (const [index, fund] of reply.funds.entries()) takeFund(fund, some[index] ?? '')
    done += some.length
    options.onProgress?.({ funds: done, of: isins.length, documents: objects })
  }
  const linesOf = (isin: string) => {
    const standing = folders.map((folder) => previous?.linesOf(folder, `${folder}${isin}/`) ?? '')
    waiting.set(isin, standing)
    return standing
  }
  // With an error the snapshot is refused: what is still to be found are the other errors.
  const request = (some: readonly string[]) =>
    hasErrors()
      ? { kind: 'check' as const, isins: some }
      : {
          kind: 'render' as const,
          isins: some,
          previous: previous === null ? [] : some.map(linesOf),
          overdue: some.map((isin) => marks.get(isin) ?? null),
        }
  const asked = pool.ask(isins, request, take)
  // It is waited for at the end; the checks of the tables take their time while the threads have something to do.
  asked.catch(() => undefined)
  findings.push(...checkTables(db))
  await asked
  if (hasErrors()) throw new RefusedDatabase(options.db, findings)
  return { each, objects, bytes, kept, newestPrice, warnings: findings }
}

/** Pages say which prices are late: found out here, since the holidays of the world are much to load in each thread. */
async function overdueIn(
  { options, db, makers, rules }: Night,
  isins: readonly string[],
): Promise<ReadonlyMap<string, Overdue>> {
  if (makers.fundPages.length === 0) return new Map()
  return overdueFunds(readPriceDays(db, isins, 1), await rules, options.asOf)
}

/** The later of two days; null is none. */
export const laterDay = (one: string | null, other: string | null): string | null =>
  one === null || (other !== null && other > one) ? other : one
