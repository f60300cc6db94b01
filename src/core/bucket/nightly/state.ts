/** Finds out whether a nightly run has anything to do. Its only write is the live pointer, which a failed run may lack. */

import type { ManifestHead } from '../../snapshot/manifest.ts'
import { decide } from '../live/decide.ts'
import { namesFollower, point, pointStaged, type LivePointer } from '../live/follow.ts'
import { manifestIn } from '../live/layout.ts'
import type { Live } from '../live/live.ts'
import { findWholeStaged, type Staged } from '../live/staged.ts'
import { findDamage } from '../live/whole.ts'
import type { ObjectDifference } from '../manifest/listing.ts'
import { fetchHead, fetchManifest } from '../manifest/manifest.ts'
import { withFolder } from '../store/files.ts'
import { nullIfDamaged, type ObjectStore } from '../store/store.ts'
import { fetchHistory, type NightlyFigures } from './history.ts'

export type NightlyState =
  /** `isDoubtful`: the same snapshot is live, and the run that made it live found it damaged. */
  | { readonly kind: 'open'; readonly isDoubtful: boolean }
  /** `listedAt`: time of the last comparison of the live slot with its manifest, ISO 8601; null if unknown. */
  | { readonly kind: 'done'; readonly live: Live; readonly listedAt: string | null }
  | { readonly kind: 'staged'; readonly live: Staged }

interface Wanted {
  readonly asOf: string
  /** SHA-256 of the database, in hex. Slow: computed only if the rest fits. */
  readonly source: () => Promise<string>
  /** Digest of the settings that decide the bytes of a snapshot (`settingsDigest`); computed only then, too. */
  readonly settings: () => Promise<string>
  /** The operator allows something: a snapshot that withholds prices may be outdated. */
  readonly isAllowing: boolean
  readonly isStaging: boolean
  /** `bucket.slots` */
  readonly slots: number
  readonly pointer: LivePointer | null
  readonly signal: AbortSignal
  readonly onUnknownHistory: (error: unknown) => void
}

/**
 * A run is done if this version made the live snapshot, or with `isStaging` the staged one, from the same database, day and
 * settings. If the history has no successful verification of it, the run is open: a run that found the slot damaged, or was
 * killed before, must be repeated. An empty history proves nothing. The run is open, too, if `live.json` lacks the KeyValueStore of
 * the settings.
 * @throws {Error} if the database cannot be read, or the store fails
 */
export async function findNightlyState(
  store: ObjectStore,
  live: Live | null,
  wanted: Wanted,
): Promise<NightlyState> {
  const { isStaging, pointer, slots } = wanted
  let facts: Promise<Facts> | undefined
  const look = async (named: Live): Promise<'other' | 'doubtful' | 'done'> => {
    const head = named.asOf === wanted.asOf ? await headOf(store, named) : null
    return head === null ? 'other' : judgeRun(named, head, wanted, await (facts ??= readFacts(store, wanted)))
  }
  const liveIs = live === null ? 'other' : await look(live)
  const isLive = liveIs === 'done'
  const staged = isStaging && !isLive ? await findWholeStaged(store, live) : null
  const isStaged = staged !== null && (await look(staged)) === 'done'
  const isThis = (named: Live) => (named === live && isLive) || (named === staged && isStaged)
  const journal = { changing: {} }
  const unread = { hasStagedFile: false, held: undefined, isRepair: false }
  const situation = { live, staged, journal, ...unread, slots }
  const decision = decide({ kind: 'snapshot', isThis, isStaging }, situation)
  if (decision.kind !== 'nothing') return { kind: 'open', isDoubtful: liveIs === 'doubtful' }
  // The run before this one may have failed at this write.
  if (live !== null) await point(pointer, live)
  if (decision.isStaged) {
    await pointStaged(pointer, decision.named)
    return { kind: 'staged', live: decision.named }
  }
  const { nights = [] } = (await facts) ?? {}
  const run = nights.findLast((one) => isVerified(one, decision.named))
  return { kind: 'done', live: decision.named, listedAt: run?.listedAt ?? run?.finishedAt ?? null }
}

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

/** `done`: this run would make the same snapshot again. `doubtful`: the same, but it was not verified. */
function judgeRun(named: Live, head: ManifestHead, wanted: Wanted, { settings, source, nights }: Facts) {
  const isSame = head.settings === settings && head.source === source
  const isOvertaken = wanted.isAllowing && (head.withheld ?? []).length > 0
  if (!isSame || isOvertaken || !namesFollower(named, wanted.pointer)) return 'other'
  if (nights.length === 0 || nights.some((run) => isVerified(run, named))) return 'done'
  return nights.some((run) => isRunOf(run, named)) ? 'doubtful' : 'other'
}

const isRunOf = (run: NightlyFigures, { snapshot, edition }: Live) =>
  run.snapshot === snapshot && run.edition === edition
const isVerified = (run: NightlyFigures, named: Live) => run.isVerified && isRunOf(run, named)

async function headOf(store: ObjectStore, { slot, snapshot }: Live): Promise<ManifestHead | null> {
  const head = await fetchHead(store, manifestIn(slot)).catch(nullIfDamaged)
  return head?.snapshot === snapshot ? head : null
}

export const findLiveDamage = (store: ObjectStore, live: Live): Promise<readonly ObjectDifference[]> =>
  withFolder(async (folder) => {
    const manifest = await fetchManifest(store, live.slot, folder, true)
    if (manifest?.head.snapshot !== live.snapshot) return [{ key: manifestIn(live.slot), what: 'missing' }]
    return findDamage({ store, folder }, { slot: live.slot, manifest })
  })
