/** `fundpress derive`: writes derived figures into the fund database. */

import { defineCommand } from '../../core/cli/command.ts'
import { countOf, describeSummary, formatCount } from '../../core/cli/format.ts'
import { dayOption, option, required, wholeOption } from '../../core/cli/options.ts'
import { showProgress } from '../../core/cli/progress.ts'
import { checkSchema } from '../../core/data/check/structure.ts'
import type { DerivedAgain } from '../../core/data/derive/derived.ts'
import { derivableTables, type DeriveModes } from '../../core/data/derive/modes.ts'
import { chargePrices } from '../../core/data/derive/uncharged.ts'
import { type DerivedSummary, writeDerived } from '../../core/data/derive/write.ts'
import { escapeInvisible } from '../../core/data/model/printable.ts'
import { withSameMark } from '../../core/data/read/complete.ts'
import { readIsins } from '../../core/data/read/fund-reader.ts'
import { databaseError, openFunds } from '../../core/data/read/open.ts'

export default defineCommand({
  description:
    'Computes figures from the NAVs, the distributions and splits (table corporate_action) and the issue surcharge (table profile), ' +
    'and writes them into the database: performance_year, legal_period, legal_point, launch_point, and the performance of prices. ' +
    'Nights need no such command: they derive what is missing on a copy. It is for programs that read the database, and to ' +
    'look at the figures.',
  settings: ['db'],
  options: [
    option('--dry-run', 'Change nothing, only show what would change'),
    dayOption(
      '--charges [day]',
      'Give prices that stand at their NAV the issue surcharge and the redemption fee of their fund: all, or those from a day on',
    ),
    wholeOption('--wait <seconds>', 'How long to wait for other users of the database', [0, 86_400]).default(
      600,
    ),
  ],
  // SQLite undoes a transaction that was cut off when the database is opened again.
  endsAtOnce: true,
  json: 'Print { database, dryRun, tables: { <table>: { mode, funds, rows, kept, without } }, again, charged, doubts } as JSON',
  notes: `The setting derive.<table> decides, here and for a night. delivered: nothing. missing (the default): figures of funds that
have none in the table, and those that were derived before. derived: those of all funds that have prices, whatever was delivered.

Method: that of the BVI. A figure is the NAV at the end against the NAV at the beginning; each distribution buys shares at the NAV of
its ex-date; splits count by their factor. Exact decimals, rounded at the end to two decimals, halves away from zero.

performance_year  whole calendar years, from the price of one 31 December to that of the next
legal_period      five periods of twelve months until the newest price: gross, and net if the fund has an issue surcharge, which
                  is paid in the oldest period
legal_point       the line of these five years, by month, in percent
launch_point      since the launch, which is 100, by month
price             performance since 31 December where it is missing (derived: change and change_percent, too)

A price of the ten days before stands for a day without one; of a fund that is priced less often, the last one by its rhythm. Without
such a price there is no figure: no calendar year in the year of the launch or of a gap, and no line since the launch if the prices do
not reach back to fund_inception_date. Nothing is derived of a fund whose prices may not be given out (prices_permitted), and of one
whose NAVs contradict a split: the output names that one.

--charges is for prices whose issue price was derived before anything said what the fund charges, so that it is the NAV: they get the
surcharge and the fee of table profile, of a fund without a profile those that its last derived price has. Prices of the company's own that are the NAV get them, too; a charge that is new is for prices from its day on.

A load that was complete (import --complete) stays complete. When prices, distributions or the surcharge change, derive again: what was
derived is replaced, and rows that another program has written since stay.
`,
  examples: [
    ['derive --db funds.sqlite', 'What is missing'],
    ['derive --db funds.sqlite --charges', 'After profiles came later than the first prices'],
    ['derive --db funds.sqlite --dry-run --json', 'What would change, for machines'],
  ],
  run: (session, { dryRun = false, wait, charges }) => {
    const { settings, print } = session
    const { derive } = settings
    const file = required(settings.db, 'db')
    const db = openFunds(file, 'writing')
    const progress = showProgress(session, 'funds')
    try {
      const [wrong] = checkSchema(db)
      if (wrong !== undefined)
        throw new Error(`${file} does not have the schema: ${wrong.table}: ${wrong.message}`)
      // Nothing that was reported is lost in a power cut, in WAL mode and when a journal has just been removed.
      db.pragma('synchronous = EXTRA')
      db.pragma(`busy_timeout = ${wait * 1000}`)
      db.exec('BEGIN IMMEDIATE')
      const { charged, ...summary } = withSameMark(db, () => {
        const since = charges === true ? '' : charges
        return {
          charged: since === undefined ? noneCharged : chargePrices(db, readIsins(db), since),
          ...writeDerived(db, derive, progress.update),
        }
      })
      db.exec(dryRun ? 'ROLLBACK' : 'COMMIT')
      progress.end()
      const { tables, again, doubts } = summary
      const withModes = Object.fromEntries(
        derivableTables.map((table) => [table, { mode: derive[table], ...tables[table] }]),
      )
      print({ database: file, dryRun, tables: withModes, again, charged, doubts }, () =>
        describe({ ...summary, charged }, { database: file, derive, dryRun }),
      )
    } catch (error) {
      throw databaseError(file, error)
    } finally {
      progress.end()
      db.close()
    }
  },
})

const noneCharged: DerivedAgain = { count: 0, first: '' }

function describe(
  { tables, again, charged, doubts }: DerivedSummary & { readonly charged: DerivedAgain },
  {
    database,
    derive,
    dryRun,
  }: { readonly database: string; readonly derive: DeriveModes; readonly dryRun: boolean },
): string {
  const lines = derivableTables.map((table) => {
    const { funds, rows, kept, without } = tables[table]
    const mode = derive[table]
    const parts = [
      mode === 'delivered' ? 'as delivered' : `${countOf(rows, 'new row')} of ${countOf(funds, 'fund')}`,
      ...(mode === 'delivered' || kept === 0 ? [] : [`${countOf(kept, 'fund')} with own figures`]),
      ...(without === 0 ? [] : [`${countOf(without, 'fund')} whose prices give none`]),
    ]
    return [table, parts.join(', ')] as const
  })
  const doubtful = doubts.map(({ isin, message }) => `not derived: ${isin}: ${escapeInvisible(message)}\n`)
  const summary = describeSummary({
    database: dryRun ? `${database}, as it would be: nothing was changed` : database,
    ...Object.fromEntries(lines),
    charged:
      charged.count === 0
        ? null
        : `issue and repurchase prices of ${countOf(charged.count, 'price')}, the first of ${charged.first}`,
    'derived again':
      again.count === 0
        ? null
        : `${formatCount(again.count)} prices, the first of ${again.first}: corporate actions have changed`,
  })
  return doubtful.join('') + summary
}
