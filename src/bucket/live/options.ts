/** What the door is given, and what comes through it. Types only, for all its steps. */

import type { RestrictedFunds } from '../../api/contract/fund.ts'
import type { SnapshotChanges } from '../../api/contract/changes.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import type { AllowedObjection, Objection, Override } from '../../guards/guards.ts'
import type { GuardLimits } from '../../guards/loss.ts'
import type { DocumentComparison } from '../manifest/documents.ts'
import type { ObjectDifference } from '../manifest/listing.ts'
import type { KeyedLine } from '../manifest/compare.ts'
import type { EtagLine, Manifest } from '../manifest/manifest.ts'
import type { ManifestHead } from '../../build/manifest.ts'
import type { ObjectStore } from '../store/store.ts'
import type { RemovedFolder, Retention } from './download-folders.ts'
import type { Following } from './follow.ts'
import type { Slot } from './layout.ts'
import type { Lease, LeaseOptions } from './lease.ts'
import type { Live, LiveObject } from './live.ts'

/** What every command that makes a snapshot live is given. */
export interface DoorOptions extends Following, LeaseOptions {
  readonly limits: GuardLimits
  readonly override: Override
  /** Today in Europe/Berlin, ISO 8601. */
  readonly today: string
  /** Called with each objection, and the command goes on; without it the command throws. */
  readonly onRefusal?: (objection: Objection) => void
  readonly table: RouteTable
  /** Compares the slots with listings, too, instead of trusting their manifests. Only a publish does. */
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
  /** Keeps in the history what went live. It warns where it fails. */
  readonly record?: (gone: Gone) => Promise<void>
}

/** The same under the lease. */
export interface Door extends DoorOptions {
  readonly store: ObjectStore
  readonly lease: Lease
  /** For lists that need not fit into memory. */
  readonly folder: string
}

/** How a snapshot comes to the door. `return`: a publish goes back by itself, since its sample of bodies was damaged. */
export type Arriving = 'publish' | 'flip' | 'rollback' | 'return'

/** A snapshot that lies in the slot that is not live, and is to be made live. */
export interface Arrival {
  readonly kind: Arriving
  readonly slot: Slot
  readonly manifest: Pick<Manifest, 'head' | 'lines' | 'objects'>
  /** What `live.json` is to say besides. */
  readonly brought: Pick<Live, 'changes' | 'edition' | 'downloads'>
  /** What is live until then, as it was read under the lease. */
  readonly live: LiveObject
  /** What `staged.json` says, if the snapshot was staged: it may name who follows the bucket. */
  readonly staged?: Pick<Live, 'keyValueStore'>
  /** Whether there is a `staged.json`: it goes when this is live. */
  readonly hasStagedFile: boolean
  /** Of a rollback: whether nothing else goes live until somebody lifts its hold. */
  readonly isHolding?: boolean
  /** Why, in the words of an operator, or null. */
  readonly reason: string | null
  /** What the guards have said already, for just this manifest and what is live; absent: they are asked at the door. */
  readonly asked?: Verdict
  /** What earlier downloads must be searched for; absent: it is found at the door. */
  readonly restricted?: RestrictedFunds
  /** What `live.json` must be when it is written, if a fence has been set already. */
  readonly fenced?: LiveObject
  /** The ETags of what was put; absent: the slot's own list says them. */
  readonly etags?: () => AsyncIterable<EtagLine>
  /** Keys that must be gone. */
  readonly deleted?: () => AsyncIterable<KeyedLine>
  /** Puts damaged objects again; absent if the snapshot's folder is not at hand. */
  readonly mend?: Mend | undefined
}

/** @param damaged in the order of keys */
export type Mend = (damaged: readonly ObjectDifference[]) => Promise<void>

/** What the guards have said of a snapshot, beside what is live. */
export interface Verdict {
  readonly allowed: readonly AllowedObjection[]
  readonly compared: Comparison
  /** Of a staged snapshot, what its publish has said of it; else null. */
  readonly told: SnapshotChanges | null
}

/**
 * `head`: the first line of the live manifest; null if nothing is live, or if it cannot be read. `documents`: null also if
 * the rest cannot be read.
 */
export interface Comparison {
  readonly head: ManifestHead | null
  readonly documents: DocumentComparison | null
}

/** A snapshot that has just gone live. */
export interface Gone {
  readonly kind: Arriving
  readonly live: Live
  /** The first line of its manifest. */
  readonly manifest: ManifestHead
  readonly before: Live | null
  readonly reason: string | null
  readonly allowed: readonly AllowedObjection[]
  readonly compared: Comparison
  readonly told: SnapshotChanges | null
  /** Folders of earlier downloads that are removed. */
  readonly removed: readonly RemovedFolder[]
  /** How many damaged objects were put again before. */
  readonly mended: number
}
