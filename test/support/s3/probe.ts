/** The S3 server of the tests with clients of the AWS SDK: for the tests of the server itself. */
import { createHash, randomBytes } from 'node:crypto'
import {
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type PutObjectCommandInput,
  type S3ClientConfig,
} from '@aws-sdk/client-s3'
import { startS3, type S3Server } from './server.ts'
import { signUrl, type UrlToSign } from './sign-url.ts'

export const Bucket = 'probe'
/** Of `one.json`, which is there from the start. */
export const body = randomBytes(5000)

export const md5 = (bytes: Buffer | string): string => createHash('md5').update(bytes).digest('hex')
export const etagOf = (bytes: Buffer | string): string => `"${md5(bytes)}"`
export const refusal = (httpStatusCode: number, name: string) => ({ name, $metadata: { httpStatusCode } })

export interface Probe {
  readonly server: S3Server
  readonly client: S3Client
  /** As the product has it: bodies go out as they are, without a checksum in a trailer. */
  readonly plain: S3Client
  readonly connectWith: (config: S3ClientConfig) => S3Client
  readonly put: (key: string, body: Buffer | string, input?: Partial<PutObjectCommandInput>) => Promise<void>
  readonly get: (key: string) => Promise<Buffer>
  readonly keysOf: (input: { Prefix?: string; StartAfter?: string }) => Promise<(string | undefined)[]>
  /** A URL of `one.json`, unless the request says otherwise. */
  readonly presign: (request: Partial<UrlToSign>) => string
}

export async function openProbe(): Promise<Probe> {
  const server = await startS3({ buckets: [Bucket] })
  const { accessKeyId, secretAccessKey } = server.settings
  const connectWith: Probe['connectWith'] = (config) =>
    new S3Client({
      endpoint: server.endpoint,
      region: 'us-east-1',
      forcePathStyle: true,
      credentials: { accessKeyId, secretAccessKey },
      maxAttempts: 1,
      ...config,
    })
  const client = connectWith({})
  const put: Probe['put'] = async (Key, Body, input = {}) => {
    await client.send(new PutObjectCommand({ Bucket, Key, Body, ...input }))
  }
  await put('one.json', body, {
    ContentType: 'application/json',
    CacheControl: 'max-age=60',
    Metadata: { sha256: 'abc123', foo: 'Bar baz' },
  })
  return {
    server,
    client,
    plain: connectWith({
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    }),
    connectWith,
    put,
    get: async (Key) => {
      const { Body } = await client.send(new GetObjectCommand({ Bucket, Key }))
      return Buffer.from((await Body?.transformToByteArray()) ?? [])
    },
    keysOf: async (input) => {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, ...input }))
      return Contents.map(({ Key }) => Key)
    },
    presign: (request) =>
      signUrl({
        ...server.settings,
        ...server,
        bucket: Bucket,
        method: 'GET',
        key: 'one.json',
        expiresSeconds: 60,
        ...request,
      }),
  }
}
