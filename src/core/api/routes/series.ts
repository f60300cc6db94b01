/** Marks in the bytes of a window. `api/encode/series.ts` proves that no value can forge a mark. */

import type { Format, Series } from './table.ts'

const lineEnding = '\r\n'

/**
 * - `open`, `close`: text before a window's first record and after its last one.
 * - `mark`: start of each record. In CSV, the line ending before a record counts as its start.
 * - `dated`: text before a record's date, in the record.
 */
export function seriesMarks(format: Format, { list, date, next }: Series) {
  if (format === 'csv') return { open: '', close: lineEnding, mark: lineEnding, dated: lineEnding }
  if (format === 'xml') {
    const tag = '<' + date + '>'
    return { open: '<' + list + '>', close: '</' + list + '>', mark: '<item key="', dated: '">' + tag }
  }
  const mark = '{"' + date + '":"'
  return { open: ',"' + list + '":[', close: '],"' + next + '":', mark, dated: mark }
}
