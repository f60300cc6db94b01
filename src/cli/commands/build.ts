/** `fundpress build`: renders a database into the files of a snapshot. */

import { Command } from 'commander'
import type { BuildSummary } from '../../snapshot/build.ts'
import { describeFindings } from '../findings.ts'
import { dayOption, examples, isinsOption, required, withSettings } from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Session, Start } from '../session.ts'
import { describeSummary, formatBytes, formatCount } from '../summary.ts'

interface Flags {
  readonly asOf?: string
  readonly only?: readonly string[]
  readonly json?: boolean
}

export function buildCommand(start: Start): Command {
  return withSettings(new Command('build'), 'db', 'out', 'jobs', 'docsUrl')
    .summary('render a database into a snapshot')
    .description(
      'Renders a fund database into the files of a snapshot. The database is checked first; the folder holds the ' +
        'old snapshot until the new one is complete.',
    )
    .addOption(dayOption('--as-of <day>', "The snapshot's date (default: today in Europe/Berlin)"))
    .addOption(isinsOption('--only <isin...>', 'Render these funds only'))
    .option('--json', 'Print the summary as JSON')
    .addHelpText(
      'after',
      examples(
        ['build --db funds.sqlite --out out', 'All funds, as of today'],
        ['build --db funds.sqlite --as-of 2026-11-20 --jobs 4', 'As of a day, with four threads'],
        ['build --db funds.sqlite --out try --only DE0008471400', 'One fund, to look at'],
      ),
    )
    .action(start(build))
}

async function build(
  session: Session,
  { asOf = session.today, only = [], json = false }: Flags,
): Promise<void> {
  const { settings, signal, isQuiet, stdout, stderr } = session
  const { out, jobs, docsUrl } = settings
  const db = required(settings.db, 'db')

  // Loaded here, so that the other commands start without it.
  const { buildSnapshot } = await import('../../snapshot/build.ts')
  const { RefusedDatabase } = await import('../../source/check.ts')
  const progress = showProgress(session, 'funds')
  const onProgress = ({ funds, of, documents }: { funds: number; of: number; documents: number }) => {
    progress.update(funds, of, `${formatCount(documents)} documents`)
  }
  const summary = await buildSnapshot({ db, out, asOf, jobs, only, docsUrl, onProgress, signal })
    .finally(progress.end)
    .catch((error: unknown) => {
      if (error instanceof RefusedDatabase) stderr.write(describeFindings(error.findings, stderr.paint))
      throw error
    })
  if (json) stdout.write(`${JSON.stringify(summary)}\n`)
  else if (!isQuiet) stdout.write(describe(summary, out))
}

function describe(
  { snapshot, asOf, funds, documents, bytes, seconds, warnings }: BuildSummary,
  out: string,
): string {
  const figures = {
    snapshot,
    folder: out,
    'as of': asOf,
    funds: formatCount(funds),
    documents: formatCount(documents),
    bytes: formatBytes(bytes),
    seconds: `${seconds.toFixed(1)} (${formatCount(Math.round(documents / Math.max(seconds, 0.001)))} documents a second)`,
  }
  const warned = { warnings: `${formatCount(warnings.length)}, listed by \`fundpress check\`` }
  return describeSummary(warnings.length === 0 ? figures : { ...figures, ...warned })
}
