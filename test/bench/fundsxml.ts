/**
 * The import of a FundsXML file beside a bare pass of the parser over it: megabytes a second, and memory that must not grow with the
 * file. `reader` makes all rows and drops them; `import` is the whole command into a new database.
 *
 * Options: --mb 30 --rounds 3
 */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { isinOf, makeDatabase } from '../support/database.ts'
import { alternate, bench, fundpress, timed } from './bench.ts'
import { writeFundsXml } from './fundsxml/file.ts'

const options = { mb: { type: 'string', default: '30' }, rounds: { type: 'string', default: '3' } } as const

const bare = 'bare pass of saxen'
const subject = join(import.meta.dirname, 'fundsxml/subject.ts')
/** As the launcher sets it. */
const littleGarbage = '--semi-space-growth-factor=1'

export const run = bench(options, async (folder, { mb, rounds }) => {
  const file = join(folder, 'funds.xml')
  const { funds, classes, positions, assets } = await writeFundsXml(file, Number(mb))
  const megabytes = statSync(file).size / 1e6
  const measure = async (args: readonly string[]) => {
    const { measures } = await timed(process.execPath, args)
    return { ...measures, 'MB/s': megabytes / measures.seconds }
  }
  const rows = await alternate(Number(rounds), {
    [bare]: () => measure([subject, 'bare', file]),
    reader: () => measure([littleGarbage, subject, 'reader', file]),
    import: async (round) => {
      const db = join(folder, `${round}.sqlite`)
      fillFunds(db, classes)
      return measure([fundpress, 'import', file, '--db', db, '--quiet'])
    },
  })
  const about = `${Math.round(megabytes)} MB: ${funds} funds, ${classes} share classes, ${positions} positions, ${assets} assets; medians of ${rounds} rounds`
  return [
    {
      name: 'FundsXML',
      about,
      rows,
      ratios: { 'CPU of the bare pass': { by: 'CPU s', of: bare } },
      goals: {
        reader: { 'CPU of the bare pass': 'at most 2' },
        import: { 'peak MiB': 'at most 300' },
      },
    },
  ]
})

/** The funds of the file as a database has them already: with their pages, of which FundsXML knows nothing. */
function fillFunds(db: string, classes: number): void {
  makeDatabase(db, (insert) => {
    const own = {
      name: 'A fund',
      fund_inception_date: '2015-03-16',
      currency: 'EUR',
      url: 'https://funds.example/',
    }
    for (let number = 0; number < classes; number++) insert('fund', { isin: isinOf(number), ...own })
  })
}
