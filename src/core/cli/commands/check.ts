/** `fundpress check`: lists every problem of a database, or of a bucket. */

import { additionsOf, freshnessRules } from '../from-settings.ts'
import { defineCommand, type Session } from '../command.ts'
import { UsageError } from '../failure.ts'
import { countErrors, countFindings, describeFindings, describeProposal, describeReplay } from '../format.ts'
import { asOfOption, bucketOption, option, required, wholeOption } from '../options.ts'
import { showProgress } from '../progress.ts'
import { checkDatabase } from '../../data/check/check.ts'
import { proposeGroups } from '../../data/check/propose-groups.ts'
import { replayNights } from '../../data/check/replay.ts'
import { describeAge } from '../../guards/assess.ts'
import { withLive } from '../live.ts'
import { doubtfulSettings } from '../../guards/rules.ts'
import type { Settings } from '../settings.ts'

export default defineCommand({
  description:
    'Lists every problem of a fund database. The exit code is 1 if there are errors, 0 if there are only warnings.\n\n' +
    'Implausible prices are errors if they are new: not live yet, or not with these values. --since says what is ' +
    'live: a folder with a snapshot, or for the bucket the word of a slot, as in build. Without it, the folder of --out ' +
    'counts. If that holds no complete snapshot, the newest price of each fund is new. If such a price is right, build and ' +
    'nightly take it with --allow. The columns of all tables are compared with the same snapshot, across funds.\n\n' +
    '--replay helps to choose expectations.strictness before the first night: it takes each of the last days with prices as if it had been ' +
    'the new day of a night, and lists what the guards of prices would have refused. Guards of what is lost need ' +
    'a live snapshot, so they are not among them. The exit code is 0.\n\n' +
    'With --bucket, and without --since, it tests the bucket in place of a database, and everything else that could make a ' +
    'publish fail: credentials, region, rights, conditional puts, clock, rules of the bucket, disk. It also warns if nobody ' +
    'is told of a night that fails. It writes one small object, journal/doctor-…, and removes it.',
  settings: [
    'db',
    'out',
    'quickCheck',
    'bucket.endpoint',
    'bucket.region',
    'bucket.prefix',
    'bucket.pathStyle',
    'edge.keyValueStore',
  ],
  options: [
    bucketOption('Test the bucket, which the settings may name; with --since: the bucket that is meant'),
    asOfOption('A price with a later date is an error (default: today in Europe/Berlin)'),
    option(
      '--since <snapshot>',
      'What prices and columns are compared with: a folder, or live for the bucket',
    ),
    wholeOption(
      '--replay <nights>',
      'Only tell what guards would have refused on the last nights',
      [1, 10_000],
    ).conflicts(['since', 'bucket']),
  ],
  endsAtOnce: true,
  json: 'Print { errors, warnings, findings } as JSON; with --replay { nights, guards }; of a bucket { problems, warnings, findings }',
  examples: [
    ['check --db funds.sqlite', 'A list by fund, errors first'],
    ['check --db funds.sqlite --as-of 2026-11-20 --json', 'The same for machines'],
    ['check --db funds.sqlite --replay 30', 'What guards would have refused in the last six weeks'],
    ['check --db funds.sqlite --since live --bucket fund-data', 'Compared with what is live'],
    ['check --bucket fund-data --region eu-central-1', 'Before the first nightly, and after a failed one'],
    ['check --bucket --json', 'The bucket of the settings, for machines'],
  ],
  run: async (given, { asOf = given.today, since = null, bucket, replay }) => {
    const session = typeof bucket === 'string' ? withBucketNamed(given, bucket) : given
    if (bucket !== undefined && since === null) {
      if (given.hasFlag('db'))
        throw new UsageError(
          '--db and --bucket together need --since: without it, --bucket tests the bucket alone',
        )
      return testBucket(session)
    }
    if (replay !== undefined) return showReplay(session, asOf, replay)
    const { settings, signal, isJson, isQuiet, stdout, print } = session
    const db = required(settings.db, 'db')
    const rules = await freshnessRules(settings)
    const progress = showProgress(session, 'funds')
    const { expectations, quickCheck: hasQuickCheck } = settings
    const findings = await withLive(session, since, (live) =>
      checkDatabase({
        db,
        asOf,
        ageProblem: (fund) => describeAge(fund, rules, asOf),
        settingsProblems: (funds) => [
          ...withoutImprint(settings),
          ...doubtfulSettings(settings, funds, asOf),
        ],
        prices: { expectations, rules, live },
        additions: additionsOf(settings),
        onFund: progress.update,
        signal,
        hasQuickCheck,
      }),
    ).finally(progress.end)
    const errors = countErrors(findings)
    if (!isJson) {
      const shown = isQuiet ? findings.filter(({ severity }) => severity === 'error') : findings
      stdout.write(describeFindings(shown, stdout.paint))
    }
    print({ errors, warnings: findings.length - errors, findings }, () => `${countFindings(findings)}\n`)
    const advice = 'correct the errors before the next build'
    if (errors > 0) throw new Error(`${db} has ${countFindings(findings)}: ${advice}`)
  },
})

async function showReplay(session: Session, asOf: string, count: number): Promise<void> {
  const { settings, signal, print } = session
  const { expectations } = settings
  const db = required(settings.db, 'db')
  const rules = await freshnessRules(settings)
  const progress = showProgress(session, 'funds')
  const options = {
    db,
    asOf,
    nights: count,
    expectations,
    rules,
    onFund: progress.update,
    signal,
  }
  try {
    const replay = await replayNights(options)
    const proposed = await proposeGroups(options, replay)
    print({ ...replay, proposed }, () => describeReplay(replay) + describeProposal(proposed))
  } finally {
    progress.end()
  }
}

/** Imports a module that loads slowly. In the function above, the compiler would leave its address as it is. */
async function testBucket(session: Session): Promise<void> {
  // The test removes the object that it writes.
  session.handleSignals?.()
  const { checkBucket } = await import('../doctor.ts')
  return checkBucket(session)
}

function withBucketNamed(session: Session, name: string): Session {
  const { settings } = session
  return { ...session, settings: { ...settings, bucket: { ...settings.bucket, name } } }
}

/** Pages that only this machine sees need no imprint. */
function withoutImprint({ site, pages, baseUrl }: Settings): readonly string[] {
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(new URL(baseUrl).hostname)
  if (site.imprint !== null || !pages || isLocal) return []
  return [
    'site.imprint is missing: the pages have no link to an imprint, which publishers in Germany generally need (§ 5 DDG, § 18 MStV)',
  ]
}
