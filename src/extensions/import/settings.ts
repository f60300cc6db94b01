/** Settings of import: how the files of each table are written. */

import { z } from 'zod'
import type { OwnSettings } from '../../core/cli/own-settings.ts'
import { numberBetween, orNull, say, settingText as text, whole } from '../../core/cli/setting-fields.ts'
import { dateForms } from './days.ts'
import { splitFactors } from './readers/reader.ts'
import { oneByteEncodings } from '../../core/data/model/encodings.ts'

const columnNames = say(
  'The column of the table for a column of the file, or several with commas; *1000 or *1000000 behind it multiplies amounts; "" ignores it, and the name * all that are unknown.',
  z.record(
    z.string(),
    text(
      'the name of a column, several with commas, or ""',
      /^[a-z_0-9]*(?:\*1(?:000){0,3})?(?:,[a-z_0-9]+(?:\*1(?:000){0,3})?)*$/u,
    ),
    'an object',
  ),
)

const encodings = ['utf-8', ...oneByteEncodings] as const

export const delimiterNames = ['semicolon', 'comma', 'tab', 'pipe'] as const

const tableSettings = z.strictObject(
  {
    columns: columnNames.default({}),
    encoding: z.enum(encodings, `one of ${encodings.join(', ')}`).optional(),
    sheet: say('The sheet of a workbook.', text('a name', /./u)).optional(),
    delimiter: z.enum(delimiterNames, `one of ${delimiterNames.join(', ')}`).optional(),
    skipLines: say('How many lines stand above the header.', whole(0, 1_000_000)).optional(),
    skipLast: say('How many lines at the end are no rows.', whole(0, 1000)).optional(),
    skip: say(
      'Lines that are left out, by the texts of a column of the file: { "Name": ["Summe"] }.',
      z.record(z.string(), z.array(text('a text', /^/u), 'a list of texts'), 'an object'),
    ).optional(),
    keep: say(
      'Lines that are items, though they look like totals, by the texts of a column of the file: { "Name": ["Total"] }.',
      z.record(z.string(), z.array(text('a text', /./u), 'a list of texts'), 'an object'),
    ).optional(),
    fillDown: say(
      'Columns of the file of which an empty cell has the value above it.',
      z.array(text('a name', /./u), 'a list of names'),
    ).optional(),
    skipHidden: say(
      'Leave out hidden rows, columns and sheets of workbooks.',
      z.boolean('true or false'),
    ).optional(),
    decimal: z.enum(['comma', 'point'], 'comma or point').optional(),
    dates: z.enum(dateForms, `one of ${dateForms.join(', ')}`).optional(),
    dropTimes: say('Leave out times of day behind days.', z.boolean('true or false')).optional(),
    set: say(
      'Values of all rows, which the files do not have, by columns of the table.',
      z.record(z.string(), text('a text', /^/u), 'an object'),
    ).optional(),
    derive: say('Compute figures of prices that the files lack.', z.boolean('true or false')).optional(),
  },
  'an object',
)

/** What only files of plain tables may have. */
export const ofPlainTables: readonly string[] = ['columns', 'set', 'derive']

export const settings = {
  shape: {
    import: say(
      'How the files of `fundpress import` name their columns, by table: { "price": { "columns": { "Datum": "date" } } }; ' +
        'which encoding they have if they are neither UTF-8 nor UTF-16: { "price": { "encoding": "windows-1250" } }; and what flags say ' +
        'otherwise: sheet, delimiter, skipLines, skipLast, skip, keep, fillDown, skipHidden, decimal, dates, dropTimes, set, derive. emt is for the ' +
        'template, too, and openfunds for openfunds, without columns, set and derive. `fundpress import FILE --explain` prints this part.',
      z
        .object(
          {
            maxBadShare: say(
              'With --skip-bad: the share of bad rows from which on an import ends with exit code 1.',
              numberBetween(0, 1).default(0.1),
            ),
            splitFactor: say(
              'What SplitFactor of FundsXML counts, as --split-factor says it.',
              orNull(z.enum(splitFactors, `one of ${splitFactors.join(', ')}`)),
            ),
          },
          'an object',
        )
        .catchall(tableSettings)
        .prefault({}),
    ),
  },
} as const satisfies OwnSettings
