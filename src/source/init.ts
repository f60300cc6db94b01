/** An empty fund database, for whoever is going to fill it. */

import { cannotBeMade, entryAt, newDatabase } from './new-database.ts'

/**
 * Makes an empty database of the project's schema, and its folder where there is none.
 * @throws {Error} if the file exists or cannot be made; nothing is left behind then
 */
export function initDatabase(file: string): void {
  if (entryAt(file) !== undefined) throw new Error(`${file} exists: choose another --db, or remove it`)
  const made = newDatabase(file)
  try {
    made.keep()
  } catch (error) {
    made.discard()
    throw cannotBeMade(file, error)
  }
}
