/** `fundpress nightly`: all steps of a nightly run, for cron, Kubernetes, AWS Batch and GitHub Actions alike. */

import { writeFileSync } from 'node:fs'
import { Option } from 'commander'
import { defineCommand, type Session } from '../command.ts'
import { reasonOf } from '../failure.ts'
import { openLog, type NightlyLog } from '../nightly/log.ts'
import { describeReport, type NightlyReport } from '../nightly/report.ts'
import { runNightly, type NightlyOptions } from '../nightly/run.ts'
import { writeForWorkflow } from '../nightly/workflow.ts'
import { asOfOption, bucketSettings, jsonOption, wholeOption } from '../options.ts'

interface Flags {
  readonly asOf?: string
  readonly since?: string
  readonly shards?: readonly string[]
  readonly ask?: boolean
  readonly sample: number
  readonly seed?: number
  readonly force?: boolean
  /** False with --no-lock. */
  readonly lock: boolean
  readonly again?: boolean
  readonly summary?: string
  readonly json?: boolean
}

export default defineCommand<Flags>({
  description:
    'Checks the database while it builds the snapshot, plans, publishes, verifies the live slot by a listing and a ' +
    'sample of bodies, and shows what is live.\n\n' +
    'If the same database is already live, as of the same day and built with the same settings, nightly does nothing: ' +
    'several attempts a night do no harm. If a rollback has reverted just that snapshot, nightly warns and does ' +
    'nothing. If the folder holds a snapshot, only what changed since then is rendered. --since continues from ' +
    'elsewhere, as in build (other: for machines that keep no folder); --since none renders everything.\n\n' +
    'Several machines can share the work for very many funds: --ask tells first whether there is anything to do, each ' +
    'machine builds a shard (build --shard), and --shards publishes what they made.',
  settings: [
    ...(['db', 'out', 'jobs', 'docsUrl', 'quickCheck'] as const),
    ...bucketSettings,
    ...(['bucket.concurrency', 'bucket.maxRate', 'bucket.maxDeletes'] as const),
    ...(['bucket.leaseSeconds', 'bucket.graceSeconds', 'edge.liveTtlSeconds', 'edge.keyValueStore'] as const),
  ],
  options: [
    asOfOption(),
    new Option('--since <snapshot>', 'Render only what changed since this folder, manifest or slot, or none'),
    new Option(
      '--shards <folder...>',
      'Merge these shards instead of building; --since is theirs, see `merge`',
    ),
    new Option('--ask', 'Only tell whether there is anything to do'),
    wholeOption('--sample <number>', 'How many bodies to read after the publish', [1, 1_000_000]).default(
      100,
    ),
    wholeOption('--seed <number>', 'See `verify`', [0, 2 ** 32 - 1]),
    new Option('--force', 'See `publish`'),
    new Option('--no-lock', 'See `publish`'),
    new Option('--again', 'Run even if the snapshot is live already or was reverted'),
    new Option('--summary <file>', 'Write a summary in Markdown to this file, also after a failure'),
    jsonOption('Log as JSON, one object per line: time, step, event, figures'),
  ],
  examples: [
    ['nightly --db funds.sqlite --bucket fund-data --region eu-central-1', 'From cron'],
    [
      'nightly --db funds.sqlite --bucket fund-data --since other --json',
      'In a container that keeps nothing',
    ],
    ['nightly --db funds.sqlite --bucket fund-data --summary night.md', 'With a summary to mail'],
    ['nightly --db funds.sqlite --bucket fund-data --ask', 'Before several machines begin'],
    [
      'nightly --db funds.sqlite --bucket fund-data --shards parts/* --since other',
      'After all of them are done',
    ],
  ],
  run: nightly,
})

async function nightly(session: Session, flags: Flags): Promise<void> {
  const { asOf = session.today, since, sample, seed, json = false } = flags
  const options: NightlyOptions = {
    ...{ asOf, sample, seed },
    since: since === 'none' ? null : since,
    shards: flags.shards ?? null,
    isAsking: flags.ask === true,
    isForced: flags.force === true,
    isLocking: flags.lock,
    isAgain: flags.again === true,
  }
  const log = openLog(session, json)
  try {
    leave(session, flags, await runNightly(session, options, log), log)
  } catch (error) {
    const step = log.step()
    const reason = reasonOf(session.signal.aborted ? session.signal.reason : error)
    const errors = [...log.errors()]
    // For people, the program itself ends with the reason.
    if (json) log.fail(step, reason)
    leave(session, flags, { kind: 'failed', asOf, step, reason, errors }, log)
    throw error
  }
}

/** Leaves the summary and the outputs. A run does not fail if they cannot be written: it warns. */
function leave(session: Session, { summary }: Flags, report: NightlyReport, log: NightlyLog): void {
  const trying = (what: string, write: () => void) => {
    try {
      write()
    } catch (error) {
      log.warn('night', `${what} could not be written: ${reasonOf(error)}`)
    }
  }
  if (summary !== undefined)
    trying('its summary', () => writeFileSync(summary, describeReport(report, log.warnings())))
  trying('its outputs', () => writeForWorkflow(session, report, log.warnings()))
}
