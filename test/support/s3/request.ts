/** The shapes between the socket and the operations: a request that has been verified, and what is answered. */
import type { Checksums } from './checksums.ts'
import { S3Error } from './errors.ts'
import type { Operation } from './route.ts'
import type { S3Settings } from './settings.ts'
import type { Bucket, Store, StoredObject } from './store.ts'

export type Headers = Readonly<Record<string, string | undefined>>

export interface S3Request {
  readonly operation: Operation
  readonly bucket: string
  readonly key: string
  readonly query: ReadonlyMap<string, string>
  readonly headers: Headers
  /** Decoded, and verified against all that was said of it. */
  readonly body: Buffer
  readonly checksums: Checksums
  /** The server's clock in milliseconds. */
  readonly now: number
  readonly requestId: string
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface World {
  readonly store: Store
  readonly settings: S3Settings
  /** Keys that a rule of faults lets DeleteObjects fail for, with the error's code. */
  readonly deleteFault: (key: string) => string | undefined
}

export type Handler = (request: S3Request, world: World) => Answer

const nothing = Buffer.alloc(0)

export const answer = (
  status: number,
  headers: Readonly<Record<string, string>> = {},
  body: Buffer | string = nothing,
): Answer => ({ status, headers, body: typeof body === 'string' ? Buffer.from(body) : body })

export const answerXml = (xml: string, headers: Readonly<Record<string, string>> = {}): Answer =>
  answer(200, { 'content-type': 'application/xml', ...headers }, xml)

export function bucketOf({ bucket }: Pick<S3Request, 'bucket'>, { store }: World): Bucket {
  const found = store.buckets.get(bucket)
  if (found === undefined)
    throw new S3Error('NoSuchBucket', 'The specified bucket does not exist', { BucketName: bucket })
  return found
}

export function objectOf(bucket: Bucket, key: string): StoredObject {
  const found = bucket.objects.get(key)
  if (found === undefined) throw new S3Error('NoSuchKey', 'The specified key does not exist.', { Key: key })
  return found
}

/** A number from a query or header, within bounds. */
export function integer(text: string | undefined, name: string, otherwise: number, max: number): number {
  if (text === undefined || text === '') return otherwise
  if (!/^\d{1,9}$/.test(text) || Number(text) > max)
    throw new S3Error('InvalidArgument', `Provided ${name} not an integer or within integer range`, {
      ArgumentName: name,
      ArgumentValue: text,
    })
  return Number(text)
}
