/** `fundpress import`: reads a file into a table of the database. */

import { existsSync } from 'node:fs'
import { defineCommand, printList, type Session } from '../../core/cli/command.ts'
import { overrideOf } from '../../core/cli/from-settings.ts'
import { suggest, UsageError } from '../../core/cli/failure.ts'
import { countOf, describeSummary, formatCount } from '../../core/cli/format.ts'
import {
  choiceOption,
  dayOption,
  option,
  overrideOptions,
  parsedOption,
  required,
  wholeOption,
  type FlagsOf,
} from '../../core/cli/options.ts'
import { showProgress } from '../../core/cli/progress.ts'
import {
  hasTooManyBad,
  importFiles,
  type FileSummary,
  type ImportOptions,
  type ImportSummary,
} from './import.ts'
import {
  configFor,
  explainFiles,
  type ExplainedFile,
  type Explanation,
  type ImportConfig,
} from './explain.ts'
import { dateForms, formsOfDays, shortYearRule } from './days.ts'
import { choosableEncodings } from './encoding.ts'
import { headerName, targetsOf, type ColumnMap } from './layout.ts'
import { delimiterNames, ofPlainTables, settings as importSettings } from './settings.ts'
import { splitFactors, type Habits, type NamedCell } from './readers/reader.ts'
import { readers } from './readers/readers.ts'
import type { BadRow } from './take/sink.ts'
import { completeLoad, undoLoad } from './take/without-file.ts'
import { Refusal } from '../../core/guards/guards.ts'
import { escapeInvisible } from '../../core/data/model/printable.ts'
import { schemaTableNames as tables } from '../../core/data/model/schema.ts'
import { structureTypes } from '../../core/api/contract/structure-types.ts'
import { Argument } from '@commander-js/extra-typings'

/** In lines of the help. */
const structureTypeLines = `${structureTypes.join(', ')}, `
  .replace(/(.{1,110}), /g, '$1,\n')
  .replace(/,\n$/, '')

const formats = readers.map(({ name }) => name)

const options = [
  choiceOption('--as <format>', 'The format of the files: else it is recognised by their content', formats),
  choiceOption('--encoding <name>', 'The encoding of the file', [...choosableEncodings]),
  option('--sheet <name>', 'The sheet of a workbook: else the only one whose header fits'),
  choiceOption('--delimiter <name>', 'What separates its cells', [...delimiterNames]),
  choiceOption('--decimal <mark>', 'The decimal separator', ['comma', 'point']),
  choiceOption(
    '--dates <form>',
    `${formsOfDays}. In german, dmy and mdy a year may have two digits: ${shortYearRule}`,
    [...dateForms],
  ),
  option(
    '--drop-times',
    'Leave out times of day behind days: 2026-11-27T18:30 is the day that is written, whatever the zone',
  ),
  option(
    '--replace',
    'For each fund in the file, delete rows that the file does not contain, and values of columns that it lacks',
  ).conflicts('replaceAll'),
  option(
    '--replace-all',
    'The same for the whole table. For the table fund: delete funds that the file does not contain, with all their rows',
  ),
  parsedOption<'--map <column=name>', readonly (readonly [string, string])[]>(
    '--map <column=name>',
    'Take this column of the file as that column of the table, or as several (--map NAV=net_asset_value,issue_price), or ignore it ' +
      '(--map Note=), or ignore all that are unknown (--map *=), or take all whose names are ISINs as one (--map *=net_asset_value)',
    'as in Datum=date',
    (text, before = []) => {
      const [found, source = '', target = ''] = /^([^]*)=([^=]*)$/.exec(text) ?? [undefined]
      return found === undefined ? undefined : [...before, [headerName(source), headerName(target)]]
    },
  ),
  parsedOption<'--set <column=value>', readonly (readonly [string, string])[]>(
    '--set <column=value>',
    'Give all rows of a table this value, which the file does not have (days as YYYY-MM-DD, numbers with a point)',
    'as in currency=EUR',
    (text, before = []) => {
      const [, column = '', value = ''] = /^([a-z_0-9]+)=([^]*)$/.exec(text) ?? []
      return column === '' ? undefined : [...before, [column, value]]
    },
  ),
  option('--minor-units', 'Divide amounts in hundredths of a currency (GBp, GBX, ZAc, ILA) by 100'),
  wholeOption(
    '--skip-lines <number>',
    'How many lines stand above the header; else it is looked for',
    [0, 1_000_000],
  ),
  wholeOption(
    '--skip-last <number>',
    'How many lines at the end are no rows of a table: a total, a number of lines, EOF',
    [0, 1000],
  ),
  parsedOption<'--skip <column=text>', readonly (readonly [string, string])[]>(
    '--skip <column=text>',
    'Leave out the lines that have this text in that column of the file (--skip Name=Summe), or none (--skip ISIN=)',
    'as in Name=Summe',
    (text, before = []) => {
      const [, column = '', value = ''] = /^([^=]+)=([^]*)$/.exec(text) ?? []
      return headerName(column) === '' ? undefined : [...before, [column.trim(), value.trim()]]
    },
  ),
  parsedOption<'--keep <column=text>', readonly (readonly [string, string])[]>(
    '--keep <column=text>',
    'Take the lines that have this text in that column of the file as items, though they look like totals (--keep Name=Total)',
    'as in Name=Total',
    (text, before = []) => {
      const [, column = '', value = ''] = /^([^=]+)=([^]*)$/.exec(text) ?? []
      const hasBoth = headerName(column) !== '' && value.trim() !== ''
      return hasBoth ? [...before, [column.trim(), value.trim()]] : undefined
    },
  ),
  parsedOption<'--fill-down <column>', readonly string[]>(
    '--fill-down <column>',
    'Where a cell of this column of the file is empty, take the one above it, as of merged cells',
    'the name of a column',
    (text, before = []) => (headerName(text) === '' ? undefined : [...before, text.trim()]),
  ),
  option('--skip-hidden', 'Leave out rows, columns and sheets that a workbook hides, as by a filter'),
  choiceOption(
    '--split-factor <counts>',
    'What SplitFactor of FundsXML counts: new shares for an old one (2), or old shares for a new one (0.5)',
    [...splitFactors],
  ),
  option('--derive', 'Compute the columns of prices that the file lacks, from its NAVs'),
  choiceOption(
    '--history <form>',
    'Where prices are derived: NAVs from before a split are as they were (original), or in the shares of after it (adjusted)',
    ['original', 'adjusted'],
  ),
  option('--skip-bad', 'Take the good lines if others are bad'),
  option('--dry-run', 'Change nothing, only show what would change; the exit code is that of the import'),
  option(
    '--explain',
    'Change nothing, only show how the files are read, what is missing, and a part for the config',
  ).conflicts(['undo', 'complete']),
  dayOption(
    '--complete [day]',
    'Mark the load as complete, also without a file: the load of this day (default: the newest day of table price)',
  ),
  option('--undo', 'Without a file: put the database back as it was before the last load'),
  option('--no-backup', 'Make no copy before the load: it cannot be undone'),
  ...overrideOptions('such as removed-rows or removed-rows:price', 'shown with --json, and kept nowhere'),
  wholeOption('--wait <seconds>', 'How long to wait for other users of the database', [0, 86_400]).default(
    600,
  ),
] as const

export default defineCommand({
  description:
    'Reads files into the fund database: what companies send to their distributors anyway, or tables of the schema as CSV or workbook (XLSX). ' +
    'The format is recognised by the content of a file, never by its name. One transaction takes all rows of all files, or ' +
    'none if one of them is bad. The import finds out from the whole file how it is written, and shows that. It does not ' +
    'guess: if something stays open, it asks for a flag.',
  arguments: [
    new Argument('[table]', 'A table of the schema, if the files are plain tables'),
    new Argument('[files...]', 'The files'),
  ],
  settings: ['db'],
  options,
  // SQLite undoes a transaction that was cut off when the database is opened again.
  endsAtOnce: true,
  json: 'Print { files, tables, rows, badCount, bad, … } as JSON',
  notes: `Formats, for --as:
${readers.map(({ name, about }) => `  ${name.padEnd(10)}${about}`).join('\n')}
The first argument is a table if it has the name of one, and no file has. Without it, a plain table is recognised if its
columns fit one table only. Rows of a file may be of any tables, in any order; a fund may come after its prices, also in another file. Of several
files, --replace is for each table and fund that they have rows of; --replace-all is for files with rows of one table.

If the database has a row with the same primary key, the row takes the values of the file and keeps those of
columns that the file lacks: a file with the columns isin and data_permitted withdraws funds. Only a new row needs all
mandatory columns. An empty cell is NULL. Bad lines are listed with their place. If there are any, and --skip-bad is not
set, nothing is taken and the exit code is 1. With --skip-bad the other lines are taken, and the exit code is 0 if the
share of bad rows is below import.maxBadShare in the config (0.1); else it is 1, and no load is marked as complete. With --replace, which
would remove the rows of bad lines, nothing is taken. A line that repeats another word for word is counted, and so is one that completes another of the same key, as
with the issue price that it lacks. Lines of one key that contradict each other are all bad. \`fundpress check\` finds what only a whole fund can show.

Files: CSV in UTF-8, UTF-16 (Excel: Unicode text), with a byte order mark or without, or an encoding of one byte a character.
Such a file does not say which one it is. It is read as Windows-1252 if every encoding of --encoding that makes words of
all its bytes makes the same ones, as of German names. Else the command shows words as each encoding would read them, and
asks for --encoding, or for import.<table>.encoding in the config, which is for all files of the table that are neither
UTF-8 nor UTF-16. ISO 8859-1 is a part of windows-1252, and macintosh is what Excel calls CSV (Macintosh).

The first time: --explain reads the files and changes nothing; it needs no database. It prints what becomes of each column,
with proposals for columns that have a usual name (Datum, Anteilwert) or hold codes of currencies, days or ISINs, what each
endpoint lacks with these files and the database, and a part for the config with which the next import needs no flag (but --as,
--history and --minor-units, if they were given), unless columns are missing or rows are bad, which it says. Import never takes a column by a proposal. import.<table> in the config may have columns, encoding, sheet, delimiter, skipLines, skipLast, skip,
keep, fillDown, skipHidden, decimal, dates, dropTimes, set and derive; flags win. import.emt is for the template, too, and
import.openfunds for openfunds, which has no columns, set and derive.

Workbooks (XLSX): the sheet whose header fits, or the one that --sheet names. Hidden rows and columns are taken, too, as a
program sees no filter: the report names them, and --skip-hidden leaves them out, with hidden sheets. What the file holds counts, whatever the sheet
shows of it: the report counts numbers with more decimals than their format shows. A number is taken if it has at most 15
digits, as a spreadsheet keeps. 61.830000000000005 of a formula is the double next to that of 61.83, and is taken for it: the
report counts such numbers. Other numbers with more digits make bad lines, as errors do and formulas that were never calculated. Days may be days of the workbook, by the calendar of 1900 or 1904, or texts.

Lines: the header is the line of the first 50 that has most names of columns, whatever stands above it, or the one behind
--skip-lines lines. The report says where it is. A line with nothing but one text of several words is no row, if an empty
line or another such line is before it: a heading, a remark, a disclaimer. Neither is one that repeats the header. Both are
counted. Lines may end with a delimiter more than the header. Where commas separate the cells, a decimal
comma needs quotation marks: 61 with 83 behind it, in no column, is not taken, unless --decimal point says that it is whole. If the last lines are bad, the report names --skip-last, which
leaves them out. --skip leaves out lines by a text in a column of the file, wherever they are. In lists of shares a line is bad
that looks like the total of others: by its name (Summe, Gesamt, Total), or by its share, which is 100 and the sum of the others.
--skip leaves it out, --keep takes it as an item. The value of merged cells of a workbook is in each of their rows. A share
or fund_assets is bad there, as it may be their sum, unless --fill-down names the column. Any other empty cell is NULL or a fault: --fill-down gives it the value above, unless a text, an
empty line or a bad line is between. These flags act on the lines of plain tables, of openfunds and of the EMT alike. The last
line is bad if --skip-last would leave it out and it is a row like the others, as --fill-down fills it: a trailer that is
missing today loses no row. A line that has a row for each fund is as many bad rows.

Values: n/a, k.A., NaN, null, a dash alone and their like say that there is no value: NULL, or a bad line where there has
to be one. An error of a spreadsheet (#N/A) makes a bad line. Yes and no may be 1, true, yes, ja, y, j, t, x and 0, false,
no, nein, n, f; accumulating may also be accumulating, acc, thesaurierend or distributing, dist, inc, ausschüttend, or both (0). Days
may be written in any form of --dates. A form is taken if it is the only one for all days of the file: 05/06/2026 alone
is asked for. A year of two digits makes a bad line, unless --dates names the form. So does a time of day other than midnight:
it may be of a zone in which the day is another. --drop-times takes the day as it is written. A WKN has six characters.

Removing: an import that would remove more than a tenth of a table's rows, or any fund, is refused (exit code 3) unless
--allow removed-rows or removed-rows:<table> is given. A row that goes while the fund gets another one of the same sort is
replaced, not removed: a document of the same kind and language, another year or position. A price replaces no other day.

Loads: a load is all imports up to the one with --complete, or up to --complete alone; without --complete it does not end.
Before the first import of a load commits, the database as it was is copied to <database>.<time>.backup, and the copy of
the load before is removed. An import that fails or changes nothing makes no copy. A copy needs as much space as the
database, and the time to write that much: 5 GB take about 15 s on a fast disk, minutes on a slow one. --undo puts the
copy back, in one transaction, and removes it: the database is as it was before the load, with its mark of completeness.
Changes by other programs since then are gone, too. Other programs may have the database open. If the first import of a
load has --no-backup, the load has no copy.

Columns: an unknown column is an error, --map or not; so is one that --map names and the file lacks.
import.<table>.columns in the config maps columns, too, as { "Datum": "date", "Note": "" }; a file may lack these, and
--map wins. Upper and lower case are the same, and so are blanks and line breaks. One column may be for several
(--map NAV=net_asset_value,issue_price,repurchase_price). A column of amounts whose name says thousands, millions or billions
is asked about: --map 'Volumen in Mio.=total_fund_assets*1000000' multiplies it, *1 takes it as it is. If columns are named by
ISINs, with a line for each day,
--map *=net_asset_value makes a row of each of their cells that is not empty or n/a. A line of currencies below the header is
compared with the funds. --map =date names the column without a name. --set gives all rows a value that the file does not have: the
ISIN of a file for one fund, a currency, a type. A column wkn stands for the ISIN if the file has none: the fund with that
WKN is looked up in the database, and in the other files. With a map, a file for table emt is not read as the template.

Types: structure_item.type, document.kind and other closed lists are words in any case. A structure is one of
${structureTypeLines}.

Currency: a file of prices may have a column currency, or one that is mapped to it, or the name of a price may say it (NAV in
EUR). It is compared with the currency of the fund, and another one makes a bad line. It is not stored. In every table a
currency is a code of ISO 4217, in capitals or in small letters. A mixture means hundredths (GBp is pence) and makes a bad
line, as GBX, ZAC and ILA do: unless --minor-units divides the prices, the change or the amount of the row by 100, and takes
it for a row in pounds.

--derive computes from the NAVs, in exact decimals, what columns and single cells lack.
issue_price: the NAV with the issue surcharge of table profile. Of a fund without a profile: of the files, where they have
too little for one, else that of its last derived price. A history of openfunds has that of each day. repurchase_price: the
NAV less the redemption fee. Without either both are the NAV; they have its digits. Prices of the database that their NAV
does not make stay. So do those from before anything said what the fund charges: the report counts them, and
\`fundpress derive --charges\` gives them the charges. A price of an earlier day has the charges of its day, as the file or the
prices of the database around it have them, else those of today: the report counts such prices. Where only bad lines say
what a fund charges, new prices that need it are bad, too. change: the NAV less that of the price before, in the file or in the database.
change_percent: the same in percent. performance: the NAV against the last price of the year before, in percent.
That price has to be of the last ten days of its year, or the last one by the rhythm of a fund that is priced less often.
Without one, in the year of the launch or after a suspension, the price gets no performance (NULL), and the API gives none
out: its name there is "since 31 December". Table corporate_action counts: NAVs from before a split by its factor, and the
performance reinvests each distribution at the NAV of its ex-day (BVI), while change and change_percent leave it out.
Percentages have two decimals; halves are rounded away from zero. A fund's first price has 0. Later prices in the database
are derived again where they depend on a NAV that is new or corrected: change and change_percent of the next price,
performance of the year after. When splits or distributions of a fund change later, by an import or another program, all
its derived figures are derived again: by the import, or for the snapshot alone until the next import. A figure of your
own stays. The output says which columns were derived, and how many other prices. A line with a NAV of 0 is
bad, and an issue or a repurchase price of 0 is none: it is derived, or the line is bad. If the
NAVs around a split look as if they were in the shares of after it already, as in histories of data vendors, the command
asks for --history. adjusted multiplies NAVs and prices of the file from before a split by its factor, so that they are as
they were. Distributions are per share as it was, in any case. Years, legal periods and lines: \`fundpress derive --help\`.

corporate_action: a distribution has amount and currency, a split has factor (10 for 1:10, 0.1 for a reverse split), a
merger has successor_isin; other cells are empty. A merger may be of a fund that is gone, and stays when a fund goes. Several
distributions of a fund on one ex-date, in lines of one file, are summed, and the report says so: the next delivery has to
have all of them again. Lines with the same amount are one distribution.

fund: end_date (the last day) with end_reason (liquidated, matured or merged), and suspended_from with suspended_to (empty
until further notice) may be missing. A file with the columns isin and end_date ends funds. A merger needs no end_date.

document: kind is kid, prospectus, annual_report, half_year_report or factsheet; language has two letters (de); url begins
with https:// or http://. A fund has one document of a kind, language and date. Nothing is fetched.

openfunds: fields by OF-ID (OFST020000) or name, a column a field or a line a field. [IGNORE] keeps what the database has,
[N/A] is NULL, and so is an empty cell if no line of its class has a value. Each line has the width of its header. Fractions
become percentages, and the ratio of a split is turned around.

EMT: mandatory fields of V4.3 that are missing, or hold a value that is not in their list, are warnings.

Complete: --complete marks a day as loaded, in the table complete_load: the newest day of table price, or the one that is
named. The next change of any table, by any program, is noted there, and a table that was made anew. With requireComplete
(config) a night asks for the load of the day that it expects, unchanged. A loader of your own writes the mark with one
statement: INSERT INTO complete_load (day) VALUES ('2026-11-24'). --complete makes the table if the database lacks it.
`,
  examples: [
    [
      'import funds.csv actions.csv EMT_V4.3.xlsx',
      'Files that say themselves what they are, in one transaction',
    ],
    ['import nav.csv --explain', 'The first time: what it is, and what the config should say'],
    ['import price prices.csv --db funds.sqlite', 'New prices, and corrected ones'],
    ['import structure_item holdings.csv --replace', 'All items of the funds in the file'],
    [
      'import structure_item list.csv --fill-down ISIN --skip Name=Summe',
      'Cells that were merged, and totals below each list',
    ],
    ['import price nav.csv --map Datum=date --map NAV=net_asset_value --map *= --derive', 'A foreign export'],
    [
      'import price nav.csv --map NAV=net_asset_value --set isin=LU0048578792 --derive',
      'One fund, one NAV a day',
    ],
    ['import corporate_action actions.csv --map Extag=ex_date', 'Distributions, splits and mergers'],
    ['import document papers.csv --replace', 'All documents of the funds in the file'],
    ['import EMT_V4.3.xlsx --skip-bad', 'The template, without funds of other companies'],
    ['import fund funds.csv --decimal comma --dates german --dry-run', 'What would change'],
    [
      'import price nav.xlsx --map Kurs=net_asset_value --sheet NAV --derive',
      'A workbook: one of its sheets',
    ],
    ['import fund withdrawn.csv', 'With the columns isin and data_permitted: funds to withdraw'],
    ['import --undo', 'The database as it was before the last load'],
    ['import --complete --db funds.sqlite', 'After the last import of the night'],
    ['import --complete 2026-11-24', 'The same, for the load of a day'],
  ],
  run: async (session, flags, first?: string, others: readonly string[] = []) => {
    if (first === undefined) return runWithoutFile(session, flags)
    const input = inputOf(first, others, flags)
    if (flags.undo === true) throw new UsageError('--undo takes no file')
    if (flags.explain === true) return runExplanation(session, flags, input)
    const { isJson, isQuiet, stdout } = session
    const { dryRun = false } = flags
    const find = (add: ImportOptions['onBad']) => importInto(session, flags, input, add)
    const isOne = input.files.length === 1
    let listed = 0
    const summary = await printList(session, find, {
      name: 'bad',
      fields: (found) => ({ before: { dryRun, ...jsonOf(found) } }),
      line: ({ file, place, reasons, rows }: BadRow) => {
        listed += rows
        const several = rows === 1 ? '' : ` (${formatCount(rows)} rows)`
        return `${escapeInvisible(`${isOne ? '' : `${file}, `}${place}: ${reasons.join('; ')}`)}${several}\n`
      },
    })
    const { bad } = summary
    if (!isJson) {
      if (bad > listed) stdout.write(`and ${formatCount(bad - listed)} more bad rows\n`)
      if (!isQuiet) stdout.write(describeImport(summary, dryRun))
    }
    const what = isOne ? `${input.files[0] ?? ''} has` : 'the files have'
    const fault = badShareFault(summary, {
      ...flags,
      share: session.settingsOf(importSettings).import.maxBadShare,
    })
    if (fault !== undefined) throw new Error(`${what} ${fault}`)
    // A dry run ends as the import would.
    if (summary.objections.length > 0) throw new Refusal('the import', summary.objections)
  },
})

