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

/** A database, and the day of its newest prices. */
export interface Night {
  readonly db: string
  readonly day: string
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
    /** The nights after that of the database: each fund has a price more in each. */
    nightsAfter: (count: number): Night[] => {
      const nights: Night[] = [{ db, day: until }]
      for (let night = 1; night <= count; night++) {
        const next = join(folder, `night-${night}.sqlite`)
        const day = formatISO(addBusinessDays(parseISO(until), night), { representation: 'date' })
        copyFileSync(nights.at(-1)?.db ?? db, next)
        addPrices(next, day, folder)
        nights.push({ db: next, day })
      }
      return nights.slice(1)
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

/** Gives each fund a price for another day: its last move goes back by four fifths, as no guard objects to. */
function addPrices(db: string, day: string, folder: string): void {
  const opened = new Database(db, { readonly: true })
  const newest = opened
    .prepare<[], Price>(
      `SELECT isin, ${imported.join(', ')} FROM (SELECT *, row_number() OVER (PARTITION BY isin ORDER BY date DESC) AS back FROM price)
      WHERE back <= 2 ORDER BY isin, back`,
    )
    .all()
  opened.close()
  const byFund = Map.groupBy(newest, ({ isin }) => isin)
  const lines = [...byFund].map(([isin, [last, before = last]]) => {
    const amounts = imported.map((name) => between(last?.[name] ?? '', before?.[name] ?? ''))
    return [isin, day, ...amounts].join(';')
  })
  const file = join(folder, 'next.csv')
  writeFileSync(file, `${['isin;date', ...imported].join(';')}\n${lines.join('\n')}\n`)
  const words = ['import', 'price', file, '--db', db, '--derive', '--no-backup', '--quiet']
  execFileSync(process.execPath, [fundpress, ...words])
}

/** The import derives the others. */
const imported = ['issue_price', 'repurchase_price', 'net_asset_value'] as const
type Price = Readonly<Record<'isin' | (typeof imported)[number], string>>

function between(last: string, before: string): string {
  const digits = last.split('.')[1]?.length ?? 0
  return (Number(last) + 0.8 * (Number(before) - Number(last))).toFixed(digits)
}
