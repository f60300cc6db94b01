/**
 * How long small commands take, beside Node itself. Compiled code is kept, as on a machine that ran the program before;
 * the cold ones find none.
 *
 * Options: --runs 9
 */

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { alternate, bench, fundpress } from './bench.ts'

const options = { runs: { type: 'string', default: '9' } } as const

const node = 'node -e 0'

export const run = bench(options, async (folder, { runs }) => {
  const env = {
    ...process.env,
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
  }
  const start = (args: readonly string[], more: NodeJS.ProcessEnv = {}) => {
    const started = performance.now()
    const { stderr } = spawnSync(process.execPath, args, {
      cwd: folder,
      env: { ...env, ...more },
      encoding: 'utf8',
    })
    const ms = performance.now() - started
    // An empty database has one problem: that it is empty.
    const reason = stderr.replace(/.* has 1 error, 0 warnings: .*\n/, '')
    if (reason !== '') throw new Error(`${args.join(' ')} failed: ${reason}`)
    return { ms }
  }
  start([fundpress, 'init', '--db', 'empty.sqlite', '--quiet'])
  const cold = { NODE_DISABLE_COMPILE_CACHE: '1' }
  const subjects = {
    [node]: () => start(['-e', '0']),
    '--version': () => start([fundpress, '--version']),
    '--help': () => start([fundpress, '--help']),
    'check of an empty database': () => start([fundpress, 'check', '--db', 'empty.sqlite']),
    '--version, cold': () => start([fundpress, '--version'], cold),
    'check of an empty database, cold': () => start([fundpress, 'check', '--db', 'empty.sqlite'], cold),
  }
  // The first ones fill the cache.
  for (const fill of Object.values(subjects)) fill()
  const rows = await alternate(Number(runs), subjects)
  const least = rows[node]['ms'] ?? []
  const over = (ms: readonly number[] = []) => ms.map((one, round) => one - (least[round] ?? 0))
  return [
    {
      name: 'start',
      about: `medians of ${runs} runs`,
      rows: Object.fromEntries(
        Object.entries(rows).map(([name, { ms = [] }]) => [name, { 'over Node, ms': over(ms), ms }]),
      ),
      goals: {
        '--version': { 'over Node, ms': 'at most 60' },
        'check of an empty database': { 'over Node, ms': 'at most 150' },
      },
    },
  ]
})