/** @returns why the import is no success, behind the name of the file; undefined if it is one */
function badShareFault(
  summary: ImportSummary,
  { skipBad, replace, replaceAll, dryRun, complete, share }: Flags & { readonly share: number },
): string | undefined {
  const { bad, rows, changes } = summary
  const found = countOf(bad, 'bad row')
  const others = formatCount(rows - bad)
  if (changes === undefined) {
    const hasNoOther = [skipBad, replace, replaceAll].includes(true) || rows === bad
    const advice = hasNoOther ? '' : ` (--skip-bad takes the other ${others})`
    return `${found}: nothing was taken${advice}`
  }
  if (!hasTooManyBad(summary, share)) return undefined
  const done = dryRun === true ? 'nothing was changed' : `good rows were taken (${others})`
  const mark = complete === undefined ? '' : ', and the load is not marked as complete'
  return `${found} of ${formatCount(rows)}, a share that is not below ${share} (import.maxBadShare): ${done}${mark}`
}

/** What the arguments name. */
interface Input {
  readonly table: string | undefined
  readonly files: readonly string[]
}

/** The first argument is a table if it has the name of one, and is the name of no file. @throws {UsageError} for neither */
function inputOf(first: string, others: readonly string[], { as }: Flags): Input {
  if (existsSync(first)) return { table: undefined, files: [first, ...others] }
  if (tables.includes(first)) {
    if (others.length === 0)
      throw new UsageError("missing required argument 'file' (see fundpress import --help)")
    if (as !== undefined && as !== 'table' && as !== first)
      throw new UsageError(
        `${first} is a table, and files of --as ${as} have tables of their own: leave one out`,
      )
    return { table: first, files: others }
  }
  if (/^[a-z0-9_]+$/i.test(first))
    throw new UsageError(`there is no table "${first}"${suggest(first, tables)}`)
  return { table: undefined, files: [first, ...others] }
}

