/**
 * What benchmarks share: options, a folder of their own, programs that they measure, rounds, tables.
 *
 * A benchmark is a module with `run`, made by `bench`, and an entry in `main.ts`. It returns tables. To add a row, add a
 * subject to `alternate`, or an entry to the rows of a table: a name and its measures, each one number or one a round.
 *
 *     rows: { 'fundpress build': { 'CPU s': [20.1, 20, 20.4] }, 'the floor': { 'CPU s': [11.4, 11.2, 11.1] } },
 *     ratios: { 'of the floor': { by: 'CPU s', of: 'the floor' } },
 *     goals: { 'fundpress build': { 'of the floor': 'at most 1.5' } },
 *
 * The unit is part of a measure's name. Ratios are the first columns of the table, so a row needs no ratio of its own.
 * With its default options a benchmark takes half a minute at most.
 */

import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs, promisify, type ParseArgsConfig } from 'node:util'
import { makeTempFolder, mustRun } from '../support/product.ts'

/** What was measured of one subject: a number, or one a round, of which the median counts. */
export type Measures = Readonly<Record<string, number | readonly number[]>>

export interface Table {
  /** Unique among all tables: their heading. */
  readonly name: string
  /** What was measured, in numbers: how many funds, files, rounds. */
  readonly about: string
  readonly rows: Readonly<Record<string, Measures>>
  /** Columns that divide the measure `by` of a row by the measure `by` of the row `of`. */
  readonly ratios?: Readonly<Record<string, { readonly by: string; readonly of: string }>>
  /** By row and column, a ratio or a measure: what it should be, in words. */
  readonly goals?: Readonly<Record<string, Readonly<Record<string, string>>>>
}

export type Bench = (args: string[]) => Promise<readonly Table[]>

type Options = NonNullable<ParseArgsConfig['options']>
type Values<O extends Options> = ReturnType<typeof parseArgs<{ args: string[]; options: O }>>['values']

/** @returns a benchmark that parses its arguments, and removes its folder at the end */
export function bench<const O extends Options>(
  options: O,
  measure: (folder: string, values: Values<O>) => Promise<readonly Table[]>,
): Bench {
  return async (args) => {
    const { values } = parseArgs<{ args: string[]; options: O }>({ args, options })
    const { path, remove } = makeTempFolder()
    return measure(path, values).finally(remove)
  }
}

/** A benchmark cannot run on this machine: the run of all benchmarks goes on without it. */
export class Missing extends Error {}

export const isThere = (program: string) => spawnSync('which', [program]).status === 0

/** Measures each subject once a round, one after the other: what disturbs the machine for a while disturbs all of them. */
export async function alternate<Name extends string>(
  rounds: number,
  subjects: Readonly<
    Record<Name, (round: number) => Promise<Record<string, number>> | Record<string, number>>
  >,
): Promise<Record<Name, Record<string, readonly number[]>>> {
  if (!(rounds >= 1)) throw new Error('one round (--rounds, --runs) is the least')
  const rows: Record<string, Record<string, number[]>> = {}
  for (let round = 0; round < rounds; round++) {
    for (const name of Object.keys(subjects) as Name[]) {
      const row = (rows[name] ??= {})
      for (const [measure, value] of Object.entries(await subjects[name](round)))
        (row[measure] ??= []).push(value)
    }
  }
  return rows
}

export const fundpress = new URL('../../src/fundpress.mjs', import.meta.url).pathname

/** What a program took, as measures, and what it printed. CPU time is that of all its threads and processes together. */
export async function timed(program: string, args: readonly string[]) {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    AWS_DEFAULT_REGION: 'us-east-1',
    RCLONE_CONFIG: '/dev/null',
  }
  // The server is on loopback: a machine's own CA bundle only confuses rclone.
  delete env['AWS_CA_BUNDLE']
  const started = performance.now()
  const cpuBefore = cpuOfEnded()
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'], env })
  let peakMib = 0
  const watch = setInterval(() => {
    try {
      // One that has just ended has none any more.
      const status = readFileSync(`/proc/${child.pid ?? 0}/status`, 'utf8')
      const kib = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0)
      peakMib = Math.max(peakMib, Math.round(kib / 1024))
    } catch {
      // It has just ended.
    }
  }, 20)
  const closed = once(child, 'close')
  const stdout = await text(child.stdout)
  const [code] = (await closed) as [number | null]
  clearInterval(watch)
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}`)
  const seconds = (performance.now() - started) / 1000
  return { measures: { seconds, 'CPU s': cpuOfEnded() - cpuBefore, 'peak MiB': peakMib }, stdout }
}

/** The CPU seconds of all processes that this one has started and that have ended. */
function cpuOfEnded(): number {
  // Hundredths of a second, behind the name of the program in brackets: user, system.
  const stat = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(stat[13]) + Number(stat[14])) / 100
}

/** The newest day of every {@link demoSnapshot}. */
const demoUntil = '2026-11-18'

/**
 * A snapshot of the demo.
 * @param env without it the snapshot has neither pages nor downloads
 * @returns its database, its folder, and the fund with the longest history
 */
export async function demoSnapshot(folder: string, funds: number, years: number, env = {}) {
  const db = join(folder, 'funds.sqlite')
  const out = join(folder, 'out')
  const size = ['--funds', String(funds), '--years', String(years), '--until', demoUntil]
  await mustRun(['init', '--demo', '--db', db, ...size, '--quiet'])
  await mustRun(['build', '--db', db, '--out', out, '--as-of', '2026-11-19', '--quiet'], { env })
  const historic = join(out, 'api/v1/prices-historic')
  const [longest] = readdirSync(historic)
    .map((isin) => ({ isin, windows: readdirSync(join(historic, isin)).length }))
    .sort((one, other) => other.windows - one.windows)
  return { db, out, isin: longest?.isin ?? '' }
}

export interface WrkLoad {
  readonly seconds: number
  readonly connections: number
  /** More of wrk's own flags: a script, a header. */
  readonly args?: readonly string[]
  readonly mayRefuse?: boolean
}

/** @throws {Missing} */
export function assertWrk(): void {
  if (!isThere('wrk')) throw new Missing('wrk makes the load: apt-get install wrk')
}

/** Load by one thread of wrk. @throws {Error} if one answer was no success */
export async function wrk(url: string, { seconds, connections, args = [], mayRefuse = false }: WrkLoad) {
  const load = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '--latency', ...args, url]
  const { stdout } = await promisify(execFile)('wrk', load)
  if (stdout.includes('Socket errors') || (!mayRefuse && stdout.includes('Non-2xx')))
    throw new Error(`${url}: ${stdout}`)
  const toMs = { us: 0.001, ms: 1, s: 1000, m: 60_000 }
  const time = (pattern: string) => {
    const [, value, unit] = new RegExp(`${pattern}\\s+([\\d.]+)(us|ms|s|m)\\b`, 'm').exec(stdout) ?? []
    return Number(value) * toMs[unit as keyof typeof toMs]
  }
  return {
    'requests/s': Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]),
    'p50, ms': time('^\\s+50%'),
    'p99, ms': time('^\\s+99%'),
    'longest, ms': time('Latency\\s+\\S+\\s+\\S+'),
  }
}
