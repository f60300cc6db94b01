/** What is known of a file before a reader reads it: its first bytes, and lines that may be a header. */

import { parse } from 'csv-parse/sync'
import { readStart } from '../../../core/system/read-start.ts'
import { readSheets } from '../workbook.ts'
import { decoderOf, wideEncodingOf } from '../encoding.ts'
import type { FileCell } from '../values.ts'
import type { FileStart, ReadOptions } from './reader.ts'
import { schemaTableNames } from '../../../core/data/model/schema.ts'

const startBytes = 1 << 16
/** A title or two may stand above a header. */
const headLines = 50
const delimiters = [';', ',', '\t', '|']

/**
 * @param options may name encodings: headers of files that do not say theirs are looked for in each
 * @throws {Error} if it is a workbook that cannot be read, or an empty file
 */
export function openStart(file: string, options: Pick<ReadOptions, 'encoding' | 'habitsOf'>): FileStart {
  const bytes = readStart(file, startBytes)
  if (bytes.length === 0) throw new Error(`${file} is empty`)
  const texts = textsOf(bytes, options)
  const [text = ''] = texts
  const sheets = isWorkbook(bytes) ? readSheets(file) : null
  const heads =
    sheets?.flatMap(({ lines }) => lines.slice(0, headLines)) ??
    texts.flatMap((one) => headsOf(one, bytes.length))
  return { file, bytes, text, sheets, heads }
}

/** The names of the first parts of a ZIP archive; none of another file. */
export function zipNames(bytes: Buffer): string[] {
  const names: string[] = []
  for (let at = bytes.indexOf(zipMark); at >= 0; at = bytes.indexOf(zipMark, at + 4)) {
    if (at + 30 > bytes.length) break
    names.push(bytes.toString('utf8', at + 30, at + 30 + bytes.readUInt16LE(at + 26)))
  }
  return bytes.indexOf(zipMark) === 0 ? names : []
}

const zipMark = Buffer.from('PK\u0003\u0004')

/** Texts, presentations and OpenDocument files are archives, too. */
function isWorkbook(bytes: Buffer): boolean {
  const names = zipNames(bytes)
  if (names.some((name) => name.startsWith('xl/'))) return true
  return names.includes('[Content_Types].xml') && !names.some((name) => /^(?:word|ppt)\//.test(name))
}

/** Texts to recognise a format by, the likeliest first: a reader finds out the encoding from the whole file. */
function textsOf(
  bytes: Buffer,
  { encoding, habitsOf }: Pick<ReadOptions, 'encoding' | 'habitsOf'>,
): readonly string[] {
  try {
    // The last character may be cut.
    const unicode = new TextDecoder(wideEncodingOf(bytes)?.encoding ?? 'utf-8', { fatal: true })
    return [unicode.decode(bytes, { stream: true })]
  } catch {
    const configured = schemaTableNames.flatMap((name) => habitsOf(name).encoding ?? [])
    const encodings = encoding === undefined ? ['windows-1252' as const, ...configured] : [encoding]
    return [...new Set(encodings)].map((name) => decoderOf(name)(bytes))
  }
}

function headsOf(text: string, size: number): readonly (readonly FileCell[])[] {
  // The last line may be cut, too.
  const end = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r')) + 1
  const whole = size < startBytes || end === 0 ? text : text.slice(0, end)
  return delimiters.flatMap((delimiter) => splitBy(whole, delimiter))
}

function splitBy(text: string, delimiter: string): readonly string[][] {
  const breaks = ['\r\n', '\n', '\r']
  const relaxed = { relax_quotes: true, relax_column_count: true, skip_empty_lines: true }
  try {
    return parse(text, { ...relaxed, delimiter, record_delimiter: breaks, to: headLines })
  } catch {
    // With this delimiter it is no CSV.
    return []
  }
}
