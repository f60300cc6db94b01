/** Settings of import: how files name their columns, and their encoding. */

import { z } from 'zod'
import type { OwnSettings } from '../../core/cli/own-settings.ts'
import { numberBetween, say, settingText as text } from '../../core/cli/setting-fields.ts'
import { oneByteEncodings } from '../../core/data/model/encodings.ts'

const columnNames = say(
  'The column of the table for a column of the file, or several with commas; "" ignores it, and the name * all that are unknown.',
  z.record(
    z.string(),
    text('the name of a column, several with commas, or ""', /^[a-z_0-9]*(?:,[a-z_0-9]+)*$/u),
    'an object',
  ),
)

const encodings = ['utf-8', ...oneByteEncodings] as const

const tableSettings = z.strictObject(
  {
    columns: columnNames.default({}),
    encoding: z.enum(encodings, `one of ${encodings.join(', ')}`).optional(),
  },
  'an object',
)

export const settings = {
  shape: {
    import: say(
      'How the files of `fundpress import` name their columns, by table: { "price": { "columns": { "Datum": "date" } } }; ' +
        'and which encoding they have if they are neither UTF-8 nor UTF-16: { "price": { "encoding": "windows-1250" } }.',
      z
        .object(
          {
            maxBadShare: say(
              'With --skip-bad: the share of bad lines above which an import ends with exit code 1.',
              numberBetween(0, 1).default(0.1),
            ),
          },
          'an object',
        )
        .catchall(tableSettings)
        .prefault({}),
    ),
  },
} as const satisfies OwnSettings
