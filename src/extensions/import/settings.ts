/** Settings of import: how files name their columns, and their encoding. */

import { z } from 'zod'
import type { OwnSettings } from '../../core/cli/own-settings.ts'
import { say, settingText as text } from '../../core/cli/setting-fields.ts'
import { oneByteEncodings } from '../../core/data/model/encodings.ts'

const columnNames = say(
  'The column of the table for a column of the file; "" ignores it, and the name * all that are unknown.',
  z.record(z.string(), text('the name of a column, or ""', /^[a-z_0-9]*$/u), 'an object'),
)

const encodings = ['utf-8', ...oneByteEncodings] as const

export const settings = {
  shape: {
    import: say(
      'How the files of `fundpress import` name their columns, by table: { "price": { "columns": { "Datum": "date" } } }; ' +
        'and which encoding they have if they are neither UTF-8 nor UTF-16: { "price": { "encoding": "windows-1250" } }.',
      z
        .record(
          z.string(),
          z.strictObject(
            {
              columns: columnNames.default({}),
              encoding: z.enum(encodings, `one of ${encodings.join(', ')}`).optional(),
            },
            'an object',
          ),
          'an object',
        )
        .default({}),
    ),
  },
} as const satisfies OwnSettings
