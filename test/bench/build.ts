/**
 * A full build beside what it is measured by: `cp -a` of the finished tree on the same disk in the same run, and a
 * straightforward single-threaded render of the same documents. Then builds that go on from it after a night with one
 * new price a fund: sparse, and with links to the files that did not change. Rounds alternate, the table gives medians.
 * With --shards it is one full build instead, and that number of shards with their merge.
 *
 * Options: --funds 500 --years 10 --jobs <cores> --rounds 3 --sample 10 --dir <a folder on the disk to measure>
 * --until 2026-11-20 --no-pages --downloads --shards <number> --db <a database of the demo, made if it is not there, and kept>
 */

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { addBusinessDays } from 'date-fns/addBusinessDays'
import { formatISO } from 'date-fns/formatISO'
import { parseISO } from 'date-fns/parseISO'
import { writeDemo } from '../../src/demo/demo.ts'
import { manifestKey } from '../../src/snapshot/manifest.ts'
import type { Built, Once } from './build-once.ts'
import { renderStraightforwardly } from './straightforward.ts'
import { printTable } from './table.ts'

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      funds: { type: 'string', default: '500' },
      years: { type: 'string', default: '10' },
      jobs: { type: 'string', default: String(availableParallelism()) },
      rounds: { type: 'string', default: '3' },
      sample: { type: 'string', default: '10' },
      until: { type: 'string', default: '2026-11-20' },
      dir: { type: 'string', default: tmpdir() },
      'no-pages': { type: 'boolean', default: false },
      downloads: { type: 'boolean', default: false },
      shards: { type: 'string' },
      db: { type: 'string' },
    },
  })
  const folder = mkdtempSync(join(values.dir, 'fundpress-bench-'))
  try {
    const { until } = values
    const db = values.db ?? join(folder, 'funds.sqlite')
    if (!existsSync(db))
      await writeDemo({ file: db, funds: Number(values.funds), years: Number(values.years), until, seed: 1 })
    const options = { ...values, db, hasPages: !values['no-pages'], hasDownloads: values.downloads }
    if (values.shards === undefined) await measure(folder, options)
    else measureShards(folder, { ...options, of: Number(values.shards) })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Options {
  readonly db: string
  readonly funds: string
  readonly years: string
  readonly jobs: string
  readonly rounds: string
  readonly sample: string
  /** The day of the newest prices. */
  readonly until: string
  readonly hasPages: boolean
  readonly hasDownloads: boolean
}

async function measure(folder: string, options: Options): Promise<void> {
  const { db, jobs, rounds, sample, until, hasPages, hasDownloads } = options
  const nextNight = businessDayAfter(until)
  const next = join(folder, 'next.sqlite')
  copyFileSync(db, next)
  addPrices(next, nextNight)

  const common = { jobs: Number(jobs), hasPages, hasDownloads }
  const builds: Built[] = []
  const sparse: Built[] = []
  const linked: Built[] = []
  const copies: number[] = []
  for (let round = 0; round < Number(rounds); round++) {
    // Nothing is deleted between rounds: ext4 without a journal is slow to create files for minutes after that.
    const out = join(folder, `out-${round}`)
    const ofNext = { ...common, db: next, asOf: nextNight }
    builds.push(buildOnce({ ...common, db, out, asOf: until }))
    const manifest = { kind: 'manifest', path: join(out, manifestKey) } as const
    sparse.push(buildOnce({ ...ofNext, out: `${out}-sparse`, since: manifest }))
    linked.push(buildOnce({ ...ofNext, out: `${out}-linked`, since: { kind: 'folder', path: out } }))
    execFileSync('sync')
    const started = performance.now()
    execFileSync('cp', ['-a', out, join(folder, `copy-${round}`)])
    copies.push((performance.now() - started) / 1000)
  }
  const straightforward = await renderStraightforwardly(db, join(folder, 'plain'), until, Number(sample))

  const cp = median(copies)
  const full = { cp, of: medianOf(builds, 'seconds'), cpuOf: medianOf(builds, 'cpuSeconds') }
  const documents = builds[0]?.documents ?? 0
  announce(options, builds[0], `medians of ${rounds} rounds`)
  printTable([
    ['', 'rendered', 'seconds', 'documents/s', 'of cp -a', 'of full', 'CPU seconds', 'peak memory'],
    rowOf(`fundpress build --jobs ${jobs}`, builds, full),
    rowOf('--since a manifest, a new price a fund', sparse, full),
    rowOf('--since a folder, a new price a fund', linked, full),
    ['cp -a of the finished tree', '', cp.toFixed(1), perSecond(documents, cp), '1.00', '', '', ''],
    [
      `straightforward render (${sample} funds)`,
      straightforward.documents.toLocaleString('en'),
      straightforward.seconds.toFixed(1),
      perSecond(straightforward.documents, straightforward.seconds),
      ...['', '', '', ''],
    ],
  ])
}

/** One after the other on this machine; on as many machines the shards would be built at the same time. */
function measureShards(folder: string, options: Options & { readonly of: number }): void {
  const { db, jobs, until, hasPages, hasDownloads, of } = options
  const common = { db, asOf: until, jobs: Number(jobs), hasPages, hasDownloads }
  const whole = buildOnce({ ...common, out: join(folder, 'whole') })
  const folders = Array.from({ length: of }, (_, index) => join(folder, `shard-${index + 1}`))
  const shards = folders.map((out, index) =>
    buildOnce({ ...common, out, part: { kind: 'shard', number: index + 1, of } }),
  )
  const merged = buildOnce({ ...common, out: join(folder, 'merged'), shards: folders })
  const full = { cp: null, of: whole.seconds, cpuOf: whole.cpuSeconds }
  announce(options, whole, `one round`)
  printTable([
    ['', 'rendered', 'seconds', 'documents/s', 'of cp -a', 'of full', 'CPU seconds', 'peak memory'],
    rowOf(`fundpress build --jobs ${jobs}`, [whole], full),
    rowOf(`one of ${of} shards (median, largest peak)`, shards, full),
    rowOf(`merge of ${of} shards`, [merged], full),
  ])
}

function announce(
  { funds, years, hasPages, hasDownloads }: Options,
  one: Built | undefined,
  rounds: string,
): void {
  const { documents, bytes } = one ?? { documents: 0, bytes: 0 }
  process.stdout.write(
    `${funds} funds, ${years} years, ${hasPages ? 'with' : 'without'} pages, ${hasDownloads ? 'with' : 'without'} downloads: ` +
      `${documents.toLocaleString('en')} files, ${(bytes / 1e9).toFixed(2)} GB; ${rounds}\n\n`,
  )
}

/** A full build's seconds and CPU seconds, and the seconds of `cp -a`. */
interface Full {
  readonly cp: number | null
  readonly of: number
  readonly cpuOf: number
}

function rowOf(name: string, some: readonly Built[], { cp, of, cpuOf }: Full): string[] {
  const seconds = medianOf(some, 'seconds')
  const cpuSeconds = medianOf(some, 'cpuSeconds')
  const peakKib = Math.max(...some.map((one) => one.peakKib))
  return [
    name,
    (some[0]?.rendered ?? 0).toLocaleString('en'),
    seconds.toFixed(1),
    perSecond(some[0]?.documents ?? 0, seconds),
    cp === null ? '' : (seconds / cp).toFixed(2),
    percent(seconds, of),
    `${cpuSeconds.toFixed(1)} (${percent(cpuSeconds, cpuOf)})`,
    `${Math.round(peakKib / 1024)} MiB`,
  ]
}

/** In a process of its own. */
function buildOnce(once: Once): Built {
  // What is still to be written must not be counted for this one.
  execFileSync('sync')
  const worker = new URL('./build-once.ts', import.meta.url).pathname
  // The launcher of the program keeps compiled code, too.
  const cache = new URL('../../node_modules/.cache/compiled', import.meta.url).pathname
  const env = { ...process.env, NODE_COMPILE_CACHE: cache }
  return JSON.parse(
    execFileSync(process.execPath, [worker, JSON.stringify(once)], { encoding: 'utf8', env }),
  ) as Built
}

const businessDayAfter = (day: string) =>
  formatISO(addBusinessDays(parseISO(day), 1), { representation: 'date' })

/** Gives each fund a price for another day. */
function addPrices(file: string, day: string): void {
  const db = new Database(file)
  db.prepare(
    `INSERT INTO price SELECT isin, ?, issue_price, repurchase_price, net_asset_value, change, change_percent,
      performance, intercompany_profit, share_profit, real_estate_profits, share_profit2
    FROM price WHERE (isin, date) IN (SELECT isin, max(date) FROM price GROUP BY isin)`,
  ).run(day)
  db.close()
}

const perSecond = (count: number, seconds: number) => Math.round(count / seconds).toLocaleString('en')

const percent = (part: number, whole: number) => `${Math.round((part / whole) * 100)} %`

const medianOf = (some: readonly Built[], what: 'seconds' | 'cpuSeconds') =>
  median(some.map((one) => one[what]))

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN
