/** CSV as lines of cells: its delimiter, and reading it without holding it. */

import { pipeline } from 'node:stream/promises'
import { parse, type CsvError, type Options } from 'csv-parse'
import { parse as parseSync } from 'csv-parse/sync'
import { readStart } from '../../core/system/read-start.ts'
import { chunksOf, decoderOf, encodingNames, wideEncodingOf, type Encoding } from './encoding.ts'
import type { FileLines, FileVisitor } from './layout.ts'
import { headerOf, headerWithin, isEmptyLine, textFinder } from './lines.ts'

const delimiters = [';', ',', '\t', '|'] as const
export type Delimiter = (typeof delimiters)[number]

/** The header must lie within these. */
const headerBytes = 1 << 18
const lineCharacters = 1 << 20

/** A first line that tells Excel the delimiter: `sep=;`. */
const delimiterHint = /^\ufeff?"?sep=([;,\t|])"?(?:\r\n|\n|\r|$)/i

interface CsvOptions {
  /** Undefined: the one with which the header has most names. */
  readonly delimiter: Delimiter | undefined
  /** Lines before the header; undefined: it is looked for. */
  readonly skipLines: number | undefined
  /** Whether a cell of the header names a column. */
  readonly isName: (text: string) => boolean
}

/** @throws {Error} if the file is empty, or its header cannot be read */
export function openCsv(file: string, encoding: Encoding, options: CsvOptions): FileLines {
  const { skipLines = 0, isName } = options
  const start = readStart(file, headerBytes)
  const whole = skipper(skipLines)(decoderOf(encoding)(start))
  const [hint = '', hinted] = delimiterHint.exec(whole) ?? []
  const found = findHeader(whole.slice(hint.length), { ...options, hinted: hinted as Delimiter | undefined })
  const { delimiter, header } = found
  const above = skipLines + (hint === '' ? 0 : 1)
  const headerLine = above + header.line
  const place = `${file}, line ${headerLine}`
  // With the wrong delimiter, a quotation mark may be in the middle of a cell.
  if (header.error !== undefined)
    throw new Error(`${place}: it cannot be read as CSV`, { cause: header.error })
  if (header.cells.length === 0) throw new Error(`${file} is empty`)
  if (found.known === 0 && isQuotedAsAWhole(header.cells, isName))
    throw new Error(`${place}: ${quotedAsAWhole}`)
  const form = [
    encodingNames[encoding] + (wideEncodingOf(start)?.isMarked === false ? ' without a mark' : ''),
    `delimiter ${delimiter === '\t' ? 'tab' : delimiter}${hint === '' ? '' : ` (line ${above} is sep=)`}`,
    ...(header.isFirst && skipLines === 0 ? [] : [`header in line ${headerLine}`]),
  ]
  return {
    header: header.cells,
    headerLine,
    form: form.join(', '),
    numberOf: (at) => at + 1,
    isMergedNumber: () => false,
    splitsAtCommas: delimiter === ',',
    read: (visitor) => readLines({ file, encoding, delimiter, skipLines, headerLine }, visitor),
    notesOn: () => [],
  }
}

/** With the delimiter that was asked for, or the hint; else with the first that knows most names, or else has most cells. */
function findHeader(
  start: string,
  { delimiter: asked, hinted, skipLines, isName }: CsvOptions & { readonly hinted: Delimiter | undefined },
) {
  const wanted = asked ?? hinted
  const within = skipLines === undefined ? headerWithin : 1
  const tries = (wanted === undefined ? delimiters : [wanted]).map((delimiter) => {
    const header = headerOf(firstLines(start, delimiter, within), ({ cells }) => cells, isName)
    return { delimiter, header, known: header.cells.filter(isName).length }
  })
  return tries.reduce((one, other) =>
    (other.known - one.known || other.header.cells.length - one.header.cells.length) > 0 ? other : one,
  )
}

const isQuotedAsAWhole = ([only = '', ...others]: readonly string[], isName: CsvOptions['isName']) =>
  others.length === 0 && delimiters.some((delimiter) => only.split(delimiter).some(isName))

const quotedAsAWhole =
  'all of it is in quotation marks, as a spreadsheet writes a line that it took for one cell: export it again, or ' +
  'remove the quotation marks around the lines'

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

interface HeadLine {
  readonly cells: readonly string[]
  readonly line: number
  readonly isFirst: boolean
  readonly error: unknown
}

