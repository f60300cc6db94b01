/** An S3 server for the tests of the server itself, with clients of the AWS SDK. */
import {
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  type PutObjectCommandInput,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { startS3, type S3Server } from './server.ts'
import { makeSettings } from './settings.ts'

export const Bucket = 'probe'

export interface Probe {
  readonly server: S3Server
  readonly client: S3Client
  readonly connect: (config?: S3ClientConfig) => S3Client
}

/** Started before the tests of a file, and as good as new before each. */
export function startProbe(): Probe & {
  readonly put: (
    key: string,
    body?: Buffer | string,
    input?: Partial<PutObjectCommandInput>,
    through?: S3Client,
  ) => Promise<unknown>
  readonly get: (key: string, through?: S3Client) => Promise<Buffer>
  readonly has: (key: string) => boolean
} {
  const probe = {} as { -readonly [K in keyof Probe]: Probe[K] }
  beforeAll(async () => {
    probe.server = await startS3({ buckets: [Bucket] })
    const { accessKeyId, secretAccessKey } = probe.server.settings
    probe.connect = (config = {}) =>
      new S3Client({
        endpoint: probe.server.endpoint,
        region: 'us-east-1',
        forcePathStyle: true,
        credentials: { accessKeyId, secretAccessKey },
        maxAttempts: 1,
        ...config,
      })
    probe.client = probe.connect()
  })
  afterAll(() => probe.server.stop())
  beforeEach(() => {
    probe.server.reset()
    probe.server.empty(Bucket)
    Object.assign(probe.server.settings, makeSettings())
  })
  return Object.assign(probe, {
    put: (
      Key: string,
      Body: Buffer | string = 'body',
      input: Partial<PutObjectCommandInput> = {},
      through = probe.client,
    ) => through.send(new PutObjectCommand({ Bucket, Key, Body, ...input })),
    get: async (Key: string, through = probe.client) => {
      const { Body } = await through.send(new GetObjectCommand({ Bucket, Key }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
    has: (key: string) => probe.server.objects(Bucket).has(key),
  })
}
