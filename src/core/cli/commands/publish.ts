/** `fundpress publish`: uploads a snapshot and makes it live. */

import type { PublishSummary } from '../../bucket/publish/publish.ts'
import { readManifestHead } from '../../snapshot/manifest.ts'
import { overrideOf } from '../from-settings.ts'
import { defineCommand } from '../command.ts'
import {
  describeDownloads,
  describeRemoved,
  describeRequests,
  describeSummary,
  formatBytes,
  formatCount,
} from '../format.ts'
import { bucketSettings, forgetKvsOption, noLockOption, option, overrideOptions } from '../options.ts'
import { endIfFailed, endRun } from '../end.ts'
import { factsOfPublish } from '../facts.ts'
import { describeNews } from '../nightly/news.ts'
import { publishFolder } from '../nightly/publish.ts'

export default defineCommand({
  description:
    'Puts what changed into the slot that is not live, then makes that slot live with one write. Until then the live ' +
    'snapshot does not change. If a publish is stopped or killed, the next one continues. If the data, prices or performance ' +
    'of a fund may no longer be given out, the downloads of earlier days that hold them are removed.\n\n' +
    'Guards compare the snapshot with what is live: too many lost funds, documents, prices or rows are refused (exit code ' +
    '3), and so is a date in the future or before the live one. Nothing changes then. `fundpress plan` shows it before.\n\n' +
    '--stage does all of it but that one write: the live snapshot stays live. Look at the staged snapshot with `serve --bucket … ' +
    '--snapshot`; `flip` makes it live, under the same guards. Publishing the same snapshot again makes it live, ' +
    'too; publishing another one replaces it.',
  settings: ['out', ...bucketSettings, 'edge.keyValueStore'],
  options: [
    ...overrideOptions(),
    option('--stage', 'Do not make the snapshot live: `flip` does'),
    option('--repair', 'Compare the slots with listings of them, and repair what differs'),
    option('--deep', 'With --repair: read and hash every body, too'),
    noLockOption(),
    forgetKvsOption(),
  ],
  json: 'Print the summary as JSON',
  examples: [
    ['publish --out out --bucket fund-data --region eu-central-1', 'To AWS'],
    ['publish --bucket fund-data --endpoint http://127.0.0.1:9000 --path-style', 'To MinIO'],
    [
      'publish --bucket file:///srv/fundpress',
      'Into a folder of this machine, which `fundpress serve` answers from',
    ],
    ['publish --bucket fund-data --flip-kvs arn:aws:cloudfront::…', 'To AWS behind CloudFront'],
    ['publish --bucket fund-data --stage', 'To look at it first'],
    ['publish --bucket fund-data --repair', 'After `fundpress verify` has found damage'],
  ],
  run: async (session, flags) => {
    const override = overrideOf(session, flags)
    const publishing = publishFolder(session, { ...flags, override }, { onWarning: session.stderr.tell })
    const known = async () => {
      const head = await readManifestHead(session.settings.out).catch(() => null)
      return { command: 'publish', asOf: head?.asOf ?? null, snapshot: head?.snapshot ?? null }
    }
    const summary = await endIfFailed(session, flags.lock, known, publishing)
    session.print(summary, () => describe(summary))
    await endRun(session, factsOfPublish('publish', summary, override), flags.lock)
  },
})

function describe(summary: PublishSummary): string {
  const { snapshot, slot, removed } = summary
  switch (summary.outcome) {
    case 'already staged':
      return `${snapshot} is staged already in ${slot}, nothing to do\n`
    case 'already live':
      return `${snapshot} is already live in ${slot}, ${describeRemoved(removed) ?? 'nothing to do'}\n`
    case 'staged':
      return describeWork(summary, 'staged in', `\`fundpress flip ${snapshot}\` makes it live`)
    case 'flipped':
      return describeWork(summary, 'live in', null)
  }
}

function describeWork(summary: PublishSummary, state: string, next: string | null): string {
  const { snapshot, slot, put, deleted, bytes, mended, downloads, requests, seconds, removed, news } = summary
  const pace = Math.round((put + deleted) / Math.max(seconds, 0.001))
  const figures = describeSummary({
    snapshot,
    [state]: slot,
    put: formatCount(put),
    deleted: formatCount(deleted),
    'put again': mended === 0 ? null : `${formatCount(mended)}, they were damaged`,
    bytes: formatBytes(bytes),
    downloads: describeDownloads(downloads),
    'earlier days': describeRemoved(removed),
    requests: describeRequests(requests),
    seconds: `${seconds.toFixed(1)} (${formatCount(pace)} objects a second)`,
    next,
  })
  return figures + describeNews(news)
}
