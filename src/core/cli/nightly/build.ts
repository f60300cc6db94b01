/** The first steps of a nightly run: the checks, and the build or the merge of shards. */

import { join } from 'node:path'
import type { Recalled } from '../../bucket/nightly/history.ts'
import { manifestKey, readHeadOf, readSparse } from '../../snapshot/manifest.ts'
import { OutdatedShards } from '../../snapshot/shard.ts'
import { recoverSnapshot } from '../../snapshot/staging.ts'
import {
  generalWarning,
  ImplausibleDatabase,
  RefusedDatabase,
  type Finding,
} from '../../data/check/finding.ts'
import type { LiveReader } from '../../data/check/live-prices.ts'
import { printable } from '../../data/model/printable.ts'
import { type Override, Refusal } from '../../guards/guards.ts'
import { buildOptions, loadOptions, mergeOptions } from '../from-settings.ts'
import type { Session } from '../command.ts'
import { buildSince, everythingRendered, mergeSince } from './build-since.ts'
import { reasonOf } from '../failure.ts'
import { withLive } from '../live.ts'
import {
  countFindings,
  countOf,
  describeOverdueInLine,
  describeWithheld,
  errorsFirst,
  formatCount,
} from '../format.ts'
import type { NightlyLog } from './log.ts'

export interface BuildSteps {
  readonly asOf: string
  /** As in `build --since`; `none`: render everything; undefined: continue from a snapshot in the folder. */
  readonly since?: string | undefined
  /** Folders of shards to merge; undefined: build. */
  readonly shards?: readonly string[] | undefined
  readonly override: Override
}

const findingsShown = 100

/** @returns `toldBefore`: warnings of earlier runs @throws {RefusedDatabase} after the log has the findings */
export async function buildNightly(
  session: Session,
  options: BuildSteps,
  log: NightlyLog,
  recalled: Recalled,
) {
  log.begin('check')
  const make = options.shards === undefined ? render : merge
  const making = withLive(session, 'live', (live) => make(session, options, log, live))
  const built = await making.catch((error: unknown) => {
    if (error instanceof RefusedDatabase || error instanceof ImplausibleDatabase)
      logRefused(error.findings, recalled, log)
    else log.enter('build')
    throw error
  })
  const { snapshot, funds, documents, rendered, bytes, isSparse, seconds, since, warnings } = built
  const { fresh, known } = divide(warnings, recalled)
  logFindings(fresh, log)
  const figures = { errors: 0, warnings: warnings.length, toldBefore: known.length }
  log.end('check', 'done', figures, `0 errors, ${countOf(warnings.length, 'warning')}${toldBefore(known)}`)
  log.enter('build')
  const { late, stale } = built.freshness
  const made = { snapshot, funds, documents, rendered, since, isSparse, bytes, seconds, late, stale }
  const text = `${snapshot}: ${formatCount(funds)} funds, ${formatCount(documents)} documents, ${formatCount(rendered)} of them rendered, ${seconds.toFixed(1)} s`
  log.end('build', 'done', made, text)
  if (late + stale > 0) log.warn('build', describeOverdueInLine(built))
  const withheld = built.withheld.map(describeWithheld)
  for (const fund of withheld) log.warn('build', fund)
  const newlyWithheld = built.withheld.filter(({ isin }) => recalled.isNew(`withheld ${isin}`))
  const told = [...fresh.map(describeFinding), ...newlyWithheld.map(describeWithheld)]
  return { built, warnings: told, toldBefore: firstOfOlder(known).map(describeFinding) }
}

/** Divides warnings by whether a run has reported them. */
function divide(warnings: readonly Finding[], { isNew }: Recalled) {
  const fresh: Finding[] = []
  const known: Finding[] = []
  for (const warning of warnings) (isNew(keyOf(warning)) ? fresh : known).push(warning)
  return { fresh: firstOfOlder(fresh), known }
}

const olderShown = 10

