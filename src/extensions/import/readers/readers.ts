/** The registry of readers, and which of them reads a file. */

import { quoted } from '../../../core/data/model/printable.ts'
import { foreignFile } from './foreign.ts'
import { emt } from './emt.ts'
import { fundsxml } from './fundsxml/fundsxml.ts'
import type { FileStart, Reader, ReadOptions } from './reader.ts'
import { openfunds } from './openfunds/openfunds.ts'
import { table } from './table.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { daysHint, wideHint } from '../wide.ts'

/** A line for each format. */
export const readers: readonly Reader[] = [emt, fundsxml, openfunds, table]

/**
 * @param all the registry @param as the name of a reader that was asked for
 * @throws {Error} that says what the file is, if no reader takes it
 */
export function readerOf(
  start: FileStart,
  options: ReadOptions,
  all: readonly Reader[],
  as: string | undefined,
): Reader {
  const asked = as === undefined ? readerOfTable(start, options) : all.find(({ name }) => name === as)
  const fitting = all.filter((reader) => reader.recognises(start, options))
  if (asked !== undefined) {
    // What it is instead says more than what the asked reader finds wrong with it.
    if (!fitting.includes(asked)) refuseForeign(start, fitting[0], as)
    return asked
  }
  const [first, second] = fitting
  if (first === undefined) {
    refuseForeign(start)
    throw new Error(`${start.file} ${whyUnknown(start, options)}`)
  }
  if (second === undefined) return first
  const names = fitting.map(({ name }) => `--as ${name}`).join(' or ')
  throw new Error(`${start.file} may be of several formats: choose one with ${names}`)
}

/**
 * Files of an import in the order in which they are read: on the command line they may stand in any.
 * @param table that of all files, if it is named: then none has anything for another one
 * @param read is asked again, behind all other files, if it returns `behind the funds`
 */
export async function readInOrder(
  { files, table: named }: { readonly files: readonly string[]; readonly table: string | undefined },
  read: (file: string, number: number, mayWait: boolean) => Promise<'behind the funds' | undefined>,
): Promise<void> {
  const waiting: { readonly file: string; readonly number: number }[] = []
  for (const [number, file] of files.entries()) {
    const found = await read(file, number, named === undefined && files.length > 1)
    if (found === 'behind the funds') waiting.push({ file, number })
  }
  for (const { file, number } of waiting) await read(file, number, false)
}

/** The template has a table of its own: to name that names the template, unless the file has the columns of the table. */
function readerOfTable(start: FileStart, options: ReadOptions): Reader | undefined {
  if (options.table === undefined) return undefined
  const isTemplate =
    options.table.name === 'emt' &&
    (emt.recognises(start, options) || (start.sheets !== null && !table.recognises(start, options)))
  return isTemplate && options.columnMapOf('emt').size === 0 ? emt : table
}

/**
 * @param other reads the file, and was not asked for
 * @throws {Error} if the file is of a known sort that no reader reads, or only another one
 */
function refuseForeign(start: FileStart, other?: Reader, as?: string): void {
  const what = foreignFile(start)
  if (what === undefined) return
  if (other === undefined) throw new Error(`${start.file} is ${what}`)
  const advice = `leave out ${as === undefined ? 'the name of the table' : `--as ${as}`}`
  throw new Error(`${start.file} is of the format ${other.name}: ${advice}`)
}

function whyUnknown({ heads }: FileStart, { columnMapOf }: ReadOptions): string {
  const wide = heads
    .map((head) => wideHint(head, columnMapOf('price'), schemaTables.prices) ?? daysHint(head))
    .find((hint) => hint !== undefined)
  if (wide !== undefined) return wide
  const widest = heads.reduce((one, other) => (other.length > one.length ? other : one), [])
  const names = widest.slice(0, 5).map((cell) => quoted(String(cell)))
  const header =
    names.length < 2 ? '' : ` (its first line is ${names.join(', ')}${widest.length > 5 ? ', …' : ''})`
  return (
    `is of no format that is known here, and its columns fit no table${header}: name the table, as in ` +
    '`fundpress import price FILE`, and its columns with --map'
  )
}
