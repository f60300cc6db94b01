/** Tables of benchmarks as Markdown, as JSON lines, and two runs compared. */

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, totalmem } from 'node:os'
import type { Table } from './bench.ts'

/** Where and when a run was: the first line of its JSON. */
export interface Run {
  readonly commit: string
  readonly date: string
  readonly machine: string
}

type TableOfBench = Table & { readonly bench: string }

export function thisRun(): Run {
  const [cpu] = cpus()
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`
  return {
    commit: execFileSync('git', ['describe', '--always', '--dirty'], { encoding: 'utf8' }).trim(),
    date: new Date().toISOString().slice(0, 16) + 'Z',
    machine: `${cpus().length} × ${cpu?.model ?? 'unknown CPU'}, ${memory}, Node ${process.versions.node}`,
  }
}

export const describeRun = ({ commit, date, machine }: Run) => `Commit ${commit}, ${date}: ${machine}.\n`

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** @returns a heading and the table: ratios first, then measures, medians of rounds */
export function toMarkdown(table: Table): string {
  const ratios = Object.keys(table.ratios ?? {})
  const columns = [...new Set([...ratios, ...Object.values(table.rows).flatMap(Object.keys)])]
  const body = Object.keys(table.rows).map((row) => [
    row,
    ...columns.map((column) => {
      const values = valuesOf(table, row, column)
      const goal = table.goals?.[row]?.[column]
      if (values.length === 0) return ''
      return shown(median(values)) + (goal === undefined ? '' : ` (${goal})`)
    }),
  ])
  return `### ${capital(table.name)}\n\n${capital(table.about)}.\n\n${markdownLines([['', ...columns], ...body])}`
}

/** @returns all rows of both runs side by side; those that changed by more than the rounds vary are marked */
export function compare(before: readonly TableOfBench[], after: readonly TableOfBench[]): string {
  const known = new Map(before.map((table) => [`${table.bench} ${table.name}`, table]))
  return after
    .flatMap((table) => {
      const old = known.get(`${table.bench} ${table.name}`)
      if (old === undefined) return []
      const isSame = old.about === table.about
      const about = isSame ? table.about : `${old.about} (before); ${table.about} (after)`
      const body = Object.keys(table.rows).flatMap((row) => compareRow(old, table, row))
      const head = ['', 'after : before', '', 'before', 'after']
      return [`### ${capital(table.name)}\n\n${capital(about)}.\n\n${markdownLines([head, ...body])}`]
    })
    .join('\n')
}

/**
 * @param after of the same benchmarks, measured in turn with `before`, or on the same machine
 * @returns a line for each cost that rose by more than a tenth, and by more than the rounds vary. Where a table has ratios, they count
 * alone: a measure depends on what else the machine does.
 */
export function costlier(before: readonly TableOfBench[], after: readonly TableOfBench[]): string[] {
  const known = new Map(before.map((table) => [`${table.bench} ${table.name}`, table]))
  return after.flatMap((table) => {
    const old = known.get(`${table.bench} ${table.name}`)
    if (old === undefined) return []
    return Object.keys(table.rows).flatMap((row) =>
      columnsOf(table, row).flatMap(({ column, isSpeed, isRatio }) => {
        if (!isRatio && table.ratios !== undefined) return []
        const was = valuesOf(old, row, column)
        const is = valuesOf(table, row, column)
        const [cheap, dear] = isSpeed ? [is, was] : [was, is]
        const isDearer = rangeOf(dear)[0] > rangeOf(cheap)[1] && median(dear) > 1.1 * median(cheap)
        return isDearer
          ? [`${table.name}: ${row}, ${column}: ${withRange(was)} before, ${withRange(is)} after`]
          : []
      }),
    )
  })
}

/** A row's ratios, then its measures. More of a speed is better, less of everything else. */
function columnsOf({ rows, ratios = {} }: Table, row: string) {
  const isSpeed = (measure: string) => measure.endsWith('/s')
  const own = Object.entries(ratios).filter(([, { of }]) => of !== row)
  return [
    ...own.map(([column, { by }]) => ({ column, isSpeed: isSpeed(by), isRatio: true })),
    ...Object.keys(rows[row] ?? {}).map((column) => ({ column, isSpeed: isSpeed(column), isRatio: false })),
  ]
}

