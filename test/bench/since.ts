/**
 * The build of a night as most have it, with pages, downloads and one new price a fund, beside the full build of the same database:
 * since a folder, with links to the files that did not change, and since a manifest.
 *
 * Options: --documents-only --funds 40 --years 10 --jobs <cores> --rounds 3 --until 2026-11-20 --db <a database of the demo>
 * It uses the disk of the folder that TMPDIR names.
 */

import { join } from 'node:path'
import { manifestKey } from '../../src/core/snapshot/manifest.ts'
import { alternate, bench } from './bench.ts'
import { buildOptions, openBuilds } from './builds.ts'

const options = {
  ...buildOptions,
  rounds: { type: 'string', default: '3' },
  /** Without pages and downloads. */
  'documents-only': { type: 'boolean', default: false },
} as const

const full = 'full build'

export const run = bench(options, async (folder, { rounds, 'documents-only': isPlain, ...values }) => {
  const { build, nightsAfter, describe } = await openBuilds(folder, values)
  const next = nightsAfter(1).flatMap(({ db, day }) => ['--db', db, '--as-of', day])
  const buildNext = (out: string, ...flags: readonly string[]) => build(out, ...next, ...flags)
  const flags = isPlain ? ['--no-pages', '--no-downloads'] : []
  // Nothing is deleted between rounds: ext4 without a journal is slow to create files for minutes after that.
  const out = (round: number, what: string) => join(folder, `${round}-${what}`)
  const since = (round: number) => out(round, 'full')
  const rows = await alternate(Number(rounds), {
    [full]: (round) => build(since(round), ...flags),
    'since a folder': (round) => buildNext(out(round, 'linked'), '--since', since(round), ...flags),
    'since a manifest': (round) =>
      buildNext(out(round, 'sparse'), '--since', join(since(round), manifestKey), ...flags),
  })
  return [
    {
      name: isPlain ? 'the build of a night, documents only' : 'the build of a night',
      about: describe(rows[full], `medians of ${rounds} rounds`),
      rows,
      ratios: { 'seconds of full': { by: 'seconds', of: full }, 'CPU of full': { by: 'CPU s', of: full } },
      goals: isPlain ? {} : { 'since a folder': { 'seconds of full': 'at most 0.4' } },
    },
  ]
})