async function runWithoutFile(session: Session, flags: Flags): Promise<void> {
  const { settings, print, now } = session
  const { undo = false, complete } = flags
  if (undo === (complete !== undefined))
    throw new UsageError("missing required argument 'file' (see fundpress import --help)")
  const db = required(settings.db, 'db')
  const patience = patienceOf(session, flags, db)
  if (undo) {
    const time = await undoLoad(db, patience)
    print({ restored: db, time }, () => `${db} is as it was before the load, at ${time}\n`)
  } else {
    const completedAt = now()
    const day = await completeLoad(db, complete === true ? undefined : complete, completedAt, patience)
    print({ completedAt: completedAt.toISOString(), day }, () => `${db} has the complete load of ${day}\n`)
  }
}

type Flags = FlagsOf<typeof options>

const patienceOf = ({ signal, isQuiet, stderr }: Session, { wait }: Flags, db: string) => ({
  signal,
  patienceMs: wait * 1000,
  onWait: () => {
    if (!isQuiet) stderr.tell(`waiting for other users of ${db}`)
  },
})

/** The EMT has a table of the same name, and its settings. */
const formatsWithSettings = readers.filter(({ hasSettings }) => hasSettings === true).map(({ name }) => name)

/** Settings of the import that belong to no table. */
const ofAllTables: ReadonlySet<string> = new Set(['maxBadShare', 'splitFactor'])

