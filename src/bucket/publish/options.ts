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

/** What a publish and the flip of a staged snapshot are given. */
export interface FlipOptions extends Guarding, Following, Omit<LeaseOptions, 'target'> {
  readonly table: RouteTable
  /** Compares the slots with listings, too, instead of trusting their manifests. False for a flip. */
  readonly isRepair: boolean
  readonly concurrency: number
  /** The grace period: how long readers may still read from a slot that was live. */
  readonly graceSeconds: number
  /** How long a request may outlive its sender: after a crash the next publish waits this long. */
  readonly lateSeconds: number
  /** Which downloads of earlier days it removes. Those with withdrawn data go in any case. */
  readonly retention: Retention
  /** Called with what failed without a reason to stop, and what follows from it. */
  readonly onWarning: (warning: string) => void
}

export interface PublishOptions extends FlipOptions {
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

/** A flip under the lease: what guards, flip and clean-up need. */
export interface Flipping extends FlipOptions {
  readonly store: ObjectStore
  readonly lease: Lease
  /** For lists that need not fit into memory. */
  readonly folder: string
  readonly snapshot: Pick<Snapshot, 'manifest'>
  readonly base: Pick<Publish['base'], 'live' | 'slot' | 'hasStagedFile'>
}

/** Made once under the lease; each step takes it whole. */
export interface Publish extends PublishOptions, Flipping {
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
