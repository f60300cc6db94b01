/** One publish: what it is given, what it publishes, and what it continues from. Types only, for all its steps. */

import type { RouteTable } from '../../api/routes/table.ts'
import type { Retention } from '../live/download-folders.ts'
import type { Objection, Override } from '../../guards/guards.ts'
import type { GuardLimits } from '../../guards/loss.ts'
import type { Following } from '../live/flip.ts'
import type { Slot } from '../live/layout.ts'
import type { Lease, LeaseOptions } from '../live/lease.ts'
import type { LiveObject } from '../live/live.ts'
import type { ObjectStore } from '../store/store.ts'
import type { Snapshot } from './snapshot.ts'

/** The guards of a publish. */
interface Guarding {
  readonly limits: GuardLimits
  readonly override: Override
  /** Today in Europe/Berlin, ISO 8601. */
  readonly today: string
  /** Called with each objection, and the publish goes on; without it the publish throws. */
  readonly onRefusal?: (objection: Objection) => void
}

export interface PublishOptions extends Guarding, Following, Omit<LeaseOptions, 'target'> {
  readonly out: string
  readonly table: RouteTable
  /** The address that the API is published at, without a closing slash. */
  readonly baseUrl: string
  readonly cacheControl: string
  readonly concurrency: number
  /** Puts a second at most, or null. */
  readonly maxRate: number | null
  /** Compares the slots with listings, too, instead of trusting their manifests. */
  readonly isRepair: boolean
  /** A repair that reads and hashes every body. */
  readonly isDeep: boolean
  /** The grace period: how long readers may still read from a slot that was live. */
  readonly graceSeconds: number
  /** How long a request may outlive its sender: after a crash the next publish waits this long. */
  readonly lateSeconds: number
  /** Which downloads of earlier days it removes. Those with withdrawn data go in any case. */
  readonly retention: Retention
  readonly onProgress?: (progress: { done: number; of: number; bytes: number }) => void
  /** Called with what failed without a reason to stop, and what follows from it. */
  readonly onWarning: (warning: string) => void
}

/** Made once under the lease; each step takes it whole. */
export interface Publish extends PublishOptions {
  readonly store: ObjectStore
  readonly lease: Lease
  /** For lists that need not fit into memory. */
  readonly folder: string
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
  }
  /** Puts a list or another file of the publish itself. */
  readonly putOwn: (file: string, key: string, type: string) => Promise<void>
}
