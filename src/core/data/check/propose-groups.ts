/** Groups with a lower strictness, which would have let the nights of a replay pass. */

import type { ExpectationSettings } from '../../guards/plausibility.ts'
import { isIsin } from '../../api/routes/values.ts'
import { type Replay, type ReplayOptions, replayNights } from './replay.ts'

/** Parts of the strictness of all funds, tried in this order. */
const parts = [0.5, 0.25, 0.1]

/** An entry of `expectations.groups`. */
export interface ProposedGroup {
  readonly isins: readonly string[]
  readonly strictness: number
}

/**
 * Replays the nights again with each strictness. A fund that no strictness lets pass is in no group: its prices are wrong, or lack a
 * row in `corporate_action`.
 * @param replay of the same options @throws {Error} as `replayNights`
 */
export async function proposeGroups(
  options: ReplayOptions,
  replay: Replay,
): Promise<readonly ProposedGroup[]> {
  const { expectations } = options
  const groups: ProposedGroup[] = []
  let left = refusedFunds(replay)
  for (const part of parts) {
    if (left.length === 0) break
    const strictness = Number((expectations.strictness * part).toPrecision(2))
    const tried: ExpectationSettings = {
      ...expectations,
      groups: [{ isins: left, strictness }, ...expectations.groups],
    }
    const still = new Set(refusedFunds(await replayNights({ ...options, expectations: tried })))
    const isins = left.filter((isin) => !still.has(isin))
    if (isins.length > 0) groups.push({ isins, strictness })
    left = left.filter((isin) => still.has(isin))
  }
  return groups
}

/** Funds that a guard refused alone, by ISIN. */
function refusedFunds({ nights }: Replay): readonly string[] {
  const subjects = nights.flatMap(({ objections }) => objections.flatMap(({ subject }) => subject ?? []))
  return [...new Set(subjects.filter(isIsin))].sort()
}
