/** CloudFront as `fundpress edge cloudfront` deploys it, on this machine: flipped by a publish with --flip-kvs. */
import { mustRun } from '../support/product.ts'
import { credentials, publishArgs } from '../support/publishing.ts'
import { startCloudFront, whyNoCloudFront } from '../support/cloudfront.ts'
import { withLocalNames } from '../support/local-names.ts'
import { startKeyValueStore } from '../support/key-value-store.ts'
import { startS3 } from '../support/s3/server.ts'
import { conformanceSuite, type Night } from './conformance.ts'

/** Below a folder of the bucket, and with two edges, of which one is late. */
conformanceSuite(
  'CloudFront',
  async (first) => {
    const s3 = await startS3({ buckets: ['fund-data'] })
    const store = await startKeyValueStore()
    const place = { s3, bucket: 'fund-data', prefix: 'nights' }
    const cloudFront = await startCloudFront({ ...place, propagationMs: [100, 900] })
    store.onPut = cloudFront.propagate
    const env = {
      ...credentials,
      ...withLocalNames,
      AWS_ENDPOINT_URL_CLOUDFRONT_KEYVALUESTORE: store.endpoint,
    }
    const publish = async ({ out }: Night): Promise<void> => {
      const flags = ['--prefix', 'nights', '--flip-kvs', store.arn, '--force']
      await mustRun(publishArgs(s3.endpoint, 'fund-data', out, ...flags), { env })
    }
    await publish(first)
    await new Promise((resolve) => setTimeout(resolve, 1000))
    return {
      base: cloudFront.base,
      flip: publish,
      lagMs: 1000,
      stop: async () => {
        await cloudFront.stop()
        await store.stop()
        await s3.stop()
      },
    }
  },
  { skip: whyNoCloudFront },
)
