/** The doctor tries rights, conditions, checksums and the clock on a scratch key, which it always removes. */

import { hash } from 'node:crypto'
import { judgeClock } from '../../guards/clock.ts'
import { noCache, scratchKey } from '../live/layout.ts'
import { isRefused } from '../live/lease.ts'
import { readSmall } from '../store/read.ts'
import type { S3Store } from '../store/s3.ts'
import { ConditionFailed, ConditionsUnknown, type NewObject, type ObjectStore } from '../store/store.ts'
import { lineOf, ok, problem, problemIfThrown, warning, type Diagnosis } from './diagnosis.ts'

export async function* diagnoseRights(store: S3Store, { uuid }: { uuid: string }) {
  const key = scratchKey(uuid)
  let isPut = false
  try {
    const { etag } = await store.put(scratch(key, 'first'))
    isPut = true
    yield ok('right to put', `s3:PutObject, tried on ${key}`)
    yield* readBack(store, key)
    yield await problemIfThrown('right to list', () => list(store, key))
    yield await problemIfThrown('conditional put', () => tryConditions(store, key, etag))
    yield await tryChecksum(store, key)
  } catch (error) {
    if (isPut) throw error
    yield problem('right to put', lineOf(error))
  } finally {
    // A put that was answered with an error may have been carried out all the same.
    const failure = await store.delete([key]).then(() => null, lineOf)
    if (failure !== null) yield problem('right to delete', `${failure}: the credentials need s3:DeleteObject`)
    else if (isPut) yield ok('right to delete', 's3:DeleteObject')
  }
}

export function scratch(key: string, text: string): NewObject {
  const body = Buffer.from(`fundpress check: ${text}\n`)
  return { key, body, type: 'text/plain; charset=utf-8', cacheControl: noCache, sha256: hash('sha256', body) }
}

const hasText = (object: { readonly text: string } | null, text: string): boolean =>
  object?.text === scratch('', text).body.toString()
const notShown = 'the store does not show its own writes'

async function* readBack(store: S3Store, key: string): AsyncGenerator<Diagnosis> {
  try {
    const object = await readSmall(store, key)
    if (object === null || !hasText(object, 'first'))
      yield problem('right to get', `${key} is not what was put: ${notShown}`)
    else {
      yield ok('right to get', 's3:GetObject')
      yield diagnoseClock(store.behindSeconds())
    }
  } catch (error) {
    yield problem('right to get', lineOf(error))
  }
}

function diagnoseClock(behindSeconds: number): Diagnosis {
  const judged = judgeClock(behindSeconds)
  return judged === null ? ok('clock', "as the store's") : { what: 'clock', ...judged }
}

async function list(store: S3Store, key: string): Promise<Diagnosis> {
  for await (const object of store.list(key))
    if (object.key === key) return ok('right to list', 's3:ListBucket')
  return problem('right to list', `${key} is not in the listing: ${notShown}`)
}

export async function tryConditions(store: ObjectStore, key: string, etag: string): Promise<Diagnosis> {
  const what = 'conditional put'
  const advice = 'publish with --no-lock, and make sure that there is never a second publish at the same time'
  const second = scratch(key, 'second')
  try {
    if (!(await isRefused(store, second, 'ifAbsent')) || !(await isRefused(store, second, 'ifMatch')))
      return problem(what, `the store ignores the conditions of puts: ${advice}`)
    await store.put(scratch(key, 'third'), { ifMatch: etag })
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
    await store.put({ ...scratch(key, 'fourth'), sha256 })
    return warning(what, `the store does not verify the SHA-256 of puts: ${advice}`)
  } catch (error) {
    // Stores refuse with different errors: what counts is that the body was not taken.
    const found = await readSmall(store, key).catch(() => null)
    const isRefused = found !== null && !hasText(found, 'fourth')
    return isRefused ? ok(what, 'a put with a wrong SHA-256 is refused') : warning(what, lineOf(error))
  }
}
