import type { OpenedFile } from '../data/read/digest.ts'
import { readIsins } from '../data/read/fund-reader.ts'
import type { FundDatabase } from '../data/read/open.ts'
import { defaultFreshness } from '../guards/rules.ts'
import type { Base } from './base.ts'
import { codeDigest } from './code-digest.ts'
import { rendererOf } from './inputs.ts'
import { defaultPlausibility, type WithheldFund } from '../guards/plausibility.ts'
import { objectLines } from './object-lines.ts'
import type { BuildOptions } from './options.ts'
import { allEndpoints, allPageMakers, openRendering } from './plans.ts'
import { isinsOfShard } from './shard.ts'

export type Build = Awaited<ReturnType<typeof prepareBuild>>

/** @param db in the read transaction of the rendering threads @param withheld funds with live prices in `db` */
export async function prepareBuild(
  options: BuildOptions,
  db: FundDatabase,
  file: OpenedFile,
  root: string,
  base: Base,
  withheld: readonly WithheldFund[],
) {
  const { asOf, docsUrl, baseUrl, publisher = null, code = codeDigest(), downloads = null } = options
  const { endpoints = allEndpoints, pages = allPageMakers } = options
  const { freshness = defaultFreshness, plausibility = defaultPlausibility } = options
  const rendering = await openRendering({
    db: db.name,
    root,
    asOf,
    docsUrl,
    baseUrl,
    publisher,
    endpoints,
    pages,
    hasDownloads: downloads !== null,
    freshness,
    plausibility,
    renderer: rendererOf(code, docsUrl),
    reuse: base.from,
  })
  const lines = objectLines(root, rendering.table)
  return { ...rendering, options, db, file, base, withheld, lines }
}

/** The funds of the snapshot, or of the shard. @throws {Error} if the database lacks a fund that the options name */
export function isinsToRender({ options: { db: file, only, part = null }, db }: Build): readonly string[] {
  const isins = readIsins(db)
  if (part?.kind === 'shard') return isinsOfShard(isins, part)
  if (only.length === 0) return isins
  const missing = only.filter((isin) => !isins.includes(isin))
  if (missing.length > 0) throw new Error(`${file} has no fund ${missing.join(', ')}`)
  return isins.filter((isin) => only.includes(isin))
}
