/**
 * Putting any date range together from yearly windows, by cutting text between records: nothing is parsed or written
 * anew but the item keys of XML. Why the cuts cannot be forged by a value: `encode/series.ts`.
 *
 * Windows are texts in which every ASCII character is itself: decoded UTF-8, or bytes taken as Latin-1 (faster).
 */

import type { Format, Series } from '../routes/table.ts'
import type { WindowEntry } from '../routes/windows.ts'

/** The windows with records between the two days, both included, in order. */
export function overlapping(
  windows: readonly WindowEntry[],
  from: string,
  to: string,
): readonly WindowEntry[] {
  return windows.filter((window) => window.first <= to && window.last >= from)
}

/** Whether all records of the window lie between the two days. */
export function isWhole(window: WindowEntry, from: string, to: string): boolean {
  return from <= window.first && window.last <= to
}

/**
 * Joins the records between two days.
 * @param texts documents of the windows that overlap, ascending; or of any one window where none does
 * @returns pieces of the document (joined late: some runtimes copy a string at every `+=`)
 * @throws {Error} if a text is not a window
 */
export function joinWindows(
  format: Format,
  series: Series,
  texts: readonly string[],
  from: string,
  to: string,
): string[] {
  const joiner = windowJoiner(format, series, from, to)
  const pieces: string[] = []
  const take = (piece: string) => pieces.push(piece)
  texts.forEach((text) => joiner.add(text).forEach(take))
  joiner.end().forEach(take)
  return pieces
}

/** Joins windows one after the other: what each of them adds can be given out before the next one is there. */
export interface WindowJoiner {
  /** @param text the document of the next window @returns pieces of the joined one @throws {Error} if it is no window */
  readonly add: (text: string) => string[]
  /**
   * Counts a whole window's records that the platform gives out itself, after at least one record was added: in JSON
   * with a comma before them, in XML with their keys counted on.
   * @returns how many records there are before them
   */
  readonly pass: (records: number) => number
  /** The rest of the document. */
  readonly end: () => string[]
}

export function windowJoiner(format: Format, series: Series, from: string, to: string): WindowJoiner {
  const form = format === 'json' ? jsonForm(series) : xmlForm(series)
  let count = 0
  let head = ''
  let tail = ''
  return {
    add: (text) => {
      const opened = text.indexOf(form.open)
      const closed = text.lastIndexOf(form.close)
      if (opened < 0 || closed < opened) throw new Error('not a window')
      const start = opened + form.open.length
      if (head === '') head = text.slice(0, start)
      tail = text.slice(closed)
      const pieces: string[] = []
      const added = form.push(pieces, cut(text, start, closed, form, from, to), count)
      // Without a record the head may have to be another one.
      if (count === 0 && added > 0) pieces.unshift(head)
      count += added
      return pieces
    },
    pass: (records) => {
      const before = count
      count += records
      return before
    },
    end: () => (count > 0 ? [tail] : [form.empty(head + tail)]),
  }
}

/** What stands before the first record of a window, after the last one, and what each record starts with. */
export function windowMarks(
  format: Format,
  series: Series,
): { readonly open: string; readonly close: string; readonly mark: string } {
  return format === 'json' ? jsonForm(series) : xmlForm(series)
}

/** How a format writes a series. */
interface Form {
  /** What stands before the first record, and after the last. */
  readonly open: string
  readonly close: string
  /** What each record starts with, and how far from there its date is. */
  readonly mark: string
  readonly dateAt: (text: string, record: number) => number
  /** Adds a run of records to the pieces; `before` counts those that are there. Returns how many were added. */
  readonly push: (pieces: string[], run: string, before: number) => number
  /** Mends a document whose list turned out to be empty. */
  readonly empty: (document: string) => string
}

function jsonForm(series: Series): Form {
  const mark = '{"' + series.date + '":"'
  return {
    open: ',"' + series.list + '":[',
    close: '],"' + series.next + '":',
    mark,
    dateAt: (_, record) => record + mark.length,
    push: (pieces, run, before) => {
      if (run === '') return 0
      if (before > 0) pieces.push(',')
      // The comma after the run's last record is there if another record followed.
      pieces.push(run.charAt(run.length - 1) === ',' ? run.slice(0, -1) : run)
      return 1
    },
    empty: (document) => document,
  }
}

function xmlForm(series: Series): Form {
  const mark = '<item key="'
  const open = '<' + series.list + '>'
  const close = '</' + series.list + '>'
  const date = '<' + series.date + '>'
  return {
    open,
    close,
    mark,
    dateAt: (text, record) => text.indexOf(date, record) + date.length,
    push: (pieces, run, before) => {
      const records = run.split(mark).slice(1)
      records.forEach((record, index) => {
        pieces.push(mark + String(before + index), record.slice(record.indexOf('"')))
      })
      return records.length
    },
    empty: (document) => document.split(open + close).join('<' + series.list + '/>'),
  }
}

/** The run of records between the two days: dates ascend, so it is one piece of the text. */
function cut(text: string, start: number, end: number, form: Form, from: string, to: string): string {
  let first = -1
  let record = start
  while (record < end && record >= 0) {
    const dateAt = form.dateAt(text, record)
    const date = text.slice(dateAt, dateAt + 10)
    if (date > to) break
    if (first < 0 && date >= from) first = record
    record = text.indexOf(form.mark, dateAt)
  }
  if (first < 0) return ''
  return text.slice(first, record < 0 || record > end ? end : record)
}
