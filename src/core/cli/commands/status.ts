/** `fundpress status`: describes the live snapshot, its age, and the other slot. */

import { defineCommand } from '../command.ts'
import { openFigures } from '../end.ts'
import { UsageError } from '../failure.ts'
import { baseOption, bucketSettings, parsedOption, schemaOption } from '../options.ts'
import { path } from '../setting-fields.ts'
import { readFound } from '../status/found.ts'
import { judgeFound } from '../status/judge.ts'
import { reportFound, reportUnread } from '../status/report.ts'

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
    'snapshot has waited longer for its flip (not on a day off). With --max-age and load.expectedBy (config) it is 1, too, if the load of a ' +
    'day is late, as far as the database is on this machine. stderr has a line for each reason.\n\n' +
    'With --metrics it leaves the age of the live snapshot, and its funds by the age of their prices, for Prometheus: also ' +
    'in a week in which no nightly run succeeds.',
  settings: [...bucketSettings],
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
  run: async (session, { base, metrics, ...limits }) => {
    if (base !== undefined && session.hasFlag('bucket.name'))
      throw new UsageError('--base and --bucket exclude each other: ask one of them')
    const leaveFigures = metrics === undefined ? null : await openFigures(session, metrics)
    const found = await readFound(session, base).catch((error: unknown) =>
      reportUnread(session, error, limits),
    )
    const judged = await judgeFound(session, found, limits)
    await reportFound(session, found, judged, { leaveFigures, limits })
  },
})
