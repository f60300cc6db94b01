/** Input and output of the door. Types only, for all its steps. */

import type { RestrictedFunds } from '../../api/contract/fund.ts'
import type { SnapshotChanges } from '../../api/contract/changes.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import type { AllowedObjection, Objection, Override } from '../../guards/guards.ts'
import type { DocumentComparison } from '../manifest/documents.ts'
import type { ObjectDifference } from '../manifest/listing.ts'
import type { KeyedLine } from '../manifest/compare.ts'
import type { EtagLine, Manifest } from '../manifest/manifest.ts'
import type { ManifestHead } from '../../snapshot/manifest.ts'
import type { ObjectStore } from '../store/store.ts'
import type { RemovedFolder, Retention } from './download-folders.ts'
import type { KnownEdge } from './edges.ts'
import type { Following } from './follow.ts'
import type { Slot } from './layout.ts'
import type { SignatureRules } from './signed.ts'
import type { Lease, LeaseOptions } from './lease.ts'
import type { Live, LiveObject } from './live.ts'

export interface DoorOptions extends Following, LeaseOptions {
  /** Limits of guards are divided by it. */
  readonly strictness: number
  readonly override: Override
  /** Today in Europe/Berlin, ISO 8601. */
  readonly today: string
  /** Called with each objection, and the command goes on; absent: the command throws. */
  readonly onRefusal?: (objection: Objection) => void
  readonly table: RouteTable
  /** Who may have signed a snapshot, and the key that signs `changes/`. */
  readonly signing: SignatureRules
  /** Asks the edges of `bucket.edges`. */
  readonly askEdges: () => Promise<readonly KnownEdge[]>
  /** Compares the slots with listings, too. Only for a publish. */
  readonly isRepair: boolean
  /** Knows what readers were told of changes; null: nobody tells them. */
  readonly compared: ReadsChanges | null
  readonly concurrency: number
  /** Number of slots, `bucket.slots`: a publish writes to the one that readers have left first. */
  readonly slots: number
  /** The grace period: time for readers of a slot that was live. */
  readonly graceSeconds: number
  /** Time that a request may outlive its sender: the next publish after a crash waits this long. */
  readonly lateSeconds: number
  /** Expired downloads are removed. Those with withdrawn data go in any case. */
  readonly retention: Retention
  /** Called with a failure that is no reason to stop, and what follows from it. */
  readonly onWarning: (warning: string) => void
  /** Called once a snapshot has gone live, before downloads are removed. */
  readonly onGone?: (gone: Gone) => Promise<void>
}

/** A part of the hook `compared`, see `Compared`. */
export interface ReadsChanges {
  /**
   * The changes of the publish that put a snapshot into a slot; null if they are not there.
   * @param sums as signed, by name; null: they need no signature
   */
  readonly read: (
    store: ObjectStore,
    slot: Slot,
    head: ManifestHead,
    sums: ReadonlyMap<string, string> | null,
  ) => Promise<SnapshotChanges | null>
}

export interface Door extends DoorOptions {
  readonly store: ObjectStore
  readonly lease: Lease
  /** For lists that need not fit into memory. */
  readonly folder: string
}

/** `return`: a publish goes back by itself, since its sample of bodies was damaged. */
type Arriving = 'publish' | 'flip' | 'rollback' | 'return'

export interface Arrival {
  readonly kind: Arriving
  readonly slot: Slot
  readonly manifest: Pick<Manifest, 'head' | 'lines' | 'objects'>
  /** Further fields of the new `live.json`. */
  readonly brought: Pick<Live, 'changes' | 'edition' | 'downloads'>
  /** As read under the lease. */
  readonly live: LiveObject
  /** Of a snapshot that was staged: `staged.json` may name the follower of the bucket. */
  readonly staged?: Pick<Live, 'keyValueStore'>
  /** `staged.json` goes when this snapshot is live. */
  readonly hasStagedFile: boolean
  /** Of a rollback: nothing else goes live until its hold is lifted. */
  readonly isHolding?: boolean
  /** In the words of an operator, or null. */
  readonly reason: string | null
  /** Digests of what this publish has written to `changes/`, by name. */
  readonly written?: ReadonlyMap<string, string>
  /** The guards' answer for this manifest and what is live; absent: they are asked at the door. */
  readonly asked?: Verdict
  /** Restrictions for which earlier downloads must be searched; absent: found at the door. */
  readonly restricted?: RestrictedFunds
  /** The `live.json` that the write must find, if a fence has been set already. */
  readonly fenced?: LiveObject
  /** ETags of the objects that were put; absent: the slot's own list counts. */
  readonly etags?: () => AsyncIterable<EtagLine>
  readonly deleted?: () => AsyncIterable<KeyedLine>
  /** Puts damaged objects again; absent if the snapshot's folder is not at hand. */
  readonly mend?: Mend | undefined
}

export type Mend = (damaged: readonly ObjectDifference[]) => Promise<void>

export interface Verdict {
  readonly allowed: readonly AllowedObjection[]
  readonly compared: Comparison
  /** Of a staged snapshot: the changes that its publish has written; else null. */
  readonly announced: SnapshotChanges | null
}

/** `head`: of the live manifest. Both are null if nothing is live, or if they cannot be read. */
export interface Comparison {
  readonly head: ManifestHead | null
  readonly documents: DocumentComparison | null
}

export interface Gone {
  readonly kind: Arriving
  readonly live: Live
  readonly manifest: ManifestHead
  readonly before: Live | null
  readonly reason: string | null
  readonly allowed: readonly AllowedObjection[]
  readonly compared: Comparison
  readonly announced: SnapshotChanges | null
  readonly removed: readonly RemovedFolder[]
  /** Number of damaged objects that were put again before. */
  readonly mended: number
}
