/** The investment structure of one fund: some or all of the types that its kind has. */

import type { Name } from '../shares.ts'
import { recipesOf, type StructureSource } from './recipes.ts'

export interface StructureItem {
  readonly type: string
  readonly position: number
  readonly name: Name
  readonly percent: number
}

/** Types in alphabetical order, each with its items at positions from 0. */
export function structureItems(source: StructureSource): readonly StructureItem[] {
  const recipes = Object.entries(recipesOf(source.fund.kind)).sort(([a], [b]) => (a < b ? -1 : 1))
  return recipes.flatMap(([type, recipe]) => {
    const wanted = source.fund.place.complete || source.randomOf(`has ${type}`).chance(0.75)
    if (!wanted) return []
    return recipe(source.randomOf(type), source).map(({ name, hundredths }, position) => ({
      type,
      position,
      name,
      percent: (hundredths || 0) / 100,
    }))
  })
}
