/** Conditional puts on real stores: lost answers, conflicts to be retried, ETags with and without quotation marks. */

import type { PutObjectCommandInput } from '@aws-sdk/client-s3'
import { pause } from './pause.ts'
import { bareCause, statusOf } from './s3-errors.ts'
import {
  ConditionFailed,
  ConditionsUnknown,
  textOf,
  type Condition,
  type FetchedObject,
  type NewObject,
  type PutObject,
} from './store.ts'

const maxConflicts = 10

/**
 * @param put one put with these headers
 * @throws {ConditionFailed} if somebody else's object stands there @throws {ConditionsUnknown} if the store says so
 */
export async function retryConditionally(
  object: NewObject,
  condition: Condition,
  put: (input: Partial<PutObjectCommandInput>) => Promise<PutObject>,
  get: (key: string) => Promise<FetchedObject | null>,
  signal?: AbortSignal,
): Promise<PutObject> {
  let unquoted = false
  for (let attempt = 1; ; attempt++) {
    try {
      return await put(headers(condition, unquoted))
    } catch (error) {
      const status = statusOf(error)
      if (status === 501)
        throw new ConditionsUnknown(`no conditional writes (${object.key})`, { cause: bareCause(error) })
      // ConditionalRequestConflict: a write at the same moment; AWS asks to try again.
      if (status === 409 && attempt < maxConflicts) {
        await pause(50 * attempt, signal)
        continue
      }
      if (status !== 412 && status !== 404 && status !== 409) throw error
      // The SDK repeats a put whose answer got lost: then what stands there is ours.
      const standing = await readBack(get, object.key)
      if (standing?.text === object.body.toString('utf8')) return { etag: standing.etag }
      // Ceph compares with the ETag without its quotation marks.
      if ('ifMatch' in condition && !unquoted && standing?.etag === condition.ifMatch) {
        unquoted = true
        continue
      }
      throw new ConditionFailed(`${object.key} is not what it was`, { cause: bareCause(error) })
    }
  }
}

/** What stands there; a body that breaks off is read again. */
async function readBack(get: (key: string) => Promise<FetchedObject | null>, key: string) {
  for (let attempt = 1; ; attempt++) {
    const object = await get(key)
    if (object === null) return null
    try {
      return { etag: object.etag, text: await textOf(object) }
    } catch (error) {
      object.signal?.throwIfAborted()
      if (attempt === maxConflicts) throw error
      await pause(50 * attempt, object.signal)
    }
  }
}

function headers(condition: Condition, unquoted: boolean): Partial<PutObjectCommandInput> {
  if ('ifAbsent' in condition) return { IfNoneMatch: '*' }
  return { IfMatch: unquoted ? condition.ifMatch.replaceAll('"', '') : condition.ifMatch }
}