/** Maps of the flags win over those of the config. @throws {UsageError} for two names of one column, or an unknown table */
function columnMapOf({ settingsOf }: Session, { map = [] }: Flags): (table: string) => ColumnMap {
  const tablesOfConfig = settingsOf(importSettings).import
  const known = [...tables, ...formatsWithSettings]
  const unknown = Object.keys(tablesOfConfig).find((name) => !ofAllTables.has(name) && !known.includes(name))
  if (unknown !== undefined)
    throw new UsageError(
      `config import.${unknown}: there is no such table or format${suggest(unknown, known)}`,
    )
  for (const name of formatsWithSettings.filter((format) => !tables.includes(format))) {
    // Columns are there, and empty, where the config has none.
    const said = Object.entries(tablesOfConfig[name] ?? {}).filter(
      ([, value]) => typeof value !== 'object' || Object.keys(value).length > 0,
    )
    const wrong = said.find(([key]) => ofPlainTables.includes(key))
    if (wrong !== undefined)
      throw new UsageError(`config import.${name}.${wrong[0]}: only files of plain tables have that`)
  }
  const named = new Map(map)
  if (named.size < map.length) throw new UsageError('--map names a column of the file twice')
  if (named.get('*')?.includes(',')) throw new UsageError('--map * takes the name of one column')
  const targets = new Set([...named.values()].flatMap((mapped) => targetsOf(mapped).map(({ name }) => name)))
  return (table) => {
    const configured = Object.entries(tablesOfConfig[table]?.columns ?? {})
      .map(([source, target]) => [headerName(source), target] as const)
      .filter(([, target]) => !targetsOf(target).some(({ name }) => name !== '' && targets.has(name)))
    return new Map([...configured, ...named])
  }
}

