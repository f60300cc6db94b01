/**
 * Measurements that `README.md` quotes. They are no tests.
 *
 *     npm run bench                              all, in small: three minutes
 *     npm run bench build -- --funds 500         one, with its options
 *     npm run -s bench -- --json >after.json     the same for another time
 *     npm run bench show after.json              as tables
 *     npm run bench quote after.json             as the figures of README.md
 *     npm run bench compare before.json after.json
 *     npm run bench compare main night -- --funds 20    a revision beside this checkout, in one run
 */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Missing, type Bench } from './bench.ts'
import { measureBoth } from './revision.ts'
import { compare, costlier, describeRun, readRun, thisRun, toMarkdown } from './tables.ts'

const benches: Readonly<Record<string, () => Promise<{ readonly run: Bench }>>> = {
  start: () => import('./start.ts'),
  build: () => import('./build.ts'),
  since: () => import('./since.ts'),
  night: () => import('./night.ts'),
  publish: () => import('./publish.ts'),
  edge: () => import('./edge.ts'),
  cpu: () => import('./cpu.ts'),
  ranges: () => import('./ranges.ts'),
  fundsxml: () => import('./fundsxml.ts'),
}
/** With what takes minutes in any size: it runs only by its name. */
const all: typeof benches = {
  ...benches,
  shards: () => import('./shards.ts'),
  slots: () => import('./slots.ts'),
  outage: () => import('./outage.ts'),
  year: () => import('./year.ts'),
  budget: () => import('./budget/budget.ts'),
}

const print = (text: string) => process.stdout.write(text)
const isJson = process.argv.includes('--json')
const [name, ...args] = process.argv.slice(2).filter((word) => word !== '--json')

if (name === 'show' || name === 'quote') {
  const { run, tables } = readRun(args[0] ?? usage())
  const text = [describeRun(run), ...tables.map(toMarkdown)].join('\n')
  if (name === 'show') print(text)
  else quote(text)
} else if (name === 'compare') {
  const [from = usage(), ...others] = args
  const [before, after] = from.endsWith('.json')
    ? [readRun(from), readRun(others[0] ?? usage())]
    : measureBoth(from, others)
  print([describeRun(before.run), describeRun(after.run), compare(before.tables, after.tables)].join('\n'))
  const costly = costlier(before.tables, after.tables)
  for (const line of costly) process.stderr.write(`costs more than a tenth more: ${line}\n`)
  if (costly.length > 0) process.exitCode = 1
} else if (name === undefined) {
  printRun()
  for (const each of Object.keys(benches)) {
    try {
      await measure(each, [])
    } catch (error) {
      if (!(error instanceof Missing)) throw error
      process.stderr.write(`without ${each}: ${error.message}\n`)
    }
  }
} else {
  if (!Object.hasOwn(all, name)) usage()
  printRun()
  await measure(name, args)
}

function printRun() {
  const run = thisRun()
  print(isJson ? `${JSON.stringify(run)}\n` : describeRun(run))
}

/** Puts the tables into README.md, between the heading of the figures and the next one. */
function quote(tables: string) {
  const readme = join(import.meta.dirname, 'README.md')
  const figures = /(?<=^## Figures\n).*?(?=^## )/ms
  writeFileSync(
    readme,
    readFileSync(readme, 'utf8').replace(figures, () => `\n${tables}\n`),
  )
}

async function measure(bench: string, options: string[]): Promise<void> {
  const { run } = (await all[bench]?.()) ?? usage()
  const started = performance.now()
  for (const table of await run(options))
    print(isJson ? `${JSON.stringify({ bench, ...table })}\n` : `\n${toMarkdown(table)}`)
  process.stderr.write(`${bench}: ${Math.round((performance.now() - started) / 1000)} s\n`)
}

function usage(): never {
  process.stderr.write(`usage: npm run bench -- [${Object.keys(all).join('|')}] [options] [--json]\n`)
  process.stderr.write(
    '       npm run bench -- show|quote <file>, compare <file> <file>, or compare <revision> [options]\n',
  )
  process.exit(2)
}
