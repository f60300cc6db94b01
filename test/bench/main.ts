/**
 * Measurements that `README.md` quotes. They are no tests.
 *
 *     npm run bench                              all, in small: three minutes
 *     npm run bench -- build --funds 500         one, with its options
 *     npm run -s bench -- --json >after.json     the same for another time
 *     npm run bench -- show after.json           as tables
 *     npm run bench -- compare before.json after.json
 */

import { Missing, type Bench } from './bench.ts'
import { compare, describeRun, readRun, thisRun, toMarkdown } from './tables.ts'

const benches: Readonly<Record<string, () => Promise<{ readonly run: Bench }>>> = {
  start: () => import('./start.ts'),
  build: () => import('./build.ts'),
  night: () => import('./night.ts'),
  publish: () => import('./publish.ts'),
  edge: () => import('./edge.ts'),
}
/** What takes minutes in any size. */
const onlyByName: typeof benches = {
  shards: () => import('./shards.ts'),
  outage: () => import('./outage.ts'),
}

const print = (text: string) => process.stdout.write(text)
const isJson = process.argv.includes('--json')
const [name, ...args] = process.argv.slice(2).filter((word) => word !== '--json')

if (name === 'show' || name === 'compare') {
  const [before, after] = args.map(readRun)
  if (before === undefined || (name === 'compare' && after === undefined))
    throw new Error(`${name} which file?`)
  print(describeRun(before.run))
  if (after === undefined) for (const table of before.tables) print(`\n${toMarkdown(table)}`)
  else print(`${describeRun(after.run)}\n${compare(before.tables, after.tables)}`)
} else if (name === undefined) {
  start()
  for (const each of Object.keys(benches)) {
    try {
      await measure(each, [])
    } catch (error) {
      if (!(error instanceof Missing)) throw error
      process.stderr.write(`without ${each}: ${error.message}\n`)
    }
  }
} else {
  start()
  await measure(name, args)
}

function start() {
  const run = thisRun()
  print(isJson ? `${JSON.stringify(run)}\n` : describeRun(run))
}

async function measure(bench: string, options: string[]): Promise<void> {
  const load = { ...benches, ...onlyByName }[bench]
  if (load === undefined)
    throw new Error(
      `which benchmark? ${Object.keys({ ...benches, ...onlyByName }).join(', ')}, show, compare`,
    )
  const { run } = await load()
  for (const table of await run(options))
    print(isJson ? `${JSON.stringify({ bench, ...table })}\n` : `\n${toMarkdown(table)}`)
}
