/** `fundpress demo`: a database that looks real, to try things with. */

import { Option } from 'commander'
// One function a module: loading all of date-fns takes a second.
import { formatISO } from 'date-fns/formatISO'
import { parseISO } from 'date-fns/parseISO'
import { subBusinessDays } from 'date-fns/subBusinessDays'
import { writeDemo, type DemoSummary } from '../../demo/demo.ts'
import { defineCommand, type Session } from '../command.ts'
import { UsageError } from '../failure.ts'
import { describeSummary, formatBytes, formatCount } from '../format.ts'
import { dayOption, jsonOption, wholeOption } from '../options.ts'
import { showProgress } from '../progress.ts'

interface Flags {
  readonly db: string
  readonly funds: number
  readonly years: number
  readonly until?: string
  readonly seed: number
  readonly json?: boolean
}

export default defineCommand<Flags>({
  description: 'Makes a database of invented funds. The same options give the same bytes.',
  options: [
    // Not the setting: a demo must not end up in the database of the config file.
    new Option('--db <file>', 'The file to write').default('data/demo.sqlite'),
    wholeOption('--funds <number>', 'How many funds', [1, 1_000_000]).default(12),
    wholeOption('--years <number>', 'How many years of prices', [1, 100]).default(10),
    dayOption('--until <day>', 'The last day with prices (default: the last business day)'),
    wholeOption('--seed <number>', 'Another seed gives other funds', [0, 2 ** 32 - 1]).default(1),
    jsonOption(),
  ],
  examples: [
    ['demo', 'Twelve funds with ten years of prices in data/demo.sqlite'],
    ['demo --db big.sqlite --funds 500 --until 2026-11-19', 'More funds, up to a day'],
  ],
  run: demo,
})

async function demo({ today, signal, isQuiet, stdout, ...session }: Session, flags: Flags): Promise<void> {
  const { db: file, funds, years, seed, json = false } = flags
  const until = flags.until ?? businessDayBefore(today)
  const progress = showProgress({ ...session, isQuiet }, 'funds')
  const summary = await writeDemo({ file, funds, years, until, seed, onFund: progress.update, signal })
    .finally(progress.end)
    .catch((error: unknown) => {
      // Options that are right on their own can together reach back too far.
      throw error instanceof RangeError ? new UsageError(error.message) : error
    })
  if (json) stdout.data(`${JSON.stringify({ database: file, ...summary })}\n`)
  else if (!isQuiet) stdout.write(describe(summary, file))
}

/** The last day from Monday to Friday before a day. It does not know holidays. */
export function businessDayBefore(day: string): string {
  return formatISO(subBusinessDays(parseISO(day), 1), { representation: 'date' })
}

function describe({ funds, prices, until, bytes }: DemoSummary, file: string): string {
  return describeSummary({
    database: file,
    funds: formatCount(funds),
    prices: `${formatCount(prices)}, up to ${until}`,
    bytes: formatBytes(bytes),
  })
}
