/** `fundpress conform`: whether what answers at an address is what the interface and the database say. */

import { Command } from 'commander'
import type { BudgetReport } from '../../conform/budget/budget.ts'
import type { CheckResult } from '../../conform/check.ts'
import type { ConformReport } from '../../conform/suite.ts'
import { describeBudget, formatMs } from '../describe-budget.ts'
import {
  baseOption,
  dayOption,
  examples,
  optionalWholeOption,
  required,
  withSettings,
  wholeOption,
} from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Session, Start } from '../session.ts'
import { formatCount } from '../summary.ts'
import type { Terminal } from '../terminal.ts'

interface Flags {
  readonly base?: string
  readonly asOf?: string
  readonly requests: number
  readonly seed: number
  readonly concurrency: number
  readonly pid?: number
  readonly load?: boolean
  readonly json?: boolean
}

export function conformCommand(start: Start): Command {
  return withSettings(new Command('conform'), 'db', 'docsUrl')
    .summary('test what answers at an address against the database')
    .description(
      'Asks a deployment of the API some thousand questions over HTTP and compares each answer with what the ' +
        'database says: every endpoint, every error, negotiation, random date ranges, caching, hostile requests. ' +
        'Exit code 1 if anything differs; each failure comes with a line for curl. It also measures what hostile ' +
        'requests of up to 16 KB cost: time to answer, or with --pid CPU time.',
    )
    .addOption(baseOption('The address that answers (default: the setting baseUrl)'))
    .addOption(dayOption('--as-of <day>', "The published snapshot's date (default: today in Europe/Berlin)"))
    .addOption(wholeOption('--requests <number>', 'Random date ranges to ask for', [0, 1e6], 2000))
    .addOption(wholeOption('--seed <number>', 'Another number, other random requests', [0, 2 ** 32 - 1], 1))
    .addOption(wholeOption('--concurrency <number>', 'Requests under way at a time', [1, 256], 8))
    .addOption(
      optionalWholeOption(
        '--pid <number>',
        'Measure CPU time and memory of this process of this machine and its children (Linux)',
        [1, 2 ** 31 - 1],
      ),
    )
    .option(
      '--load',
      'Also open 200 connections that hold on to the server, and send what it must refuse: not to a service in use',
    )
    .option('--json', 'Print { base, asOf, seed, funds, requests, failed, checks, budget } as JSON')
    .addHelpText(
      'after',
      examples(
        ['conform --db funds.sqlite', 'What baseUrl in the config file leads to, built today'],
        [
          'conform --base http://127.0.0.1:8080 --db funds.sqlite --as-of 2026-11-20',
          'A server on this machine',
        ],
        ['conform --db funds.sqlite --requests 50000 --seed 7', 'More random ranges, and other ones'],
        [
          'conform --base http://127.0.0.1:8080 --db funds.sqlite --load --pid "$(cat /run/nginx.pid)"',
          'What a single client may cost an nginx on this machine: CPU time, memory, delay of others',
        ],
      ),
    )
    .action(start(conform))
}

async function conform(session: Session, flags: Flags): Promise<void> {
  const { settings, signal, isQuiet, today, stdout } = session
  const {
    base = settings.baseUrl,
    asOf = today,
    requests,
    seed,
    concurrency,
    pid,
    load,
    json = false,
  } = flags
  const db = required(settings.db, 'db')

  const { conform: runSuite } = await import('../../conform/suite.ts')
  const progress = showProgress(session, 'checks')
  const report = await runSuite({
    ...{ base, db, asOf, docsUrl: settings.docsUrl, requests, seed, concurrency, signal },
    ...(pid !== undefined && { pid }),
    ...(load !== undefined && { load }),
    onStep: progress.update,
  }).finally(progress.end)

  if (json) stdout.data(`${JSON.stringify(report)}\n`)
  else if (!isQuiet || report.failed > 0) stdout.write(describe(report, stdout.paint))
  if (report.failed > 0) {
    const checks = [...report.checks, { failed: report.budget.failures.length }].filter(
      ({ failed }) => failed > 0,
    ).length
    const [failures, ofChecks] = [count(report.failed, 'failure'), count(checks, 'check')]
    throw new Error(`${base} does not conform: ${failures} in ${ofChecks}`)
  }
}

function describe(report: ConformReport, paint: Terminal['paint']): string {
  const { base, asOf, seed, funds, requests, checks, budget } = report
  const asked = funds.asked === funds.of ? 'all' : `${formatCount(funds.asked)} of`
  const head = `${base} as of ${asOf}, ${asked} ${count(funds.of, 'fund')}, seed ${seed}\n`
  const groups = Map.groupBy(checks, ({ group }) => group)
  const lines = [...groups].map(([group, results]) => describeGroup(group, results, paint))
  const failures = checks.filter(({ failed }) => failed > 0).map((check) => describeFailures(check, paint))
  const details =
    budget.kind === 'cpu' || budget.loads.length + budget.failures.length > 0
      ? describeBudget(budget, paint)
      : ''
  const all = [head, ...lines, budgetLine(budget, paint), ...failures, details]
  return `${all.join('')}${count(requests, 'request')}\n`
}

function budgetLine({ kind, costs, failures }: BudgetReport, paint: Terminal['paint']): string {
  const mark = failures.length === 0 ? paint('green', 'ok    ') : paint('red', 'failed')
  const found = failures.length === 0 ? '' : `, ${count(failures.length, 'failure')}`
  const highest = Math.max(0, ...costs.map(({ beyondMs }) => beyondMs))
  const unit = kind === 'cpu' ? 'CPU time' : 'wall time'
  const most = `at most ${formatMs(highest)} of ${unit} more than in good faith`
  return `${mark}  budget       ${count(costs.length, 'hostile request')}, ${most}${found}\n`
}

function describeGroup(group: string, results: readonly CheckResult[], paint: Terminal['paint']): string {
  const sum = (of: 'requests' | 'failed') => results.reduce((total, result) => total + result[of], 0)
  const failed = sum('failed')
  const mark = failed === 0 ? paint('green', 'ok    ') : paint('red', 'failed')
  const found = failed === 0 ? '' : `, ${count(failed, 'failure')}`
  // The data may have no fund that is refused so.
  const idle = results.filter((result) => result.requests === 0).length
  const untested = idle === 0 ? '' : `, ${idle} without a case in the data`
  const counts = `${count(results.length, 'check')}, ${count(sum('requests'), 'request')}`
  return `${mark}  ${group.padEnd(11)}  ${counts}${found}${untested}\n`
}

function describeFailures({ group, name, failed, failures }: CheckResult, paint: Terminal['paint']): string {
  const shown = failures.map(
    ({ request, expected, got }) => `  ${request}\n    expected  ${expected}\n    got       ${got}\n`,
  )
  const more = failed > failures.length ? `  and ${formatCount(failed - failures.length)} more\n` : ''
  return `\n${paint('bold', `${group}: ${name}`)}\n${shown.join('')}${more}\n`
}

function count(number: number, noun: string): string {
  return `${formatCount(number)} ${noun}${number === 1 ? '' : 's'}`
}
