/** Deleting many objects in one request, which answers for each of them. */

import { DeleteObjectsCommand, type DeleteObjectsCommandOutput, type _Error } from '@aws-sdk/client-s3'
import { pause } from './pause.ts'

/** What a later attempt may get done. */
const passing: readonly string[] = ['InternalError', 'SlowDown', 'ServiceUnavailable', 'RequestTimeout']

/** A key that could not be deleted, with the reason, and how many more there are. */
export interface Undeleted {
  readonly key: string
  readonly more: number
  /** As the SDK says it of a whole request. */
  readonly error: Error & { readonly Code: string }
}

export interface DeleteRequest {
  readonly bucket: string
  /** As the bucket has them. */
  readonly keys: readonly string[]
  /** How often what failed in passing is tried. */
  readonly attempts: number
  readonly signal: AbortSignal | undefined
  readonly send: (command: DeleteObjectsCommand) => Promise<DeleteObjectsCommandOutput>
}

/**
 * The SDK repeats requests that fail, but not keys that do: those are asked for again, and only those. One that is
 * gone already is as good.
 * @returns null if all are gone
 */
export async function deleteAll(request: DeleteRequest): Promise<Undeleted | null> {
  const { bucket, attempts, signal, send } = request
  let keys = request.keys
  for (let attempt = 1; ; attempt++) {
    const Delete = { Objects: keys.map((Key) => ({ Key })), Quiet: true }
    const { Errors = [] } = await send(new DeleteObjectsCommand({ Bucket: bucket, Delete }))
    const failed = Errors.filter(({ Code }) => Code !== 'NoSuchKey')
    const hopeless = failed.filter(({ Code = '' }) => !passing.includes(Code))
    const [first = failed[0]] = hopeless
    if (first === undefined) return null
    if (hopeless.length > 0 || attempt >= attempts) return undeleted(first, failed.length - 1)
    keys = failed.flatMap(({ Key }) => Key ?? [])
    // Full jitter: Source: AWS Architecture Blog, Exponential Backoff And Jitter.
    await pause(Math.random() * Math.min(100 * 2 ** attempt, 10_000), signal)
  }
}

function undeleted({ Key = '', Code = 'no reason given', Message = '' }: _Error, more: number): Undeleted {
  return { key: Key, more, error: Object.assign(new Error(Message), { name: Code, Code }) }
}
