/** `fundpress import`: reads a file into a table of the database. */

import { defineCommand, printList, type Session } from '../command.ts'
import { suggest, UsageError } from '../failure.ts'
import { countOf, describeSummary, formatCount } from '../format.ts'
import { choiceOption, option, required, wholeOption, type FlagsOf } from '../options.ts'
import { showProgress } from '../progress.ts'
import { type BadLine, importFile, type ImportOptions, type ImportSummary } from '../../data/import/import.ts'
import { escapeInvisible } from '../../data/model/printable.ts'
import { schemaTableNames as tables } from '../../data/model/schema.ts'
import { Argument } from 'commander'

const options = [
  choiceOption('--encoding <name>', 'The encoding of the file', ['utf-8', 'windows-1252']),
  choiceOption('--delimiter <name>', 'What separates its cells', ['semicolon', 'comma', 'tab']),
  choiceOption('--decimal <mark>', 'The decimal separator', ['comma', 'point']),
  choiceOption('--dates <form>', 'iso is YYYY-MM-DD, german DD.MM.YYYY', ['iso', 'german']),
  option(
    '--replace',
    'For each fund in the file, delete rows that the file does not contain, and values of columns that it lacks',
  ).conflicts('replaceAll'),
  option(
    '--replace-all',
    'The same for the whole table. For the table fund: delete funds that the file does not contain, with all their rows',
  ),
  option('--skip-bad', 'Take the good lines if others are bad'),
  option('--dry-run', 'Change nothing, only show what would change'),
  wholeOption('--wait <seconds>', 'How long to wait for other users of the database', [0, 86_400], 600),
] as const

export default defineCommand({
  description:
    'Reads a CSV file into a table of the fund database. One transaction takes all lines, or none if one of them is ' +
    'bad. The first line names the columns, in any order. For the table emt the file may also be the FinDatEx ' +
    'template (EMT V4, CSV or XLSX). The import finds out from the whole file how it is written, and shows that. It ' +
    'does not guess: if something stays open, it asks for a flag.',
  arguments: [
    // The parser comes after the choices, and suggests a name for a misspelt one.
    new Argument('<table>', 'A table of the schema').choices(tables).argParser((table) => {
      if (tables.includes(table)) return table
      throw new UsageError(`there is no table "${table}"${suggest(table, tables)}`)
    }),
    new Argument('<file>', 'The CSV file (or the EMT template as XLSX)'),
  ],
  settings: ['db'],
  options,
  json: 'Print { table, file, form, lines, changes, badCount, bad, … } as JSON',
  notes: `If the database has a row with the same primary key, the row takes the values of the file and keeps those of
columns that the file lacks. An empty cell is NULL. Bad lines are listed by number. If there are any, and --skip-bad is
not set, nothing is taken and the exit code is 1. \`fundpress check\` finds what only a whole fund can show.
`,
  examples: [
    ['import price prices.csv --db funds.sqlite', 'New prices, and corrected ones'],
    ['import structure_item holdings.csv --replace', 'All items of the funds in the file'],
    ['import emt EMT_V4.3.xlsx --skip-bad', 'The template, without funds of other companies'],
    ['import fund funds.csv --decimal comma --dates german --dry-run', 'What would change'],
  ],
  run: async (session, flags, table: string, file: string) => {
    const { isJson, isQuiet, stdout } = session
    const { skipBad = false, dryRun = false } = flags
    const find = (add: ImportOptions['onBad']) => importInto(session, flags, table, file, add)
    let listed = 0
    const summary = await printList(session, find, {
      name: 'bad',
      fields: ({ bad: badCount, ...others }) => ({ before: { table, file, dryRun, ...others, badCount } }),
      line: ({ line, reasons }: BadLine) => {
        listed++
        return `line ${line}: ${escapeInvisible(reasons.join('; '))}\n`
      },
    })
    const { bad, lines, changes } = summary
    if (!isJson) {
      if (bad > listed) stdout.write(`and ${formatCount(bad - listed)} more bad lines\n`)
      if (!isQuiet) stdout.write(describeSummary({ table, file, ...figuresOf(summary, dryRun) }))
    }
    if (changes !== undefined) return
    const advice = skipBad || lines === bad ? '' : ` (--skip-bad takes the other ${formatCount(lines - bad)})`
    throw new Error(`${file} has ${countOf(bad, 'bad line')}: nothing was taken${advice}`)
  },
})

const delimiters = { semicolon: ';', comma: ',', tab: '\t' } as const

function importInto(
  session: Session,
  flags: FlagsOf<typeof options>,
  table: string,
  file: string,
  onBad: ImportOptions['onBad'],
): Promise<ImportSummary> {
  const { settings, signal, isQuiet, stderr } = session
  const { delimiter, replace, replaceAll, skipBad, dryRun, wait, ...forms } = flags
  const db = required(settings.db, 'db')
  const reading = showProgress(session, 'bytes read')
  const taking = showProgress(session, 'funds taken')
  return importFile({
    ...forms,
    db,
    table,
    file,
    suggest,
    signal,
    delimiter: delimiter === undefined ? undefined : delimiters[delimiter],
    scope: replaceAll === true ? 'table' : replace === true ? 'funds' : 'upsert',
    isSkippingBad: skipBad === true,
    isDryRun: dryRun === true,
    patienceMs: wait * 1000,
    onBad: (bad) => {
      reading.end()
      return onBad(bad)
    },
    onBytes: reading.update,
    onFund: (done, of) => {
      reading.end()
      taking.update(done, of)
    },
    onWait: () => {
      reading.end()
      if (!isQuiet) stderr.tell(`waiting for other users of ${db}`)
    },
  }).finally(() => {
    reading.end()
    taking.end()
  })
}

function figuresOf({ form, notes, lines, bad, changes }: ImportSummary, isDryRun: boolean) {
  const { added, changed, unchanged, removed } = changes ?? {}
  const words = Object.entries({ new: added, changed, unchanged, removed })
  const rows = words.map(([word, count = 0]) => `${formatCount(count)} ${word}`).join(', ')
  return {
    form: form.join(', '),
    notes: notes.length === 0 ? null : notes.join('; '),
    lines: formatCount(lines) + (bad === 0 ? '' : `, ${formatCount(bad)} of them bad`),
    rows: changes === undefined ? null : rows + (isDryRun ? ' (dry run: nothing was changed)' : ''),
  }
}
