/** `fundpress doctor`: everything that would make tonight fail, tried for real and in a moment. */

import { bucketFindings } from './doctor-bucket.ts'
import { credentialsFinding, reachFindings } from './doctor-access.ts'
import { machineFindings } from './doctor-machine.ts'
import { scratchFindings } from './doctor-scratch.ts'
import { standingFindings } from './doctor-standing.ts'
import type { Holder } from './journal.ts'
import type { Addresses } from './local-address.ts'
import type { S3Store } from './s3-store.ts'

/** `warning`: tonight goes well, and something is to be known. `problem`: it would fail, or fail readers. */
export type Level = 'ok' | 'warning' | 'problem'

export interface Finding {
  /** What was looked at: `clock`. */
  readonly what: string
  readonly level: Level
  /** What was found and, unless all is well, what to do. */
  readonly says: string
}

export interface DoctorOptions {
  /** The snapshot's folder. */
  readonly out: string
  /** That a snapshot is to name, and of the store. */
  readonly addresses: Addresses
  readonly temporary: string
  /** Of Node, without a `v`. */
  readonly nodeVersion: string
  readonly me: Holder
  readonly isAlive: (holder: Holder) => boolean
  readonly now: () => Date
  readonly uuid: string
  readonly signal: AbortSignal
  /** Told as soon as it is known. */
  readonly onFinding: (finding: Finding) => void
}

export const ok = (what: string, says: string): Finding => ({ what, level: 'ok', says })
export const warning = (what: string, says: string): Finding => ({ what, level: 'warning', says })
export const problem = (what: string, says: string): Finding => ({ what, level: 'problem', says })

/** Where the bucket cannot be reached, what needs it is not tried: one line says why. */
export async function examine(store: S3Store, options: DoctorOptions): Promise<void> {
  const { signal, onFinding } = options
  const tell = async (findings: AsyncIterable<Finding>) => {
    let isWell = true
    for await (const finding of findings) {
      signal.throwIfAborted()
      isWell &&= finding.level !== 'problem'
      onFinding(finding)
    }
    return isWell
  }
  await tell(machineFindings(options))
  const credentials = await credentialsFinding(store, options)
  onFinding(credentials)
  if (credentials.level === 'problem') return
  if (!(await tell(reachFindings(store)))) return
  await tell(scratchFindings(store, options))
  await tell(bucketFindings(store))
  await tell(standingFindings(store, options))
}

/** What an error says, in a line. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).replaceAll(/\s+/g, ' ')
