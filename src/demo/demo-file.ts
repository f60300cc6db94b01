/** Telling a demo database of ours from every other file, so that only those are overwritten. */

import { closeSync, openSync, readSync } from 'node:fs'
import { entryAt } from '../source/new-database.ts'

/** `PRAGMA application_id` of a demo database: 'FPdm' in ASCII. */
export const demoApplicationId = 0x4650646d

/** @throws {Error} where the file exists and is something else */
export function mayOverwrite(file: string): void {
  const entry = entryAt(file)
  if (entry === undefined || (entry.isFile() && isDemoDatabase(file))) return
  throw new Error(`${file} exists and is not a demo database: choose another --db, or remove it`)
}

/** Reads the header that the SQLite file format fixes: its magic at 0, the application id at 68, most significant byte first. */
function isDemoDatabase(file: string): boolean {
  const header = Buffer.alloc(100)
  const opened = openSync(file, 'r')
  try {
    readSync(opened, header, 0, header.length, 0)
  } finally {
    closeSync(opened)
  }
  return (
    header.toString('latin1', 0, 16) === 'SQLite format 3\0' && header.readUInt32BE(68) === demoApplicationId
  )
}
