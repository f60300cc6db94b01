/** Opens the bucket that the settings name, for one command. */

import type { LivePointer } from '../bucket/live/flip.ts'
import type { Patience } from '../bucket/store/retry.ts'
import type { S3Store } from '../bucket/store/s3.ts'
import { ConditionsUnknown } from '../bucket/store/store.ts'
import type { Session } from './command.ts'
import { required } from './options.ts'

/** @param patience shorter than usual for commands that must answer at once @throws {UsageError} without a bucket name */
export async function withBucket<T>(
  { settings: { bucket }, signal }: Session,
  work: (store: S3Store) => Promise<T>,
  patience?: Patience,
): Promise<T> {
  const name = required(bucket.name, 'bucket.name')
  // Imported here because the AWS SDK loads slowly, and several commands need it only with some flags.
  const { openS3 } = await import('../bucket/store/s3.ts')
  const store = openS3({ ...bucket, bucket: name }, signal, patience)
  try {
    return await work(store)
  } catch (error) {
    if (!(error instanceof ConditionsUnknown)) throw error
    const advice =
      '--no-lock publishes without them, but then nothing prevents two publishes at the same time'
    throw new Error(`${store.name}: this store does not support conditional writes. ${advice}`, {
      cause: error,
    })
  } finally {
    store.close()
  }
}

/** The copy of `live.json` in CloudFront's KeyValueStore; null if the settings name none. */
export async function livePointer({ settings, signal }: Session): Promise<LivePointer | null> {
  const { keyValueStore: arn } = settings.edge
  if (arn === null) return null
  // Imported here because its SDK loads slowly, and only deployments on CloudFront need it.
  const { keyValueStore } = await import('../bucket/live/key-value-store.ts')
  return keyValueStore(arn, { signal })
}
