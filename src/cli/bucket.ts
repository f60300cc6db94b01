/** The bucket of the settings, opened for a command and closed after it. */

import type { Patience, S3Store } from '../publish/s3-store.ts'
import { ConditionsUnknown } from '../publish/store.ts'
import { required } from './options.ts'
import type { Session } from './session.ts'
import type { SettingKey } from './settings.ts'

/** The flags of every command that works with the bucket. */
export const bucketFlags = [
  'bucket.name',
  'bucket.endpoint',
  'bucket.region',
  'bucket.prefix',
  'bucket.pathStyle',
] as const satisfies readonly SettingKey[]

/** @param patience shorter than a night's, for commands that are to answer in a moment @throws {UsageError} without a bucket's name */
export async function withBucket<T>(
  { settings: { bucket }, signal }: Pick<Session, 'settings' | 'signal'>,
  work: (store: S3Store) => Promise<T>,
  patience?: Patience,
): Promise<T> {
  const name = required(bucket.name, 'bucket.name')
  // Loaded here, so that the other commands start without the SDK.
  const { openS3 } = await import('../publish/s3-store.ts')
  const store = openS3({ ...bucket, bucket: name }, signal, patience)
  try {
    return await work(store)
  } catch (error) {
    if (!(error instanceof ConditionsUnknown)) throw error
    throw new Error(
      `${store.name}: this store knows no conditional writes; --no-lock does without them, but then nothing protects ` +
        'against a second publish at the same time',
      { cause: error },
    )
  } finally {
    store.close()
  }
}
