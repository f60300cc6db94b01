/** `fundpress rollback`: makes the previous snapshot live again, and holds it. */

import { rollback } from '../../bucket/live/rollback.ts'
import { liftingOf } from '../../guards/going-back.ts'
import { overrideOf, withBucket } from '../from-settings.ts'
import { doorOptions } from '../bucket.ts'
import { defineCommand } from '../command.ts'
import { endIfFailed, endRun } from '../end.ts'
import { factsOf } from '../facts.ts'
import {
  bucketSettings,
  forgetKvsOption,
  noLockOption,
  option,
  overrideOptions,
  snapshotOption,
} from '../options.ts'

export default defineCommand({
  description:
    'Makes the snapshot that was live before live again with one write, if a listing shows that its slot is complete and no publish is ' +
    'running. With bucket.slots above 2, --to goes further back: `status` lists what there is. ' +
    'Edges follow within edge.liveTtlSeconds. Downloads go back with the snapshot; if they are missing, rollback warns.\n\n' +
    'Nothing else goes live then until somebody lifts the hold: nightly, publish and flip end with exit code 3. Once the data ' +
    'are right, `publish`, `flip` or `nightly` with --allow hold --reason "…" lifts it. --no-hold sets none: only what was ' +
    'reverted stays away then.\n\n' +
    'After a publish, the other slot holds the snapshot that was live before: rollback makes it live and reverts ' +
    'what was published. After a rollback, it holds the snapshot that was reverted: --allow hold makes it live again, and lifts the ' +
    'hold. `status` says which of the two it is. While a snapshot is staged, there is nothing to go back to.\n\n' +
    'What has been withdrawn since stays withdrawn: a rollback that would give it out again is refused (exit code 3).',
  settings: [...bucketSettings, 'edge.keyValueStore'],
  options: [
    snapshotOption('--to <snapshot>', 'Go back to this snapshot, which a slot still holds'),
    ...overrideOptions(
      'such as hold or withdrawn-again:DE0008471400',
      'kept in the history and in live.json',
    ),
    option('--no-hold', 'Let the next publish go live, unless it is the snapshot that was reverted'),
    noLockOption(),
    forgetKvsOption(),
  ],
  json: 'Print what is live now as JSON, with the warnings',
  examples: [
    ['rollback --bucket fund-data --reason "wrong NAV of one fund"', 'To the previous snapshot'],
    ['rollback --bucket fund-data --to 2026-11-17-3f9c2ab4d1e0', 'To this snapshot and no other'],
    [
      'rollback --bucket fund-data --allow hold --reason "the data were right"',
      'To the snapshot that the last rollback reverted',
    ],
  ],
  run: async (session, { to = null, hold: isHolding, ...flags }) => {
    const { stderr, print } = session
    const override = overrideOf(session, flags)
    const { who, reason } = override
    const warnings: string[] = []
    const onWarning = (warning: string) => {
      warnings.push(warning)
      stderr.tell(warning)
    }
    const going = withBucket(session, async (store) => {
      const door = await doorOptions(session, { ...flags, override })
      return rollback(store, { ...door, to, isHolding, onWarning })
    })
    const known = () => ({ command: 'rollback', asOf: session.today, who })
    const live = await endIfFailed(session, flags.lock, known, going)
    const { asOf, snapshot, slot, reverted, isHeld, allowed } = live
    const held = isHeld ? `Nothing else goes live from now on: ${liftingOf('fundpress nightly')}\n` : ''
    print({ ...live, warnings }, () => `${snapshot} is live again, in ${slot}\n${held}`)
    const facts = { asOf, snapshot, slot, reverted, allowed, who, why: reason, isNew: true }
    await endRun(session, factsOf({ command: 'rollback', outcome: 'done', ...facts }), flags.lock)
  },
})
