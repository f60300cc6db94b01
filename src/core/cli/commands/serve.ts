/** `fundpress serve`: serves a snapshot on this machine, from a folder or from a bucket. */

import { setFlagsFromString } from 'node:v8'
import { withBucket } from '../from-settings.ts'
import { defineCommand } from '../command.ts'
import { UsageError } from '../failure.ts'
import { bucketSettings, snapshotOption } from '../options.ts'
import { requestPatience, serveBucket, serveFolder, serveUntilStopped } from '../serve.ts'

export default defineCommand({
  description:
    'Serves a snapshot over HTTP, as the published API answers: that of a folder, or with --bucket the live one. It ' +
    'follows new builds and publishes. With --snapshot it serves just that one, wherever the bucket holds it: the live one, the ' +
    'staged one, or the one that was live before; when a publish takes its place, it answers 503. Ctrl-C ends it.',
  settings: ['out', ...bucketSettings, 'serve.host', 'serve.port', 'serve.trustedProxies'],
  options: [
    snapshotOption('--snapshot <id>', 'With --bucket: the snapshot with this id, the staged one for example'),
  ],
  examples: [
    ['serve --out out', 'On http://127.0.0.1:8080'],
    ['serve --out out --host 0.0.0.0 --port 80', 'For other machines, too'],
    ['serve --bucket fund-data --region eu-central-1', 'The live snapshot of a bucket'],
    ['serve --bucket file:///srv/fundpress', 'The same of a bucket that is a folder'],
    ['serve --bucket fund-data --snapshot 2026-11-20-3f9c2ab4d1e0', 'What `publish --stage` has staged'],
  ],
  run: async (session, { snapshot = null }) => {
    // Else V8 lets garbage pile up, which is most of the cost of hostile clients. Set before the libraries of a bucket are loaded,
    // because their garbage counts, too.
    setFlagsFromString('--optimize-for-size')
    const { settings, hasFlag } = session
    if (snapshot !== null && !hasFlag('bucket.name')) throw new UsageError('--snapshot goes with --bucket')
    if (!hasFlag('bucket.name')) return serveUntilStopped(session, await serveFolder(settings.out))
    if (hasFlag('out')) throw new UsageError('--out and --bucket exclude each other: serve one of them')
    await withBucket(
      session,
      async (store) => serveUntilStopped(session, await serveBucket(store, session, snapshot)),
      requestPatience,
    )
  },
})
