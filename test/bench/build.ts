/**
 * A full build beside what it is measured by: `cp -a` of the finished tree on the same disk in the same run, and a
 * straightforward single-threaded render of the same documents. Then builds that go on from it after a night with one
 * new price a fund: sparse, and with links to the files that did not change. Rounds alternate, the table gives medians.
 * With --shards it is one full build instead, and that number of shards with their merge.
 *
 * Options: --funds 500 --years 10 --jobs <cores> --rounds 3 --sample 10
 * --until 2026-11-20 --no-pages --downloads --shards <number> --db <a database of the demo, made if it is not there, and kept>
 * It uses the disk of the folder that TMPDIR names.
 */

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { addBusinessDays } from 'date-fns/addBusinessDays'
import { formatISO } from 'date-fns/formatISO'
import { parseISO } from 'date-fns/parseISO'
import { writeDemo } from '../../src/demo/demo.ts'
import { manifestKey } from '../../src/build/manifest.ts'
import { renderStraightforwardly } from './straightforward.ts'
import { bench, fundpress, printTable, timed, type Timed } from './bench.ts'

const options = {
  funds: { type: 'string', default: '500' },
  years: { type: 'string', default: '10' },
  jobs: { type: 'string', default: String(availableParallelism()) },
  rounds: { type: 'string', default: '3' },
  sample: { type: 'string', default: '10' },
  /** The day of the newest prices. */
  until: { type: 'string', default: '2026-11-20' },
  'no-pages': { type: 'boolean', default: false },
  downloads: { type: 'boolean', default: false },
  shards: { type: 'string' },
  db: { type: 'string' },
} as const

export const run = bench(options, async (folder, values) => {
  const { until, funds, years } = values
  const db = values.db ?? join(folder, 'funds.sqlite')
  if (!existsSync(db))
    await writeDemo({ file: db, funds: Number(funds), years: Number(years), until, seed: 1 })
  const hasPages = !values['no-pages']
  const flags = ['--jobs', values.jobs]
  if (!hasPages) flags.push('--no-pages')
  if (!values.downloads) flags.push('--no-downloads')
  const what = `${funds} funds, ${years} years, ${hasPages ? 'with' : 'without'} pages, ${values.downloads ? 'with' : 'without'} downloads`
  const common = { folder, db, until, flags, what }
  if (values.shards === undefined) await measure(common, values)
  else await measureShards(common, Number(values.shards))
})

interface Common {
  readonly folder: string
  readonly db: string
  readonly until: string
  readonly flags: readonly string[]
  /** For the line above the table. */
  readonly what: string
}

interface Built extends Timed {
  readonly documents: number
  readonly bytes: number
  readonly rendered: number
}

/** @param args of `build` or `merge`, which comes first */
async function measureOnce(...args: readonly string[]): Promise<Built> {
  // What is still to be written must not be counted for this one.
  execFileSync('sync')
  const addresses = args[0] === 'build' ? ['--docs-url', 'https://docs.example.com', '--quiet'] : ['--quiet']
  const ran = await timed(process.execPath, [fundpress, ...args, ...addresses, '--json'])
  return { ...ran, ...(JSON.parse(ran.stdout) as Omit<Built, keyof Timed> & Pick<Timed, 'seconds'>) }
}

