/** `fundpress conform`: compares the answers of a deployment with the interface and the database. */

import { maxSeed } from '../../core/cli/nightly/verify.ts'
import type { CheckResult } from './check.ts'
import { conform as runSuite, type ConformReport } from './suite.ts'
import { defineCommand } from '../../core/cli/command.ts'
import { additionsOf } from '../../core/cli/from-settings.ts'
import { countOf, formatCount } from '../../core/cli/format.ts'
import { asOfOption, baseOption, option, required, wholeOption } from '../../core/cli/options.ts'
import { showProgress } from '../../core/cli/progress.ts'
import type { Paint } from '../../core/cli/terminal.ts'
import { readAsBuilt } from '../../core/data/derive/copy.ts'
import { type FundDatabase, openFunds } from '../../core/data/read/open.ts'

export default defineCommand({
  description:
    'Sends some thousand requests to a deployment of the API and compares each answer with the database: every ' +
    'endpoint, every error, negotiation, random date ranges, caching, hostile requests. The exit code is 1 if anything ' +
    'differs; each failure comes with a curl command.',
  settings: ['db', 'docsUrl'],
  options: [
    baseOption('The address of the deployment (default: the setting baseUrl)'),
    asOfOption("The published snapshot's date (default: today in Europe/Berlin)"),
    wholeOption('--requests <number>', 'How many random date ranges to request', [0, 1e6]).default(2000),
    wholeOption('--seed <number>', 'Another number gives other random requests', [0, maxSeed]).default(1),
    wholeOption('--concurrency <number>', 'How many requests run at the same time', [1, 256]).default(8),
    option(
      '--preview',
      'Check the snapshot that is staged, with the token of edge.previewToken (env: FUNDPRESS_EDGE_PREVIEW_TOKEN)',
    ),
  ],
  endsAtOnce: true,
  json: 'Print { base, asOf, seed, funds, requests, failed, checks } as JSON',
  examples: [
    ['conform --db funds.sqlite', 'The baseUrl of the config file, built today'],
    ['conform --base http://127.0.0.1:8080 --db funds.sqlite --as-of 2026-11-20', 'A server on this machine'],
    ['conform --db funds.sqlite --preview', 'What is staged, before the flip'],
    ['conform --db funds.sqlite --requests 50000 --seed 7', 'More random ranges, and other ones'],
  ],
  run: async (session, { base = session.settings.baseUrl, asOf = session.today, preview, ...random }) => {
    const { settings, signal, isJson, isQuiet, stdout, print } = session
    const db = required(settings.db, 'db')
    // The oracle shares no code with the rest: it would read whatever a supplier has put there.
    const funds = openFunds(db)
    const progress = showProgress(session, 'checks')
    // What a build adds is in its snapshot, too.
    const ask = ({ name }: FundDatabase) =>
      runSuite({
        ...random,
        base,
        asOf,
        signal,
        db: name,
        docsUrl: settings.docsUrl,
        ...(preview === true && { previewToken: required(settings.edge.previewToken, 'edge.previewToken') }),
        onStep: progress.update,
      })
    const report = await readAsBuilt(funds, additionsOf(settings), ask).finally(() => {
      progress.end()
      funds.close()
    })
    const { failed, checks } = report
    const text = () => describe(report, stdout.paint)
    if (isQuiet && !isJson && failed > 0) stdout.write(text())
    else print(report, text)
    if (failed === 0) return
    const failedChecks = checks.filter((check) => check.failed > 0)
    const places = countOf(failedChecks.length, 'check')
    throw new Error(`${base} does not conform: ${countOf(failed, 'failure')} in ${places}`)
  },
})

function describe(report: ConformReport, paint: Paint): string {
  const { base, asOf, seed, funds, requests, checks } = report
  const tested = funds.asked === funds.of ? 'all' : `${formatCount(funds.asked)} of`
  const head = `${base} as of ${asOf}, ${tested} ${countOf(funds.of, 'fund')}, seed ${seed}\n`
  const groups = Map.groupBy(checks, ({ group }) => group)
  const lines = [...groups].map(([group, results]) => describeGroup(group, results, paint))
  const failures = checks.filter(({ failed }) => failed > 0).map((check) => describeFailures(check, paint))
  return `${[head, ...lines, ...failures].join('')}${countOf(requests, 'request')}\n`
}

function describeGroup(group: string, results: readonly CheckResult[], paint: Paint): string {
  const sum = (of: 'requests' | 'failed') => results.reduce((total, result) => total + result[of], 0)
  // The data may have no fund for such a check.
  const idle = results.filter((result) => result.requests === 0).length
  const untested = idle === 0 ? '' : `, ${idle} without a case in the data`
  const failed = sum('failed')
  const mark = failed === 0 ? paint('green', 'ok    ') : paint('red', 'failed')
  const failures = failed === 0 ? '' : `, ${countOf(failed, 'failure')}`
  const text = `${countOf(results.length, 'check')}, ${countOf(sum('requests'), 'request')}`
  return `${mark}  ${group.padEnd(11)}  ${text}${failures}${untested}\n`
}

function describeFailures({ group, name, failed, failures }: CheckResult, paint: Paint): string {
  const shown = failures.map(({ request, expected, got }) =>
    [`  ${request}`, `    expected  ${expected}`, `    got       ${got}`, ''].join('\n'),
  )
  const more = failed > failures.length ? `  and ${formatCount(failed - failures.length)} more\n` : ''
  return `\n${paint('bold', `${group}: ${name}`)}\n${shown.join('')}${more}\n`
}
