/**
 * A full build beside what it is measured by: `cp -a` of the finished tree on the same disk in the same run, and a
 * straightforward single-threaded render of the same documents. Rounds alternate, the table gives medians.
 *
 * Options: --funds 500 --years 10 --jobs <cores> --rounds 3 --sample 10 --dir <a folder on the disk to measure>
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { writeDemo } from '../../src/demo/demo.ts'
import { renderStraightforwardly } from './straightforward.ts'
import { printTable } from './table.ts'

const until = '2026-11-20'

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
  readonly seconds: number
  /** Of the whole process, all threads, in kibibytes. */
  readonly peakKib: number
}

async function measure(folder: string, { funds, years, jobs, rounds, sample }: Options): Promise<void> {
  const db = join(folder, 'funds.sqlite')
  await writeDemo({ file: db, funds: Number(funds), years: Number(years), until, seed: 1 })

  const builds: Built[] = []
  const copies: number[] = []
  for (let round = 0; round < Number(rounds); round++) {
    // Nothing is deleted between rounds: ext4 without a journal is slow to create files for minutes after that.
    const out = join(folder, `out-${round}`)
    // What is still to be written must not be counted for the next one.
    execFileSync('sync')
    const worker = new URL('./build-once.ts', import.meta.url).pathname
    builds.push(
      JSON.parse(
        execFileSync(process.execPath, [worker, db, out, until, jobs], { encoding: 'utf8' }),
      ) as Built,
    )
    execFileSync('sync')
    const started = performance.now()
    execFileSync('cp', ['-a', out, join(folder, `copy-${round}`)])
    copies.push((performance.now() - started) / 1000)
  }
  const straightforward = await renderStraightforwardly(db, join(folder, 'plain'), until, Number(sample))

  const build = median(builds.map(({ seconds }) => seconds))
  const cp = median(copies)
  const { documents, bytes } = builds[0] ?? { documents: 0, bytes: 0 }
  const perSecond = (count: number, seconds: number) => Math.round(count / seconds).toLocaleString('en')
  process.stdout.write(
    `${funds} funds, ${years} years: ${documents.toLocaleString('en')} documents, ${(bytes / 1e9).toFixed(2)} GB; ` +
      `medians of ${rounds} rounds\n\n`,
  )
  printTable([
    ['', 'seconds', 'documents/s', 'of cp -a', 'peak memory'],
    [
      `fundpress build --jobs ${jobs}`,
      build.toFixed(1),
      perSecond(documents, build),
      (build / cp).toFixed(2),
      `${Math.round(Math.max(...builds.map(({ peakKib }) => peakKib)) / 1024)} MiB`,
    ],
    ['cp -a of the finished tree', cp.toFixed(1), perSecond(documents, cp), '1.00', ''],
    [
      `straightforward render (${sample} funds)`,
      straightforward.seconds.toFixed(1),
      perSecond(straightforward.documents, straightforward.seconds),
      '',
      '',
    ],
  ])
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN
