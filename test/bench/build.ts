/**
 * A full build of documents beside what it is measured by: `cp -a` of the finished tree on the same disk in the same
 * run, and a straightforward single-threaded render of the same documents.
 *
 * Options: --funds 100 --years 10 --jobs <cores> --rounds 3 --sample 4 --until 2026-11-20 --db <a database of the demo>
 * It uses the disk of the folder that TMPDIR names.
 */

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { alternate, bench } from './bench.ts'
import { buildOptions, openBuilds } from './builds.ts'
import { renderStraightforwardly } from './straightforward.ts'

const options = {
  ...buildOptions,
  rounds: { type: 'string', default: '3' },
  /** Funds of the straightforward render. */
  sample: { type: 'string', default: '4' },
} as const

const full = 'fundpress build'
const copy = 'cp -a of the finished tree'

export const run = bench(options, async (folder, { rounds, sample, ...values }) => {
  const { db, build, describe } = await openBuilds(folder, values)
  // Nothing is deleted between rounds: ext4 without a journal is slow to create files for minutes after that.
  const out = (round: number) => join(folder, `out-${round}`)
  const rows = await alternate(Number(rounds), {
    [full]: (round) => build(out(round), '--no-pages', '--no-downloads'),
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
      name: 'build of documents',
      about: describe({ files, MB: built['MB']?.[0] ?? 0 }, `medians of ${rounds} rounds`),
      rows: { ...rows, [`straightforward render, from ${sample} funds`]: { seconds } },
      ratios: { 'of cp -a': { by: 'seconds', of: copy } },
    },
  ]
})