/** @throws {UsageError} for two values of one column */
function constantsOf({ set = [] }: Flags): ReadonlyMap<string, string> {
  const constants = new Map(set)
  if (constants.size < set.length) throw new UsageError('--set names a column twice')
  return constants
}

/** What the config says of the files of a table or a format. */
function habitsOf({ settingsOf }: Session): (table: string) => Habits {
  const all = settingsOf(importSettings).import
  return (table) => {
    const { delimiter, set = {}, derive, skip = {}, keep = {}, fillDown = [], ...others } = all[table] ?? {}
    return {
      ...others,
      skip: namedCells(Object.entries(skip)),
      keep: namedCells(Object.entries(keep)),
      fillDown: fillDown.map(headerName),
      delimiter: delimiter && delimiters[delimiter],
      constants: new Map(Object.entries(set)),
      isDeriving: derive === true,
    }
  }
}

/** @param byColumn texts by columns of the file */
const namedCells = (byColumn: readonly (readonly [string, readonly string[]])[]): readonly NamedCell[] =>
  byColumn.flatMap(([column, texts]) => texts.map((text) => ({ column: headerName(column), text })))

/** How files are read, as far as the command line and the config say it. */
function readingOf(session: Session, flags: Flags) {
  const { encoding, sheet, delimiter, skipLines, skipLast, decimal, dates, replace, replaceAll } = flags
  const { skipHidden = false, dropTimes = false, map = [], skip = [], keep = [], fillDown = [] } = flags
  const named = [
    ...map.map(([source]) => source),
    ...[...[...skip, ...keep].map(([column]) => column), ...fillDown].map(headerName),
  ]
  return {
    encoding,
    sheet,
    skipLines,
    skipLast,
    skip: namedCells(skip.map(([column, text]) => [column, [text]])),
    keep: namedCells(keep.map(([column, text]) => [column, [text]])),
    fillDown: fillDown.map(headerName),
    skipHidden,
    decimal,
    dates,
    dropTimes,
    suggest,
    delimiter: delimiter && delimiters[delimiter],
    columnMapOf: columnMapOf(session, flags),
    named: named.filter((source) => source !== '*'),
    constants: constantsOf(flags),
    takesMinorUnits: flags.minorUnits === true,
    splitFactor: flags.splitFactor ?? session.settingsOf(importSettings).import.splitFactor ?? undefined,
    isDeriving: flags.derive === true,
    scope: replaceAll === true ? 'table' : replace === true ? 'funds' : 'upsert',
    habitsOf: habitsOf(session),
  } as const
}

const delimiters = { semicolon: ';', comma: ',', tab: '\t', pipe: '|' } as const

function importInto(
  session: Session,
  flags: Flags,
  { table, files }: Input,
  onBad: ImportOptions['onBad'],
): Promise<ImportSummary> {
  const { settings, settingsOf, now } = session
  const { skipBad, dryRun, backup } = flags
  const db = required(settings.db, 'db')
  const reading = showProgress(session, 'bytes read')
  const taking = showProgress(session, 'funds taken')
  const patience = patienceOf(session, flags, db)
  return importFiles({
    ...patience,
    db,
    table,
    files,
    as: flags.as,
    ...readingOf(session, flags),
    isProposing: false,
    history: flags.history,
    complete: flags.complete,
    isCopied: backup,
    override: overrideOf(session, flags),
    now: now(),
    maxBadShare: settingsOf(importSettings).import.maxBadShare,
    isSkippingBad: skipBad === true,
    isDryRun: dryRun === true,
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
      patience.onWait()
    },
  }).finally(() => {
    reading.end()
    taking.end()
  })
}

