/** `fundpress import`: a file into a table of the database. */

import { Argument, Command, Option } from 'commander'
import type { ImportSummary } from '../../import/import.ts'
import type { BadLine } from '../../import/line-reader.ts'
import type { Scope } from '../../import/take.ts'
import { schemaTableNames } from '../../source/schema.ts'
import { UsageError } from '../failure.ts'
import { withJsonList, type JsonList } from '../json-list.ts'
import { suggest } from '../nearest.ts'
import { examples, required, wholeOption, withSettings } from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Session, Start } from '../session.ts'
import { describeSummary, formatCount } from '../summary.ts'

interface Flags {
  readonly encoding?: 'utf-8' | 'windows-1252'
  readonly delimiter?: 'semicolon' | 'comma' | 'tab'
  readonly decimal?: 'comma' | 'point'
  readonly dates?: 'iso' | 'german'
  readonly replace?: boolean
  readonly replaceAll?: boolean
  readonly skipBad?: boolean
  readonly dryRun?: boolean
  readonly wait: number
  readonly json?: boolean
}

export function importCommand(start: Start): Command {
  return withSettings(new Command('import'), 'db')
    .summary('read a file into a table of the database')
    .description(
      'Reads a CSV file into a table of the fund database: all of its lines in one transaction, or none if one of ' +
        'them is bad. Its first line names the columns, in any order. For the table emt it may also be the FinDatEx ' +
        'template (EMT V4, CSV or XLSX). How the file is written is found out from all of it, and shown; where that ' +
        'leaves something open, it is asked for and not guessed.',
    )
    .addArgument(tableArgument())
    .argument('<file>', 'The CSV file (or the EMT template as XLSX)')
    .addOption(new Option('--encoding <name>', 'How its bytes are read').choices(['utf-8', 'windows-1252']))
    .addOption(
      new Option('--delimiter <name>', 'What divides its cells').choices(['semicolon', 'comma', 'tab']),
    )
    .addOption(new Option('--decimal <mark>', 'What its fractions begin with').choices(['comma', 'point']))
    .addOption(
      new Option('--dates <form>', 'iso is YYYY-MM-DD, german DD.MM.YYYY').choices(['iso', 'german']),
    )
    .addOption(
      new Option(
        '--replace',
        'Of the funds that the file names, what it does not have goes: other rows, values of columns left out',
      ).conflicts('replaceAll'),
    )
    .option(
      '--replace-all',
      'The same for the whole table; of the table fund: funds that the file does not have go, with their rows everywhere',
    )
    .option('--skip-bad', 'Take the good lines where there are bad ones')
    .option('--dry-run', 'Change nothing, only say what would change')
    .addOption(
      wholeOption('--wait <seconds>', 'How long to wait for others that use the database', [0, 86_400], 600),
    )
    .option('--json', 'Print { table, file, form, lines, changes, badCount, bad, … } as JSON')
    .addHelpText('after', aboutRows)
    .addHelpText(
      'after',
      examples(
        ['import price prices.csv --db funds.sqlite', 'New prices, and corrected ones'],
        ['import structure_item holdings.csv --replace', 'All items of the funds in the file'],
        ['import emt EMT_V4.3.xlsx --skip-bad', 'The template, without the funds that are not ours'],
        ['import fund funds.csv --decimal comma --dates german --dry-run', 'What would change'],
      ),
    )
    .action((table: string, file: string, flags: Flags, command: Command) =>
      start(importTable)({ ...flags, table, file }, command),
    )
}

/** The tables in the order in which they can be filled. */
function tableArgument(): Argument {
  const tables = schemaTableNames()
  // Behind the choices: a misspelt one is told what may have been meant.
  return new Argument('<table>', 'A table of the schema').choices(tables).argParser((table) => {
    if (tables.includes(table)) return table
    throw new UsageError(`there is no table "${table}"${suggest(table, tables)}`)
  })
}

const aboutRows = `
A row that is there already, by its primary key, takes the values of the file and keeps those of columns that the file
does not have. An empty cell is NULL. Bad lines are listed by number; with some, and without --skip-bad, nothing is
taken and the exit code is 1. What only a whole fund can show is left to \`fundpress check\`.
`

