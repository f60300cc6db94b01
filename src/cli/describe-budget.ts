/** What the budget of a deployment came to, as a person reads it. */

import type { BudgetReport } from '../conform/budget/budget.ts'
import type { Cost } from '../conform/budget/costs.ts'
import type { LoadResult } from '../conform/budget/loads.ts'
import { formatCount } from './summary.ts'
import type { Terminal } from './terminal.ts'

/** How many of the most expensive requests are named. */
const mostCosts = 3

/** The most expensive requests, then the loads, then what was over its limit. */
export function describeBudget(report: BudgetReport, paint: Terminal['paint']): string {
  const { kind, costLimitMs, costs, loads, failures } = report
  const of = kind === 'cpu' ? 'CPU time' : 'wall time: networks and other clients count, too'
  const worst = [...costs].sort((a, b) => b.beyondMs - a.beyondMs).slice(0, mostCosts)
  const head = `\n${paint('bold', `${formatCount(costs.length)} hostile requests, at most ${costLimitMs} ms beyond a plain one`)} (${of})\n`
  const held =
    loads.length === 0 ? '' : `\n${paint('bold', 'Clients that hold on')}\n${alignedTable(loadRows(loads))}`
  const failed = failures.map((failure) => `${paint('red', 'failed')}  ${failure}\n`)
  return [head, alignedTable(costRows(worst)), held, ...failed].join('')
}

/** `3.2 ms`, `120 ms` */
export const formatMs = (time: number) => `${time.toFixed(time < 10 ? 1 : 0)} ms`

const costRows = (costs: readonly Cost[]) => [
  ['worst', 'bytes', 'status', 'plain', 'beyond'],
  ...costs.map(({ name, bytes, status, plainMs, beyondMs, isSilent }) => [
    name,
    formatCount(bytes),
    String(status ?? 'none'),
    formatMs(plainMs),
    isSilent ? 'no answer' : formatMs(beyondMs),
  ]),
]

const loadRows = (loads: readonly LoadResult[]) => [
  ['load', 'memory before', 'peak', 'others wait', 'one of ten', 'worst'],
  ...loads.map(({ name, idleMiB, peakMiB, meanwhile }) => [
    name,
    mib(idleMiB),
    mib(peakMiB),
    formatMs(meanwhile.median),
    formatMs(meanwhile.ninetieth),
    formatMs(meanwhile.worst),
  ]),
]

const mib = (memory: number | null) => (memory === null ? 'unknown' : `${Math.round(memory)} MiB`)

/** The first column to the left, the others to the right. */
function alignedTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
  return rows.map((row) => `  ${line(row)}\n`).join('')
}
