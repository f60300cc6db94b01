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

/** Starts before the tests of a file, and is as good as new before each. Its server and client are there in hooks and tests only. */
export function startProbe() {
  const probe = { server: undefined as unknown as S3Server, client: undefined as unknown as S3Client }
  const clients = {
    connect: (config: S3ClientConfig = {}) => {
      const { endpoint, settings } = probe.server
      const { accessKeyId, secretAccessKey } = settings
      const credentials = { accessKeyId, secretAccessKey }
      const place = { endpoint, region: 'us-east-1', forcePathStyle: true, credentials, maxAttempts: 1 }
      return new S3Client({ ...place, ...config })
    },
    put: (
      Key: string,
      Body: Buffer | string = 'body',
      input: Partial<PutObjectCommandInput> = {},
      through = probe.client,
    ): Promise<unknown> => through.send(new PutObjectCommand({ Bucket, Key, Body, ...input })),
    get: async (Key: string, through = probe.client): Promise<Buffer> => {
      const { Body } = await through.send(new GetObjectCommand({ Bucket, Key }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
    has: (key: string) => probe.server.objects(Bucket).has(key),
  }
  beforeAll(async () => {
    probe.server = await startS3({ buckets: [Bucket] })
    probe.client = clients.connect()
  })
  afterAll(() => probe.server.stop())
  beforeEach(() => {
    probe.server.reset()
    probe.server.empty(Bucket)
    Object.assign(probe.server.settings, makeSettings())
  })
  return Object.assign(probe, clients)
}
