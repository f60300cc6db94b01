/** `fundpress rollback`: makes the previous snapshot live again. */

import { isAlive, thisHolder } from '../../bucket/live/journal.ts'
import { rollback } from '../../bucket/live/rollback.ts'
import { livePointer, withBucket } from '../from-settings.ts'
import { defineCommand } from '../command.ts'
import { bucketSettings, noLockOption, option, parsedOption } from '../options.ts'

export default defineCommand({
  description:
    'Makes the other slot live with one write, if a listing shows that it is complete and no publish is running. A ' +
    'second rollback reverts the first. nightly publishes a snapshot that was rolled back only with --again. Edges ' +
    'follow within their --live-ttl. Downloads go back with the snapshot; if they are missing, rollback warns.',
  settings: [...bucketSettings, 'bucket.leaseSeconds', 'edge.keyValueStore'],
  options: [
    parsedOption(
      '--to <snapshot>',
      'Only if the other slot holds this snapshot',
      'a snapshot id, such as 2026-11-19-3f9c2ab4d1e0',
      (text) => (/^[0-9]{4}-[0-9]{2}-[0-9]{2}-[0-9a-f]{12}$/.test(text) ? text : undefined),
    ),
    option('--no-check', 'Trust the journal that the slot is complete; do not list it'),
    noLockOption(),
  ],
  json: 'Print what is live now as JSON, with the warnings',
  examples: [
    ['rollback --bucket fund-data --region eu-central-1', 'To the previous snapshot'],
    ['rollback --bucket fund-data --to 2026-11-19-3f9c2ab4d1e0', 'To this snapshot and no other'],
  ],
  run: async (session, { to = null, check: isChecking, lock: isLocking }) => {
    const { settings, signal, stderr, print } = session
    const warnings: string[] = []
    const live = await withBucket(session, async (store) =>
      rollback(store, {
        to,
        isChecking,
        isLocking,
        isAlive,
        signal,
        leaseSeconds: settings.bucket.leaseSeconds,
        me: thisHolder(),
        pointer: await livePointer(session),
        onWarning: (warning) => {
          warnings.push(warning)
          stderr.tell(warning)
        },
      }),
    )
    print({ ...live, warnings }, () => `${live.snapshot} is live again, in ${live.slot}\n`)
  },
})
