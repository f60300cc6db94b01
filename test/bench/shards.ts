/**
 * One full build of documents, and the same in shards with their merge. The shards are built one after the other; on as
 * many machines they would be built at the same time.
 *
 * Options: --shards 8 --funds 40 --years 10 --jobs <cores> --until 2026-11-20 --db <a database of the demo>
 * It uses the disk of the folder that TMPDIR names.
 */

import { join } from 'node:path'
import { bench, type Measures } from './bench.ts'
import { buildOptions, measureBuild, openBuilds } from './builds.ts'

const options = { ...buildOptions, shards: { type: 'string', default: '8' } } as const

const full = 'full build'

export const run = bench(options, async (folder, { shards, ...values }) => {
  const { db, build: buildAll, describe } = await openBuilds(folder, values)
  const build = (out: string, ...part: readonly string[]) =>
    buildAll(join(folder, out), ...part, '--no-pages', '--no-downloads')
  const whole = await build('whole')
  const names = Array.from({ length: Number(shards) }, (_, index) => `shard-${index + 1}`)
  const each: Record<string, number[]> = {}
  for (const [index, out] of names.entries()) {
    const built = await build(out, '--shard', `${index + 1}/${shards}`)
    for (const [measure, value] of Object.entries(built)) (each[measure] ??= []).push(value)
  }
  const folders = names.map((name) => join(folder, name))
  const merge = await measureBuild(
    'build',
    '--merge',
    ...folders,
    '--db',
    db,
    '--out',
    join(folder, 'merged'),
  )
  const rows: Record<string, Measures> = {
    [full]: whole,
    [`one of ${shards} shards`]: each,
    'merge of the shards': merge,
  }
  return [
    {
      name: 'shards',
      about: describe(whole, 'one round'),
      rows,
      ratios: { 'seconds of full': { by: 'seconds', of: full }, 'CPU of full': { by: 'CPU s', of: full } },
    },
  ]
})
