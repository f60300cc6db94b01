/**
 * A full build of documents beside what it is measured by, on the same disk in the same run: its floor (`floor.ts` says what
 * that is), `cp -a` of the finished tree, and a straightforward single-threaded render of the same documents.
 *
 * Options: --funds 80 --years 10 --jobs <cores> --rounds 3 --sample 4 --until 2026-11-20 --db <a database of the demo>
 * --all (with pages and downloads, the default of a build)
 * It uses the disk of the folder that TMPDIR names.
 */

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { alternate, bench, timed } from './bench.ts'
import { buildOptions, openBuilds } from './builds.ts'
import { renderStraightforwardly } from './straightforward.ts'

const options = {
  ...buildOptions,
  // With fewer, what each start costs would count more than the documents.
  funds: { type: 'string', default: '80' },
  rounds: { type: 'string', default: '3' },
  /** Funds of the straightforward render. */
  sample: { type: 'string', default: '4' },
  all: { type: 'boolean', default: false },
} as const

const full = 'fundpress build'
const floor = 'the floor: the same bytes in one thread'
const copy = 'cp -a of the finished tree'

const floorProgram = new URL('./floor.ts', import.meta.url).pathname

export const run = bench(options, async (folder, { rounds, sample, all, ...values }) => {
  const { db, build, describe } = await openBuilds(folder, values)
  // Nothing is deleted between rounds: ext4 without a journal is slow to create files for minutes after that.
  const out = (round: number) => join(folder, `out-${round}`)
  const rows = await alternate(Number(rounds), {
    [full]: (round) => build(out(round), ...(all ? [] : ['--no-pages', '--no-downloads'])),
    [floor]: async (round) => {
      execFileSync('sync')
      const args = [floorProgram, out(round), join(folder, `floor-${round}`)]
      const { measures, stdout } = await timed(process.execPath, args)
      const { files, bytes, cpuSeconds } = JSON.parse(stdout) as Record<
        'files' | 'bytes' | 'cpuSeconds',
        number
      >
      return { 'CPU s': cpuSeconds, 'peak MiB': measures['peak MiB'], files, MB: bytes / 1e6 }
    },
    [copy]: (round) => {
      execFileSync('sync')
      const started = performance.now()
      execFileSync('cp', ['-a', out(round), join(folder, `copy-${round}`)])
      return { seconds: (performance.now() - started) / 1000 }
    },
  })
  const plain = await renderStraightforwardly(db, join(folder, 'plain'), values.until, Number(sample))
  const built = rows[full]
  const files = built['files']?.[0] ?? 0
  // A share of the documents, and so of the time.
  const seconds = (plain.seconds / plain.documents) * files
  return [
    {
      name: 'a build of documents',
      about: describe(built, `medians of ${rounds} rounds`),
      rows: { ...rows, [`straightforward render, from ${sample} funds`]: { seconds } },
      ratios: { 'of the floor': { by: 'CPU s', of: floor }, 'of cp -a': { by: 'seconds', of: copy } },
      goals: { [full]: { 'of the floor': 'at most 1.5' } },
    },
  ]
})
