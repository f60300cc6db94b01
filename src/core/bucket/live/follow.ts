/** The follower of `live.json`: CloudFront's KeyValueStore, which names the live and the staged snapshot. */

import { messageOf } from '../../system/message.ts'
import type { ObjectStore } from '../store/store.ts'
import { liveKey } from './layout.ts'
import type { Live, LiveSnapshot } from './live.ts'

/** A copy of `live.json` for edges that cannot read the bucket: CloudFront's KeyValueStore. */
export interface LivePointer {
  /** ARN. */
  readonly name: string
  /** @returns true if the value has changed */
  readonly set: (live: Pointed) => Promise<boolean>
  /** Names the snapshot for requests with the preview token; null: none. */
  readonly setStaged: (staged: Pointed | null) => Promise<void>
}

export type Pointed = LiveSnapshot & Partial<Pick<Live, 'earlierDownloads' | 'previous'>>

/** @returns true if the value has changed @throws {Error} if it cannot be written: what to do */
export async function point(pointer: LivePointer | null, live: Pointed): Promise<boolean> {
  try {
    return (await pointer?.set(live)) ?? false
  } catch (error) {
    const unsaid = `${pointer?.name ?? ''} does not say that ${live.snapshot} is live; publish again`
    throw new Error(`${messageOf(error)}: ${unsaid}`, { cause: error })
  }
}

export interface Following {
  readonly pointer: LivePointer | null
  /** Drops the KeyValueStore that `live.json` names. */
  readonly isForgetting: boolean
}

type Named = Pick<LivePointer, 'name'> | null

/** True if `live.json` names the same follower, or there is none in both. */
export const namesFollower = (live: Pick<Live, 'keyValueStore'>, pointer: Named) =>
  live.keyValueStore === pointer?.name

/**
 * CloudFront shows what its KeyValueStore names. After a flip without it, it would show a slot that the next publish writes to.
 * @param file the source of `live`
 * @throws {Error} if `live` names a KeyValueStore, and the command would write to none or to another one
 */
export function assertFollowed(
  { name }: Pick<ObjectStore, 'name'>,
  live: Pick<Live, 'keyValueStore'> | null,
  { pointer, isForgetting }: { readonly pointer: Named; readonly isForgetting: boolean },
  file = liveKey,
): void {
  if (live?.keyValueStore === undefined || isForgetting || namesFollower(live, pointer)) return
  const { keyValueStore: arn } = live
  const [given, forget] =
    pointer === null
      ? ['is not set', '--forget-kvs if CloudFront does not serve this bucket any more']
      : [`is ${pointer.name}`, '--forget-kvs beside it if CloudFront reads that one from now on']
  throw new Error(
    `${name}: CloudFront shows what the KeyValueStore ${arn} names (${file}), and edge.keyValueStore ${given}. ` +
      'Without it, CloudFront would stay on the old slot, which the next publish overwrites. Nothing was written. ' +
      `Set edge.keyValueStore (--flip-kvs ${arn}), or give ${forget}`,
  )
}

export async function pointStaged(pointer: LivePointer | null | undefined, staged: Pointed | null) {
  try {
    await pointer?.setStaged(staged)
  } catch (error) {
    const unsaid = staged === null ? 'that nothing is staged' : `that ${staged.snapshot} is staged`
    throw new Error(`${messageOf(error)}: ${pointer?.name ?? ''} does not say ${unsaid}; try again`, {
      cause: error,
    })
  }
}
