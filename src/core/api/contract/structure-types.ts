/** The 33 investment structure types of endpoint 6 and their names. Source: the interface; src/core/api/decisions.md. */

import type { Language } from '../routes/table.ts'
import names from './structure-types.json' with { type: 'json' }

const byType: Readonly<Record<string, Readonly<Record<Language, string>>>> = names

/** In the interface's order. */
export const structureTypes: readonly string[] = Object.keys(names)

/** Its `percent` is a coefficient from -1 to 1: the interface has no other field for it. */
export const correlationType = 'correlation'

/** @throws {Error} for a type that does not exist */
export function structureTypeName(type: string, language: Language): string {
  const name = byType[type]
  if (name === undefined) throw new Error(`no investment structure type ${type}`)
  return name[language]
}