function compareRow(old: Table, table: Table, row: string): string[][] {
  return columnsOf(table, row).flatMap(({ column }) => {
    const was = valuesOf(old, row, column)
    const is = valuesOf(table, row, column)
    if (was.length === 0 || is.length === 0) return []
    const [low, high] = rangeOf(was)
    const [lowest, highest] = rangeOf(is)
    const mark = lowest > high ? 'more' : highest < low ? 'less' : ''
    return [[`${row}, ${column}`, shown(median(is) / median(was)), mark, withRange(was), withRange(is)]]
  })
}

/** @returns the values of a measure, or of a ratio round by round; none if the row has no such column */
function valuesOf({ rows, ratios }: Table, row: string, column: string): readonly number[] {
  const numbers = (name: string, measure: string) => [rows[name]?.[measure] ?? []].flat()
  const ratio = ratios?.[column]
  if (ratio === undefined) return numbers(row, column)
  const above = numbers(row, ratio.by)
  const below = numbers(ratio.of, ratio.by)
  return above.map(
    (value, round) => value / ((above.length === below.length ? below[round] : undefined) ?? median(below)),
  )
}

/** Where the values lie; at least 3 % around the median, since one round says nothing about the next. */
function rangeOf(values: readonly number[]): readonly [lowest: number, highest: number] {
  const middle = median(values)
  return [Math.min(...values, middle * 0.97), Math.max(...values, middle * 1.03)]
}

function withRange(values: readonly number[]): string {
  const range = values.length < 2 ? '' : ` (${shown(Math.min(...values))}–${shown(Math.max(...values))})`
  return shown(median(values)) + range
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN

function shown(value: number): string {
  if (Number.isNaN(value)) return ''
  const digits = value >= 100 ? { maximumFractionDigits: 0 } : { maximumSignificantDigits: value < 1 ? 2 : 3 }
  return value.toLocaleString('en', digits)
}

/** A Markdown table: the first column to the left, numbers to the right. */
function markdownLines(rows: readonly (readonly string[])[]): string {
  const [head = [], ...body] = rows
  const widths = head.map((_, column) => Math.max(3, ...rows.map((row) => (row[column] ?? '').length)))
  const pad = (cell: string, column: number) =>
    column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)
  const rule = widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`))
  return [head, rule, ...body].map((cells) => `| ${cells.map(pad).join(' | ')} |\n`).join('')
}

export interface MeasuredRun {
  readonly run: Run
  readonly tables: readonly TableOfBench[]
}

/** Runs of the same benchmarks as one: with the values of all their rounds. */
export function joinRuns(runs: readonly MeasuredRun[]): MeasuredRun {
  const [first, ...others] = runs
  if (first === undefined) throw new Error('no run')
  const joined = (table: TableOfBench) => {
    const same = others.flatMap(({ tables }) => tables.filter((other) => other.name === table.name))
    const rows = Object.entries(table.rows).map(([row, measures]) => [
      row,
      Object.fromEntries(
        Object.keys(measures).map((measure) => [
          measure,
          [table, ...same].flatMap(({ rows: found }) => found[row]?.[measure] ?? []),
        ]),
      ),
    ])
    return { ...table, rows: Object.fromEntries(rows) as TableOfBench['rows'] }
  }
  return { run: first.run, tables: first.tables.map(joined) }
}

/** Reads what `--json` has printed. @throws {Error} if it is something else */
export const readRun = (file: string) => parseRun(readFileSync(file, 'utf8'), file)

export function parseRun(text: string, file: string): MeasuredRun {
  const lines = text.split('\n')
  // npm puts the command above them, unless it runs with -s.
  const all = lines
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Run | TableOfBench)
  const run = all.find((one) => 'commit' in one)
  if (run === undefined) throw new Error(`${file} is no output of npm run bench -- --json`)
  return { run, tables: all.filter((one) => 'bench' in one) }
}
