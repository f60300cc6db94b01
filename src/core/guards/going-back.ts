/** Guards of rollbacks: the hold, and withdrawn data that would be given out again. Pure. */

import type { RestrictedFunds } from '../api/contract/fund.ts'
import type { Objection } from './guards.ts'

interface HeldLive {
  readonly snapshot: string
  readonly liveSince: string
  readonly hold?: { readonly since: string; readonly reason: string | null } | undefined
  readonly broughtBy?: string | undefined
  readonly previous?: { readonly snapshot: string } | null | undefined
}

/** The snapshot that the last flip reverted, if it was a rollback. */
export const revertedIn = ({ broughtBy, previous }: HeldLive): string | null =>
  broughtBy === 'rollback' ? (previous?.snapshot ?? null) : null

export const liftingOf = (command: string) => `\`${command} --allow hold --reason "…"\` lifts the hold`

export const describeHold = (
  { snapshot }: Pick<HeldLive, 'snapshot'>,
  { since, reason }: NonNullable<HeldLive['hold']>,
) =>
  `the rollback of ${since} holds ${snapshot}${reason === null ? '' : ` ("${reason}")`}: nothing else goes live until somebody lifts it`

/**
 * After a rollback nothing else goes live until its hold is lifted. Without a hold, only the reverted snapshot stays away.
 * @param snapshot to go live; null if it is not built yet
 */
export function holdAgainst(snapshot: string | null, live: HeldLive | null): readonly Objection[] {
  // A repair of the live snapshot changes nothing that readers see.
  if (live === null || snapshot === live.snapshot) return []
  const objection = (message: string): Objection => ({ guard: 'hold', subject: null, message })
  if (live.hold !== undefined) return [objection(describeHold(live, live.hold))]
  if (snapshot === null || revertedIn(live) !== snapshot) return []
  return [objection(`the rollback of ${live.liveSince} has reverted ${snapshot}`)]
}

/**
 * Objects to data that have been withdrawn or restricted since the snapshot of a rollback.
 * @param live the restricted funds of the live snapshot; null if they are not known
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
    const message = `${next.snapshot} gives out ${what} of ${isin} again, withdrawn since`
    return { guard, subject: isin, message }
  })
}

export const restrictedBeside = (restricted: RestrictedFunds, known: RestrictedFunds): RestrictedFunds =>
  Object.fromEntries(
    Object.entries(restricted).flatMap(([kind, isins]) => {
      const others = isins.filter((isin) => !(known[kind as keyof RestrictedFunds] ?? []).includes(isin))
      return others.length === 0 ? [] : [[kind, others]]
    }),
  )
