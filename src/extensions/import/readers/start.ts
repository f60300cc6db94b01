/** What is known of a file before a reader reads it: its first bytes, and lines that may be a header. */

import { parse } from 'csv-parse/sync'
import { readStart } from '../../../core/system/read-start.ts'
import { readSheets } from '../workbook.ts'
import { decoderOf, wideEncodingOf } from '../encoding.ts'
import type { FileCell } from '../values.ts'
import type { FileStart } from './reader.ts'

const startBytes = 1 << 16
/** A title or two may stand above a header. */
const headLines = 50
const delimiters = [';', ',', '\t', '|']

/** @throws {Error} if it is a workbook that cannot be read, or an empty file */
export function openStart(file: string): FileStart {
  const bytes = readStart(file, startBytes)
  if (bytes.length === 0) throw new Error(`${file} is empty`)
  const text = textOf(bytes)
  const sheets = isWorkbook(bytes) ? readSheets(file) : null
  const heads = sheets?.flatMap(({ lines }) => lines.slice(0, headLines)) ?? headsOf(text, bytes.length)
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

/** Good enough to recognise a format by: a reader finds out the encoding from the whole file. */
function textOf(bytes: Buffer): string {
  const encoding = wideEncodingOf(bytes)?.encoding ?? 'utf-8'
  try {
    // The last character may be cut.
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return decoderOf('windows-1252')(bytes)
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
