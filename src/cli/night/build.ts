/** The first steps of a night: the checks, which the build makes while it reads, and the build. */

import { join } from 'node:path'
import type { BuildSummary } from '../../snapshot/build.ts'
import type { Finding } from '../../source/finding.ts'
import { printable } from '../../source/printable.ts'
import { buildOptions, buildSince, mergeOptions } from '../commands/build.ts'
import { mergeSince } from '../commands/merge.ts'
import { reasonOf } from '../failure.ts'
import { countErrors, countFindings } from '../findings.ts'
import { describeFreshness } from '../freshness.ts'
import type { Session } from '../session.ts'
import { formatCount } from '../summary.ts'
import type { NightLog, Step } from './log.ts'
import type { NightOptions } from './run.ts'

export type NightBuild = Pick<NightOptions, 'asOf' | 'since' | 'shards'>

const findingsTold = 100

/** @throws {RefusedDatabase} after the log was told the findings */
export async function buildNight(
  session: Session,
  night: NightBuild,
  log: NightLog,
  onStep: (step: Step) => void,
): Promise<BuildSummary> {
  const { RefusedDatabase } = await import('../../source/check.ts')
  const warn = (warning: string) => log.warn('build', warning)
  log.begin('check')
  const built = await (night.shards === null ? render : bringTogether)(session, night, log).catch(
    (error: unknown) => {
      if (error instanceof RefusedDatabase) tellFindings(error.findings, log)
      else onStep('build')
      throw error
    },
  )

  tellFindings(built.warnings, log)
  const checked = `0 errors, ${countFindings(built.warnings).replace(/^.*, /, '')}`
  log.end('check', 'done', { errors: 0, warnings: built.warnings.length }, checked)
  onStep('build')
  const { snapshot, funds, documents, rendered, bytes, isSparse, seconds } = built
  const { late, stale } = built.freshness
  const rendering = { documents, rendered, since: built.since, isSparse, bytes, seconds }
  const figures = { snapshot, funds, ...rendering, late, stale }
  const text = `${snapshot}: ${formatCount(funds)} funds, ${formatCount(documents)} documents, ${formatCount(rendered)} of them rendered, ${seconds.toFixed(1)} s`
  log.end('build', 'done', figures, text)
  if (late + stale > 0) warn(describeOverdueFunds(built))
  for (const file of built.downloads?.leftOut ?? []) warn(`downloads without ${file}`)
  return built
}

async function render(session: Session, { asOf, since }: NightBuild, log: NightLog): Promise<BuildSummary> {
  const { RefusedDatabase } = await import('../../source/check.ts')
  const { settings, signal } = session
  const options = { ...(await buildOptions(session)), asOf, only: [] }
  const stepSession = log.sessionFor('build')
  const warn = (warning: string) => log.warn('build', warning)
  const from = since === undefined ? await folderToGoOnFrom(settings.out, warn) : since
  const build = (word: string | null) => buildSince(stepSession, word, options, warn)
  return build(from).catch((error: unknown) => {
    const isOver = error instanceof RefusedDatabase || signal.aborted
    // What nobody asked to go on from must not stand in the way of every night to come.
    if (since !== undefined || from === null || isOver) throw error
    warn(`${reasonOf(error)}: everything is rendered`)
    return build(null)
  })
}

/** Of shards, what they go on from was decided when they were built. */
async function bringTogether(
  session: Session,
  { asOf, since = null, shards }: NightBuild,
  log: NightLog,
): Promise<BuildSummary> {
  const options = { ...(await mergeOptions(session)), asOf, shards: shards ?? [] }
  return mergeSince(log.sessionFor('build'), since, options, (warning) => log.warn('build', warning))
}

/** In one line: a night in which hundreds of funds are late is one warning. */
function describeOverdueFunds({ freshness, overdue }: BuildSummary): string {
  const funds = overdue.map(
    ({ isin, mark, newestPrice }) => `${isin} is ${mark}, of ${newestPrice ?? 'no day'}`,
  )
  const others = freshness.late + freshness.stale - funds.length
  const more = others > 0 ? [`${formatCount(others)} more in status/index.json`] : []
  return `prices: ${describeFreshness(freshness)}: ${[...funds, ...more].join('; ')}`
}

/** The folder itself, if it holds a whole snapshot. */
async function folderToGoOnFrom(out: string, warn: (warning: string) => void): Promise<string | null> {
  const { recoverSnapshot } = await import('../../snapshot/staging.ts')
  const { manifestKey, readHeadOf } = await import('../../snapshot/manifest.ts')
  const { readSparse } = await import('../../snapshot/sparse.ts')
  try {
    recoverSnapshot(out)
    const isWhole = (await readHeadOf(join(out, manifestKey))) !== null && readSparse(out) === null
    return isWhole ? out : null
  } catch (error) {
    warn(`${reasonOf(error)}: everything is rendered`)
    return null
  }
}

function tellFindings(findings: readonly Finding[], log: NightLog): void {
  const errorsFirst = [...findings].sort(
    (one, other) => Number(one.severity === 'warning') - Number(other.severity === 'warning'),
  )
  for (const { severity, isin, table, message } of errorsFirst.slice(0, findingsTold)) {
    const place = isin === null ? table : `${printable(isin)} ${table}`
    const tell = severity === 'error' ? log.fail : log.warn
    tell('check', `${place}: ${message}`, { isin, table })
  }
  const rest = findings.length - findingsTold
  if (rest > 0) log.warn('check', `${formatCount(rest)} more, listed by \`fundpress check\``)
  if (countErrors(findings) > 0) log.end('check', 'failed', countsOf(findings), countFindings(findings))
}

const countsOf = (findings: readonly Finding[]) => ({
  errors: countErrors(findings),
  warnings: findings.length - countErrors(findings),
})
