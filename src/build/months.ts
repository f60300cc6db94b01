/** What a window list says of the bytes of its windows, so that an edge reads only the slice that it needs. */

import type { Around } from '../api/routes/keys.ts'
import { seriesMarks } from '../api/routes/series.ts'
import type { Format, Series } from '../api/routes/table.ts'

const monthNumbers = Array.from({ length: 12 }, (_, index) => String(index + 1).padStart(2, '0'))

/**
 * @param window a document with at least one record, all of one year
 * @param year four digits
 * @returns 13 byte offsets, ascending: of the first record of each month, and of the end of the records. A month without records
 * has the offset of the next one
 */
export function monthsOf(window: string, year: string, format: Format, series: Series): readonly number[] {
  const { mark, dated } = seriesMarks(format, series)
  const { start, end } = placeOfRecords(window, format, series)
  let at = start
  const found = monthNumbers.map((month) => {
    const date = window.indexOf(`${dated}${year}-${month}-`, at)
    if (date < 0) return null
    at = date
    return window.lastIndexOf(mark, date)
  })
  const starts = found.reduceRight<number[]>((after, here) => [here ?? after[0] ?? end, ...after], [end])
  let [last, bytes] = [0, 0]
  return starts.map((place) => {
    bytes += Buffer.byteLength(window.slice(last, place))
    last = place
    return bytes
  })
}

/** What stands around the records of a window with at least one. */
export function aroundOf(window: string, format: Format, series: Series): Around {
  const { start, end } = placeOfRecords(window, format, series)
  return { head: window.slice(0, start), tail: window.slice(end) }
}

function placeOfRecords(window: string, format: Format, series: Series) {
  const { open, close, mark } = seriesMarks(format, series)
  return { start: window.indexOf(open + mark) + open.length, end: window.lastIndexOf(close) }
}
