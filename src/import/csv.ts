/** CSV as lines of cells: which delimiter it has, and reading it without holding it. */

import { createReadStream, openSync, readSync, closeSync } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse, type CsvError, type Options } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import type { CellLines, LineVisitor } from './cells.ts'
import { decodeWindows1252, encodingNames, type Encoding } from './encoding.ts'

export type Delimiter = ';' | ',' | '\t'

export const delimiters: readonly Delimiter[] = [';', ',', '\t']

export interface CsvFile {
  readonly file: string
  readonly encoding: Encoding
  /** What was asked for; undefined sniffs. */
  readonly delimiter: Delimiter | undefined
  /** Whether a cell of the header names a column. */
  readonly isName: (text: string) => boolean
}

/** A header lies within this; so does the cell that a quotation mark has opened and none has closed. */
const headerBytes = 1 << 18
const lineCharacters = 1 << 20

/** What Excel reads as the delimiter of the file and no line of it: `sep=;`. */
const tellsDelimiter = /^\ufeff?"?sep=([;,\t])"?(?:\r\n|\n|\r|$)/i

/** @throws {Error} if the file is empty, or its first line cannot be read */
export function openCsv({
  file,
  encoding,
  delimiter: asked,
  isName,
}: CsvFile): CellLines & { delimiter: Delimiter } {
  const whole = readStart(file, encoding)
  const [told = '', said] = tellsDelimiter.exec(whole) ?? []
  const isTold = told !== ''
  const wanted = asked ?? (said as Delimiter | undefined)
  const start = whole.slice(told.length)
  const tries = (wanted === undefined ? delimiters : [wanted]).map((delimiter) => {
    const { header, error } = firstLine(start, delimiter)
    return { delimiter, header, error, known: header.filter((name) => isName(name)).length }
  })
  const best = tries.reduce((one, other) => {
    const isBetter =
      other.known === one.known ? other.header.length > one.header.length : other.known > one.known
    return isBetter ? other : one
  })
  const { delimiter, header, error } = best
  // With the wrong delimiter, a quotation mark may stand in the middle of a cell.
  if (error !== undefined) throw new Error(`${file}, line 1: it cannot be read as CSV`, { cause: error })
  if (header.length === 0) throw new Error(`${file} is empty`)
  const blank = /^\ufeff?((?:\r\n|\n|\r)*)/.exec(start)?.[1]?.match(/\r\n|\n|\r/g)?.length ?? 0
  return {
    delimiter,
    header,
    headerLine: (isTold ? 2 : 1) + blank,
    form: `${encodingNames[encoding]}, delimiter ${delimiter === '\t' ? 'tab' : delimiter}${isTold ? ' (line 1 is sep=)' : ''}`,
    read: (visitor) => readLines({ file, encoding, delimiter, isTold }, visitor),
  }
}

function readStart(file: string, encoding: Encoding): string {
  const handle = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(headerBytes)
    const bytes = buffer.subarray(0, readSync(handle, buffer))
    return encoding === 'utf-8' ? bytes.toString('utf8') : decodeWindows1252(bytes)
  } finally {
    closeSync(handle)
  }
}

function options(delimiter: Delimiter): Options {
  return {
    bom: true,
    delimiter,
    max_record_size: lineCharacters,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
  }
}

interface FirstLine {
  readonly header: readonly string[]
  readonly error?: unknown
}

function firstLine(start: string, delimiter: Delimiter): FirstLine {
  try {
    return { header: parseSync(start, { ...options(delimiter), to: 1 })[0] ?? [] }
  } catch (error) {
    return { header: [], error }
  }
}

async function readLines(
  { file, encoding, delimiter, isTold }: Omit<CsvFile, 'isName'> & { readonly isTold: boolean },
  visitor: LineVisitor,
): Promise<void> {
  const counter = lineCounter()
  // Lines that hold no cells.
  let left = isTold ? 2 : 1
  const parser = parse({
    ...options(delimiter ?? ';'),
    on_record: (cells: string[], { lines }) => {
      const line = counter.firstLineOf(cells, lines)
      if (left > 0) left--
      // A line of delimiters alone is what spreadsheets write for an empty one.
      else if (cells.some((cell) => cell !== '')) visitor.line(cells, line)
      return null
    },
    // Only where the end of the line can still be found does reading go on.
    skip_records_with_error: true,
    on_skip: (error) => {
      if (error?.code !== 'INVALID_OPENING_QUOTE') throw unreadable(file, counter.lineNow(error), error)
      const line = counter.lineNow(error)
      if (counter.isNew(line))
        visitor.broken('a quotation mark inside a cell that is not in quotation marks itself', line)
    },
  })
  await pipeline(readChunks(file, encoding, visitor), parser.resume())
}

function readChunks(file: string, encoding: Encoding, { bytes }: LineVisitor): Readable {
  async function* chunks() {
    for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) {
      const buffer = chunk as Buffer
      bytes(buffer.length)
      yield encoding === 'utf-8' ? buffer : decodeWindows1252(buffer)
    }
  }
  return Readable.from(chunks())
}

function unreadable(file: string, line: number, error: CsvError | undefined): Error {
  const reasons: Readonly<Record<string, string>> = {
    CSV_INVALID_CLOSING_QUOTE: 'text after a closing quotation mark: inside a cell it is written twice',
    CSV_QUOTE_NOT_CLOSED: 'a quotation mark that is never closed',
    CSV_MAX_RECORD_SIZE: `a line of more than ${lineCharacters} characters: a quotation mark before it is never closed`,
  }
  const reason = reasons[error?.code ?? ''] ?? 'it cannot be read as CSV'
  return new Error(`${file}, line ${line}: ${reason}; where the lines after it begin cannot be told`, {
    cause: error,
  })
}

/** The parser tells the last line of a record, and counts a CR LF inside of a cell as two. */
function lineCounter() {
  let previous = 0
  let twice = 0
  let lastBroken = 0
  return {
    firstLineOf: (cells: readonly string[], counted: number): number => {
      const end = counted - twice
      // Most lines are one: nothing to count.
      if (end === previous + 1) {
        previous = end
        return end
      }
      const breaks = cells.flatMap((cell) => cell.match(/\r\n|\n|\r/g) ?? [])
      const pairs = breaks.filter((lineBreak) => lineBreak === '\r\n').length
      twice += pairs
      previous = end - pairs
      return previous - breaks.length
    },
    lineNow: (error: CsvError | undefined): number => Number(error?.['lines'] ?? 0) - twice,
    /** A line with several of them is one bad line. */
    isNew: (line: number): boolean => {
      const isNew = line !== lastBroken
      lastBroken = line
      return isNew
    },
  }
}
