/** Decides what a command that makes a snapshot live has to do. The one place for all commands. */

import { type Slot, slots } from './layout.ts'
import { type Live, type LiveSnapshot, snapshotsIn, tornSlots } from './live.ts'
import type { Journal } from './journal.ts'
import type { Staged } from './staged.ts'

export type Candidate =
  /** A snapshot in a folder, or of a build to come: `isThis` compares it with `live.json` or `staged.json`. */
  | { readonly kind: 'snapshot'; readonly isThis: (named: Live) => boolean; readonly isStaging: boolean }
  | { readonly kind: 'staged'; readonly snapshot: string }
  /** A snapshot that was live; `snapshot`: null for the one that was live last. */
  | { readonly kind: 'before'; readonly snapshot: string | null }

export interface Situation {
  readonly live: Live | null
  /** The staged snapshot that counts. `undefined`: not read. */
  readonly staged: Staged | null | undefined
  /** True also for a `staged.json` that does not count. */
  readonly hasStagedFile: boolean
  readonly journal: Pick<Journal, 'changing'> | null
  /** The id in the manifest of the candidate's slot; null without a manifest. `undefined`: not read. */
  readonly held: string | null | undefined
  readonly isRepair: boolean
  /** While nothing is live: the slot in which edges may still read, since `live.json` was removed. */
  readonly left?: Slot | null
  /** Of `bucket.slots`. */
  readonly slots: number
}

type Decision =
  | { readonly kind: 'nothing'; readonly named: Live; readonly isStaged: boolean }
  /** The snapshot lies complete in this slot. `named`: its entry in `staged.json` or `live.json`. */
  | { readonly kind: 'flip'; readonly slot: Slot; readonly named: LiveSnapshot | null }
  /**
   * The snapshot has to be uploaded into this slot. `torn`: the key of the list of changes if a publish was stopped there.
   * `isTrusted`: the slot holds what its own lists name.
   */
  | {
      readonly kind: 'publish'
      readonly slot: Slot
      readonly torn: string | null
      readonly isTrusted: boolean
    }
  /** `why` names the way out, and ends a message that begins with the bucket's name. */
  | { readonly kind: 'refusal'; readonly why: string }

/** Pure. `test/bucket/decide.test.ts` has the table. */
export function decide(candidate: Candidate, situation: Situation): Decision {
  if (candidate.kind === 'snapshot') return decideSnapshot(candidate, situation)
  return candidate.kind === 'staged' ? decideStaged(candidate, situation) : decideBefore(candidate, situation)
}

function decideSnapshot(
  { isThis, isStaging }: Extract<Candidate, { kind: 'snapshot' }>,
  { live, staged, journal, held, isRepair, left = null, slots: count }: Situation,
): Decision {
  if (!isRepair && live !== null && isThis(live)) return { kind: 'nothing', named: live, isStaged: false }
  const slot = slotToWrite(live, staged, count, left)
  const torn = tornSlots(journal, live)[slot] ?? null
  const isTrusted = torn === null && !isRepair
  if (isTrusted && staged !== null && staged !== undefined && isThis(staged)) {
    if (isStaging) return { kind: 'nothing', named: staged, isStaged: true }
    if (held === undefined || held === staged.snapshot) return { kind: 'flip', slot, named: staged }
  }
  return { kind: 'publish', slot, torn, isTrusted }
}

function decideStaged(
  { snapshot }: Extract<Candidate, { kind: 'staged' }>,
  { live, staged = null, hasStagedFile, journal, held }: Situation,
): Decision {
  const isStaged = staged?.snapshot === snapshot
  // The attempt before may have been stopped after its flip.
  if (live?.snapshot === snapshot && !isStaged) return { kind: 'nothing', named: live, isStaged: false }
  if (staged === null || !isStaged)
    return { kind: 'refusal', why: notStaged(snapshot, live, staged, hasStagedFile) }
  const { slot } = staged
  if (held !== snapshot) return refusal(slot, `it does not hold ${snapshot}`, byRepair)
  if (tornSlots(journal, live)[slot] !== undefined) return refusal(slot, stopped)
  return { kind: 'flip', slot, named: staged }
}

function notStaged(to: string, live: Live | null, staged: Staged | null, hasFile: boolean): string {
  const now = live === null ? 'nothing is live' : `${live.snapshot} is live`
  if (staged !== null) return `${staged.snapshot} is staged, not ${to}`
  return hasFile
    ? `another snapshot went live after ${to} or another one was staged (${now}): stage it again`
    : `nothing is staged, ${now}: stage ${to} first (\`fundpress publish --stage\`)`
}

function decideBefore(
  { snapshot: to }: Extract<Candidate, { kind: 'before' }>,
  { live, staged = null, journal, held = null, slots: count }: Situation,
): Decision {
  const refused = (why: string): Decision => ({ kind: 'refusal', why })
  if (live === null) return refused('nothing is live, there is nothing to take back')
  const { slot, named } = slotToGoBackTo(live, staged, to, count)
  if (staged?.slot === slot)
    return refused(
      `${staged.snapshot} is staged in ${slot}, which held the snapshot before: there is nothing to go back to. ` +
        `\`fundpress flip ${staged.snapshot}\` makes it live, a publish replaces it`,
    )
  if (held === null) return refused(`${slot} holds no snapshot, there is nothing to go back to`)
  if (to !== null && held !== to)
    return refused(live.snapshot === to ? `${to} is live already` : `${slot} holds ${held}, not ${to}`)
  if (tornSlots(journal, live)[slot] !== undefined) return refusal(slot, stopped)
  if (named?.snapshot === held) return { kind: 'flip', slot, named }
  // `staged.json` was removed or damaged by hand.
  if (to === held) return { kind: 'flip', slot, named: null }
  return refused(`${slot} holds ${held}, which was not live before: --to ${held} makes it live all the same`)
}

/**
 * The slot that the next publish writes to: the one of what is staged, else an unused one, else the one that readers have left first.
 * @param count of `bucket.slots` @param left see {@link Situation}
 */
export function slotToWrite(
  live: Live | null,
  staged: Pick<Live, 'slot'> | null | undefined,
  count: number,
  left: Slot | null = null,
): Slot {
  if (staged) return staged.slot
  if (live === null) return left === slots[0] ? slots[1] : slots[0]
  const used = snapshotsIn(live).map(({ slot }) => slot)
  const lastUse = (slot: Slot) => (used.includes(slot) ? used.indexOf(slot) : used.length)
  const ours = slots.slice(0, count).filter((slot) => slot !== live.slot)
  const [first = slots[0]] = ours.toSorted((one, other) => lastUse(other) - lastUse(one))
  return first
}

/** @param to null: the one that was live last @returns `named`: its entry in `live.json`; null without one */
export function slotToGoBackTo(
  live: Live,
  staged: Pick<Live, 'slot'> | null,
  to: string | null,
  count: number,
): { readonly slot: Slot; readonly named: LiveSnapshot | null } {
  const [, ...former] = snapshotsIn(live)
  const named = former.find(({ snapshot }) => to === null || snapshot === to) ?? null
  return { slot: named?.slot ?? slotToWrite(live, staged, count), named }
}

const stopped = 'a publish was stopped in it'
/** Only a repair distrusts the manifest of a slot. */
const byRepair = 'publish with --repair instead'

const refusal = (slot: Slot, why: string, advice = 'publish again instead'): Decision => {
  return { kind: 'refusal', why: `${slot} is not whole (${why}): ${advice}` }
}