/** @throws {Error} after it has been printed, if something stays open */
async function runExplanation(session: Session, flags: Flags, { table, files }: Input): Promise<void> {
  const { settings, settingsOf, print } = session
  const { encoding, sheet, delimiter, skipLines, skipLast, decimal, dates, dropTimes, derive, set } = flags
  const { skip, keep, fillDown, skipHidden } = flags
  const { db, derive: modes } = settings
  const options = { db, table, files, as: flags.as, derive: modes, ...readingOf(session, flags) }
  const explanation = await explainFiles(options)
  const configured = settingsOf(importSettings).import
  const said = {
    encoding,
    sheet,
    delimiter,
    skipLines,
    skipLast,
    skip: skip && textsByColumn(skip),
    keep: keep && textsByColumn(keep),
    fillDown,
    skipHidden,
    decimal,
    dates,
    dropTimes,
    derive,
    set: set && Object.fromEntries(set),
  }
  const config = configFor(explanation, configured, {
    ofTables: withoutUndefined(said),
    ofAll: withoutUndefined({ splitFactor: flags.splitFactor }),
  })
  print({ ...explanation, config: config ?? null }, () =>
    describeExplanation(explanation, config, flagsWithoutSetting(flags)),
  )
  const open = explanation.files.find(({ question }) => question !== null)
  if (open !== undefined) throw new Error(open.question ?? '')
}

const withoutUndefined = (values: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))

/** @returns the flags of a command line that decide what files say, and that no config can give */
const flagsWithoutSetting = ({ as, history, minorUnits }: Flags): readonly string[] => [
  ...(as === undefined ? [] : [`--as ${as}`]),
  ...(history === undefined ? [] : [`--history ${history}`]),
  ...(minorUnits === true ? ['--minor-units'] : []),
]

/** As the config has them. */
function textsByColumn(
  cells: readonly (readonly [string, string])[],
): Readonly<Record<string, readonly string[]>> {
  const grouped = Map.groupBy(cells, ([column]) => column)
  return Object.fromEntries([...grouped].map(([column, own]) => [column, own.map(([, text]) => text)]))
}

/** @param flags that the next import needs again */
function describeExplanation(
  { files, endpoints }: Explanation,
  config: ImportConfig | undefined,
  flags: readonly string[],
): string {
  const readable = files.some(({ question }) => question === null)
  const needs = endpoints.map(({ endpoint, missing, derived }) => {
    const made = derived.length === 0 ? '' : ` (derived as far back as prices reach: ${derived.join(', ')})`
    const state = missing.length === 0 ? 'has all that it needs' : `lacks ${missing.join(', ')}`
    return [endpoint, state + made] as const
  })
  const advice = adviceOn(files, config, flags)
  const blocks = [
    ...files.map(describeFile),
    ...(readable ? [`Endpoints, with these files and the database:\n${columnsOfTwo(needs)}`, advice] : []),
  ]
  return blocks.join('\n')
}

/** What the next import needs. Bad lines are told before: no part of the config mends them. */
function adviceOn(
  files: Explanation['files'],
  config: ImportConfig | undefined,
  flags: readonly string[],
): string {
  const bad = files.reduce((sum, one) => sum + one.bad.count, 0)
  const part = config === undefined ? '' : `${JSON.stringify({ import: config }, undefined, 2)}\n`
  if (bad > 0) {
    const rows = bad === 1 ? 'the bad row is' : `the ${formatCount(bad)} bad rows are`
    const which = bad === 1 ? 'it' : 'them'
    const how =
      config === undefined ? '' : ' This part in fundpress.config.json says how the others are read:\n'
    return `The next import takes nothing, until ${rows} corrected, or --skip-bad leaves ${which} out.${how || '\n'}${part}`
  }
  const lacking = files.filter((one) => one.lacking.length > 0)
  const needed = lacking.map((one) => `${one.lacking.join(', ')} of table ${one.table ?? ''}`)
  const needs = [...new Set(needed)].join(', and ')
  const ways = '--map takes a column of the file for one, --set gives all rows one value'
  if (lacking.some((one) => !one.hasRows)) {
    const how =
      config === undefined ? '\n' : ' This part in fundpress.config.json says how the others are read:\n'
    return `The next import takes nothing, until the files have ${needs}: ${ways}.${how}${part}`
  }
  const ends = [
    ...(lacking.length === 0 ? [] : [`Rows that the database does not have need ${needs}: ${ways}.\n`]),
    ...conditionsOf(files),
  ].join('')
  const again = flags.join(' ')
  if (config !== undefined) {
    const but = flags.length === 0 ? '' : ` but ${again}`
    return `The next import needs no flag${but} with this part in fundpress.config.json:\n${part}${ends}`
  }
  const too = flags.length === 0 ? '' : `, but ${again}`
  return `The next import needs no part in the config${too}.\n${ends}`
}

/** @returns on which condition rows are taken that other files complete, by table */
function conditionsOf(files: Explanation['files']): readonly string[] {
  const completed = files.filter((one) => one.completed.length > 0)
  return [...Map.groupBy(completed, ({ table }) => table)].map(([table, own]) => {
    const columns = [...new Set(own.flatMap((one) => one.completed))]
    return `New rows of table ${table ?? ''} that lack any of ${columns.join(', ')} are taken if another one of these files completes them.\n`
  })
}

/** Names of fields that are not taken may be hundreds. */
const shownNames = 12

