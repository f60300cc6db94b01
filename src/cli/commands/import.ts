/** `fundpress import`: reads a file into a table of the database. */

import { defineCommand, type Session } from '../command.ts'
import { suggest, UsageError } from '../failure.ts'
import { countOf, describeSummary, formatCount } from '../format.ts'
import { withJsonList } from '../../bucket/manifest/ndjson.ts'
import { jsonOption, required, wholeOption } from '../options.ts'
import { showProgress } from '../progress.ts'
import type { Scope } from '../../data/import/database.ts'
import { type BadLine, importFile, type ImportSummary } from '../../data/import/import.ts'
import { escapeInvisible } from '../../data/model/printable.ts'
import { schemaTableNames } from '../../data/model/schema.ts'
import { Argument, Option } from 'commander'

const delimiters = { semicolon: ';', comma: ',', tab: '\t' } as const

interface Flags {
  readonly encoding?: 'utf-8' | 'windows-1252'
  readonly delimiter?: keyof typeof delimiters
  readonly decimal?: 'comma' | 'point'
  readonly dates?: 'iso' | 'german'
  readonly replace?: boolean
  readonly replaceAll?: boolean
  readonly skipBad?: boolean
  readonly dryRun?: boolean
  readonly wait: number
  readonly json?: boolean
}

/** The tables in the order in which they can be filled. */
const tables = schemaTableNames

export default defineCommand<Flags, [table: string, file: string]>({
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
  options: [
    new Option('--encoding <name>', 'The encoding of the file').choices(['utf-8', 'windows-1252']),
    new Option('--delimiter <name>', 'What separates its cells').choices(Object.keys(delimiters)),
    new Option('--decimal <mark>', 'The decimal separator').choices(['comma', 'point']),
    new Option('--dates <form>', 'iso is YYYY-MM-DD, german DD.MM.YYYY').choices(['iso', 'german']),
    new Option(
      '--replace',
      'For each fund in the file, delete rows that the file does not contain, and values of columns that it lacks',
    ).conflicts('replaceAll'),
    new Option(
      '--replace-all',
      'The same for the whole table. For the table fund: delete funds that the file does not contain, with all their rows',
    ),
    new Option('--skip-bad', 'Take the good lines if others are bad'),
    new Option('--dry-run', 'Change nothing, only show what would change'),
    wholeOption('--wait <seconds>', 'How long to wait for other users of the database', [0, 86_400]).default(
      600,
    ),
    jsonOption('Print { table, file, form, lines, changes, badCount, bad, … } as JSON'),
  ],
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
  run: async (session, flags, table, file) => {
    const target = { ...flags, table, file }
    await (flags.json === true ? importForMachines : importForPeople)(session, target)
  },
})

type Target = Flags & { readonly table: string; readonly file: string }

function importForMachines({ stdout, ...session }: Session, target: Target): Promise<void> {
  const { table, file, dryRun = false } = target
  return withJsonList<BadLine>(async (list) => {
    const summary = await importInto({ stdout, ...session }, target, list.add)
    const { bad: badCount, ...others } = summary
    await list.write(stdout.data, { before: { table, file, dryRun, ...others, badCount }, name: 'bad' })
    assertTaken(target, summary)
  })
}

async function importForPeople(session: Session, target: Target): Promise<void> {
  const { isQuiet, stdout } = session
  let listed = 0
  const summary = await importInto(session, target, ({ line, reasons }) => {
    listed++
    stdout.write(`line ${line}: ${escapeInvisible(reasons.join('; '))}\n`)
  })
  const unlisted = summary.bad - listed
  if (unlisted > 0) stdout.write(`and ${formatCount(unlisted)} more bad lines\n`)
  if (!isQuiet) stdout.write(describe(target, summary))
  assertTaken(target, summary)
}

function assertTaken({ file, skipBad = false }: Target, { bad, lines, changes }: ImportSummary): void {
  if (changes !== undefined) return
  const good = formatCount(lines - bad)
  const advice = skipBad || lines === bad ? '' : ` (--skip-bad takes the other ${good})`
  throw new Error(`${file} has ${countOf(bad, 'bad line')}: nothing was taken${advice}`)
}

function scopeOf({ replace = false, replaceAll = false }: Flags): Scope {
  if (replaceAll) return 'table'
  return replace ? 'funds' : 'upsert'
}

function importInto(
  session: Session,
  target: Target,
  onBad: (bad: BadLine) => unknown,
): Promise<ImportSummary> {
  const { settings, signal, stderr } = session
  const { table, file, encoding, delimiter, decimal, dates, skipBad = false, dryRun = false, wait } = target
  const db = required(settings.db, 'db')
  const reading = showProgress(session, 'bytes read')
  const taking = showProgress(session, 'funds taken')
  return importFile({
    ...{ db, table, file, encoding, decimal, dates, suggest, signal },
    delimiter: delimiter === undefined ? undefined : delimiters[delimiter],
    scope: scopeOf(target),
    isSkippingBad: skipBad,
    isDryRun: dryRun,
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
      if (!session.isQuiet) stderr.tell(`waiting for other users of ${db}`)
    },
  }).finally(() => {
    reading.end()
    taking.end()
  })
}

function describe({ table, file, dryRun = false }: Target, summary: ImportSummary): string {
  const { form, notes, lines, bad, changes } = summary
  const { added, changed, unchanged, removed } = changes ?? {}
  const words = Object.entries({ new: added, changed, unchanged, removed })
  const rows = words.map(([word, count = 0]) => `${formatCount(count)} ${word}`).join(', ')
  return describeSummary({
    table,
    file,
    form: form.join(', '),
    notes: notes.length === 0 ? null : notes.join('; '),
    lines: formatCount(lines) + (bad === 0 ? '' : `, ${formatCount(bad)} of them bad`),
    rows: changes === undefined ? null : rows + (dryRun ? ' (dry run: nothing was changed)' : ''),
  })
}
