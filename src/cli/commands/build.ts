/** `fundpress build`: renders a database into the files of a snapshot. */

import { Command } from 'commander'
import type { BuildOptions, BuildSummary } from '../../snapshot/build.ts'
import type { Shard } from '../../snapshot/shard.ts'
import { bucketFlags } from '../bucket.ts'
import { describeFindings } from '../findings.ts'
import { describeFreshness, describeOverdue, freshnessRules } from '../freshness.ts'
import { dayOption, examples, isinsOption, required, shardOption, withSettings } from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Session, Start } from '../session.ts'
import { withSince, type OnNone } from '../since.ts'
import { describeSummary, formatBytes, formatCount } from '../summary.ts'

interface Flags {
  readonly asOf?: string
  readonly only?: readonly string[]
  readonly since?: string
  readonly shard?: Shard
  readonly json?: boolean
}

export function buildCommand(start: Start): Command {
  return withSettings(
    new Command('build'),
    'db',
    'out',
    'jobs',
    'docsUrl',
    'pages',
    'downloads',
    'rawCsv',
    'quickCheck',
    ...bucketFlags,
  )
    .summary('render a database into a snapshot')
    .description(
      'Renders a fund database into the files of a snapshot. The database is checked first; the folder holds the ' +
        'old snapshot until the new one is complete.\n\n' +
        'With --since only documents whose data changed are rendered; the snapshot is the same. From a folder the others ' +
        'are taken over. From a manifest (manifest.ndjson.gz), or from a slot of the bucket (other, live, blue or green), ' +
        'the new folder is sparse: it holds only the files that the slot lacks, for a publish into just that slot; the ' +
        'next publish overwrites the slot that is not live: other. Its documents.zip is whole all the same, made out of the ' +
        'one that was published with the slot (without it everything is rendered) or lies beside the manifest.\n\n' +
        'With --shard only a part of the funds is rendered, on one machine of several; `fundpress merge` makes the snapshot ' +
        'out of all parts.',
    )
    .addOption(dayOption('--as-of <day>', "The snapshot's date (default: today in Europe/Berlin)"))
    .addOption(isinsOption('--only <isin...>', 'Render these funds only'))
    .option('--since <snapshot>', 'Render only what changed since this folder, manifest or slot')
    .addOption(shardOption('--shard <n/of>', 'Render one of several parts, such as 3/8').conflicts('only'))
    .option('--json', 'Print the summary as JSON')
    .addHelpText(
      'after',
      examples(
        ['build --db funds.sqlite --out out', 'All funds, as of today'],
        ['build --db funds.sqlite --as-of 2026-11-20 --jobs 4', 'As of a day, with four threads'],
        ['build --db funds.sqlite --out out --since out', 'Only what changed since the last build'],
        ['build --db funds.sqlite --since other --bucket fund-data', 'Only what the next publish will put'],
        ['build --db funds.sqlite --out part-3 --shard 3/8', 'The third of eight parts'],
        ['build --db funds.sqlite --out try --only DE0008471400', 'One fund, to look at'],
      ),
    )
    .action(start(build))
}

async function build(
  session: Session,
  { asOf = session.today, only = [], since, shard, json = false }: Flags,
): Promise<void> {
  const { settings, isQuiet, stdout } = session
  const part = shard === undefined ? null : ({ kind: 'shard', ...shard } as const)
  const options = { ...(await buildOptions(session)), asOf, only, part }
  const onWarning = (warning: string) => {
    session.stderr.tell(warning)
  }
  const summary = await tellFindings(session, buildSince(session, since ?? null, options, onWarning))
  if (json) stdout.data(`${JSON.stringify(summary)}\n`)
  else if (!isQuiet) stdout.write(describe(summary, settings.out))
}

/** What the settings say of a build. @throws {UsageError} if they are wrong */
export async function buildOptions(session: Session): Promise<Omit<BuildOptions, 'asOf' | 'only'>> {
  const { docsUrl, baseUrl, pages, quickCheck: hasQuickCheck } = session.settings
  const options = { ...(await mergeOptions(session)), docsUrl, baseUrl, hasQuickCheck }
  return { ...options, ...(pages ? {} : { pages: null }) }
}

