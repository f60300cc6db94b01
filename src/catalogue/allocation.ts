/** Asset allocation over time: its rows as a stack of areas. */

import type { AssetAllocationRow } from '../contract/rows.ts'
import { stackOf, type Stack } from './chart/area-chart.ts'
import { dayNumber } from './chart/formats.ts'
import { thinned } from './chart/thinned.ts'

export interface Allocation {
  readonly derivatives: number
  /** Null with one day only. */
  readonly stack: Stack | null
  /** ISO 8601 */
  readonly first: string
  readonly last: string
  /** The lowest of the stack first. */
  readonly classes: readonly AssetClass[]
}

export interface AssetClass {
  readonly nameDe: string
  readonly nameEn: string
  readonly colour: string
  /** Percent on the last day; null where the class has none then. */
  readonly newest: number | null
}

/** So many days are enough for ten years of months. */
const mostDays = 130

/** @returns null where there is none */
export function allocationOf(rows: readonly AssetAllocationRow[], derivatives: number): Allocation | null {
  const found = new Map<string, { readonly row: AssetAllocationRow; readonly byDay: Map<string, number> }>()
  const all = new Set<string>()
  for (const row of rows) {
    if (row.derivatives !== derivatives) continue
    // A class is its name, as in the API.
    const name = JSON.stringify([row.classDe, row.classEn])
    const known = found.get(name) ?? { row, byDay: new Map<string, number>() }
    found.set(name, known)
    known.byDay.set(row.date, row.percent)
    all.add(row.date)
  }
  const days = thinned([...all].sort(), mostDays)
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined) return null
  const classes = [...found.values()].map(({ row, byDay }, index) => ({
    nameDe: row.classDe,
    nameEn: row.classEn ?? row.classDe,
    colour: colourOf(index),
    newest: byDay.get(last) ?? null,
    values: days.map((day) => byDay.get(day) ?? 0),
  }))
  return {
    derivatives,
    stack: days.length < 2 ? null : stackOf(days.map(dayNumber), classes),
    first,
    last,
    classes,
  }
}

/** The style sheet has eight colours; after them they come again, paler. */
const colourOf = (index: number) => `s${(index % 8) + 1}${index >= 8 ? ' pale' : ''}`
