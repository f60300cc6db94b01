/** `fundpress build`: renders a database into the files of a snapshot, or merges shards. */

import type { BuildSummary } from '../../snapshot/build.ts'
import type { Shard } from '../../snapshot/shard.ts'
import { ImplausibleDatabase, RefusedDatabase } from '../../data/check/finding.ts'
import { refuseUnlessAllowed } from '../../guards/guards.ts'
import { futureDate } from '../../guards/loss.ts'
import { buildOptions, describeAddresses, loadOptions, mergeOptions, overrideOf } from '../from-settings.ts'
import { withLive } from '../live.ts'
import { defineCommand, type Session } from '../command.ts'
import { UsageError } from '../failure.ts'
import { tellFailure } from '../end.ts'
import { buildSince, mergeSince } from '../nightly/build-since.ts'
import { describeFreshness, describeOverdue, describeWithheld } from '../format.ts'
import { describeFindings, describeSummary, formatBytes, formatCount } from '../format.ts'
import { isIsinInEitherCase } from '../../api/routes/values.ts'
import { shownValue } from '../safe-text.ts'
import type { Settings } from '../settings.ts'
import {
  asOfOption,
  bucketSettings,
  type FlagsOf,
  option,
  overrideOptions,
  parsedOption,
} from '../options.ts'

/** ISINs in either case. The value is in upper case, without duplicates. */
const onlyOption = parsedOption(
  '--only <isin...>',
  'Render these funds only',
  'an ISIN (12 characters with the right check digit)',
  (text, before: readonly string[] = []) =>
    isIsinInEitherCase(text) ? [...new Set([...before, text.toUpperCase()])] : undefined,
)

interface ShardFlag {
  readonly number: number | 'auto'
  readonly of: number
}

/** Index of a pod, from 0. Source: Kubernetes, Jobs, "Completion mode". */
const indexVariable = 'JOB_COMPLETION_INDEX'

const shardOption = parsedOption(
  '--shard <n/of>',
  'Render one of several parts, such as 3/8; auto/8: by the index in ' + indexVariable,
  'a part of up to 999, such as 3/8 or auto/8',
  (text): ShardFlag | undefined => {
    const [, part = '', all] = /^(auto|[1-9][0-9]{0,2})\/([1-9][0-9]{0,2})$/.exec(text) ?? []
    const of = Number(all)
    if (part === 'auto') return { number: 'auto', of }
    return Number(part) >= 1 && Number(part) <= of ? { number: Number(part), of } : undefined
  },
)

const options = [
  asOfOption(),
  onlyOption,
  option('--since <snapshot>', 'Render only what changed since this folder, manifest or slot'),
  shardOption.conflicts('only'),
  option('--merge <shard...>', 'Make the snapshot from the folders of all shards').conflicts([
    'only',
    'shard',
  ]),
  ...overrideOptions(),
] as const

type RenderFlags = Omit<FlagsOf<typeof options>, 'since' | 'merge'>

export default defineCommand({
  description:
    'Renders a fund database into the files of a snapshot. The build checks the database first. The folder holds ' +
    'the old snapshot until the new one is complete. If the database file is overwritten during a build, the build ' +
    'fails: replace it with `mv` instead.\n\n' +
    'With --since only documents whose data changed are rendered; the snapshot is the same. `--since FOLDER` gives a ' +
    'complete snapshot; unchanged files are hard links. With a manifest (manifest.ndjson.gz) or a slot of the bucket ' +
    '(other, live, or a name such as blue) the new folder is sparse: it holds only the files that the slot lacks, and can be ' +
    'published only to that slot. The next publish writes to the slot that is not live: other.\n\n' +
    'Prices, and the columns of all tables, are compared with what is live: with --since and the word of a slot, with the live slot of the bucket; else ' +
    'with the folder of --since, or of --out. New prices that are implausible are refused (exit code 3), or held back, as ' +
    'expectations.onImplausible says. A date in the future is refused, too.\n\n' +
    'With --shard only a part of the funds is rendered, on one of several machines. --merge makes the ' +
    'snapshot from all parts. With auto/8 the eight pods of an Indexed Job of Kubernetes each take the part of their ' +
    'index (from 0).\n\n' +
    '--merge takes the folders of all parts of the same database, in any order. The snapshot, with its id, is the same as ' +
    'that of a build without shards. Dates and addresses come from the shards. Documents about all funds and pages are ' +
    'rendered here. Files are linked, or copied from another disk. The shards stay and may be removed afterwards. If they ' +
    'are sparse, pass their --since: the merge stops if it holds another snapshot meanwhile. Guards that look at ' +
    'all funds together are asked here (exit code 3): no shard has all of them.',
  settings: [
    'db',
    'out',
    'jobs',
    'docsUrl',
    'pages',
    'downloads.enabled',
    'rawCsv',
    'quickCheck',
    ...bucketSettings,
  ],
  options,
  json: 'Print the summary as JSON',
  examples: [
    ['build --db funds.sqlite --out out', 'All funds, as of today'],
    ['build --db funds.sqlite --as-of 2026-11-20 --jobs 4', 'As of a day, with four threads'],
    ['build --db funds.sqlite --out out --since out', 'Only what changed since the last build'],
    ['build --db funds.sqlite --since other --bucket fund-data', 'Only what the next publish will put'],
    ['build --db funds.sqlite --out part-3 --shard 3/8', 'The third of eight parts'],
    ['build --db funds.sqlite --out part --shard auto/8', 'The same on Kubernetes'],
    ['build --db funds.sqlite --out out --merge part-1 part-2', 'The snapshot from two parts'],
    ['build --db funds.sqlite --out try --only DE0008471400', 'One fund, to look at'],
  ],
  run: async (session, { since = null, merge, ...flags }) => {
    if (merge === undefined) return render(session, since, flags)
    const common = { ...(await mergeOptions(session)), shards: merge, override: overrideOf(session, flags) }
    const dated = flags.asOf === undefined ? common : { ...common, asOf: flags.asOf }
    const merging = withLive(session, since, (live) => mergeSince(session, since, { ...dated, live }))
    return showBuild(session, merging)
  },
})

