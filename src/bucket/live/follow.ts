/** Who follows `live.json`: CloudFront's KeyValueStore is told what is live and what is staged. */

import { messageOf } from '../../system/message.ts'
import type { ObjectStore } from '../store/store.ts'
import { liveKey } from './layout.ts'
import type { Live, LiveSnapshot } from './live.ts'

/** A place beside `live.json` that says what is live, for edges that cannot read it: CloudFront's KeyValueStore. */
export interface LivePointer {
  /** The ARN. */
  readonly name: string
  /** @returns whether it said something else before */
  readonly set: (live: Pointed) => Promise<boolean>
  /** Says what edges show to whoever has the preview token; null: nothing. */
  readonly setStaged: (staged: Pointed | null) => Promise<void>
}

/** What such a place needs to know. */
export type Pointed = LiveSnapshot & Partial<Pick<Live, 'earlierDownloads' | 'previous'>>

/** @returns whether the place said something else before @throws {Error} if it cannot be written: what to do */
export async function point(pointer: LivePointer | null, live: Pointed): Promise<boolean> {
  try {
    return (await pointer?.set(live)) ?? false
  } catch (error) {
    const unsaid = `${pointer?.name ?? ''} does not say that ${live.snapshot} is live; publish again`
    throw new Error(`${messageOf(error)}: ${unsaid}`, { cause: error })
  }
}

/** Who follows `live.json` from now on. */
export interface Following {
  readonly pointer: LivePointer | null
  /** Whether the KeyValueStore that `live.json` names no longer counts. */
  readonly isForgetting: boolean
}

type Named = Pick<LivePointer, 'name'> | null

/** Whether `live.json` names the KeyValueStore that follows the bucket from now on, or none if none does. */
export const namesFollower = (live: Pick<Live, 'keyValueStore'>, pointer: Named) =>
  live.keyValueStore === pointer?.name

/**
 * CloudFront shows what its KeyValueStore names. After a flip without it, it would show a slot that the next publish writes to.
 * @param file what `live` was read from
 * @throws {Error} if it names a KeyValueStore, and the command would write to none or to another one
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

/** @throws {Error} if the place cannot be written: what to do */
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
