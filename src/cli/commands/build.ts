/** `fundpress build`: renders a database into the files of a snapshot. */

import { Option } from 'commander'
import type { BuildSummary } from '../../build/build.ts'
import type { Shard } from '../../build/shard.ts'
import { RefusedDatabase } from '../../data/check/finding.ts'
import { defineCommand, type Session } from '../command.ts'
import { describeFindings, describeSummary, formatBytes, formatCount } from '../format.ts'
import { describeFreshness, describeOverdue } from '../freshness.ts'
import { asOfOption, bucketSettings, isinsOption, jsonOption, shardOption } from '../options.ts'
import { buildOptions } from '../tasks/build-options.ts'
import { buildSince } from '../tasks/build.ts'

interface Flags {
  readonly asOf?: string
  readonly only?: readonly string[]
  readonly since?: string
  readonly shard?: Shard
  readonly json?: boolean
}

export default defineCommand<Flags>({
  description:
    'Renders a fund database into the files of a snapshot. The build checks the database first. The folder holds ' +
    'the old snapshot until the new one is complete. If the database file is overwritten during a build, the build ' +
    'fails: replace it with `mv` instead.\n\n' +
    'With --since only documents whose data changed are rendered; the snapshot is the same. `--since FOLDER` gives a ' +
    'complete snapshot; unchanged files are hard links. With a manifest (manifest.ndjson.gz) or a slot of the bucket ' +
    '(other, live, blue or green) the new folder is sparse: it holds only the files that the slot lacks, and can be ' +
    'published only to that slot. The next publish writes to the slot that is not live: other. documents.zip is ' +
    'complete all the same. It is made from the one that was published with the slot or is beside the manifest; ' +
    'without that, everything is rendered.\n\n' +
    'With --shard only a part of the funds is rendered, on one of several machines. `fundpress merge` makes the ' +
    'snapshot from all parts.',
  settings: [
    ...(['db', 'out', 'jobs', 'docsUrl', 'pages', 'downloads', 'rawCsv', 'quickCheck'] as const),
    ...bucketSettings,
  ],
  options: [
    asOfOption(),
    isinsOption('--only <isin...>', 'Render these funds only'),
    new Option('--since <snapshot>', 'Render only what changed since this folder, manifest or slot'),
    shardOption('--shard <n/of>', 'Render one of several parts, such as 3/8').conflicts('only'),
    jsonOption(),
  ],
  examples: [
    ['build --db funds.sqlite --out out', 'All funds, as of today'],
    ['build --db funds.sqlite --as-of 2026-11-20 --jobs 4', 'As of a day, with four threads'],
    ['build --db funds.sqlite --out out --since out', 'Only what changed since the last build'],
    ['build --db funds.sqlite --since other --bucket fund-data', 'Only what the next publish will put'],
    ['build --db funds.sqlite --out part-3 --shard 3/8', 'The third of eight parts'],
    ['build --db funds.sqlite --out try --only DE0008471400', 'One fund, to look at'],
  ],
  run: async (session, { asOf = session.today, only = [], since = null, shard, json }) => {
    const part = shard === undefined ? null : ({ kind: 'shard', ...shard } as const)
    const options = { ...(await buildOptions(session)), asOf, only, part }
    await showBuild(session, json, buildSince(session, since, options, session.stderr.tell))
  },
})

/** Prints what a build or a merge made, or what is wrong with a database that it refused. */
export async function showBuild(session: Session, json = false, work: Promise<BuildSummary>): Promise<void> {
  const { settings, isQuiet, stdout, stderr } = session
  const summary = await work.catch((error: unknown) => {
    if (error instanceof RefusedDatabase) stderr.write(describeFindings(error.findings, stderr.paint))
    throw error
  })
  if (json) stdout.data(`${JSON.stringify(summary)}\n`)
  else if (!isQuiet) stdout.write(describe(summary, settings.out))
}

function describe(summary: BuildSummary, out: string): string {
  const { snapshot, asOf, funds, documents, bytes, rendered, since, isSparse, downloads, seconds, warnings } =
    summary
  const pace = Math.round(documents / Math.max(seconds, 0.001))
  const sparse = isSparse ? ', but not in this folder (sparse)' : ''
  const figures = describeSummary({
    snapshot,
    folder: out,
    'as of': asOf,
    funds: formatCount(funds),
    documents: formatCount(documents),
    rendered: since === null ? null : `${formatCount(rendered)}, all others are as in ${since}${sparse}`,
    bytes: formatBytes(bytes),
    prices: describeFreshness(summary.freshness),
    downloads: downloads === null ? null : describeFiles(downloads),
    seconds: `${seconds.toFixed(1)} (${formatCount(pace)} documents a second)`,
    warnings: warnings.length === 0 ? null : `${formatCount(warnings.length)}, listed by \`fundpress check\``,
  })
  // Warnings about the settings belong to this build; `check` lists those about funds.
  const aboutSettings = warnings
    .filter(({ isin }) => isin === null)
    .map(({ message }) => `warning  ${message}\n`)
  const separator = aboutSettings.length === 0 ? '' : '\n'
  return aboutSettings.join('') + separator + describeOverdue(summary) + figures
}

function describeFiles({ files, bytes, leftOut }: NonNullable<BuildSummary['downloads']>): string {
  const without = leftOut.map((file) => `, without ${file}`).join('')
  return `${formatCount(files)} files, ${formatBytes(bytes)}${without}`
}
