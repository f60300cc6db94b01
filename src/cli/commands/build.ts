/** `fundpress build`: renders a database into the files of a snapshot. */

import { statSync } from 'node:fs'
import { Command } from 'commander'
import type { BuildOptions, BuildSummary } from '../../snapshot/build.ts'
import type { Shard } from '../../snapshot/shard.ts'
import type { Since } from '../../snapshot/since.ts'
import { bucketFlags, withBucket } from '../bucket.ts'
import { describeFindings } from '../findings.ts'
import { dayOption, examples, isinsOption, required, shardOption, withSettings } from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Session, Start } from '../session.ts'
import { describeSummary, formatBytes, formatCount } from '../summary.ts'

interface Flags {
  readonly asOf?: string
  readonly only?: readonly string[]
  readonly since?: string
  readonly shard?: Shard
  readonly json?: boolean
}

export function buildCommand(start: Start): Command {
  return withSettings(new Command('build'), 'db', 'out', 'jobs', 'docsUrl', 'pages', ...bucketFlags)
    .summary('render a database into a snapshot')
    .description(
      'Renders a fund database into the files of a snapshot. The database is checked first; the folder holds the ' +
        'old snapshot until the new one is complete.\n\n' +
        'With --since only documents whose data changed are rendered; the snapshot is the same. From a folder the others ' +
        'are taken over. From a manifest (manifest.ndjson.gz), or from a slot of the bucket (other, live, blue or green), ' +
        'the new folder is sparse: it holds only the files that the slot lacks, for a publish into just that slot; the ' +
        'next publish overwrites the slot that is not live: other.\n\n' +
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
  const { settings, signal, isQuiet, stdout } = session
  const { out, jobs, docsUrl, baseUrl } = settings
  const db = required(settings.db, 'db')
  const noPages = settings.pages ? {} : { pages: null }
  const part = shard === undefined ? null : ({ kind: 'shard', ...shard } as const)
  const options = { db, out, asOf, jobs, only, docsUrl, baseUrl, ...noPages, part, signal }
  const summary =
    since === undefined ? await buildFrom(session, options) : await buildSince(session, since, options)
  if (json) stdout.write(`${JSON.stringify(summary)}\n`)
  else if (!isQuiet) stdout.write(describe(summary, out))
}

/** Without a snapshot to go on from everything is rendered, and that is said. */
async function buildSince(session: Session, word: string, options: BuildOptions): Promise<BuildSummary> {
  const { isSlotWord } = await import('../../publish/diff-source.ts')
  const note = (reason: string) => {
    session.stderr.write(`fundpress: ${reason}: everything is rendered\n`)
  }
  if (!isSlotWord(word)) {
    const kind = statSync(word, { throwIfNoEntry: false })?.isFile() === true ? 'manifest' : 'folder'
    const summary = await buildFrom(session, { ...options, since: { kind, path: word } })
    if (summary.since === null) note(`${word} holds no snapshot`)
    return summary
  }
  const { fetchSlotManifest } = await import('../../publish/slot-manifest.ts')
  const { withFolder } = await import('../../publish/status.ts')
  return withFolder(async (folder) => {
    const found = await withBucket(session, (store) => fetchSlotManifest(store, word, folder))
    if (found.kind === 'none') note(found.reason)
    const since: Since | null = found.kind === 'none' ? null : { kind: 'manifest', path: found.file }
    return buildFrom(session, { ...options, since })
  })
}

function buildFrom(session: Session, options: BuildOptions): Promise<BuildSummary> {
  return watched(session, async (onProgress) => {
    // Loaded here, so that the other commands start without it.
    const { buildSnapshot } = await import('../../snapshot/build.ts')
    return buildSnapshot({ ...options, onProgress })
  })
}

/** Shows how far it is, and what is wrong with the database. */
export async function watched(
  session: Session,
  work: (onProgress: NonNullable<BuildOptions['onProgress']>) => Promise<BuildSummary>,
): Promise<BuildSummary> {
  const { RefusedDatabase } = await import('../../source/check.ts')
  const { stderr } = session
  const progress = showProgress(session, 'funds')
  const onProgress = ({ funds, of, documents }: { funds: number; of: number; documents: number }) => {
    progress.update(funds, of, `${formatCount(documents)} documents`)
  }
  return work(onProgress)
    .finally(progress.end)
    .catch((error: unknown) => {
      if (error instanceof RefusedDatabase) stderr.write(describeFindings(error.findings, stderr.paint))
      throw error
    })
}

export function describe(summary: BuildSummary, out: string): string {
  const { snapshot, asOf, funds, documents, bytes, rendered, since, isSparse, seconds, warnings } = summary
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
    seconds: `${seconds.toFixed(1)} (${formatCount(Math.round(documents / Math.max(seconds, 0.001)))} documents a second)`,
  }
  const warned = { warnings: `${formatCount(warnings.length)}, listed by \`fundpress check\`` }
  return describeSummary(warnings.length === 0 ? figures : { ...figures, ...warned })
}
