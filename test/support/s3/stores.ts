/** The same tests against every S3 server there is: our own always, Ceph's if it is installed. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe } from 'vitest'
import { missingPrograms, startRadosgw } from './radosgw.ts'
import { startS3 } from './server.ts'

type Name = keyof typeof starts

const starts = {
  'our own': async () => {
    const { settings, endpoint, stop } = await startS3()
    return { ...settings, endpoint, stop }
  },
  radosgw: startRadosgw,
}

/**
 * A `describe` for every store, started before its tests and stopped after them. FUNDPRESS_TEST_RADOSGW=1 wants radosgw
 * and fails without it, 0 leaves it out; else it is tried if it is installed.
 */
export function forEachStore(suite: (store: ReturnType<typeof prepare>) => void): void {
  for (const name of ['our own', 'radosgw'] as const) {
    const reason = name === 'radosgw' ? reasonToSkip() : undefined
    const title = `on ${name}${reason === undefined ? '' : ` (skipped: ${reason})`}`
    describe.skipIf(reason !== undefined)(title, () => {
      suite(prepare(name))
    })
  }
}

function reasonToSkip(): string | undefined {
  const wish = process.env['FUNDPRESS_TEST_RADOSGW']
  if (wish === '1') return undefined
  if (wish === '0') return 'FUNDPRESS_TEST_RADOSGW is 0'
  const missing = missingPrograms()
  return missing.length === 0 ? undefined : `${missing.join(', ')} not installed`
}

/** All but the name can be read in hooks and tests only. The bucket is there from the start. */
function prepare(name: Name) {
  const bucket = `bucket-${process.pid}`
  const region = 'us-east-1'
  const place = { endpoint: '', accessKeyId: '', secretAccessKey: '' }
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const { endpoint, accessKeyId, secretAccessKey, ...running } = await starts[name]()
    stop = running.stop
    const credentials = { accessKeyId, secretAccessKey }
    Object.assign(place, { endpoint, ...credentials })
    const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
    await client.send(new CreateBucketCommand({ Bucket: bucket }))
    client.destroy()
  })
  afterAll(() => stop?.())
  return Object.assign(place, { name, region, bucket })
}
