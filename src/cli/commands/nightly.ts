/** `fundpress nightly`: a whole night in one command, for cron, Kubernetes, AWS Batch and GitHub Actions alike. */

import { writeFileSync } from 'node:fs'
import { Command } from 'commander'
import { bucketFlags } from '../bucket.ts'
import { reasonOf } from '../failure.ts'
import { openLog, type NightLog, type Step } from '../night/log.ts'
import type { NightReport } from '../night/report.ts'
import { runNight, type NightOptions } from '../night/run.ts'
import { describeNight } from '../night/summary.ts'
import { tellWorkflow } from '../night/workflow.ts'
import { dayOption, examples, optionalWholeOption, wholeOption, withSettings } from '../options.ts'
import type { Session, Start } from '../session.ts'

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

export function nightlyCommand(start: Start): Command {
  return withSettings(
    new Command('nightly'),
    'db',
    'out',
    'jobs',
    'docsUrl',
    'quickCheck',
    ...bucketFlags,
    'bucket.concurrency',
    'bucket.maxRate',
    'bucket.maxDeletes',
    'bucket.leaseSeconds',
    'bucket.graceSeconds',
    'edge.liveTtlSeconds',
    'edge.keyValueStore',
  )
    .summary('a whole night: check, build, plan, publish, verify, status')
    .description(
      'Does what a night takes, step by step: checks the database while it builds the snapshot, plans, publishes, ' +
        'verifies the live slot by a listing and a sample of bodies, and shows what is live.\n\n' +
        'It does nothing where this very database is live as of this very day already, made with the same settings, so ' +
        'several attempts a night do no harm; it warns and does nothing where a rollback has taken back just that. Only ' +
        'what changed since the snapshot in the folder is rendered, if there is one; --since goes on ' +
        'from elsewhere (as of build: other, for machines that keep no folder), --since none renders everything.\n\n' +
        'Of very many funds several machines make the snapshot: --ask says first of all whether there is anything to do, ' +
        'each of them builds a shard (build --shard), and --shards makes the night out of these.',
    )
    .addOption(dayOption('--as-of <day>', "The snapshot's date (default: today in Europe/Berlin)"))
    .option('--since <snapshot>', 'Render only what changed since this folder, manifest or slot, or none')
    .option('--shards <folder...>', 'Merge these shards instead of building; --since is theirs, as of merge')
    .option('--ask', 'Only say whether there is anything to do')
    .addOption(
      wholeOption('--sample <number>', 'How many bodies are read after the publish', [1, 1_000_000], 100),
    )
    .addOption(optionalWholeOption('--seed <number>', 'As of verify', [0, 2 ** 32 - 1]))
    .option('--force', 'As of publish')
    .option('--no-lock', 'As of publish')
    .option('--again', 'Also where the night is done already, or was taken back')
    .option('--summary <file>', 'Write a summary in Markdown there, of a failure too')
    .option('--json', 'Log as JSON, an object a line: time, step, event, figures')
    .addHelpText(
      'after',
      examples(
        ['nightly --db funds.sqlite --bucket fund-data --region eu-central-1', 'From cron'],
        [
          'nightly --db funds.sqlite --bucket fund-data --since other --json',
          'In a container that keeps nothing',
        ],
        ['nightly --db funds.sqlite --bucket fund-data --summary night.md', 'With a summary to be mailed'],
        ['nightly --db funds.sqlite --bucket fund-data --ask', 'Before several machines begin'],
        [
          'nightly --db funds.sqlite --bucket fund-data --shards parts/* --since other',
          'When all of them are done',
        ],
      ),
    )
    .action(start(nightly))
}

async function nightly(session: Session, flags: Flags): Promise<void> {
  const { asOf = session.today, since, sample, seed, summary, json = false } = flags
  const options: NightOptions = {
    asOf,
    since: since === 'none' ? null : since,
    shards: flags.shards ?? null,
    isAsking: flags.ask === true,
    sample,
    seed,
    isForced: flags.force === true,
    isLocking: flags.lock,
    isAgain: flags.again === true,
  }
  const log = openLog(session, json)
  let step: Step = 'night'
  const onStep = (begun: Step) => {
    step = begun
  }
  try {
    const report = await runNight(session, options, log, onStep)
    tell(session, report, log, summary)
  } catch (error) {
    const reason = reasonOf(session.signal.aborted ? session.signal.reason : error)
    const errors = [...log.errors()]
    // For people, the program ends with the reason anyway.
    if (json) log.fail(step, reason)
    tell(session, { kind: 'failed', asOf, step, reason, errors }, log, summary)
    throw error
  }
}

/** A night does not fail for what it tells: that it could not is told. */
function tell(session: Session, report: NightReport, log: NightLog, summary: string | undefined): void {
  const trying = (what: string, write: () => void) => {
    try {
      write()
    } catch (error) {
      log.warn('night', `${what} could not be written: ${reasonOf(error)}`)
    }
  }
  if (summary !== undefined)
    trying('its summary', () => writeFileSync(summary, describeNight(report, log.warnings())))
  trying('its outputs', () => tellWorkflow(session, report, log.warnings()))
}