/** The first lines that are not empty; one at least, which is empty if the text is. */
function firstLines(start: string, delimiter: Delimiter, most: number): readonly [HeadLine, ...HeadLine[]] {
  const counter = lineCounter()
  const lines: HeadLine[] = []
  const add = (line: Omit<HeadLine, 'isFirst'>) => lines.push({ ...line, isFirst: lines.length === 0 })
  try {
    parseSync(start, {
      ...options(delimiter),
      skip_records_with_error: true,
      on_record: (cells: string[], { lines: counted }) => {
        if (lines.length < most) add({ cells, line: counter.firstLineOf(cells, counted), error: undefined })
        return null
      },
      on_skip: (error) => {
        if (lines.length < most) add({ cells: [], line: counter.lineNow(error), error })
      },
    })
  } catch (error) {
    // The end of the text may be in the middle of a cell.
    if (lines.length === 0) add({ cells: [], line: 1, error })
  }
  const [first = { cells: [], line: 1, isFirst: true, error: undefined }, ...others] = lines
  return [first, ...others]
}

/** Drops the first lines of a text that comes in pieces. */
function skipper(count: number) {
  let left = count
  let isAfterCr = false
  return <Piece extends string | Buffer>(piece: Piece): Piece => {
    let at = 0
    for (; at < piece.length; at++) {
      const code = typeof piece === 'string' ? piece.charCodeAt(at) : piece[at]
      const isSecond = isAfterCr && code === lineFeed
      isAfterCr = false
      if (isSecond) continue
      if (left === 0) break
      isAfterCr = code === carriageReturn
      if (isAfterCr || code === lineFeed) left--
    }
    return (typeof piece === 'string' ? piece.slice(at) : piece.subarray(at)) as Piece
  }
}

const lineFeed = 10
const carriageReturn = 13

interface CsvFile {
  readonly file: string
  readonly encoding: Encoding
  readonly delimiter: Delimiter
  readonly skipLines: number
  readonly headerLine: number
}

/** Gives the lines behind the header to the visitor. */
async function readLines(csv: CsvFile, visitor: FileVisitor): Promise<void> {
  const { file, delimiter, skipLines, headerLine } = csv
  const counter = lineCounter()
  const texts = textFinder()
  let lastBroken = 0
  const parser = parse({
    ...options(delimiter),
    on_record: (cells: string[], { lines }) => {
      const line = skipLines + counter.firstLineOf(cells, lines)
      if (line <= headerLine) return null
      if (counter.isBehindEmpty() || isEmptyLine(cells)) {
        texts.empty()
        visitor.empty()
      }
      if (isEmptyLine(cells)) return null
      if (texts.isText(cells)) visitor.text(line)
      else visitor.line(cells, line)
      return null
    },
    // Reading goes on only if the end of the line can still be found.
    skip_records_with_error: true,
    on_skip: (error) => {
      const line = skipLines + counter.lineNow(error)
      if (error?.code !== 'INVALID_OPENING_QUOTE') throw unreadable(file, line, error)
      // A line with several broken cells is one bad line.
      if (line > headerLine && line !== lastBroken)
        visitor.broken('a quotation mark inside a cell that is not in quotation marks itself', line)
      lastBroken = line
    },
  })
  await pipeline(decodedChunks(csv, visitor.bytes), parser.resume())
}

async function* decodedChunks({ file, encoding, skipLines }: CsvFile, onBytes: FileVisitor['bytes']) {
  const decode = decoderOf(encoding)
  const skip = skipper(skipLines)
  for await (const chunk of chunksOf(file, onBytes))
    // The parser decodes UTF-8 itself. A piece without a byte would end it.
    yield* [encoding === 'utf-8' ? skip(chunk) : skip(decode(chunk))].filter(({ length }) => length > 0)
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
  let isBehindEmpty = false
  let twice = 0
  return {
    firstLineOf: (cells: readonly string[], counted: number): number => {
      const end = counted - twice
      // Most records are one line: there is nothing to count.
      if (end === previous + 1) {
        previous = end
        isBehindEmpty = false
        return end
      }
      const breaks = cells.flatMap((cell) => cell.match(lineBreak) ?? [])
      const pairs = breaks.filter((each) => each === '\r\n').length
      twice += pairs
      const first = end - breaks.length - pairs
      isBehindEmpty = first > previous + 1
      previous = end - pairs
      return first
    },
    /** Whether empty lines are before the last record. */
    isBehindEmpty: () => isBehindEmpty,
    lineNow: (error: CsvError | undefined): number => Number(error?.['lines'] ?? 0) - twice,
  }
}
