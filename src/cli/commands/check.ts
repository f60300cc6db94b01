/** `fundpress check`: every problem of a database. */

import { freshnessRules } from '../from-settings.ts'
import { defineCommand } from '../command.ts'
import { countErrors, countFindings, describeFindings } from '../format.ts'
import { asOfOption, required } from '../options.ts'
import { showProgress } from '../progress.ts'
import { checkDatabase } from '../../data/check/check.ts'
import { describeAge } from '../../guards/assess.ts'
import { unmetGroups } from '../../guards/rules.ts'

export default defineCommand({
  description:
    'Lists every problem of a fund database. The exit code is 1 if there are errors, 0 if there are only warnings.',
  settings: ['db', 'quickCheck'],
  options: [asOfOption('A price with a later date is an error (default: today in Europe/Berlin)')],
  json: 'Print { errors, warnings, findings } as JSON',
  examples: [
    ['check --db funds.sqlite', 'A list by fund, errors first'],
    ['check --db funds.sqlite --as-of 2026-11-20 --json', 'The same for machines'],
  ],
  run: async (session, { asOf = session.today }) => {
    const { settings, signal, isJson, isQuiet, stdout, print } = session
    const db = required(settings.db, 'db')
    const rules = await freshnessRules(settings)
    const progress = showProgress(session, 'funds')
    const findings = await checkDatabase({
      db,
      asOf,
      ageProblem: (fund) => describeAge(fund, rules, asOf),
      settingsProblems: (funds) => unmetGroups(settings.freshness.groups, funds),
      onFund: progress.update,
      signal,
      hasQuickCheck: settings.quickCheck,
    }).finally(progress.end)
    const errors = countErrors(findings)
    if (!isJson) {
      const shown = isQuiet ? findings.filter(({ severity }) => severity === 'error') : findings
      stdout.write(describeFindings(shown, stdout.paint))
    }
    print({ errors, warnings: findings.length - errors, findings }, () => `${countFindings(findings)}\n`)
    const advice = 'correct the errors before the next build'
    if (errors > 0) throw new Error(`${db} has ${countFindings(findings)}: ${advice}`)
  },
})