const delimiters = { semicolon: ';', comma: ',', tab: '\t' } as const

type Import = Flags & { readonly table: string; readonly file: string }

async function importTable(session: Session, flags: Import): Promise<void> {
  const { isQuiet, stdout } = session
  const { table, file, dryRun = false } = flags
  let bad = 0
  if (flags.json === true) {
    await withJsonList(async (list: JsonList<BadLine>) => {
      const { bad: badCount, ...summary } = await work(session, flags, list.add)
      bad = badCount
      await list.write(stdout, { before: { table, file, dryRun, ...summary, badCount }, name: 'bad' })
      mustBeTaken(flags, { ...summary, bad })
    })
    return
  }
  const { escapeInvisible } = await import('../../source/printable.ts')
  let listed = 0
  const summary = await work(session, flags, ({ line, reasons }) => {
    listed++
    stdout.write(`line ${line}: ${escapeInvisible(reasons.join('; '))}\n`)
  })
  const unlisted = summary.bad - listed
  if (unlisted > 0) stdout.write(`and ${formatCount(unlisted)} more bad lines\n`)
  if (!isQuiet) stdout.write(describe({ ...flags, file: escapeInvisible(file) }, summary))
  mustBeTaken(flags, summary)
}

function mustBeTaken({ file, skipBad = false }: Import, { bad, lines, changes }: ImportSummary): void {
  if (changes !== undefined) return
  const count = bad === 1 ? '1 bad line' : `${formatCount(bad)} bad lines`
  const good = formatCount(lines - bad)
  const advice = skipBad || lines === bad ? '' : ` (--skip-bad takes the other ${good})`
  throw new Error(`${file} has ${count}: nothing was taken${advice}`)
}

function scopeOf({ replace = false, replaceAll = false }: Flags): Scope {
  if (replaceAll) return 'table'
  return replace ? 'funds' : 'upsert'
}

async function work(
  session: Session,
  flags: Import,
  onBad: (bad: BadLine) => unknown,
): Promise<ImportSummary> {
  const { settings, signal, stderr } = session
  const { table, file, delimiter, skipBad = false, dryRun = false, wait } = flags
  const db = required(settings.db, 'db')
  // Loaded here, so that the other commands start without the parsers.
  const { importFile } = await import('../../import/import.ts')
  const reading = showProgress(session, 'bytes read')
  const taking = showProgress(session, 'funds taken')
  return importFile({
    db,
    table,
    file,
    encoding: flags.encoding,
    delimiter: delimiter === undefined ? undefined : delimiters[delimiter],
    decimal: flags.decimal,
    dates: flags.dates,
    scope: scopeOf(flags),
    isSkippingBad: skipBad,
    isDryRun: dryRun,
    patienceMs: wait * 1000,
    suggest,
    onBad: (bad) => {
      reading.end()
      return onBad(bad)
    },
    onBytes: (done, of) => {
      reading.update(done, of)
    },
    onFund: (done, of) => {
      reading.end()
      taking.update(done, of)
    },
    onWait: () => {
      reading.end()
      if (!session.isQuiet) stderr.tell(`waiting for others that use ${db}`)
    },
    signal,
  }).finally(() => {
    reading.end()
    taking.end()
  })
}

function describe({ table, file, dryRun = false }: Import, summary: ImportSummary): string {
  const { form, notes, lines, bad, changes } = summary
  const figures = {
    table,
    file,
    form: form.join(', '),
    ...(notes.length === 0 ? {} : { notes: notes.join('; ') }),
    lines: formatCount(lines) + (bad === 0 ? '' : `, ${formatCount(bad)} of them bad`),
  }
  if (changes === undefined) return describeSummary(figures)
  const { added, changed, unchanged, removed } = changes
  const words = Object.entries({ new: added, changed, unchanged, removed })
  const text = words.map(([word, count]) => `${formatCount(count)} ${word}`).join(', ')
  return describeSummary({ ...figures, rows: text + (dryRun ? ' (a dry run: nothing was changed)' : '') })
}
