/** `fundpress nightly`: all steps of a nightly run, the same for every scheduler. */

import { maxSeed } from '../nightly/verify.ts'
import { defineCommand } from '../command.ts'
import { assertSummary } from '../end.ts'
import { NothingToDo, UsageError } from '../failure.ts'
import { runNightly } from '../nightly/run.ts'
import { asOfOption, bucketSettings, option, overrideOptions, wholeOption } from '../options.ts'

export default defineCommand({
  description:
    'Checks the database while it builds the snapshot, plans, publishes, verifies the live slot by a listing and a ' +
    'sample of bodies, and shows what is live.\n\n' +
    'If the same database is already live, as of the same day and built with the same settings, nightly does nothing: ' +
    'several attempts a night do no harm. The first one of a day lists the live slot, and mends it; so does each with --again. After a rollback nothing goes ' +
    'live until --allow hold lifts its hold (exit code 3). If the folder holds a snapshot, only what changed since then is rendered. --since continues from ' +
    'elsewhere, as in build (other: for machines that keep no folder); --since none renders everything.\n\n' +
    'Guards refuse wrong data (exit code 3): implausible prices, losses against what is live, a wrong date or clock, and ' +
    'with requireComplete (config) a database without the complete load of the expected day, which `import --complete` marks. Nothing goes live then.\n\n' +
    'The last lines, the summary and a notice say what is new beside prices: funds that are gone, public or restricted, published prices ' +
    'that changed, and warnings. A state is told when it begins and when it ends: a warning once, stale funds, and prices that were expected and did not come; `check` lists all warnings.\n\n' +
    '--stage ends with a staged snapshot: it is uploaded and verified, and what is live stays live. `flip` makes it live, under ' +
    'the same guards. If just this snapshot is staged already, nightly does nothing.\n\n' +
    'nightly removes downloads of days that lie more than downloads.keepDays back (config; 30 days), but none of the days ' +
    'in downloads.keep.\n\n' +
    'Several machines can share the work for very many funds: --ask tells first whether there is anything to do, each ' +
    'machine builds a shard (build --shard), and --shards publishes what they made. If the database or the slot of --since ' +
    'has changed meanwhile, this run warns and renders all of it itself.',
  settings: ['db', 'out', 'jobs', 'docsUrl', 'quickCheck', ...bucketSettings, 'edge.keyValueStore'],
  options: [
    asOfOption(),
    option('--since <snapshot>', 'Render only what changed since this folder, manifest or slot, or none'),
    option(
      '--shards <folder...>',
      'Merge these shards instead of building; --since is theirs, see `build --merge`',
    ),
    option('--stage', 'Do not make the snapshot live: `flip` does, after somebody has looked at it'),
    option('--ask', 'Only tell whether there is anything to do'),
    option('--exit-code', 'With --ask: exit with 4 if there is nothing to do'),
    wholeOption('--sample <number>', 'How many bodies to read after the publish', [1, 1_000_000]).default(
      100,
    ),
    wholeOption('--seed <number>', 'See `verify`', [0, maxSeed]),
    ...overrideOptions(),
    option('--no-lock', 'See `publish`'),
    option('--forget-kvs', 'See `publish`'),
    option('--again', 'Run even if the snapshot is live already, and mend it if it is damaged'),
    option('--summary <file>', 'Write a summary in Markdown to this file, also after a failure'),
  ],
  json: 'Log as JSON, one object per line: time, step, event, figures',
  examples: [
    ['nightly --db funds.sqlite --bucket fund-data --region eu-central-1', 'From cron'],
    ['nightly --db funds.sqlite --bucket file:///srv/fundpress', 'Into a folder of this machine'],
    ['nightly --db funds.sqlite --bucket fund-data --since other', 'In a container that keeps nothing'],
    ['nightly --db funds.sqlite --bucket fund-data --summary night.md', 'With a summary to mail'],
    ['nightly --db funds.sqlite --bucket fund-data --stage', 'With an approval before it goes live'],
    ['nightly --db funds.sqlite --bucket fund-data --ask', 'Before several machines begin'],
    [
      'nightly --db funds.sqlite --bucket fund-data --ask --exit-code',
      'For scripts: 0 to do, 4 nothing to do',
    ],
    ['nightly --db funds.sqlite --bucket fund-data --shards parts/* --since other', 'After they have built'],
  ],
  run: async (session, { asOf = session.today, ...flags }) => {
    if (flags.exitCode === true && flags.ask !== true) throw new UsageError('--exit-code needs --ask')
    if (flags.summary !== undefined) await assertSummary(session)
    const { outcome } = await runNightly(session, { ...flags, asOf })
    if (flags.exitCode === true && outcome === 'skipped') throw new NothingToDo()
  },
})
