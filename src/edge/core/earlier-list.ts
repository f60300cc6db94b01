/** Window lists of earlier versions. They lack the places of records: the windows themselves show them. */

import type { Around, WindowEntry } from '../../api/routes/keys.ts'
import { seriesMarks } from '../../api/routes/series.ts'
import type { Format, Series } from '../../api/routes/table.ts'
import { notAWindow, type Place } from './window.ts'

export interface EarlierWindowList {
  /** Ascending. The oldest have no digest of CSV. */
  readonly windows: readonly Omit<WindowEntry, 'months' | 'csv'>[]
}

interface Located {
  readonly window: WindowEntry
  readonly around: Around
}

/** Finds a window's records. Months stay unknown: all offsets but the last are equal. @throws {Error} if it is no window */
export function locate(
  window: EarlierWindowList['windows'][number],
  text: string,
  format: Format,
  series: Series,
): Located {
  const { open, close, mark } = seriesMarks(format, series)
  const opened = text.indexOf(open || mark)
  const start = opened + open.length
  const end = text.lastIndexOf(close)
  if (opened < 0 || end < start) throw notAWindow()
  const offsets: number[] = []
  for (let month = 0; month < 12; month++) offsets.push(bytesOf(text.slice(0, start)))
  offsets.push(bytesOf(text.slice(0, end)))
  const months = { json: offsets, xml: offsets, csv: offsets }
  return {
    window: Object.assign({ csv: '' }, window, { months }),
    around: { head: text.slice(0, start), tail: text.slice(end) },
  }
}

export function placeOfAll({ months }: WindowEntry, format: Format): Place {
  const offsets = months[format] as readonly number[]
  return { start: offsets[0] as number, end: offsets[12] as number }
}

/** Length in UTF-8. */
const bytesOf = (text: string) => encodeURIComponent(text).replace(/%../g, '_').length
