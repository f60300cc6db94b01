/** The first steps of a nightly run: the checks, which the build makes while it reads, and the build. */

import { join } from 'node:path'
import type { BuildSummary } from '../../build/build.ts'
import { manifestKey, readHeadOf, readSparse } from '../../build/manifest.ts'
import { recoverSnapshot } from '../../build/staging.ts'
import { RefusedDatabase, type Finding } from '../../data/check/finding.ts'
import { printable } from '../../data/model/printable.ts'
import type { Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { countErrors, countFindings, countOf, errorsFirst, formatCount } from '../format.ts'
import { describeOverdueInLine } from '../freshness.ts'
import { buildOptions, mergeOptions } from '../build-options.ts'
import { buildSince } from '../commands/build.ts'
import { mergeSince } from '../commands/merge.ts'
import type { NightlyLog } from './log.ts'

interface NightlyBuild {
  readonly asOf: string
  /** As in `build --since`; `none`: render everything; undefined: continue from the folder, if it holds a snapshot. */
  readonly since?: string | undefined
  /** The folders of the shards to merge; undefined: build. */
  readonly shards?: readonly string[] | undefined
}

const findingsShown = 100

/** @throws {RefusedDatabase} after the log has the findings */
export async function buildNightly(
  session: Session,
  options: NightlyBuild,
  log: NightlyLog,
): Promise<BuildSummary> {
  log.begin('check')
  const making = options.shards === undefined ? render(session, options, log) : merge(session, options, log)
  const built = await making.catch((error: unknown) => {
    if (error instanceof RefusedDatabase) logFindings(error.findings, log)
    else log.enter('build')
    throw error
  })
  const { snapshot, funds, documents, rendered, bytes, isSparse, seconds, since, warnings } = built
  logFindings(warnings, log)
  const checked = `0 errors, ${countOf(warnings.length, 'warning')}`
  log.end('check', 'done', { errors: 0, warnings: warnings.length }, checked)
  log.enter('build')
  const { late, stale } = built.freshness
  const figures = { snapshot, funds, documents, rendered, since, isSparse, bytes, seconds, late, stale }
  const text = `${snapshot}: ${formatCount(funds)} funds, ${formatCount(documents)} documents, ${formatCount(rendered)} of them rendered, ${seconds.toFixed(1)} s`
  log.end('build', 'done', figures, text)
  if (late + stale > 0) log.warn('build', describeOverdueInLine(built))
  for (const file of built.downloads?.leftOut ?? []) log.warn('build', `downloads without ${file}`)
  return built
}

async function render(session: Session, { asOf, since }: NightlyBuild, log: NightlyLog) {
  const { settings, signal } = session
  const options = { ...(await buildOptions(session)), asOf, only: [] }
  const warn = (warning: string) => log.warn('build', warning)
  const from = since === 'none' ? null : (since ?? (await snapshotFolder(settings.out, warn)))
  const stepSession = log.sessionFor('build')
  return buildSince(stepSession, from, options, warn).catch((error: unknown) => {
    const isFinal = error instanceof RefusedDatabase || signal.aborted
    // Nobody asked to continue from the folder, so its damage must not make every run fail.
    if (since !== undefined || from === null || isFinal) throw error
    warn(`${reasonOf(error)}: everything is rendered`)
    return buildSince(stepSession, null, options, warn)
  })
}

/** The builds of the shards have decided what they continue from. */
async function merge(session: Session, { asOf, since = 'none', shards = [] }: NightlyBuild, log: NightlyLog) {
  const options = { ...(await mergeOptions(session)), asOf, shards }
  const from = since === 'none' ? null : since
  return mergeSince(log.sessionFor('build'), from, options, (warning) => log.warn('build', warning))
}

/** The folder itself, if it holds a complete snapshot. */
async function snapshotFolder(out: string, warn: (warning: string) => void): Promise<string | null> {
  try {
    recoverSnapshot(out)
    const isComplete = (await readHeadOf(join(out, manifestKey))) !== null && readSparse(out) === null
    return isComplete ? out : null
  } catch (error) {
    warn(`${reasonOf(error)}: everything is rendered`)
    return null
  }
}

function logFindings(findings: readonly Finding[], log: NightlyLog): void {
  for (const { severity, isin, table, message } of errorsFirst(findings).slice(0, findingsShown)) {
    const place = isin === null ? table : `${printable(isin)} ${table}`
    const write = severity === 'error' ? log.fail : log.warn
    write('check', `${place}: ${message}`, { isin, table })
  }
  const rest = findings.length - findingsShown
  if (rest > 0) log.warn('check', `${formatCount(rest)} more, listed by \`fundpress check\``)
  const errors = countErrors(findings)
  if (errors === 0) return
  const counts = { errors, warnings: findings.length - errors }
  log.end('check', 'failed', counts, countFindings(findings))
}
