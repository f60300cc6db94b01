/** `fundpress init`: makes an empty database of the schema, or a realistic one. */

import { initDatabase } from '../../core/data/model/new-database.ts'
import { addDays } from '../../core/system/days.ts'
import { defineCommand, type Session } from '../../core/cli/command.ts'
import { UsageError } from '../../core/cli/failure.ts'
import { describeSummary, formatBytes, formatCount } from '../../core/cli/format.ts'
import { dayOption, type FlagsOf, option, required, wholeOption } from '../../core/cli/options.ts'
import { showProgress } from '../../core/cli/progress.ts'

const options = [
  option('--demo', 'Fill it with invented funds'),
  wholeOption('--funds <number>', 'With --demo: how many funds (default: 12)', [1, 1_000_000]),
  wholeOption('--years <number>', 'With --demo: how many years of prices (default: 10)', [1, 100]),
  dayOption('--until <day>', 'With --demo: the last day with prices (default: the last business day)'),
  wholeOption('--seed <number>', 'With --demo: another seed gives other funds (default: 1)', [
    0,
    2 ** 32 - 1,
  ]),
] as const

export default defineCommand({
  description:
    'Makes an empty fund database with all tables of the schema. It does not touch a file that exists.\n\n' +
    'With --demo the database has invented funds, to try things with. The same options give the same bytes. Its file is ' +
    'data/demo.sqlite unless --db names another: it never ends up in the database of the config file.',
  settings: ['db'],
  options,
  json: 'Print a summary as JSON',
  examples: [
    ['init --db funds.sqlite', 'An empty database that your own tools fill'],
    ['init --demo', 'Twelve funds with ten years of prices in data/demo.sqlite'],
    ['init --demo --db big.sqlite --funds 500 --until 2026-11-19', 'More funds, up to a day'],
  ],
  run: (session, flags) => {
    const { settings, print } = session
    const { funds, years, until, seed } = flags
    if (flags.demo === true) return makeDemo(session, flags)
    const [given] =
      Object.entries({ funds, years, until, seed }).find(([, value]) => value !== undefined) ?? []
    if (given !== undefined) throw new UsageError(`--${given} needs --demo`)
    const db = required(settings.db, 'db')
    initDatabase(db)
    print({ database: db }, () => `made ${db}\n`)
    return undefined
  },
})

async function makeDemo(session: Session, size: FlagsOf<typeof options>): Promise<void> {
  const { funds = 12, years = 10, until = addDays(session.today, -1), seed = 1 } = size
  const file = session.hasFlag('db') ? required(session.settings.db, 'db') : 'data/demo.sqlite'
  const { signal, print } = session
  const progress = showProgress(session, 'funds')
  // Imported here because an empty database needs none of it.
  const { writeDemo } = await import('./demo.ts')
  const summary = await writeDemo({ file, funds, years, until, seed, onFund: progress.update, signal })
    .finally(progress.end)
    .catch((error: unknown) => {
      // Options that are valid on their own can together reach back too far.
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
}
