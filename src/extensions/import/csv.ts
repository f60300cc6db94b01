/** CSV as lines of cells: its delimiter, and reading it without holding it. */

import { pipeline } from 'node:stream/promises'
import { parse, type CsvError, type Options } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { readStart } from '../../core/system/read-start.ts'
import { chunksOf, decoderOf, encodingNames, type Encoding } from './encoding.ts'
import type { CellLines, LineVisitor } from './layout.ts'

const delimiters = [';', ',', '\t'] as const
export type Delimiter = (typeof delimiters)[number]

/** The header must lie within this. */
const headerBytes = 1 << 18
const lineCharacters = 1 << 20

/** A first line that tells Excel the delimiter: `sep=;`. */
const delimiterHint = /^\ufeff?"?sep=([;,\t])"?(?:\r\n|\n|\r|$)/i

/**
 * @param asked for; undefined sniffs @param isName whether a cell of the header names a column
 * @throws {Error} if the file is empty, or its first line cannot be read
 */
export function openCsv(
  file: string,
  encoding: Encoding,
  asked: Delimiter | undefined,
  isName: (text: string) => boolean,
): CellLines {
  const whole = decoderOf(encoding)(readStart(file, headerBytes))
  const [hint = '', hinted] = delimiterHint.exec(whole) ?? []
  const hasHint = hint !== ''
  const start = whole.slice(hint.length)
  const wanted = asked ?? (hinted as Delimiter | undefined)
  const tries = (wanted === undefined ? delimiters : [wanted]).map((delimiter) => {
    const { header, error } = firstLine(start, delimiter)
    return { delimiter, header, error, known: header.filter(isName).length }
  })
  // The first that knows most names, or else has most cells.
  const { delimiter, header, error } = tries.reduce((one, other) =>
    (other.known - one.known || other.header.length - one.header.length) > 0 ? other : one,
  )
  // With the wrong delimiter, a quotation mark may be in the middle of a cell.
  if (error !== undefined) throw new Error(`${file}, line 1: it cannot be read as CSV`, { cause: error })
  if (header.length === 0) throw new Error(`${file} is empty`)
  const blank = /^\ufeff?((?:\r\n|\n|\r)*)/.exec(start)?.[1]?.match(lineBreak)?.length ?? 0
  const shown = delimiter === '\t' ? 'tab' : delimiter
  return {
    header,
    headerLine: (hasHint ? 2 : 1) + blank,
    form: `${encodingNames[encoding]}, delimiter ${shown}${hasHint ? ' (line 1 is sep=)' : ''}`,
    read: (visitor) => readLines(file, encoding, delimiter, hasHint ? 2 : 1, visitor),
  }
}

const lineBreak = /\r\n|\n|\r/g

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

function firstLine(start: string, delimiter: Delimiter): { header: readonly string[]; error?: unknown } {
  try {
    return { header: parseSync(start, { ...options(delimiter), to: 1 })[0] ?? [] }
  } catch (error) {
    return { header: [], error }
  }
}

/** @param headLines lines of cells that are not given to the visitor */
async function readLines(
  file: string,
  encoding: Encoding,
  delimiter: Delimiter,
  headLines: number,
  visitor: LineVisitor,
): Promise<void> {
  const counter = lineCounter()
  let left = headLines
  let lastBroken = 0
  const parser = parse({
    ...options(delimiter),
    on_record: (cells: string[], { lines }) => {
      const line = counter.firstLineOf(cells, lines)
      if (left > 0) left--
      // Spreadsheets write an empty line as delimiters only.
      else if (cells.some((cell) => cell !== '')) visitor.line(cells, line)
      return null
    },
    // Reading goes on only if the end of the line can still be found.
    skip_records_with_error: true,
    on_skip: (error) => {
      const line = counter.lineNow(error)
      if (error?.code !== 'INVALID_OPENING_QUOTE') throw unreadable(file, line, error)
      // A line with several broken cells is one bad line.
      if (line !== lastBroken)
        visitor.broken('a quotation mark inside a cell that is not in quotation marks itself', line)
      lastBroken = line
    },
  })
  await pipeline(decodedChunks(file, encoding, visitor.bytes), parser.resume())
}

async function* decodedChunks(file: string, encoding: Encoding, onBytes: LineVisitor['bytes']) {
  const decode = decoderOf(encoding)
  // The parser decodes UTF-8 itself.
  for await (const chunk of chunksOf(file, onBytes)) yield encoding === 'utf-8' ? chunk : decode(chunk)
}

const unreadableReasons: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'text after a closing quotation mark: inside a cell it is written twice',
  CSV_QUOTE_NOT_CLOSED: 'a quotation mark that is never closed',
  CSV_MAX_RECORD_SIZE: `a line of more than ${lineCharacters} characters: a quotation mark before it is never closed`,
}

function unreadable(file: string, line: number, error: CsvError | undefined): Error {
  const reason = unreadableReasons[error?.code ?? ''] ?? 'it cannot be read as CSV'
  const message = `${file}, line ${line}: ${reason}; so the beginning of the next line cannot be found`
  return new Error(message, { cause: error })
}

/** The parser gives the last line of a record, and counts a CR LF inside a cell as two lines. */
function lineCounter() {
  let previous = 0
  let twice = 0
  return {
    firstLineOf: (cells: readonly string[], counted: number): number => {
      const end = counted - twice
      // Most records are one line: there is nothing to count.
      if (end === previous + 1) {
        previous = end
        return end
      }
      const breaks = cells.flatMap((cell) => cell.match(lineBreak) ?? [])
      const pairs = breaks.filter((each) => each === '\r\n').length
      twice += pairs
      previous = end - pairs
      return previous - breaks.length
    },
    lineNow: (error: CsvError | undefined): number => Number(error?.['lines'] ?? 0) - twice,
  }
}
