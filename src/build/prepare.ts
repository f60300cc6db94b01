/** A build under way: what is opened once, before anything is rendered. */

import { routeTable } from '../api/derive/route-table.ts'
import { endpoints } from '../api/endpoints/index.ts'
import type { RouteTable } from '../api/routes/table.ts'
import type { OpenedFile } from '../data/read/digest.ts'
import { readIsins } from '../data/read/fund-reader.ts'
import type { FundDatabase } from '../data/read/open.ts'
import { defaultFreshness, openRules, type Rules } from '../freshness/rules.ts'
import { reuseOf, type Base } from './base.ts'
import { codeDigest } from './code-digest.ts'
import { rendererOf } from './inputs.ts'
import { objectLines, type ObjectLines } from './object-lines.ts'
import type { BuildOptions } from './options.ts'
import { allPageMakers, loadPageMakers, type PageMakers } from './pages.ts'
import { fundPlans, type Plan } from './plans.ts'
import type { RenderSettings } from './render-worker.ts'
import { isinsOfShard } from './shard.ts'

export interface Build {
  readonly options: BuildOptions
  readonly settings: RenderSettings
  /** In the same read transaction as the rendering threads, until the end. */
  readonly db: FundDatabase
  readonly file: OpenedFile
  readonly table: RouteTable
  readonly plans: readonly Plan[]
  readonly makers: PageMakers
  /** How new prices should be; its calendars are loaded meanwhile. */
  readonly rules: Promise<Rules>
  readonly base: Base
  readonly lines: ObjectLines
}

/** @param root the folder that the snapshot is written to */
export async function prepareBuild(
  options: BuildOptions,
  db: FundDatabase,
  file: OpenedFile,
  root: string,
  base: Base,
): Promise<Build> {
  const { asOf, docsUrl, baseUrl, code = codeDigest(), pages = allPageMakers, downloads = null } = options
  const table = routeTable(endpoints, docsUrl)
  const settings: RenderSettings = {
    ...{ db: options.db, root, asOf, docsUrl, baseUrl, pages, hasDownloads: downloads !== null },
    renderer: rendererOf(code, docsUrl),
    reuse: reuseOf(base),
  }
  const plans = fundPlans(endpoints, table)
  const makers = await loadPageMakers(pages)
  const rules = openRules(options.freshness ?? defaultFreshness)
  // Everyone who uses the rules gets the error.
  rules.catch(() => undefined)
  return { options, settings, db, file, table, plans, makers, rules, base, lines: objectLines(root) }
}

/** The funds of the snapshot, or of the shard. @throws {Error} if the database lacks one that the options name */
export function isinsToRender({ options: { db: file, only, part = null }, db }: Build): readonly string[] {
  const isins = readIsins(db)
  if (part?.kind === 'shard') return isinsOfShard(isins, part)
  if (only.length === 0) return isins
  const missing = only.filter((isin) => !isins.includes(isin))
  if (missing.length > 0) throw new Error(`${file} has no fund ${missing.join(', ')}`)
  return isins.filter((isin) => only.includes(isin))
}
