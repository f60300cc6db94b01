/**
 * Puts of small objects, of which a publish has a million. The SDK (3.1169) finds out for each request anew where it goes,
 * who signs it, and which layers it passes: half of its CPU time. Here it does that once for many puts of the same holder.
 * Each put still passes the inner layers, from the retries on: the guard, the signature, the answer.
 */

import type { PutObjectCommand, PutObjectCommandInput, S3Client } from '@aws-sdk/client-s3'
import type { NewObject, PutObject } from './store.ts'

interface Request {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
}

/** A put as the SDK has prepared it, and what sends such requests. */
interface Prepared {
  readonly stop: AbortSignal | undefined
  readonly madeAt: number
  readonly input: PutObjectCommandInput
  readonly request: Request
  readonly send: (args: {
    readonly input: PutObjectCommandInput
    readonly request: unknown
  }) => Promise<{ readonly output: { readonly ETag?: string | undefined } }>
}

/** Credentials are refreshed minutes before they expire: a request that is signed with older ones is still good. */
const maxAgeMs = 60_000

/** A path says such a key as it is. */
const plainKey = /^\w[\w.~-]*(?:\/\w[\w.~-]*)*$/
const sampleKey = 'key'

/**
 * @param prepare the put of an empty object with this key; each attempt asks the holder whether it may be sent
 * @returns a put that resolves to null, and sends nothing, if the object must be put in the usual way
 */
export function openPuts<Holder extends object>(
  client: S3Client,
  prepare: (key: string, holder: Holder) => PutObjectCommand,
) {
  const prepared = new WeakMap<Holder, Promise<Prepared>>()

  const preparedFor = async (holder: Holder, stop: AbortSignal | undefined): Promise<Prepared> => {
    const known = await prepared.get(holder)
    if (known !== undefined && known.stop === stop && performance.now() - known.madeAt < maxAgeMs)
      return known
    const made = takeApart(client, prepare(sampleKey, holder), stop)
    made.catch(() => prepared.delete(holder))
    prepared.set(holder, made)
    return made
  }

  return async (
    { key, body, type, cacheControl, sha256 }: NewObject,
    holder: Holder,
    stop: AbortSignal | undefined,
  ): Promise<PutObject | null> => {
    if (!plainKey.test(key)) return null
    const { input, request, send } = await preparedFor(holder, stop)
    const headers = {
      ...request.headers,
      'content-length': String(body.length),
      'content-type': type,
      'cache-control': cacheControl,
      'x-amz-meta-sha256': sha256,
      'x-amz-checksum-sha256': Buffer.from(sha256, 'hex').toString('base64'),
      // The signature covers it: the SDK need not hash the body again.
      'x-amz-content-sha256': sha256,
    }
    const path = request.path.slice(0, -sampleKey.length) + key
    const fullKey = (input.Key ?? '').slice(0, -sampleKey.length) + key
    const args = {
      input: { ...input, Key: fullKey, Body: body },
      request: { ...request, path, headers, body },
    }
    const { ETag: etag = '' } = (await send(args)).output
    return { etag }
  }
}

/** Lets the SDK prepare a put, and stops where its inner layers begin. */
async function takeApart(
  client: S3Client,
  command: PutObjectCommand,
  stop: AbortSignal | undefined,
): Promise<Prepared> {
  const madeAt = performance.now()
  return new Promise((resolve, reject) => {
    command.middlewareStack.add(
      (next) => (args) => {
        resolve({ stop, madeAt, input: command.input, request: args.request as Request, send: next })
        // Nothing is sent.
        return Promise.resolve({ response: {}, output: { $metadata: {} } })
      },
      { step: 'build', priority: 'low', name: 'takeApart' },
    )
    client.send(command, stop === undefined ? {} : { abortSignal: stop }).catch(reject)
  })
}
