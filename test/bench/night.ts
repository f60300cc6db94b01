/**
 * A night as most have it, with pages, downloads and one new price a fund, beside the full build of the same database:
 * since a folder, with links to the files that did not change, and since a manifest.
 *
 * Options: --funds 100 --years 10 --jobs <cores> --rounds 3 --until 2026-11-20 --db <a database of the demo>
 * It uses the disk of the folder that TMPDIR names.
 */

import { join } from 'node:path'
import { manifestKey } from '../../src/build/manifest.ts'
import { alternate, bench } from './bench.ts'
import { buildOptions, openBuilds } from './builds.ts'

const options = { ...buildOptions, rounds: { type: 'string', default: '3' } } as const

const full = 'full build'

export const run = bench(options, async (folder, { rounds, ...values }) => {
  const { build, nextNight, describe } = await openBuilds(folder, values)
  const buildNext = nextNight()
  const kinds = { 'with pages and downloads': [], 'documents only': ['--no-pages', '--no-downloads'] }
  const tables = []
  for (const [name, flags] of Object.entries(kinds)) {
    // Nothing is deleted between rounds: ext4 without a journal is slow to create files for minutes after that.
    const out = (round: number, what: string) => join(folder, `${flags.length}-${round}-${what}`)
    const since = (round: number) => out(round, 'full')
    const rows = await alternate(Number(rounds), {
      [full]: (round) => build(since(round), ...flags),
      'since a folder': (round) => buildNext(out(round, 'linked'), '--since', since(round), ...flags),
      'since a manifest': (round) =>
        buildNext(out(round, 'sparse'), '--since', join(since(round), manifestKey), ...flags),
    })
    const { files = [], MB = [] } = rows[full]
    tables.push({
      name: `night ${name}`,
      about: describe({ files: files[0] ?? 0, MB: MB[0] ?? 0 }, `medians of ${rounds} rounds`),
      rows,
      ratios: { 'seconds of full': { by: 'seconds', of: full }, 'CPU of full': { by: 'CPU s', of: full } },
      goals: flags.length > 0 ? {} : { 'since a folder': { 'seconds of full': 'at most 0.4' } },
    })
  }
  return tables
})
