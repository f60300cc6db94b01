/** `fundpress demo`: a database that looks real, to try things with. */

import { writeDemo } from '../../demo/demo.ts'
import { dayAfter } from '../../guards/calendar.ts'
import { defineCommand } from '../command.ts'
import { UsageError } from '../failure.ts'
import { describeSummary, formatBytes, formatCount } from '../format.ts'
import { dayOption, option, wholeOption } from '../options.ts'
import { showProgress } from '../progress.ts'

export default defineCommand({
  description: 'Makes a database of invented funds. The same options give the same bytes.',
  options: [
    // Not the setting: a demo must not end up in the database of the config file.
    option('--db <file>', 'The file to write').default('data/demo.sqlite'),
    wholeOption('--funds <number>', 'How many funds', [1, 1_000_000], 12),
    wholeOption('--years <number>', 'How many years of prices', [1, 100], 10),
    dayOption('--until <day>', 'The last day with prices (default: the last business day)'),
    wholeOption('--seed <number>', 'Another seed gives other funds', [0, 2 ** 32 - 1], 1),
  ],
  json: 'Print the summary as JSON',
  examples: [
    ['demo', 'Twelve funds with ten years of prices in data/demo.sqlite'],
    ['demo --db big.sqlite --funds 500 --until 2026-11-19', 'More funds, up to a day'],
  ],
  run: async (session, { db: file = '', funds, years, until = dayAfter(session.today, -1), seed }) => {
    const { signal, print } = session
    const progress = showProgress(session, 'funds')
    const summary = await writeDemo({ file, funds, years, until, seed, onFund: progress.update, signal })
      .finally(progress.end)
      .catch((error: unknown) => {
        // Options that are right on their own can together reach back too far.
        throw error instanceof RangeError ? new UsageError(error.message) : error
      })
    print({ database: file, ...summary }, () =>
      describeSummary({
        database: file,
        funds: formatCount(summary.funds),
        prices: `${formatCount(summary.prices)}, up to ${summary.until}`,
        bytes: formatBytes(summary.bytes),
      }),
    )
  },
})