async function measure(common: Common, { rounds, sample }: Record<'rounds' | 'sample', string>) {
  const { folder, db, until, flags, what } = common
  const nextDay = formatISO(addBusinessDays(parseISO(until), 1), { representation: 'date' })
  const next = join(folder, 'next.sqlite')
  copyFileSync(db, next)
  addPrices(next, nextDay)

  const builds: Built[] = []
  const sparse: Built[] = []
  const linked: Built[] = []
  const copies: number[] = []
  for (let round = 0; round < Number(rounds); round++) {
    // Nothing is deleted between rounds: ext4 without a journal is slow to create files for minutes after that.
    const out = join(folder, `out-${round}`)
    const since = (name: string, place: string) =>
      measureOnce('build', '--db', next, '--as-of', nextDay, '--out', out + name, '--since', place, ...flags)
    builds.push(await measureOnce('build', '--db', db, '--as-of', until, '--out', out, ...flags))
    sparse.push(await since('-sparse', join(out, manifestKey)))
    linked.push(await since('-linked', out))
    execFileSync('sync')
    const started = performance.now()
    execFileSync('cp', ['-a', out, join(folder, `copy-${round}`)])
    copies.push((performance.now() - started) / 1000)
  }
  const plain = await renderStraightforwardly(db, join(folder, 'plain'), until, Number(sample))
  const speed = perSecond(plain.documents, plain.seconds)
  const straightforward = [plain.documents.toLocaleString('en'), plain.seconds.toFixed(1), speed]

  const cp = median(copies)
  const documents = builds[0]?.documents ?? 0
  announce(what, builds[0], `medians of ${rounds} rounds`)
  printTable([
    columns,
    rowOf(`fundpress build --jobs ${flags[1]}`, builds, builds, cp),
    rowOf('--since a manifest, a new price a fund', sparse, builds, cp),
    rowOf('--since a folder, a new price a fund', linked, builds, cp),
    ['cp -a of the finished tree', '', cp.toFixed(1), perSecond(documents, cp), '1.00', '', '', ''],
    [`straightforward render (${sample} funds)`, ...straightforward, '', '', '', ''],
  ])
}

/** One after the other on this machine; on as many machines the shards would be built at the same time. */
async function measureShards({ folder, db, until, flags, what }: Common, of: number) {
  const build = (out: string, ...part: readonly string[]) =>
    measureOnce('build', '--db', db, '--as-of', until, '--out', out, ...part, ...flags)
  const whole = await build(join(folder, 'whole'))
  const folders = Array.from({ length: of }, (_, index) => join(folder, `shard-${index + 1}`))
  const shards: Built[] = []
  for (const [index, out] of folders.entries()) shards.push(await build(out, '--shard', `${index + 1}/${of}`))
  const merged = await measureOnce('merge', ...folders, '--db', db, '--out', join(folder, 'merged'))
  announce(what, whole, 'one round')
  printTable([
    columns,
    rowOf(`fundpress build --jobs ${flags[1]}`, [whole], [whole]),
    rowOf(`one of ${of} shards (median, largest peak)`, shards, [whole]),
    rowOf(`merge of ${of} shards`, [merged], [whole]),
  ])
}

const columns = '|rendered|seconds|documents/s|of cp -a|of full|CPU seconds|peak memory'.split('|')

function announce(what: string, one: Built | undefined, rounds: string): void {
  const { documents, bytes } = one ?? { documents: 0, bytes: 0 }
  const size = `${documents.toLocaleString('en')} files, ${(bytes / 1e9).toFixed(2)} GB`
  process.stdout.write(`${what}: ${size}; ${rounds}\n\n`)
}

/** @param whole full builds @param cp the seconds of `cp -a` */
function rowOf(name: string, some: readonly Built[], whole: readonly Built[], cp?: number): string[] {
  const seconds = medianOf(some, 'seconds')
  const cpuSeconds = medianOf(some, 'cpuSeconds')
  const peakMib = Math.max(...some.map((one) => one.peakMib))
  return [
    name,
    (some[0]?.rendered ?? 0).toLocaleString('en'),
    seconds.toFixed(1),
    perSecond(some[0]?.documents ?? 0, seconds),
    cp === undefined ? '' : (seconds / cp).toFixed(2),
    percent(seconds, medianOf(whole, 'seconds')),
    `${cpuSeconds.toFixed(1)} (${percent(cpuSeconds, medianOf(whole, 'cpuSeconds'))})`,
    `${peakMib} MiB`,
  ]
}

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
