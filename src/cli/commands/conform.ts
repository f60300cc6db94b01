/** `fundpress conform`: whether a deployment answers as the interface and the database say. */

import type { BudgetReport } from '../../conform/budget/budget.ts'
import type { CheckResult } from '../../conform/check.ts'
import { conform as runSuite, type ConformReport } from '../../conform/suite.ts'
import { defineCommand } from '../command.ts'
import { alignedTable, countOf, formatCount } from '../format.ts'
import { asOfOption, baseOption, option, required, wholeOption } from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Paint } from '../terminal.ts'

export default defineCommand({
  description:
    'Sends some thousand requests to a deployment of the API and compares each answer with the database: every ' +
    'endpoint, every error, negotiation, random date ranges, caching, hostile requests. The exit code is 1 if anything ' +
    'differs; each failure comes with a curl command. It also measures the cost of hostile requests of up to 16 KB: ' +
    'the time to answer, or with --pid the CPU time.',
  settings: ['db', 'docsUrl'],
  options: [
    baseOption('The address of the deployment (default: the setting baseUrl)'),
    asOfOption("The published snapshot's date (default: today in Europe/Berlin)"),
    wholeOption('--requests <number>', 'How many random date ranges to request', [0, 1e6], 2000),
    wholeOption('--seed <number>', 'Another number gives other random requests', [0, 2 ** 32 - 1], 1),
    wholeOption('--concurrency <number>', 'How many requests run at the same time', [1, 256], 8),
    wholeOption(
      '--pid <number>',
      'Measure CPU time and memory of this process of this machine and its children (Linux)',
      [1, 2 ** 31 - 1],
    ),
    option(
      '--preview',
      'Check the snapshot that is staged, with the token of edge.previewToken (env: FUNDPRESS_EDGE_PREVIEW_TOKEN)',
    ),
    option(
      '--load',
      'Also hold 200 connections open and send what a server must refuse. Not for a service in use',
    ),
  ],
  json: 'Print { base, asOf, seed, funds, requests, failed, checks, budget } as JSON',
  examples: [
    ['conform --db funds.sqlite', 'The baseUrl of the config file, built today'],
    ['conform --base http://127.0.0.1:8080 --db funds.sqlite --as-of 2026-11-20', 'A server on this machine'],
    ['conform --db funds.sqlite --preview', 'What is staged, before the flip'],
    ['conform --db funds.sqlite --requests 50000 --seed 7', 'More random ranges, and other ones'],
    [
      'conform --db funds.sqlite --load --pid "$(cat /run/nginx.pid)"',
      'What one client can cost an nginx here',
    ],
  ],
  run: async (
    session,
    { base = session.settings.baseUrl, asOf = session.today, pid, load, preview, ...random },
  ) => {
    const { settings, signal, isJson, isQuiet, stdout, print } = session
    const progress = showProgress(session, 'checks')
    const report = await runSuite({
      ...random,
      base,
      asOf,
      signal,
      db: required(settings.db, 'db'),
      docsUrl: settings.docsUrl,
      ...(pid !== undefined && { pid }),
      ...(load !== undefined && { load }),
      ...(preview === true && { previewToken: required(settings.edge.previewToken, 'edge.previewToken') }),
      onStep: progress.update,
    }).finally(progress.end)
    const { failed, checks, budget } = report
    const text = () => describe(report, stdout.paint)
    if (isQuiet && !isJson && failed > 0) stdout.write(text())
    else print(report, text)
    if (failed === 0) return
    const failedChecks = [...checks, { failed: budget.failures.length }].filter((check) => check.failed > 0)
    const places = countOf(failedChecks.length, 'check')
    throw new Error(`${base} does not conform: ${countOf(failed, 'failure')} in ${places}`)
  },
})

function describe(report: ConformReport, paint: Paint): string {
  const { base, asOf, seed, funds, requests, checks, budget } = report
  const tested = funds.asked === funds.of ? 'all' : `${formatCount(funds.asked)} of`
  const head = `${base} as of ${asOf}, ${tested} ${countOf(funds.of, 'fund')}, seed ${seed}\n`
  const groups = Map.groupBy(checks, ({ group }) => group)
  const lines = [...groups].map(([group, results]) => describeGroup(group, results, paint))
  const failures = checks.filter(({ failed }) => failed > 0).map((check) => describeFailures(check, paint))
  const hasDetails = budget.kind === 'cpu' || budget.loads.length + budget.failures.length > 0
  const details = hasDetails ? describeBudget(budget, paint) : ''
  const all = [head, ...lines, budgetLine(budget, paint), ...failures, details]
  return `${all.join('')}${countOf(requests, 'request')}\n`
}

