/** `fundpress status`: the live slot, the consistency of its parts, and the content of the other slot. */

import { hash } from 'node:crypto'
import { revertedIn } from '../../guards/going-back.ts'
import { fetchHead } from '../manifest/manifest.ts'
import { readSmall } from '../store/read.ts'
import { nullIfDamaged, type ObjectStore } from '../store/store.ts'
import { readJournal } from './journal.ts'
import { slotToGoBackTo } from './decide.ts'
import { checksumsName, downloadsPrefix, manifestIn, type Slot } from './layout.ts'
import { type Live, type LiveSnapshot, readLive, snapshotsIn, tornSlots } from './live.ts'
import { checkChanges, sayFault, textsIn } from './signed.ts'
import { findStaged } from './staged.ts'

export type Status = Awaited<ReturnType<typeof readStatus>>

/**
 * Six or seven reads, and one for each further slot. `consistency` and `other` are null while nothing is live. `other`: what a rollback
 * without --to brings. `older`: what one with --to brings. `staged`: null also if its slot is torn or holds another snapshot.
 * @param slots `bucket.slots` @param trusted keys that must have signed what is live (three reads more) @throws {Damaged} for the other slot's manifest
 */
export async function readStatus(
  store: ObjectStore,
  slots: number,
  trusted: readonly string[] | null = null,
) {
  // This order matters: a publish that begins after the journal was read finds this live snapshot.
  const live = await readLive(store)
  const journal = await readJournal(store)
  const found = await findStaged(store, live.live)
  const torn = tornSlots(journal.journal, live.live)
  const staged = found.staged !== null && torn[found.staged.slot] === undefined ? found.staged : null
  if (live.live === null) return { live, consistency: null, other: null, older: [], journal, staged }
  const documents = await fetchHead(store, manifestIn(live.live.slot)).catch(nullIfDamaged)
  const downloads = await downloadsState(store, live.live)
  const { slot, named } = slotToGoBackTo(live.live, staged, null, slots)
  const heldIn = (one: Slot) => fetchHead(store, manifestIn(one))
  const head = await heldIn(slot)
  const inStaged = staged === null || staged.slot === slot ? head : await heldIn(staged.slot)
  const further = snapshotsIn(live.live).filter((one) => one.slot !== live.live?.slot && one.slot !== slot)
  const isWhole = head !== null && torn[slot] === undefined
  const isReverted = head !== null && revertedIn(live.live) === head.snapshot
  const wasLive = named?.snapshot === head?.snapshot
  return {
    live,
    consistency: {
      documents: documents?.snapshot ?? null,
      downloads,
      unsigned: await unsignedIn(store, live.live, trusted),
    },
    // A rollback would bring the former live snapshot, or one that was reverted before.
    other: { slot, head, isWhole, isReverted, wasLive },
    older: await Promise.all(
      further.map(async ({ slot: place, snapshot, asOf, liveSince }) => {
        const held = torn[place] === undefined ? await heldIn(place).catch(nullIfDamaged) : null
        return { slot: place, snapshot, asOf, liveSince, isWhole: held?.snapshot === snapshot }
      }),
    ),
    journal,
    staged: staged?.snapshot === inStaged?.snapshot ? staged : null,
  }
}

export function contradictions(
  { slot, snapshot, downloads }: Live,
  { documents, downloads: state, unsigned }: NonNullable<Status['consistency']>,
): string[] {
  const wrong: string[] = []
  const held = documents ?? 'no manifest that can be read'
  if (documents !== snapshot) wrong.push(`live.json names ${snapshot}, but ${slot} holds ${held}`)
  const place = downloadsPrefix(downloads?.folder ?? '')
  if (state === 'missing') wrong.push(`the downloads of ${snapshot} are missing (${place})`)
  if (state === 'other') wrong.push(`${place} does not hold the downloads of ${snapshot}`)
  return [...wrong, ...unsigned]
}

/** An older snapshot under a newer date shows here, too: the date that `live.json` says is not the signed one. */
async function unsignedIn(
  store: ObjectStore,
  live: Live,
  trusted: readonly string[] | null,
): Promise<string[]> {
  if (trusted === null || trusted.length === 0) return []
  const { faults } = await checkChanges(textsIn(store, live.slot), live, trusted)
  return faults.map((fault) => `${live.slot}/${sayFault(fault)}`)
}

/**
 * - `whole`: `SHA256SUMS` is the one that the publish uploaded last. `verify` checks the other files.
 * - `missing`: no `SHA256SUMS`. `other`: it has other bytes, or the folder is that of another snapshot.
 * - `none`: `live.json` names no folder: the snapshot was published without downloads.
 */
export type DownloadsState = 'whole' | 'missing' | 'other' | 'none'

export async function downloadsState(
  store: ObjectStore,
  live: Pick<LiveSnapshot, 'snapshot' | 'asOf' | 'downloads'>,
): Promise<DownloadsState> {
  const { snapshot, downloads } = live
  if (downloads === undefined) return 'none'
  if (!downloads.folder.startsWith(snapshot)) return 'other'
  const sums = await readSmall(store, `${downloadsPrefix(downloads.folder)}${checksumsName}`)
  if (sums === null) return 'missing'
  return hash('sha256', sums.text) === downloads.sums ? 'whole' : 'other'
}