/** What of them the shards of a snapshot do not say themselves. */
export async function mergeOptions({ settings, signal }: Session) {
  const { out, jobs, licence, freshness, rawCsv: isRawCsv } = settings
  const db = required(settings.db, 'db')
  // Told before anything is read.
  await freshnessRules(settings)
  const { name, url } = licence
  const downloads = settings.downloads ? { licence: name === null ? null : { name, url }, isRawCsv } : null
  return { db, out, jobs, downloads, freshness, signal } as const
}

/**
 * Builds what changed since a folder, a manifest or a slot; since null, everything.
 * @param onWarning told where there is no snapshot to go on from, so that everything is rendered
 */
export async function buildSince(
  session: Session,
  word: string | null,
  options: BuildOptions,
  onWarning: (warning: string) => void,
): Promise<BuildSummary> {
  if (word === null) return buildFrom(session, options)
  const whyWhole = { snapshot: '', documents: ', so that documents.zip is whole' }
  let isTold = false
  const onNone: OnNone = (what, reason) => {
    isTold = true
    onWarning(`${reason}: everything is rendered${whyWhole[what]}`)
  }
  return withSince(session, word, onNone, async (find) => {
    const summary = await buildFrom(session, { ...options, since: await find() })
    if (summary.since === null && !isTold) onNone('snapshot', `${word} holds no snapshot`)
    return summary
  })
}

function buildFrom(session: Session, options: BuildOptions): Promise<BuildSummary> {
  return watched(session, async (onProgress) => {
    // Loaded here, so that the other commands start without it.
    const { startRenderThreads } = await import('../../snapshot/render-threads.ts')
    // A small database does not need more; those that a large one does come later.
    const threads = (session.renderThreads ?? startRenderThreads)(Math.min(options.jobs, 2))
    const { buildSnapshot } = await import('../../snapshot/build.ts')
    return buildSnapshot({ ...options, threads, onProgress })
  })
}

/** Shows how far it is. */
export function watched(
  session: Session,
  work: (onProgress: NonNullable<BuildOptions['onProgress']>) => Promise<BuildSummary>,
): Promise<BuildSummary> {
  const progress = showProgress(session, 'funds')
  const onProgress = ({ funds, of, documents }: { funds: number; of: number; documents: number }) => {
    progress.update(funds, of, `${formatCount(documents)} documents`)
  }
  return work(onProgress).finally(progress.end)
}

/** Shows what is wrong with a database that was refused. */
export async function tellFindings<T>({ stderr }: Session, work: Promise<T>): Promise<T> {
  const { RefusedDatabase } = await import('../../source/check.ts')
  return work.catch((error: unknown) => {
    if (error instanceof RefusedDatabase) stderr.write(describeFindings(error.findings, stderr.paint))
    throw error
  })
}

export function describe(summary: BuildSummary, out: string): string {
  const { snapshot, asOf, funds, documents, bytes, rendered, since, isSparse, downloads, seconds, warnings } =
    summary
  const sinceText = `${formatCount(rendered)}, all others are as in ${since ?? ''}`
  const reused: Readonly<Record<string, string>> =
    since === null ? {} : { rendered: isSparse ? `${sinceText}, and not in this folder (sparse)` : sinceText }
  const figures = {
    snapshot,
    folder: out,
    'as of': asOf,
    funds: formatCount(funds),
    documents: formatCount(documents),
    ...reused,
    bytes: formatBytes(bytes),
    prices: describeFreshness(summary.freshness),
    ...describeDownloads(downloads),
    seconds: `${seconds.toFixed(1)} (${formatCount(Math.round(documents / Math.max(seconds, 0.001)))} documents a second)`,
  }
  const warned = { warnings: `${formatCount(warnings.length)}, listed by \`fundpress check\`` }
  const all = warnings.length === 0 ? figures : { ...figures, ...warned }
  // What the settings name is nothing that `check` alone should tell of: it is they that a build goes by.
  const ofSettings = warnings
    .filter(({ isin }) => isin === null)
    .map(({ message }) => `warning  ${message}\n`)
  const settingsText = ofSettings.length === 0 ? '' : `${ofSettings.join('')}\n`
  return settingsText + describeOverdue(summary) + describeSummary(all)
}

function describeDownloads(downloads: BuildSummary['downloads']): Readonly<Record<string, string>> {
  if (downloads === null) return {}
  const { files, bytes, leftOut } = downloads
  const without = leftOut.map((file) => `, without ${file}`).join('')
  return { downloads: `${formatCount(files)} files, ${formatBytes(bytes)}${without}` }
}