/** Of a history that is new, and that nobody can mend in a night. */
function firstOfOlder(findings: readonly Finding[]): readonly Finding[] {
  const older = findings.filter(({ isOlder }) => isOlder)
  const rest = new Set(older.slice(olderShown))
  if (rest.size === 0) return findings
  const message = `${formatCount(rest.size)} more older prices are implausible, listed by \`fundpress check\``
  return [...findings.filter((finding) => !rest.has(finding)), generalWarning(message, 'price')]
}

/** The text that identifies a warning. */
const keyOf = ({ identity, ...finding }: Place & Pick<Finding, 'identity'>) =>
  describeFinding({ ...finding, message: identity ?? finding.message })

type Place = Pick<Finding, 'isin' | 'table' | 'message'>

function describeFinding({ isin, table, message }: Place): string {
  return `${isin === null ? table : `${printable(isin)} ${table}`}: ${message}`
}

async function render(
  session: Session,
  { asOf, since, override }: BuildSteps,
  log: NightlyLog,
  live: LiveReader | null,
) {
  const { settings, signal } = session
  const options = {
    ...(await buildOptions(session)),
    asOf,
    only: [],
    override,
    live,
    load: loadOptions(settings),
  }
  const warn = (warning: string) => log.warn('build', warning)
  const from = since === 'none' ? null : (since ?? (await snapshotFolder(settings.out, warn)))
  const stepSession = log.sessionFor('build')
  return buildSince(stepSession, from, options, warn).catch((error: unknown) => {
    const isFinal = error instanceof RefusedDatabase || error instanceof Refusal || signal.aborted
    // --since did not name the folder, so its damage must not make every run fail.
    if (since !== undefined || from === null || isFinal) throw error
    warn(everythingRendered(reasonOf(error)))
    return buildSince(stepSession, null, options, warn)
  })
}

/**
 * Renders the night on this machine alone if the database or the bucket has changed since the builds of the shards, as by a
 * run that was killed after its flip.
 */
async function merge(session: Session, steps: BuildSteps, log: NightlyLog, live: LiveReader | null) {
  const { asOf, since = 'none', shards = [], override } = steps
  const { settings } = session
  const options = {
    ...(await mergeOptions(session)),
    asOf,
    shards,
    live,
    override,
    load: loadOptions(settings),
  }
  const from = since === 'none' ? null : since
  const warn = (warning: string) => log.warn('build', warning)
  return mergeSince(log.sessionFor('build'), from, options).catch((error: unknown) => {
    if (!(error instanceof OutdatedShards)) throw error
    warn(`${error.message}: this machine renders instead of merging`)
    return render(session, { ...steps, since }, log, live)
  })
}

async function snapshotFolder(out: string, warn: (warning: string) => void): Promise<string | null> {
  try {
    recoverSnapshot(out)
    const isComplete = (await readHeadOf(join(out, manifestKey))) !== null && readSparse(out) === null
    return isComplete ? out : null
  } catch (error) {
    warn(everythingRendered(reasonOf(error)))
    return null
  }
}

function logFindings(findings: readonly Finding[], log: NightlyLog): void {
  for (const finding of errorsFirst(findings).slice(0, findingsShown)) {
    const { severity, isin, table } = finding
    const write = severity === 'error' ? log.fail : log.warn
    write('check', describeFinding(finding), { isin, table })
  }
  const rest = findings.length - findingsShown
  if (rest > 0) log.warn('check', `${formatCount(rest)} more, listed by \`fundpress check\``)
}

/** A warning is told once, also in a night that is refused. */
function logRefused(findings: readonly Finding[], recalled: Recalled, log: NightlyLog): void {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const warnings = findings.filter(({ severity }) => severity === 'warning')
  const { fresh, known } = divide(warnings, recalled)
  logFindings([...errors, ...fresh], log)
  const counts = { errors: errors.length, warnings: warnings.length, toldBefore: known.length }
  log.end('check', 'failed', counts, countFindings(findings) + toldBefore(known))
}

const toldBefore = (known: readonly Finding[]): string =>
  known.length === 0 ? '' : `, ${formatCount(known.length)} told before (\`fundpress check\` lists them)`
