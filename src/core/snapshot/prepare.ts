import { readIsins } from '../data/read/fund-reader.ts'
import type { FundDatabase } from '../data/read/open.ts'
import { defaultExpectations, type WithheldFund } from '../guards/plausibility.ts'
import { defaultFreshness } from '../guards/rules.ts'
import type { Base } from './base.ts'
import { codeDigest } from './code-digest.ts'
import { rendererOf } from './inputs.ts'
import type { Judgement } from './judge.ts'
import type { objectLines } from './object-lines.ts'
import type { BuildOptions } from './options.ts'
import { allEndpoints, type Rendering, type RenderSettings } from './plans.ts'
import { isinsOfShard } from './shard.ts'

/** What a build reads: the file, or a copy of it. */
export interface PreparedDatabase {
  /** In the read transaction of the rendering threads. */
  readonly db: FundDatabase
  /** On the prices in `db`. */
  readonly judgement: Judgement
  /** Funds whose prices are those that are live. */
  readonly withheld: readonly WithheldFund[]
}

export interface Build extends Rendering, PreparedDatabase {
  readonly options: BuildOptions
  /** The funds of the snapshot, or of the shard. */
  readonly isins: readonly string[]
  readonly base: Base
  readonly lines: ReturnType<typeof objectLines>
}

/** @param root the folder of the snapshot @param has what the options ask for, and extensions make */
export function settingsOf(
  options: BuildOptions,
  root: string,
  base: Base,
  has: Pick<RenderSettings, 'hasPages' | 'parts'>,
): RenderSettings {
  const { asOf, docsUrl, baseUrl, publisher = null, code = codeDigest() } = options
  const { endpoints = allEndpoints, extensions } = options
  const { freshness = defaultFreshness, expectations = defaultExpectations } = options
  return {
    root,
    asOf,
    docsUrl,
    baseUrl,
    publisher,
    endpoints,
    extensions,
    hasPages: has.hasPages,
    parts: has.parts,
    freshness,
    expectations,
    renderer: rendererOf(code, docsUrl),
    reuse: base.from,
  }
}

/** The funds of the snapshot, or of the shard. @throws {Error} if the database lacks a fund that the options name */
export function isinsToRender(
  { db: file, only, part = null }: BuildOptions,
  db: FundDatabase,
): readonly string[] {
  const isins = readIsins(db)
  if (part?.kind === 'shard') return isinsOfShard(isins, part)
  if (only.length === 0) return isins
  const missing = only.filter((isin) => !isins.includes(isin))
  if (missing.length > 0) throw new Error(`${file} has no fund ${missing.join(', ')}`)
  return isins.filter((isin) => only.includes(isin))
}
