/** What the benchmarks of builds share: a database of the demo, and builds as measures. */

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
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
      addPrices(next, day, folder)
      return (out: string, ...flags: readonly string[]) => build(out, '--db', next, '--as-of', day, ...flags)
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

/** Gives each fund a price for another day, with the NAV before the newest one: as large a move as the last, back again. */
function addPrices(db: string, day: string, folder: string): void {
  const opened = new Database(db, { readonly: true })
  const before = opened.prepare<[], Record<'isin' | 'date' | (typeof imported)[number], string>>(
    `SELECT isin, date, ${imported.join(', ')} FROM (SELECT *, row_number() OVER (PARTITION BY isin ORDER BY date DESC) AS back FROM price)
    WHERE back = 2`,
  )
  const lines = before
    .all()
    .map((price) => [price.isin, day, ...imported.map((name) => price[name])].join(';'))
  opened.close()
  const file = join(folder, 'next.csv')
  writeFileSync(file, `${['isin;date', ...imported].join(';')}\n${lines.join('\n')}\n`)
  const words = ['import', 'price', file, '--db', db, '--derive', '--no-backup', '--quiet']
  execFileSync(process.execPath, [fundpress, ...words])
}

/** The import derives the others. */
const imported = ['issue_price', 'repurchase_price', 'net_asset_value', 'performance'] as const
