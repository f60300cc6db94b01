/** `fundpress rollback`: makes the previous snapshot live again. */

import { isAlive, thisHolder } from '../../system/holder.ts'
import { rollback } from '../../bucket/live/rollback.ts'
import { followingOf, shortReason, whoIs, withBucket } from '../from-settings.ts'
import { defineCommand } from '../command.ts'
import { tell, tellFailure } from '../monitoring/notices.ts'
import { eventOf, keepEvents } from '../nightly/events.ts'
import {
  bucketSettings,
  expectedSnapshot,
  forgetKvsOption,
  noLockOption,
  option,
  parsedOption,
  parseSnapshot,
  reasonOption,
} from '../options.ts'

export default defineCommand({
  description:
    'Makes the other slot live with one write, if a listing shows that it is complete and no publish is running. ' +
    'Edges follow within their --live-ttl. Downloads go back with the snapshot; if they are missing, rollback warns.\n\n' +
    'After a publish, the other slot holds the snapshot that was live before: rollback makes it live and reverts ' +
    'what was published. After a rollback, it holds the snapshot that was reverted: only rollback --again makes it live ' +
    'again. `status` says which of the two it is. While a snapshot is staged, there is nothing to go back to. nightly publishes a reverted snapshot only with --again, too.',
  settings: [...bucketSettings, 'bucket.leaseSeconds', 'edge.keyValueStore'],
  options: [
    parsedOption(
      '--to <snapshot>',
      'Only if the other slot holds this snapshot',
      expectedSnapshot,
      parseSnapshot,
    ),
    option('--again', 'Also if a rollback has reverted the snapshot that would be live'),
    reasonOption('Why: kept in the history'),
    option('--no-check', 'Trust the journal that the slot is complete; do not list it'),
    noLockOption(),
    forgetKvsOption(),
  ],
  json: 'Print what is live now as JSON, with the warnings',
  examples: [
    ['rollback --bucket fund-data --reason "wrong NAV of one fund"', 'To the previous snapshot'],
    ['rollback --bucket fund-data --to 2026-11-19-3f9c2ab4d1e0', 'To this snapshot and no other'],
    ['rollback --bucket fund-data --again', 'To the snapshot that the last rollback reverted'],
  ],
  run: async (session, { to = null, again = false, check: isChecking, lock: isLocking, ...flags }) => {
    const reason = shortReason(flags.reason)
    const who = whoIs(session)
    const { settings, signal, stderr, print } = session
    const warnings: string[] = []
    const onWarning = (warning: string) => {
      warnings.push(warning)
      stderr.tell(warning)
    }
    const live = await withBucket(session, async (store) =>
      rollback(store, {
        to,
        isAgain: again,
        isChecking,
        isLocking,
        isAlive,
        signal,
        leaseSeconds: settings.bucket.leaseSeconds,
        me: thisHolder(),
        ...(await followingOf(session, flags.forgetKvs)),
        onWarning,
      }),
    ).catch(async (error: unknown) => {
      await tellFailure(session, error, { command: 'rollback', who })
      throw error
    })
    const { asOf, snapshot, slot, reverted } = live
    const facts = { asOf, who, reason, snapshot, reverted }
    await keepEvents(session, [eventOf({ kind: 'rolled back', ...facts })], isLocking, onWarning)
    print({ ...live, warnings }, () => `${snapshot} is live again, in ${slot}\n`)
    const told = { command: 'rollback', event: 'rollback', what: 'rolled back', slot, ...facts } as const
    await tell(session, [told], stderr.tell)
  },
})
