/** What the benchmarks of builds share: a database of the demo, and builds as measures. */

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { addBusinessDays } from 'date-fns/addBusinessDays'
import { formatISO } from 'date-fns/formatISO'
import { parseISO } from 'date-fns/parseISO'
import { writeDemo } from '../../src/extensions/demo/demo.ts'
import { fundpress, timed, type Measures } from './bench.ts'

export const buildOptions = {
  funds: { type: 'string', default: '40' },
  years: { type: 'string', default: '10' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  /** The day of the newest prices. */
  until: { type: 'string', default: '2026-11-20' },
  /** A database of the demo, made if it is not there, and kept. */
  db: { type: 'string' },
} as const

export type BuildValues = Record<Exclude<keyof typeof buildOptions, 'db'>, string> & {
  db?: string | undefined
}

/** @returns the database, and how to build from it */
export async function openBuilds(folder: string, { db: given, funds, years, jobs, until }: BuildValues) {
  const db = given ?? join(folder, 'funds.sqlite')
  if (!existsSync(db))
    await writeDemo({ file: db, funds: Number(funds), years: Number(years), until, seed: 1 })
  const addresses = ['--docs-url', 'https://docs.example.com']
  const build = (out: string, ...flags: readonly string[]) =>
    measureBuild('build', '--db', db, '--as-of', until, '--out', out, '--jobs', jobs, ...addresses, ...flags)
  return {
    db,
    build,
    /** Gives each fund a price for another day. @returns builds of that day @param file in the benchmark's folder */
    nextNight: () => {
      const next = join(folder, 'next.sqlite')
      const day = formatISO(addBusinessDays(parseISO(until), 1), { representation: 'date' })
      copyFileSync(db, next)
      addPrices(next, day)
      // The NAVs stay, which a guard refuses.
      const allowed = ['--allow', 'unchanged-prices', '--reason', 'benchmark']
      return (out: string, ...flags: readonly string[]) =>
        build(out, '--db', next, '--as-of', day, ...allowed, ...flags)
    },
    /** For the line above a table. */
    describe: ({ files, MB }: Measures, rounds: string) => {
      const [count = 0, size = 0] = [files, MB].map((value) => [value ?? 0].flat()[0])
      const measured = `${count.toLocaleString('en')} files, ${Math.round(size).toLocaleString('en')} MB`
      return `${funds} funds, ${years} years, ${jobs} jobs; ${measured}; ${rounds}`
    },
  }
}

/** Runs `build`. @param args the command comes first @returns measures */
export async function measureBuild(...args: readonly string[]): Promise<Record<string, number>> {
  // What is still to be written must not be counted for this one.
  execFileSync('sync')
  const { measures, stdout } = await timed(process.execPath, [fundpress, ...args, '--quiet', '--json'])
  const said = JSON.parse(stdout) as Record<'documents' | 'bytes' | 'rendered' | 'seconds', number>
  const { documents, bytes, rendered, seconds } = said
  return {
    seconds,
    'CPU s': measures['CPU s'],
    'peak MiB': measures['peak MiB'],
    rendered,
    files: documents,
    MB: bytes / 1e6,
  }
}

/** Gives each fund a price for another day: that of the day before. */
function addPrices(file: string, day: string): void {
  const db = new Database(file)
  db.prepare(
    `INSERT INTO price SELECT isin, ?, issue_price, repurchase_price, net_asset_value,
      '0.' || substr('00000000', 1, length(net_asset_value) - instr(net_asset_value, '.')), '0.00', performance, intercompany_profit, share_profit, real_estate_profits, share_profit2
    FROM price WHERE (isin, date) IN (SELECT isin, max(date) FROM price GROUP BY isin)`,
  ).run(day)
  db.close()
}