async function render(
  session: Session,
  since: string | null,
  { asOf = session.today, only = [], shard, ...flags }: RenderFlags,
): Promise<void> {
  let subject = 'a shard'
  try {
    const override = overrideOf(session, flags)
    refuseUnlessAllowed('the build', futureDate(asOf, session.today), override)
    const part = shard === undefined ? null : ({ kind: 'shard', ...shardOf(shard, session) } as const)
    if (part !== null) subject = `shard ${part.number}/${part.of}`
    // A shard is a part of a night. Other builds are anybody's.
    const load = part === null ? null : loadOptions(session.settings)
    const wanted = { ...(await buildOptions(session, part !== null)), asOf, only, part, override, load }
    const building = withLive(session, since, (live) =>
      buildSince(session, since, { ...wanted, live }, session.stderr.tell),
    )
    await showBuild(session, building)
  } catch (error) {
    // Nothing else tells of the machines of shards.
    if (shard !== undefined) await tellFailure(session, error, { command: 'build', subject, asOf })
    throw error
  }
}

/** @throws {UsageError} if the environment names no index for `auto`, or a wrong one */
function shardOf({ number, of }: ShardFlag, { environment }: Session): Shard {
  if (number !== 'auto') return { number, of }
  // An empty variable is unset, as for settings.
  const index = environment[indexVariable] ?? ''
  if (index === '')
    throw new UsageError(
      `--shard auto/${of} takes the index of this machine from ${indexVariable}, which is not set: ` +
        `run it in an Indexed Job of Kubernetes, or give a number: --shard 1/${of}`,
    )
  if (!/^(0|[1-9][0-9]{0,2})$/.test(index) || Number(index) >= of)
    throw new UsageError(
      `${indexVariable} is ${shownValue(index)}: --shard auto/${of} needs an index from 0 to ${of - 1}`,
    )
  return { number: Number(index) + 1, of }
}

async function showBuild({ settings, stderr, print }: Session, work: Promise<BuildSummary>) {
  const summary = await work.catch((error: unknown) => {
    if (error instanceof RefusedDatabase || error instanceof ImplausibleDatabase)
      stderr.write(describeFindings(error.findings, stderr.paint))
    throw error
  })
  // What a night asks is for the night.
  const shown = Object.fromEntries(Object.entries(summary).filter(([name]) => name !== 'night'))
  print(shown, () => describe(summary, settings))
}

function describe(summary: BuildSummary, settings: Settings): string {
  const { snapshot, asOf, funds, documents, bytes, rendered, since, isSparse } = summary
  const { downloads, seconds, warnings } = summary
  const pace = Math.round(documents / Math.max(seconds, 0.001))
  const sparse = isSparse ? ', but not in this folder (sparse)' : ''
  const figures = describeSummary({
    snapshot,
    folder: settings.out,
    'as of': asOf,
    funds: formatCount(funds),
    documents: formatCount(documents),
    rendered: since === null ? null : `${formatCount(rendered)}, all others are as in ${since}${sparse}`,
    bytes: formatBytes(bytes),
    prices: describeFreshness(summary.freshness),
    downloads: downloads && `${formatCount(downloads.files)} files, ${formatBytes(downloads.bytes)}`,
    seconds: `${seconds.toFixed(1)} (${formatCount(pace)} documents a second)`,
    warnings: warnings.length === 0 ? null : `${formatCount(warnings.length)}, listed by \`fundpress check\``,
  })
  // Warnings about the settings belong to this build; `check` lists those about funds.
  const aboutSettings = warnings.filter(({ isin }) => isin === null)
  const local = describeAddresses(settings)
  const lines = [
    ...(local === null ? [] : [`warning  ${local}\n`]),
    ...aboutSettings.map(({ message }) => `warning  ${message}\n`),
    ...summary.allowed.map(({ message, reason }) => `allowed  ${message} (${reason})\n`),
    ...summary.withheld.map((fund) => `withheld ${describeWithheld(fund)}\n`),
  ]
  if (lines.length > 0) lines.push('\n')
  return lines.join('') + describeOverdue(summary) + figures
}
