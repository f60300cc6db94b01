/** `fundpress status`: describes the live snapshot, its age, and the other slot. */

import { resolve } from 'node:path'
import { defineCommand, type Session } from '../command.ts'
import { reasonOf, UsageError } from '../failure.ts'
import { type Ages, judgeAges, noAges } from '../monitoring/ages.ts'
import { writeStatusMetrics } from '../monitoring/metrics.ts'
import type { NoticeFacts } from '../monitoring/notice.ts'
import { factsOfStale, tell, tellFailure } from '../monitoring/notices.ts'
import { baseOption, bucketSettings, parsedOption, schemaOption } from '../options.ts'
import { path } from '../settings.ts'
import { type FoundStatus, statusOfBucket, statusOfDeployment } from '../status.ts'

function inSeconds(duration: string): number | undefined {
  const [, number, unit = ''] = /^([0-9]{1,6})([smhd])$/.exec(duration) ?? []
  const seconds = { s: 1, m: 60, h: 3600, d: 86_400 }[unit]
  return seconds === undefined ? undefined : Number(number) * seconds
}

export default defineCommand({
  description:
    'Shows which slot of the bucket is live, what the other one holds (the snapshot that was live before, the one ' +
    'that a rollback has reverted, or the one that is staged), and what was refused, allowed or rolled back last; with --base what a deployment reports ' +
    'about itself, which needs no credentials. The exit code is 1 if nothing is live, or if documents or downloads ' +
    'do not belong to the live snapshot. With --max-age it is 1 also if the snapshot went live longer ago, if its ' +
    'as-of date ended longer ago (on business days), or if too many funds have stale prices; with --max-wait if a staged ' +
    'snapshot has waited longer for its flip (not on a day off). stderr has a line for each reason.\n\n' +
    'With --metrics it leaves the age of the live snapshot, and its funds by the age of their prices, for Prometheus: also ' +
    'in a week in which no nightly run succeeds.',
  settings: [...bucketSettings, 'freshness.maxStaleShare'],
  options: [
    baseOption('Ask a deployment over HTTP instead of the bucket'),
    parsedOption(
      '--max-age <duration>',
      'Fail if the live snapshot is older: 90m, 36h, 2d',
      'a whole number with a unit: 90m, 36h, 2d',
      inSeconds,
    ),
    parsedOption(
      '--max-wait <duration>',
      'Fail if a staged snapshot has waited longer for its approval: 6h',
      'a whole number with a unit: 90m, 6h, 2d',
      inSeconds,
    ),
    schemaOption(
      '--metrics <file>',
      "Write figures for node_exporter's textfile collector to this file, which is not that of nightly",
      path,
    ),
  ],
  json: 'Print the status as JSON',
  examples: [
    ['status --bucket fund-data --region eu-central-1', 'What is live, and the previous snapshot'],
    ['status --bucket fund-data --json', 'The same for machines'],
    ['status --base https://api.example.com --max-age 36h --quiet', 'For a monitor, from outside'],
    ['status --bucket fund-data --metrics /var/lib/node_exporter/fundpress-status.prom', 'For Prometheus'],
  ],
  run: async (session, { base, maxAge, maxWait, metrics }) => {
    const { file } = session.settings.metrics
    if (metrics !== undefined && file !== null && resolve(metrics) === resolve(file))
      throw new UsageError(`--metrics names the file of nightly (metrics.file): give another one`)
    if (base !== undefined && session.hasFlag('bucket.name'))
      throw new UsageError('--base and --bucket exclude each other: ask one of them')
    const isMonitor = maxAge !== undefined
    const reading = base === undefined ? statusOfBucket(session) : statusOfDeployment(session, base)
    const found = await reading.catch(async (error: unknown) => {
      if (isMonitor) await tellFailure(session, error, { command: 'status' })
      throw error
    })
    const { live, wrong, stagedSince, json, describe } = found
    const ages = live === null ? noAges : await judgeAges(session, live, { maxAge, maxWait }, stagedSince)
    const alarms = [...wrong, ...ages.late, ...ages.stale]
    if (metrics !== undefined) {
      const figures = { live, now: live?.now ?? session.now(), alarms: alarms.length, base }
      try {
        writeStatusMetrics(session, metrics, figures)
      } catch (error) {
        alarms.push(`${metrics} could not be written: ${reasonOf(error)}`)
      }
    }
    session.print({ ...json, alarms }, describe)
    await tellAlarms(session, isMonitor ? found : { ...found, wrong: [] }, ages, base ?? null)
    raise(session, found.name, alarms)
  },
})

async function tellAlarms(
  session: Session,
  { live, wrong }: FoundStatus,
  { late, stale }: Ages,
  place: string | null,
): Promise<void> {
  const { asOf = null, snapshot = null, freshness } = live ?? {}
  const about = { command: 'status', asOf, snapshot, place }
  // Contradictions of a live snapshot are a failure of the bucket. An empty bucket is only late.
  const [failed, reasons] = live === null ? [[], wrong] : [wrong, late]
  if (failed.length > 0) await tellFailure(session, new Error(failed.join('; ')), { command: 'status' })
  const facts: NoticeFacts[] = []
  if (reasons.length > 0) facts.push({ ...about, event: 'late', what: 'late', reason: reasons.join('; ') })
  if (stale.length > 0)
    facts.push({ ...factsOfStale(freshness?.stale ?? 0, about), reason: stale.join('; ') })
  await tell(session, facts, session.stderr.tell)
}

/** Writes all alarms but the last one to stderr. @throws {Error} with the last alarm */
function raise({ stderr }: Session, name: string, alarms: readonly string[]): void {
  const last = alarms.at(-1)
  for (const alarm of alarms.slice(0, -1)) stderr.tell(`${name}: ${alarm}`)
  if (last !== undefined) throw new Error(`${name}: ${last}`)
}
