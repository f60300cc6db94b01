/** `fundpress rollback`: makes the previous snapshot live again. */

import { Option } from 'commander'
import { isAlive, thisHolder } from '../../bucket/live/journal.ts'
import { rollback } from '../../bucket/live/rollback.ts'
import { livePointer, withBucket } from '../bucket.ts'
import { defineCommand, type Session } from '../command.ts'
import { bucketSettings, jsonOption, noLockOption, snapshotOption } from '../options.ts'

interface Flags {
  readonly to?: string
  /** False with --no-check. */
  readonly check: boolean
  /** False with --no-lock. */
  readonly lock: boolean
  readonly json?: boolean
}

export default defineCommand<Flags>({
  description:
    'Makes the other slot live with one write, if a listing shows that it is complete and no publish is running. A ' +
    'second rollback reverts the first. nightly publishes a snapshot that was rolled back only with --again. Edges ' +
    'follow within their --live-ttl. Downloads go back with the snapshot; if they are missing, rollback warns.',
  settings: [...bucketSettings, 'bucket.leaseSeconds', 'edge.keyValueStore'],
  options: [
    snapshotOption('--to <snapshot>', 'Only if the other slot holds this snapshot'),
    new Option('--no-check', 'Trust the journal that the slot is complete; do not list it'),
    noLockOption(),
    jsonOption('Print what is live now as JSON, with the warnings'),
  ],
  examples: [
    ['rollback --bucket fund-data --region eu-central-1', 'To the previous snapshot'],
    ['rollback --bucket fund-data --to 2026-11-19-3f9c2ab4d1e0', 'To this snapshot and no other'],
  ],
  run: rollBack,
})

async function rollBack(session: Session, { to, check, lock, json = false }: Flags): Promise<void> {
  const { settings, signal, isQuiet, stdout, stderr } = session
  const warnings: string[] = []
  const live = await withBucket(session, async (store) =>
    rollback(store, {
      to: to ?? null,
      isChecking: check,
      isLocking: lock,
      leaseSeconds: settings.bucket.leaseSeconds,
      me: thisHolder(),
      isAlive,
      pointer: await livePointer(session),
      signal,
      onWarning: (warning) => {
        warnings.push(warning)
        stderr.tell(warning)
      },
    }),
  )
  if (json) stdout.data(`${JSON.stringify({ ...live, warnings })}\n`)
  else if (!isQuiet) stdout.write(`${live.snapshot} is live again, in ${live.slot}\n`)
}
