/** The same tests against every S3 server there is: our own always, Ceph's where it is installed. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe } from 'vitest'
import { missingPrograms, startRadosgw } from './radosgw.ts'
import { startS3, type S3Server } from './server.ts'

/** What differs between stores in If-Match and If-None-Match. */
export interface Conditional {
  /** How If-Match wants the ETag on a put. */
  readonly ifMatch: 'quoted' | 'unquoted'
  readonly onDelete: boolean
}

/** All but the first two and `newBucket` can be read in hooks and tests only. */
export interface TestStore {
  readonly name: 'our own' | 'radosgw'
  readonly conditional: Conditional
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** There from the start. */
  readonly bucket: string
  readonly newBucket: () => Promise<string>
  /** Of our own server: faults, counts and what lies in it. */
  readonly server: S3Server | undefined
}

interface Started {
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly server?: S3Server
  readonly stop: () => Promise<void>
}

interface Kind {
  readonly name: TestStore['name']
  readonly conditional: Conditional
  readonly start: () => Promise<Started>
}

const kinds: readonly Kind[] = [
  {
    name: 'our own',
    conditional: { ifMatch: 'quoted', onDelete: true },
    start: async () => {
      const server = await startS3()
      return { ...server.settings, endpoint: server.endpoint, server, stop: server.stop }
    },
  },
  { name: 'radosgw', conditional: { ifMatch: 'unquoted', onDelete: false }, start: startRadosgw },
]

/**
 * A `describe` for every store, started before its tests and stopped after them. FUNDPRESS_TEST_RADOSGW=1 wants radosgw
 * and fails without it, 0 leaves it out; else it is tried where it is installed.
 */
export function forEachStore(suite: (store: TestStore) => void): void {
  for (const kind of kinds) {
    const reason = kind.name === 'radosgw' ? reasonToSkip() : undefined
    const title = `on ${kind.name}${reason === undefined ? '' : ` (skipped: ${reason})`}`
    describe.skipIf(reason !== undefined)(title, () => {
      suite(prepare(kind))
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

function prepare({ name, conditional, start }: Kind): TestStore {
  let running: Started | undefined
  let buckets = 0
  let bucket = ''
  const region = 'us-east-1'
  const started = (): Started => {
    if (running === undefined) throw new Error(`${name} runs in hooks and tests only`)
    return running
  }
  const newBucket = async (): Promise<string> => {
    const { endpoint, accessKeyId, secretAccessKey } = started()
    const credentials = { accessKeyId, secretAccessKey }
    const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
    const created = `bucket-${process.pid}-${++buckets}`
    await client.send(new CreateBucketCommand({ Bucket: created }))
    client.destroy()
    return created
  }
  beforeAll(async () => {
    running = await start()
    bucket = await newBucket()
    running.server?.reset()
  })
  afterAll(() => running?.stop())
  return {
    name,
    conditional,
    region,
    newBucket,
    get endpoint() {
      return started().endpoint
    },
    get accessKeyId() {
      return started().accessKeyId
    },
    get secretAccessKey() {
      return started().secretAccessKey
    },
    get bucket() {
      started()
      return bucket
    },
    get server() {
      return started().server
    },
  }
}
