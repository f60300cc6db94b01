/** `fundpress serve` from a folder and from a bucket: whatever else answers has to answer as these do. */
import { cpSync } from 'node:fs'
import { makeTempFolder, mustRun, startServing } from '../support/product.ts'
import { bucketArgs, credentials, publishArgs } from '../support/publishing.ts'
import { startS3 } from '../support/s3/server.ts'
import { conformanceSuite, type Night } from './conformance.ts'

conformanceSuite('serve from a folder', async (first) => {
  const folder = makeTempFolder()
  const live = folder.file('live')
  const build = async ({ db, asOf, docsUrl }: Night): Promise<void> => {
    const args = ['build', '--db', db, '--out', live, '--as-of', asOf, '--quiet']
    await mustRun(args, { env: { FUNDPRESS_DOCS_URL: docsUrl } })
  }
  cpSync(first.out, live, { recursive: true })
  const server = await startServing(['--out', live])
  return {
    base: server.base,
    flip: build,
    lagMs: 0,
    stop: async () => {
      await server.stop()
      folder.remove()
    },
  }
})

conformanceSuite('serve from a bucket', async (first) => {
  const s3 = await startS3({ buckets: ['fund-data'] })
  const publish = async ({ out }: Night): Promise<void> => {
    await mustRun(publishArgs(s3.endpoint, 'fund-data', out, '--force'), { env: credentials })
  }
  await publish(first)
  const server = await startServing([...bucketArgs(s3.endpoint, 'fund-data'), '--live-ttl', '1'], {
    env: credentials,
  })
  return {
    base: server.base,
    flip: publish,
    lagMs: 1200,
    stop: async () => {
      await server.stop()
      await s3.stop()
    },
  }
})
