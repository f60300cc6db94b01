/** Rights, conditions, checksums and the clock, tried on a scratch key that is removed in every case. */

import { createHash } from 'node:crypto'
import { ok, problem, reasonOf, warning, type DoctorOptions, type Finding } from './doctor.ts'
import { noCache, scratchKey } from './layout.ts'
import { ConditionFailed, ConditionsUnknown, textOf, type Condition, type NewObject } from './store.ts'
import type { S3Store } from './s3-store.ts'

export async function* scratchFindings(store: S3Store, options: DoctorOptions): AsyncGenerator<Finding> {
  const key = scratchKey(options.uuid)
  let isPut = false
  try {
    const { etag } = await store.put(scratch(key, 'first'))
    isPut = true
    yield ok('right to put', `s3:PutObject, tried on ${key}`)
    yield* readBack(store, key, options.now)
    yield* listed(store, key)
    yield* conditions(store, key, etag)
    yield await checksum(store, key)
  } catch (error) {
    if (isPut) throw error
    yield problem('right to put', reasonOf(error))
  } finally {
    // A put that was answered with an error may have been carried out all the same.
    const failure = await store.delete([key]).then(
      () => null,
      (error: unknown) => reasonOf(error),
    )
    if (failure !== null) yield problem('right to delete', `${failure}: the credentials need s3:DeleteObject`)
    else if (isPut) yield ok('right to delete', 's3:DeleteObject')
  }
}

function scratch(key: string, text: string): NewObject {
  const body = Buffer.from(`fundpress doctor: ${text}\n`)
  const sha256 = createHash('sha256').update(body).digest('hex')
  return { key, body, type: 'text/plain; charset=utf-8', cacheControl: noCache, sha256 }
}

async function* readBack(store: S3Store, key: string, now: () => Date): AsyncGenerator<Finding> {
  try {
    const asked = now().getTime()
    const object = await store.get(key)
    const answered = now().getTime()
    if (object === null || (await textOf(object)) !== scratch(key, 'first').body.toString())
      yield problem('right to get', `${key} is not what was put: the store does not show its own writes`)
    else {
      yield ok('right to get', 's3:GetObject')
      yield clockFinding((object.now.getTime() - (asked + answered) / 2) / 1000)
    }
  } catch (error) {
    yield problem('right to get', reasonOf(error))
  }
}

/** S3 refuses signatures that are more than 15 minutes off; the Date header knows whole seconds. */
function clockFinding(skewSeconds: number): Finding {
  const seconds = Math.round(Math.abs(skewSeconds))
  const says = `this machine's clock is ${seconds} s ${skewSeconds > 0 ? 'behind' : 'ahead of'} the store's`
  if (seconds > 15 * 60) return problem('clock', `${says}, S3 refuses more than 900 s: set it (NTP)`)
  if (seconds > 30) return warning('clock', `${says}: set it (NTP)`)
  return ok('clock', "as the store's")
}

async function* listed(store: S3Store, key: string): AsyncGenerator<Finding> {
  try {
    for await (const object of store.list(key)) {
      if (object.key === key) {
        yield ok('right to list', 's3:ListBucket')
        return
      }
    }
    yield problem('right to list', `${key} is not in the listing: the store does not show its own writes`)
  } catch (error) {
    yield problem('right to list', reasonOf(error))
  }
}

async function* conditions(store: S3Store, key: string, etag: string): AsyncGenerator<Finding> {
  const what = 'conditional put'
  const advice = 'publish with --no-lock, and see to it that there is never a second publish at the same time'
  const refused = async (condition: Condition) => {
    try {
      await store.put(scratch(key, 'second'), condition)
      return false
    } catch (error) {
      if (error instanceof ConditionFailed) return true
      throw error
    }
  }
  try {
    const isHonoured =
      (await refused({ ifAbsent: true })) &&
      (await refused({ ifMatch: '"00000000000000000000000000000000"' }))
    if (!isHonoured) yield problem(what, `the store ignores the conditions of puts: ${advice}`)
    else {
      await store.put(scratch(key, 'third'), { ifMatch: etag })
      yield ok(what, 'If-None-Match and If-Match are honoured')
    }
  } catch (error) {
    if (error instanceof ConditionsUnknown)
      yield problem(what, `the store knows no conditional puts: ${advice}`)
    else if (error instanceof ConditionFailed)
      yield problem(what, 'the store refuses If-Match with the ETag it gave')
    else yield problem(what, reasonOf(error))
  }
}

async function checksum(store: S3Store, key: string): Promise<Finding> {
  const what = 'checksums'
  const { sha256 } = scratch(key, 'something else')
  try {
    await store.put({ ...scratch(key, 'fourth'), sha256 })
    return warning(
      what,
      'the store does not verify the SHA-256 of puts: run `fundpress verify --deep` now and then',
    )
  } catch (error) {
    // What the store says of it differs; that it did not take the body is what counts.
    const standing = await bodyOf(store, key)
    const isRefused = standing !== null && standing !== scratch(key, 'fourth').body.toString()
    return isRefused ? ok(what, 'a put with a wrong SHA-256 is refused') : warning(what, reasonOf(error))
  }
}

/** @returns null if it cannot be read */
async function bodyOf(store: S3Store, key: string): Promise<string | null> {
  try {
    const object = await store.get(key)
    return object === null ? null : await textOf(object)
  } catch {
    return null
  }
}