function describeFile({
  file,
  format,
  table,
  isTableProposed,
  isDerivingProposed,
  form,
  columns,
  tables: found,
  ...rest
}: ExplainedFile): string {
  const { bad, notes, warnings, leftOut } = rest
  const sure = isTableProposed ? ', by the names of its columns: a proposal' : ''
  const left = columns.filter(({ as }) => as === null).map(({ name }) => name)
  const more = left.length > shownNames ? ` and ${left.length - shownNames} more` : ''
  const shown = {
    file,
    as: format === null ? null : [format, ...(table === null ? [] : [table])].join(' ') + sure,
    form: form.length === 0 ? null : form.join(', '),
    'not taken': left.length === 0 ? null : left.slice(0, shownNames).join(', ') + more,
    derived: isDerivingProposed ? 'figures of prices that the file lacks (a proposal)' : null,
    notes: notes.length === 0 ? null : notes.join('; '),
    warnings: warnings.length === 0 ? null : warnings.join('; '),
    'left out': leftOut.length === 0 ? null : leftOut.join('; '),
    bad: bad.first === null ? null : `${countOf(bad.count, 'row')}, the first: ${bad.first}`,
  }
  const read = columns.flatMap(({ name, as, isProposed }) =>
    as === null ? [] : [[name, `${as}${isProposed === true ? ' (a proposal)' : ''}`] as const],
  )
  const rows = found.map(({ table: name, rows: count, columns: own }) => {
    const examples = own.map(
      (column) => `${column.name} ${column.example === null ? 'empty' : String(column.example)}`,
    )
    return [name, `${countOf(count, 'row')}, such as ${examples.join(', ')}`] as const
  })
  const blocks = [read, rows].filter((block) => block.length > 0).map(columnsOfTwo)
  return [describeSummary(shown), ...blocks].join('\n')
}

function columnsOfTwo(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([first]) => first.length))
  return rows.map(([first, second]) => `${escapeInvisible(`${first.padEnd(width)}  ${second}`)}\n`).join('')
}

function jsonOf({ files, bad, changes, ...others }: ImportSummary) {
  const counted = files.map(({ leftOut, repeated, bad: badCount, ...file }) => ({
    ...file,
    badCount,
    repeated,
    leftOut: [...leftOut].map(([what, { count, first }]) => ({ what, count, first })),
  }))
  return { files: counted, tables: changes ?? null, ...others, badCount: bad }
}

/** The report: what each file had, then what became of each table. */
function describeImport(summary: ImportSummary, isDryRun: boolean): string {
  const isOne = summary.files.length === 1
  const warnings = summary.files.flatMap(({ file, warnings: own }) =>
    own.map((warning) => (isOne ? warning : `${file}: ${warning}`)),
  )
  const files = summary.files.map(figuresOfFile)
  const all = figuresOf(summary, isDryRun)
  const hasAny = Object.values(all).some((figure) => figure !== null)
  const blocks = [...files, ...(hasAny ? [all] : [])]
  return (
    warnings.map((warning) => `warning: ${escapeInvisible(warning)}\n`).join('') +
    blocks.map((figures) => describeSummary(figures)).join('\n')
  )
}

function figuresOfFile({ file, format, table, form, notes, rows, bad, ...counts }: FileSummary) {
  const { repeated, completing, hundredths, summed, leftOut } = counts
  const left = [...leftOut].map(
    ([what, { count, first }]) => `${what} (${formatCount(count)}, the first: ${first})`,
  )
  const again = repeated === 1 ? '1 row repeats another one' : `${formatCount(repeated)} rows repeat others`
  const completed =
    completing === 1 ? '1 row completes another one' : `${formatCount(completing)} rows complete others`
  const divided = `in hundredths of a currency, divided by 100: ${hundredths === 1 ? '1 row' : `${formatCount(hundredths)} rows`}`
  const added = `distributions that were added to another one of the same day: ${formatCount(summed)}`
  const all = [
    ...notes,
    ...(repeated === 0 ? [] : [again]),
    ...(completing === 0 ? [] : [completed]),
    ...(hundredths === 0 ? [] : [divided]),
    ...(summed === 0 ? [] : [added]),
  ]
  return {
    file,
    as: [format, ...(table === undefined ? [] : [table])].join(' '),
    form: form.join(', '),
    notes: all.length === 0 ? null : all.join('; '),
    'left out': left.length === 0 ? null : left.join('; '),
    rows: formatCount(rows) + (bad === 0 ? '' : `, ${formatCount(bad)} of them bad`),
  }
}

function figuresOf({ notes, changes = {}, allowed, copy }: ImportSummary, isDryRun: boolean) {
  const end = isDryRun ? ' (dry run: nothing was changed)' : ''
  const tables = Object.entries(changes).map(([name, { added, changed, unchanged, removed }]) => {
    const words = Object.entries({ new: added, changed, unchanged, removed })
    return [name, words.map(([word, count]) => `${formatCount(count)} ${word}`).join(', ') + end] as const
  })
  return {
    ...Object.fromEntries(tables),
    notes: notes.length === 0 ? null : notes.join('; '),
    allowed: allowed.length === 0 ? null : allowed.map(({ message }) => message).join('; '),
    copy,
  }
}
