/** `fundpress check`: every problem that a database has. */

import { Command } from 'commander'
import { describeAge, type PricedFund } from '../../freshness/assess.ts'
import { unmetGroups } from '../../freshness/unmet-groups.ts'
import { countErrors, countFindings, describeFindings } from '../findings.ts'
import { freshnessRules } from '../freshness.ts'
import { dayOption, examples, required, withSettings } from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Session, Start } from '../session.ts'

interface Flags {
  readonly asOf?: string
  readonly json?: boolean
}

export function checkCommand(start: Start): Command {
  return withSettings(new Command('check'), 'db', 'quickCheck')
    .summary('list every problem of a database')
    .description(
      'Lists every problem that a fund database has. Exit code 1 if there are errors, 0 with warnings only.',
    )
    .addOption(dayOption('--as-of <day>', 'No price may be newer (default: today in Europe/Berlin)'))
    .option('--json', 'Print { errors, warnings, findings } as JSON')
    .addHelpText(
      'after',
      examples(
        ['check --db funds.sqlite', 'A list by fund, errors first'],
        ['check --db funds.sqlite --as-of 2026-11-20 --json', 'The same for machines'],
      ),
    )
    .action(start(check))
}

async function check(session: Session, { asOf = session.today, json = false }: Flags): Promise<void> {
  const { settings, signal, isQuiet, stdout } = session
  const db = required(settings.db, 'db')

  const rules = await freshnessRules(settings)
  const { checkDatabase } = await import('../../source/check.ts')
  const progress = showProgress(session, 'funds')
  const onFund = (done: number, of: number) => {
    progress.update(done, of)
  }
  const ageProblem = (fund: PricedFund) => describeAge(fund, rules, asOf)
  const settingsProblems = (funds: readonly PricedFund[]) => unmetGroups(settings.freshness.groups, funds)
  const findings = await checkDatabase({
    ...{ db, asOf, ageProblem, settingsProblems, onFund, signal },
    hasQuickCheck: settings.quickCheck,
  }).finally(progress.end)
  const errors = countErrors(findings)
  if (json) {
    stdout.data(`${JSON.stringify({ errors, warnings: findings.length - errors, findings })}\n`)
  } else {
    const shown = isQuiet ? findings.filter(({ severity }) => severity === 'error') : findings
    stdout.write(describeFindings(shown, stdout.paint))
    if (!isQuiet) stdout.write(`${countFindings(findings)}\n`)
  }
  if (errors > 0)
    throw new Error(`${db} has ${countFindings(findings)}: mend the errors before the next build`)
}
