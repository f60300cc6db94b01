/** `check --bucket` on S3: what a first publish tries, and the clock, conditions and checksums. */

import { judgeClock } from '../../guards/clock.ts'
import { isRefused } from '../live/lease.ts'
import { readSmall } from '../store/read.ts'
import type { S3Store } from '../store/s3.ts'
import { ConditionFailed, ConditionsUnknown, type ObjectStore } from '../store/store.ts'
import { lineOf, ok, problem, problemIfThrown, warning, type Diagnosis } from './diagnosis.ts'
import { scratch, tryStore } from './trial.ts'

export async function* diagnoseRights(
  store: S3Store,
  { uuid }: { readonly uuid: string },
): AsyncGenerator<Diagnosis> {
  yield* tryStore(store, {
    uuid,
    ask: problemIfThrown,
    async *also(key, etag) {
      yield diagnoseClock(store.behindSeconds())
      yield await problemIfThrown('conditional put', () => tryConditions(store, key, etag))
      yield await tryChecksum(store, key)
    },
  })
}

function diagnoseClock(behindSeconds: number): Diagnosis {
  const judged = judgeClock(behindSeconds)
  return judged === null ? ok('clock', "as the store's") : { what: 'clock', ...judged }
}

/** @param etag of the object with this key */
export async function tryConditions(store: ObjectStore, key: string, etag: string): Promise<Diagnosis> {
  const what = 'conditional put'
  const advice = 'publish with --no-lock, and make sure that there is never a second publish at the same time'
  const other = scratch(key, 'third')
  try {
    if (!(await isRefused(store, other, 'ifAbsent')) || !(await isRefused(store, other, 'ifMatch')))
      return problem(what, `the store ignores the conditions of puts: ${advice}`)
    await store.put(scratch(key, 'fourth'), { ifMatch: etag })
    return ok(what, 'If-None-Match and If-Match are honoured')
  } catch (error) {
    if (error instanceof ConditionsUnknown)
      return problem(what, `the store knows no conditional puts: ${advice}`)
    if (error instanceof ConditionFailed)
      return problem(what, 'the store refuses If-Match with the ETag it gave')
    throw error
  }
}

async function tryChecksum(store: S3Store, key: string): Promise<Diagnosis> {
  const what = 'checksums'
  const advice = 'run `fundpress verify --deep` now and then'
  const { sha256 } = scratch(key, 'something else')
  try {
    await store.put({ ...scratch(key, 'fifth'), sha256 })
    return warning(what, `the store does not verify the SHA-256 of puts: ${advice}`)
  } catch (error) {
    // Stores refuse with different errors: the test is that the body was not taken.
    const found = await readSmall(store, key).catch(() => null)
    const isRefused = found !== null && found.text !== scratch(key, 'fifth').body.toString()
    return isRefused ? ok(what, 'a put with a wrong SHA-256 is refused') : warning(what, lineOf(error))
  }
}
