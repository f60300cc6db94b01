/**
 * What a store may lack, and what is done instead. A store remembers what it was refused for the rest of a run. The first publish into a
 * bucket and `check --bucket` try all of it (`doctor/trial.ts`), so no later night meets it for the first time.
 */

/** What is done without each, and what that costs: for `check --bucket` and the first publish. */
export const insteadOf = {
  /** DeleteObjects, also with Content-MD5. */
  deletes: 'the store has no DeleteObjects: keys are deleted one by one, a request for each',
  /** The header x-amz-checksum-sha256. */
  checksums:
    'the store refuses x-amz-checksum-sha256: puts carry Content-MD5 instead, and fundpress compares the SHA-256 before it puts, which takes more CPU time',
  /** CopyObject. */
  copies: 'the store makes no copies: downloads that stay the same are uploaded again',
  /** Range of a get. */
  ranges:
    'the store ignores Range and sends whole objects: date ranges and parts of downloads cost whole reads, and nothing behind the first 64 MiB of an object is read in parts',
} as const

export type Lack = keyof typeof insteadOf

/** The same for all requests of a run. */
export type Lacks = Set<Lack>

/** Bytes of a whole object of which a part is cut out. `insteadOf.ranges` names it. */
export const maxCutBytes = 64 * 2 ** 20
