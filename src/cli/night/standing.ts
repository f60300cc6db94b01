/** What stands of a night before it begins: whether it is done, or was taken back. */

import type { Live } from '../../publish/live.ts'
import type { ManifestHead } from '../../snapshot/manifest.ts'
import { withBucket } from '../bucket.ts'
import { buildOptions } from '../commands/build.ts'
import { reasonOf } from '../failure.ts'
import { livePointer } from '../live-pointer.ts'
import type { Session } from '../session.ts'
import type { NightLog } from './log.ts'

export type NightStanding =
  /** `back`: what a rollback has taken back, made of another file with these settings: the build may come to it again. */
  | { readonly kind: 'open'; readonly back: TakenBack | null }
  | { readonly kind: 'done'; readonly live: Live }
  | TakenBack

/** Names the snapshot that this night would publish again, and that a rollback has taken back. */
export interface TakenBack {
  readonly kind: 'takenBack'
  readonly live: Live
  readonly snapshot: string
}

const open: NightStanding = { kind: 'open', back: null }

/** @param asOf ISO 8601 day @throws {Error} if the database is none, or if the store fails */
export async function findStanding(
  session: Session,
  db: string,
  asOf: string,
  log: NightLog,
): Promise<NightStanding> {
  const { openFunds } = await import('../../source/open.ts')
  const { openFile } = await import('../../source/digest.ts')
  const { otherSlot } = await import('../../publish/layout.ts')
  const { readLive } = await import('../../publish/live.ts')
  const { Damaged } = await import('../../publish/ndjson.ts')
  const { fetchSlotManifest } = await import('../../publish/slot-manifest.ts')
  const { withFolder } = await import('../../publish/status.ts')
  const { point } = await import('../../publish/live-pointer.ts')
  const { readHeadOf } = await import('../../snapshot/manifest.ts')
  const { settingsDigest } = await import('../../snapshot/settings-digest.ts')
  const { mayBeDone, standingOf, takenBack } = await import('../../night/done.ts')
  const { fetchHistory } = await import('../../night/keep-history.ts')
  // A database that is none is told at once, in words.
  openFunds(db).close()
  return withBucket(session, async (store): Promise<NightStanding> => {
    const { live } = await readLive(store)
    if (!mayBeDone(live, asOf)) return open
    const before = takenBack(live)
    const headIn = (slot: Live['slot']): Promise<ManifestHead | null> =>
      withFolder(async (folder) => {
        const isOther = slot !== live.slot
        const found = await fetchSlotManifest(store, slot, folder).catch((error: unknown) => {
          // The plan says what is wrong with the other slot, and what helps.
          if (isOther && error instanceof Damaged) return null
          throw error
        })
        if (found === null || found.kind === 'none') return null
        const head = readHeadOf(found.file)
        return isOther ? head.catch(() => null) : head
      })
    const heads = {
      live: live.asOf === asOf ? await headIn(live.slot) : null,
      other: before?.asOf === asOf ? await headIn(otherSlot(live.slot)) : null,
    }
    const file = await openFile(db)
    const source = await file.digest().finally(file.close)
    const history = await fetchHistory(store).catch((error: unknown) => {
      session.signal.throwIfAborted()
      log.warn('night', `the figures of the last nights cannot be read: ${reasonOf(error)}`)
      return []
    })
    const settings = settingsDigest(await buildOptions(session))
    const standing = standingOf(live, heads, { asOf, source, settings }, history)
    const isAlike = heads.other?.snapshot === before?.snapshot && heads.other?.settings === settings
    const back: TakenBack | null =
      before !== null && isAlike ? { kind: 'takenBack', live, snapshot: before.snapshot } : null
    if (standing === 'open' && back === null) return open
    // The attempt before, or the rollback, may have failed at just this.
    await point(await livePointer(session), live)
    if (standing === 'open') return { kind: 'open', back }
    return standing === 'takenBack' && back !== null ? back : { kind: 'done', live }
  })
}
