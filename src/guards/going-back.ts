/** The guards of rollbacks: what one holds, and what one would give out again. Pure. */

import type { RestrictedFunds } from '../api/contract/fund.ts'
import type { Objection } from './guards.ts'

/** The live snapshot and the rollback that brought it, by `live.json`. */
export interface HeldLive {
  readonly snapshot: string
  readonly liveSince: string
  readonly hold?: { readonly since: string; readonly reason: string | null } | undefined
  readonly broughtBy?: string | undefined
  readonly previous?: { readonly snapshot: string } | null | undefined
}

/** The snapshot that a rollback has reverted, if that was the last to go live. */
export const revertedIn = ({ broughtBy, previous }: HeldLive): string | null =>
  broughtBy === 'rollback' ? (previous?.snapshot ?? null) : null

/** Names the command that lifts a hold, as part of a sentence. */
export const liftingOf = (command: string) => `\`${command} --allow hold --reason "…"\` lifts the hold`

/** Since when and why nothing else goes live, as part of a sentence. */
export const describeHold = (
  { snapshot }: Pick<HeldLive, 'snapshot'>,
  { since, reason }: NonNullable<HeldLive['hold']>,
) =>
  `the rollback of ${since} holds ${snapshot}${reason === null ? '' : ` ("${reason}")`}: nothing else goes live until somebody lifts it`

/**
 * After a rollback nothing else goes live until its hold is lifted. Without a hold, just what it has reverted stays away.
 * @param snapshot what is to go live; null if it is not built yet @param live null if nothing is
 */
export function holdAgainst(snapshot: string | null, live: HeldLive | null): readonly Objection[] {
  // A repair of what is live changes nothing that readers see.
  if (live === null || snapshot === live.snapshot) return []
  const objection = (message: string): Objection => ({ guard: 'hold', subject: null, message })
  if (live.hold !== undefined) return [objection(describeHold(live, live.hold))]
  if (snapshot === null || revertedIn(live) !== snapshot) return []
  return [objection(`the rollback of ${live.liveSince} has reverted ${snapshot}`)]
}

/**
 * What a rollback would give out again although it has been withdrawn or restricted since.
 * @param live by kind the funds whose data, prices or performance the live snapshot withholds; null if that is not known
 */
export function givenOutAgain(
  live: RestrictedFunds | null,
  next: { readonly snapshot: string; readonly restricted?: RestrictedFunds | undefined },
): readonly Objection[] {
  const guard = 'withdrawn-again'
  if (live === null) {
    const message = `the live snapshot withholds something, its manifest cannot be read, and ${next.snapshot} may give it out again`
    return [{ guard, subject: null, message }]
  }
  const kindsOf = Map.groupBy(
    Object.entries(restrictedBeside(live, next.restricted ?? {})).flatMap(([kind, isins]) =>
      isins.map((isin) => ({ kind, isin })),
    ),
    ({ isin }) => isin,
  )
  return [...kindsOf].map(([isin, kinds]) => {
    const what = kinds.map(({ kind }) => (kind === 'data' ? 'all data' : kind)).join(' and ')
    return {
      guard,
      subject: isin,
      message: `${next.snapshot} gives out ${what} of ${isin} again, withdrawn since`,
    }
  })
}

/** Restricted funds that are not among the known ones in the same way. */
export const restrictedBeside = (restricted: RestrictedFunds, known: RestrictedFunds): RestrictedFunds =>
  Object.fromEntries(
    Object.entries(restricted).flatMap(([kind, isins]) => {
      const others = isins.filter((isin) => !(known[kind as keyof RestrictedFunds] ?? []).includes(isin))
      return others.length === 0 ? [] : [[kind, others]]
    }),
  )
