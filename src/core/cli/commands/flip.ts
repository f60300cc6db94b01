/** `fundpress flip`: makes the staged snapshot live. */

import { flipStaged, type FlipSummary } from '../../bucket/publish/flip-staged.ts'
import { overrideOf, withBucket } from '../from-settings.ts'
import { doorOptions } from '../bucket.ts'
import { defineCommand } from '../command.ts'
import { describeRemoved, describeSummary, formatCount } from '../format.ts'
import { endIfFailed, endRun } from '../end.ts'
import { factsOfPublish } from '../facts.ts'
import { describeNews } from '../nightly/news.ts'
import {
  bucketSettings,
  forgetKvsOption,
  noLockOption,
  overrideOptions,
  snapshotArgument,
} from '../options.ts'

export default defineCommand({
  description:
    'Makes the snapshot live that `publish --stage` or `nightly --stage` has put into the other slot, with one write. It is ' +
    'named by its id, so that nothing goes live that nobody has looked at. A listing shows first that the slot is ' +
    'complete.\n\n' +
    'The guards of `publish` ask again (exit code 3); what was allowed when the snapshot was staged stays allowed. If another ' +
    'snapshot went live since then, stage again. If the snapshot is live already, there is nothing to do.',
  arguments: [snapshotArgument('The id of what is staged, see `status`')],
  settings: [...bucketSettings, 'edge.keyValueStore'],
  options: [...overrideOptions(undefined, 'kept in the history'), forgetKvsOption(), noLockOption()],
  json: 'Print what is live now as JSON',
  examples: [
    ['flip 2026-11-20-3f9c2ab4d1e0 --bucket fund-data', 'After a look at it'],
    [
      'flip 2026-11-20-3f9c2ab4d1e0 --bucket fund-data --reason "seen by Ms Weber"',
      'With a note for the history',
    ],
  ],
  run: async (session, flags, to: string) => {
    const { keepDays } = session.settings.downloads
    const override = overrideOf(session, flags)
    const flipping = withBucket(session, async (store) =>
      flipStaged(store, {
        ...(await doorOptions(session, { ...flags, override, keepDays })),
        to,
        onWarning: session.stderr.tell,
      }),
    )
    const known = () => ({ command: 'flip', asOf: to.slice(0, 10), snapshot: to })
    const flipped = await endIfFailed(session, flags.lock, known, flipping)
    session.print(flipped, () => describe(flipped))
    await endRun(session, factsOfPublish('flip', flipped, override), flags.lock)
  },
})

function describe({ snapshot, slot, outcome, before, changed, news, removed }: FlipSummary): string {
  if (outcome === 'already live')
    return `${snapshot} is already live in ${slot}, ${describeRemoved(removed) ?? 'nothing to do'}\n`
  const figures = describeSummary({
    snapshot,
    'live in': slot,
    before: before ?? 'nothing',
    changed: changed === null ? 'not known' : `${formatCount(changed)} documents`,
    'earlier days': describeRemoved(removed),
  })
  return figures + describeNews(news)
}
