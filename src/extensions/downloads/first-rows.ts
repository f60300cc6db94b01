/** The beginning of a CSV file, for the page: what an analyst wants to see before a download. */

import { closeSync, openSync, readSync } from 'node:fs'

/** The longest rows have some hundred bytes. */
const headBytes = 16_384

/** @returns the header and the first rows as the file has them, with ends of lines as HTML has them; fewer where a row is longer than the head */
export function firstRows(file: string, count: number): string {
  const buffer = Buffer.alloc(headBytes)
  const opened = openSync(file, 'r')
  try {
    const read = readSync(opened, buffer, 0, headBytes, 0)
    return wholeRows(buffer.toString('utf8', 0, read))
      .slice(0, count + 1)
      .join('\n')
  } finally {
    closeSync(opened)
  }
}

/** A line end between quotes is a part of a text. What follows the last line end may be cut, and is left out. */
function wholeRows(text: string): readonly string[] {
  const rows: string[] = []
  let open = ''
  for (const line of text.split('\r\n').slice(0, -1)) {
    const row = open === '' ? line : `${open}\n${line}`
    const isWhole = (row.match(/"/g)?.length ?? 0) % 2 === 0
    if (isWhole) rows.push(row)
    open = isWhole ? '' : row
  }
  return rows
}
