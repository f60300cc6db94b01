/** `fundpress show`: a fund in the terminal. */

import { Command, Option } from 'commander'
import { languages, type Language } from '../../routes/table.ts'
import { freshnessRules } from '../freshness.ts'
import type { FundDocuments } from '../fund-documents.ts'
import { dayOption, examples, withSettings } from '../options.ts'
import { nearest } from '../nearest.ts'
import type { Session, Start } from '../session.ts'

interface Flags {
  readonly out?: string
  readonly db?: string
  readonly asOf?: string
  readonly language: Language
  readonly json?: boolean
}

export function showCommand(start: Start): Command {
  return withSettings(new Command('show'), 'out', 'db')
    .summary('show a fund in the terminal')
    .description(
      'Shows a fund with its newest price, how old that is, and a line of the last twelve months: as a snapshot gives it ' +
        'out, or with --db as a build would. What may not be given out is not shown.',
    )
    .argument('<fund>', 'An ISIN, or a part of the name')
    .addOption(
      new Option('--language <language>', 'The language of texts').choices([...languages]).default('en'),
    )
    .addOption(
      dayOption(
        '--as-of <day>',
        'With --db: the date that the age of a fund and of its newest price is counted up to (default: today)',
      ),
    )
    .option('--json', 'Print the figures as JSON')
    .addHelpText(
      'after',
      examples(
        ['show DE000FP06UX9', 'As the snapshot in out has it'],
        ['show DE000FP06UX9 --db funds.sqlite', 'As the database would give it'],
        ['show "aktien europa" --language de', 'By a part of the name'],
      ),
    )
    .action((word: string, flags: Flags, command: Command) => start(show)({ word, ...flags }, command))
}

async function show(session: Session, flags: Flags & { readonly word: string }): Promise<void> {
  const { settings, today, stdout, isQuiet } = session
  const { documentsInDatabase, documentsInFolder } = await import('../fund-documents.ts')
  const { fundSummary } = await import('../fund-summary.ts')
  const { describeFund } = await import('../describe-fund.ts')
  const documents =
    flags.db === undefined || settings.db === null
      ? await documentsInFolder(settings.out)
      : await documentsInDatabase(settings.db, flags.asOf ?? today, await freshnessRules(settings))
  try {
    const summary = fundSummary(documents, await findFund(documents, flags.word), flags.language)
    if (flags.json === true) stdout.data(`${JSON.stringify(summary)}\n`)
    else if (!isQuiet) stdout.write(describeFund(summary, stdout))
  } finally {
    documents.close()
  }
}

/** @throws {Error} that names similar funds */
async function findFund({ place, isins, names }: FundDocuments, word: string): Promise<string> {
  const { searchKey } = await import('../../catalogue/chart/search-key.ts')
  const { printable, quoted } = await import('../../source/printable.ts')
  const isin = word.toUpperCase()
  if (isins.includes(isin)) return isin
  const parts = searchKey(word).split(/\s+/)
  const found = [...names].filter(([, name]) => parts.every((part) => searchKey(name).includes(part)))
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only[0]
  const candidates =
    only === undefined
      ? [nearest(isin, isins)].filter((near) => near !== undefined)
      : found.map(([one]) => one)
  const named = candidates
    .slice(0, 5)
    .map((one) => `${one} ${printable(names.get(one) ?? '')}`.trim())
    .join(', ')
  const more = candidates.length > 5 ? ` and ${candidates.length - 5} more` : ''
  const advice = named === '' ? `it has ${isins.length} funds` : `did you mean ${named}${more}?`
  const what = only === undefined ? 'there is no fund' : 'there is more than one fund'
  throw new Error(`${place}: ${what} ${quoted(word)} (${advice})`)
}