function budgetLine({ kind, costs, failures }: BudgetReport, paint: Paint): string {
  const highest = Math.max(0, ...costs.map(({ beyondMs }) => beyondMs))
  const unit = kind === 'cpu' ? 'CPU time' : 'wall time'
  const text = `${countOf(costs.length, 'hostile request')}, at most ${formatMs(highest)} of ${unit} more than a plain one`
  return resultLine('budget', text, failures.length, paint)
}

function describeGroup(group: string, results: readonly CheckResult[], paint: Paint): string {
  const sum = (of: 'requests' | 'failed') => results.reduce((total, result) => total + result[of], 0)
  // The data may have no fund with such a refusal.
  const idle = results.filter((result) => result.requests === 0).length
  const untested = idle === 0 ? '' : `, ${idle} without a case in the data`
  const text = `${countOf(results.length, 'check')}, ${countOf(sum('requests'), 'request')}`
  return resultLine(group, text, sum('failed'), paint, untested)
}

function resultLine(name: string, text: string, failed: number, paint: Paint, note = ''): string {
  const mark = failed === 0 ? paint('green', 'ok    ') : paint('red', 'failed')
  const failures = failed === 0 ? '' : `, ${countOf(failed, 'failure')}`
  return `${mark}  ${name.padEnd(11)}  ${text}${failures}${note}\n`
}

function describeFailures({ group, name, failed, failures }: CheckResult, paint: Paint): string {
  const shown = failures.map(({ request, expected, got }) =>
    [`  ${request}`, `    expected  ${expected}`, `    got       ${got}`, ''].join('\n'),
  )
  const more = failed > failures.length ? `  and ${formatCount(failed - failures.length)} more\n` : ''
  return `\n${paint('bold', `${group}: ${name}`)}\n${shown.join('')}${more}\n`
}

/** The three most expensive requests, then the loads, then what exceeded its limit. */
export function describeBudget(report: BudgetReport, paint: Paint): string {
  const { kind, costLimitMs, costs, loads, failures } = report
  const unit = kind === 'cpu' ? 'CPU time' : 'wall time, which networks and other clients add to'
  const worst = costs.toSorted((a, b) => b.beyondMs - a.beyondMs).slice(0, 3)
  const limit = `${formatCount(costs.length)} hostile requests, at most ${costLimitMs} ms more than a plain one`
  const costRows = worst.map(({ name, bytes, status, plainMs, beyondMs, isSilent }) => {
    const beyond = isSilent ? 'no answer' : formatMs(beyondMs)
    return [name, formatCount(bytes), String(status ?? 'none'), formatMs(plainMs), beyond]
  })
  const loadRows = loads.map(
    ({ name, idleMiB, peakMiB, meanwhile: { median, ninetieth, worst: longest } }) => [
      name,
      ...[idleMiB, peakMiB].map(formatMiB),
      ...[median, ninetieth, longest].map(formatMs),
    ],
  )
  const table = (...rows: readonly (readonly string[])[]) => `  ${alignedTable(rows).join('\n  ')}\n`
  const loadColumns = ['load', 'memory before', 'peak', 'others wait', 'one of ten', 'worst']
  const loadTable = `\n${paint('bold', 'Clients that hold connections')}\n${table(loadColumns, ...loadRows)}`
  return [
    `\n${paint('bold', limit)} (${unit})\n`,
    table(['worst', 'bytes', 'status', 'plain', 'beyond'], ...costRows),
    loads.length === 0 ? '' : loadTable,
    ...failures.map((failure) => `${paint('red', 'failed')}  ${failure}\n`),
  ].join('')
}

/** `3.2 ms`, `120 ms` */
const formatMs = (time: number) => `${time.toFixed(time < 10 ? 1 : 0)} ms`

const formatMiB = (memory: number | null) => (memory === null ? 'unknown' : `${Math.round(memory)} MiB`)
