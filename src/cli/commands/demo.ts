/** `fundpress demo`: a database that looks real, to try things with. */

import { Command } from 'commander'
import type { DemoSummary } from '../../demo/demo.ts'
import { UsageError } from '../failure.ts'
import { dayOption, examples, wholeOption } from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Session, Start } from '../session.ts'
import { describeSummary, formatBytes, formatCount } from '../summary.ts'

interface Flags {
  readonly db: string
  readonly funds: number
  readonly years: number
  readonly until?: string
  readonly seed: number
  readonly json?: boolean
}

export function demoCommand(start: Start): Command {
  return (
    new Command('demo')
      .summary('make a database that looks real')
      .description('Makes a database of invented funds. The same options give the same bytes.')
      // Not the setting: a demo must not end up in the database of the config file.
      .option('--db <file>', 'The file to write', 'data/demo.sqlite')
      .addOption(wholeOption('--funds <number>', 'How many funds', [1, 1_000_000], 12))
      .addOption(wholeOption('--years <number>', 'How many years of prices', [1, 100], 10))
      .addOption(dayOption('--until <day>', 'The last day with prices (default: the last business day)'))
      .addOption(wholeOption('--seed <number>', 'Another seed gives other funds', [0, 2 ** 32 - 1], 1))
      .option('--json', 'Print the summary as JSON')
      .addHelpText(
        'after',
        examples(
          ['demo', 'Twelve funds with ten years of prices in data/demo.sqlite'],
          ['demo --db big.sqlite --funds 500 --until 2026-11-19', 'More funds, up to a day'],
        ),
      )
      .action(start(demo))
  )
}

async function demo(session: Session, flags: Flags): Promise<void> {
  const { today, signal, isQuiet, stdout } = session
  const { db: file, funds, years, seed, json = false } = flags
  const { businessDayBefore } = await import('../business-day-before.ts')
  const until = flags.until ?? businessDayBefore(today)

  const { writeDemo } = await import('../../demo/demo.ts')
  const progress = showProgress(session, 'funds')
  const onFund = (done: number, of: number) => {
    progress.update(done, of)
  }
  const summary = await writeDemo({ file, funds, years, until, seed, onFund, signal })
    .finally(progress.end)
    .catch((error: unknown) => {
      // Each option may be right and all of them together still reach back too far.
      throw error instanceof RangeError ? new UsageError(error.message) : error
    })
  if (json) stdout.data(`${JSON.stringify({ database: file, ...summary })}\n`)
  else if (!isQuiet) stdout.write(describe(summary, file))
}

function describe({ funds, prices, until, bytes }: DemoSummary, file: string): string {
  return describeSummary({
    database: file,
    funds: formatCount(funds),
    prices: `${formatCount(prices)}, up to ${until}`,
    bytes: formatBytes(bytes),
  })
}
