/** Whether a nightly run has anything to do. It reads; its only write is the live pointer, which a failed run may lack. */

import type { ManifestHead } from '../../build/manifest.ts'
import { namesFollower, point, pointStaged, type LivePointer } from '../live/flip.ts'
import { manifestIn, otherSlot, type Slot } from '../live/layout.ts'
import { revertedBefore, type Live, type LiveSnapshot } from '../live/live.ts'
import { findWholeStaged, type Staged } from '../live/staged.ts'
import { withFolder } from '../store/files.ts'
import { fetchHead } from '../manifest/manifest.ts'
import { fetchSlotManifest } from '../manifest/sources.ts'
import { Damaged, type ObjectStore } from '../store/store.ts'
import { fetchHistory, type NightlyFigures } from './history.ts'

export type NightlyState =
  /** `reverted`: a rollback reverted a snapshot of another file with the same settings: the build may give it again. */
  | { readonly kind: 'open'; readonly reverted: Reverted | null }
  | { readonly kind: 'done'; readonly live: Live }
  /** The snapshot of this run is staged already. */
  | { readonly kind: 'staged'; readonly live: Staged }
  | Reverted

/** A rollback has reverted the very snapshot that this run would publish. */
type Reverted = Readonly<{ kind: 'reverted'; live: Live; snapshot: string }>

interface Wanted {
  readonly asOf: string
  /** SHA-256 of the database, in hex. It is slow, so it is computed only if the rest fits. */
  readonly source: () => Promise<string>
  /** The digest of the settings that decide the bytes of a snapshot (`settingsDigest`), also only then. */
  readonly settings: () => Promise<string>
  /** Whether the operator allows something: a snapshot that withholds prices may be without these now. */
  readonly isAllowing: boolean
  /** Whether the run ends with a staged snapshot. */
  readonly isStaging: boolean
  readonly pointer: LivePointer | null
  readonly signal: AbortSignal
  readonly onUnknownHistory: (error: unknown) => void
}

const open: NightlyState = { kind: 'open', reverted: null }

/**
 * A run is done if this version made the live snapshot, or with `isStaging` the staged one, from the same database, day and
 * settings. If the history has no successful verification of it, the run is open: a run that found the slot damaged, or was
 * killed before it looked, must be repeated. An empty history proves nothing. It is open, too, if `live.json` does not name the
 * KeyValueStore of the settings.
 * @throws {Error} if the database cannot be read, or the store fails
 */
export async function findNightlyState(
  store: ObjectStore,
  live: Live | null,
  wanted: Wanted,
): Promise<NightlyState> {
  const { pointer } = wanted
  let facts: Promise<Facts> | undefined
  const readOnce = () => (facts ??= readFacts(store, wanted))
  const found = live === null ? open : await stateOfLive(store, live, wanted, readOnce)
  const staged = wanted.isStaging && found.kind !== 'done' ? await findWholeStaged(store, live) : null
  const head = staged && (await fetchStagedHead(store, staged, wanted))
  const isStaged = staged !== null && head !== null && isDone(staged, head, wanted, await readOnce())
  const state: NightlyState = isStaged ? { kind: 'staged', live: staged } : found
  // The run or the rollback before this one may have failed at just this.
  if (state !== open && live !== null) await point(pointer, live)
  if (isStaged) await pointStaged(pointer, staged)
  return state
}

/** What this run would publish: the digests of its database and its settings; and the last runs. */
type Facts = Awaited<ReturnType<typeof readFacts>>

async function readFacts(store: ObjectStore, wanted: Wanted) {
  const source = await wanted.source()
  const { nights } = await fetchHistory(store).catch((error: unknown) => {
    wanted.signal.throwIfAborted()
    wanted.onUnknownHistory(error)
    return { nights: [] }
  })
  return { source, nights, settings: await wanted.settings() }
}

async function stateOfLive(
  store: ObjectStore,
  live: Live,
  wanted: Wanted,
  readOnce: () => Promise<Facts>,
): Promise<NightlyState> {
  const before = revertedBefore(live)
  /** Null if it is of another day, or cannot be read. */
  const headOf = async (one: LiveSnapshot | null, slot: Slot) =>
    one?.asOf === wanted.asOf ? fetchHeadOf(store, slot, live) : null
  const [head, otherHead] = [await headOf(live, live.slot), await headOf(before, otherSlot(live.slot))]
  if (head === null && otherHead === null) return open
  const facts = await readOnce()
  if (isDone(live, head, wanted, facts)) return { kind: 'done', live }
  if (before === null || !isAlike(before, otherHead, facts)) return open
  const reverted: Reverted = { kind: 'reverted', live, snapshot: before.snapshot }
  const isLive = isAlike(live, head, facts) && head?.source === facts.source
  return !isLive && otherHead?.source === facts.source ? reverted : { kind: 'open', reverted }
}

const isAlike = ({ snapshot }: LiveSnapshot, head: ManifestHead | null, { settings }: Facts) =>
  head?.snapshot === snapshot && head.settings === settings

/** Whether this run would make just this snapshot again, and it was verified. */
function isDone(live: Live, head: ManifestHead | null, wanted: Wanted, facts: Facts): boolean {
  const { isAllowing, pointer } = wanted
  const isOvertaken = isAllowing && (head?.withheld ?? []).length > 0
  const isSame = isAlike(live, head, facts) && head?.source === facts.source
  return isSame && isTrusted(live, facts.nights, pointer) && !isOvertaken
}

/** Null if it is of another day or snapshot, or damaged. */
async function fetchStagedHead(store: ObjectStore, { slot, snapshot, asOf }: Staged, wanted: Wanted) {
  if (asOf !== wanted.asOf) return null
  const head = await fetchHead(store, manifestIn(slot)).catch((error: unknown) => {
    if (error instanceof Damaged) return null
    throw error
  })
  return head?.snapshot === snapshot ? head : null
}

function fetchHeadOf(store: ObjectStore, slot: Slot, live: Live): Promise<ManifestHead | null> {
  return withFolder(async (folder) => {
    try {
      const found = await fetchSlotManifest(store, slot, folder)
      return found.kind === 'none' ? null : found.manifest.head
    } catch (error) {
      // The plan reports the damage of the other slot, and how to repair it.
      if (slot !== live.slot && error instanceof Damaged) return null
      throw error
    }
  })
}

const isTrusted = (live: Live, nights: readonly NightlyFigures[], pointer: LivePointer | null) =>
  namesFollower(live, pointer) &&
  (nights.length === 0 ||
    nights.some((run) => run.isVerified && run.snapshot === live.snapshot && run.edition === live.edition))
