/** One publish: what it is given, what it publishes, and what it continues from. Types only, for all its steps. */

import type { Slot } from '../live/layout.ts'
import type { LiveObject } from '../live/live.ts'
import type { Door, DoorOptions } from '../live/options.ts'
import type { Snapshot } from './snapshot.ts'

export interface PublishOptions extends DoorOptions {
  readonly out: string
  /** The address that the API is published at, without a closing slash. */
  readonly baseUrl: string
  readonly cacheControl: string
  /** Puts a second at most, or null. */
  readonly maxRate: number | null
  /** A repair that reads and hashes every body. */
  readonly isDeep: boolean
  /** Whether it does everything but the flip. */
  readonly isStaging?: boolean
  readonly onProgress?: (progress: { done: number; of: number; bytes: number }) => void
}

/** Made once under the lease; each step takes it whole. */
export interface Publish extends PublishOptions, Door {
  readonly snapshot: Snapshot
  /** What it continues from. Decided once, when no request of an earlier holder can change it any more. */
  readonly base: {
    readonly live: LiveObject
    /** The slot that is not live: the publish writes to it. */
    readonly slot: Slot
    /** The key of the list of changes if a publish was stopped in that slot, or null. */
    readonly torn: string | null
    /** Whether the slot holds what its own lists say: it is not torn, and this is no repair. */
    readonly isTrusted: boolean
    /** Whether there is a `staged.json`: it goes before the slot changes. */
    readonly hasStagedFile: boolean
  }
  /** Puts a list or another file of the publish itself. */
  readonly putOwn: (file: string, key: string, type: string) => Promise<void>
}
