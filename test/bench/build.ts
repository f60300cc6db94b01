/**
 * A full build beside what it is measured by: `cp -a` of the finished tree on the same disk in the same run, and a
 * straightforward single-threaded render of the same documents. Then builds that go on from it after a night with one
 * new price a fund: sparse, and with links to the files that did not change. Rounds alternate, the table gives medians.
 *
 * Options: --funds 500 --years 10 --jobs <cores> --rounds 3 --sample 10 --dir <a folder on the disk to measure>
 */

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import Database from 'better-sqlite3'
import { writeDemo } from '../../src/demo/demo.ts'
import { manifestKey } from '../../src/snapshot/manifest.ts'
import { renderStraightforwardly } from './straightforward.ts'
import { printTable } from './table.ts'

const until = '2026-11-20'
/** The next business day. */
const nextNight = '2026-11-23'

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      funds: { type: 'string', default: '500' },
      years: { type: 'string', default: '10' },
      jobs: { type: 'string', default: String(availableParallelism()) },
      rounds: { type: 'string', default: '3' },
      sample: { type: 'string', default: '10' },
      dir: { type: 'string', default: tmpdir() },
    },
  })
  const folder = mkdtempSync(join(values.dir, 'fundpress-bench-'))
  try {
    await measure(folder, values)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Options {
  readonly funds: string
  readonly years: string
  readonly jobs: string
  readonly rounds: string
  readonly sample: string
}

interface Built {
  readonly documents: number
  readonly bytes: number
  readonly rendered: number
  readonly seconds: number
  /** Of all threads together. */
  readonly cpuSeconds: number
  /** Of the whole process, all threads, in kibibytes. */
  readonly peakKib: number
}

async function measure(folder: string, { funds, years, jobs, rounds, sample }: Options): Promise<void> {
  const db = join(folder, 'funds.sqlite')
  await writeDemo({ file: db, funds: Number(funds), years: Number(years), until, seed: 1 })

  const next = join(folder, 'next.sqlite')
  copyFileSync(db, next)
  addPrices(next)

  const builds: Built[] = []
  const sparse: Built[] = []
  const linked: Built[] = []
  const copies: number[] = []
  for (let round = 0; round < Number(rounds); round++) {
    // Nothing is deleted between rounds: ext4 without a journal is slow to create files for minutes after that.
    const out = join(folder, `out-${round}`)
    builds.push(buildOnce(db, out, until, jobs))
    sparse.push(buildOnce(next, `${out}-sparse`, nextNight, jobs, 'manifest', join(out, manifestKey)))
    linked.push(buildOnce(next, `${out}-linked`, nextNight, jobs, 'folder', out))
    execFileSync('sync')
    const started = performance.now()
    execFileSync('cp', ['-a', out, join(folder, `copy-${round}`)])
    copies.push((performance.now() - started) / 1000)
  }
  const straightforward = await renderStraightforwardly(db, join(folder, 'plain'), until, Number(sample))

  const build = median(builds.map(({ seconds }) => seconds))
  const buildCpu = median(builds.map(({ cpuSeconds }) => cpuSeconds))
  const cp = median(copies)
  const { documents, bytes } = builds[0] ?? { documents: 0, bytes: 0 }
  const perSecond = (count: number, seconds: number) => Math.round(count / seconds).toLocaleString('en')
  const rowOf = (name: string, some: readonly Built[]) => {
    const seconds = median(some.map((one) => one.seconds))
    const cpuSeconds = median(some.map((one) => one.cpuSeconds))
    const peakKib = Math.max(...some.map((one) => one.peakKib))
    return [
      name,
      (some[0]?.rendered ?? 0).toLocaleString('en'),
      seconds.toFixed(1),
      perSecond(documents, seconds),
      (seconds / cp).toFixed(2),
      percent(seconds, build),
      `${cpuSeconds.toFixed(1)} (${percent(cpuSeconds, buildCpu)})`,
      `${Math.round(peakKib / 1024)} MiB`,
    ]
  }
  process.stdout.write(
    `${funds} funds, ${years} years: ${documents.toLocaleString('en')} documents, ${(bytes / 1e9).toFixed(2)} GB; ` +
      `medians of ${rounds} rounds\n\n`,
  )
  printTable([
    ['', 'rendered', 'seconds', 'documents/s', 'of cp -a', 'of full', 'CPU seconds', 'peak memory'],
    rowOf(`fundpress build --jobs ${jobs}`, builds),
    rowOf('--since a manifest, a new price a fund', sparse),
    rowOf('--since a folder, a new price a fund', linked),
    ['cp -a of the finished tree', '', cp.toFixed(1), perSecond(documents, cp), '1.00', '', '', ''],
    [
      `straightforward render (${sample} funds)`,
      straightforward.documents.toLocaleString('en'),
      straightforward.seconds.toFixed(1),
      perSecond(straightforward.documents, straightforward.seconds),
      '',
      '',
      '',
      '',
    ],
  ])
}

/** In a process of its own. */
function buildOnce(...args: readonly string[]): Built {
  // What is still to be written must not be counted for this one.
  execFileSync('sync')
  const worker = new URL('./build-once.ts', import.meta.url).pathname
  return JSON.parse(execFileSync(process.execPath, [worker, ...args], { encoding: 'utf8' })) as Built
}

/** Gives each fund a price for the next night. */
function addPrices(file: string): void {
  const db = new Database(file)
  db.prepare(
    `INSERT INTO price SELECT isin, ?, issue_price, repurchase_price, net_asset_value, change, change_percent,
      performance, intercompany_profit, share_profit, real_estate_profits, share_profit2
    FROM price WHERE (isin, date) IN (SELECT isin, max(date) FROM price GROUP BY isin)`,
  ).run(nextNight)
  db.close()
}

const percent = (part: number, whole: number) => `${Math.round((part / whole) * 100)} %`

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN
