/** Tries rights, conditions, checksums and the clock on a scratch key, which is always removed. */

import { hash } from 'node:crypto'
import { judgeClock } from '../../guards/clock.ts'
import { noCache, scratchKey, liveKey } from '../live/layout.ts'
import { isRefused } from '../live/lease.ts'
import { readSmall } from '../store/read.ts'
import type { S3Store } from '../store/s3.ts'
import { ConditionFailed, ConditionsUnknown, type NewObject, type ObjectStore } from '../store/store.ts'
import { messageOf } from '../../system/message.ts'
import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { readLive } from '../live/live.ts'
import type { FolderStore } from '../store/folder.ts'
import { existingAbove } from '../../system/disk.ts'

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
    // The store may have carried out a put that it answered with an error.
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

async function tryConditions(store: ObjectStore, key: string, etag: string): Promise<Diagnosis> {
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
    // Stores refuse with different errors: the test is that the body was not taken.
    const found = await readSmall(store, key).catch(() => null)
    const isRefused = found !== null && !hasText(found, 'fourth')
    return isRefused ? ok(what, 'a put with a wrong SHA-256 is refused') : warning(what, lineOf(error))
  }
}

/** `warning`: the next run goes well, but read this. `problem`: it would fail, or fail readers. */
export type Level = 'ok' | 'warning' | 'problem'

export interface Diagnosis {
  readonly what: string
  readonly level: Level
  /** Finding and, unless all is well, what to do. */
  readonly says: string
}

export const ok = (what: string, says: string): Diagnosis => ({ what, level: 'ok', says })
export const warning = (what: string, says: string): Diagnosis => ({ what, level: 'warning', says })
export const problem = (what: string, says: string): Diagnosis => ({ what, level: 'problem', says })

export const lineOf = (error: unknown): string => messageOf(error).replaceAll(/\s+/g, ' ')

export const problemIfThrown = (what: string, look: () => Promise<Diagnosis>): Promise<Diagnosis> =>
  look().catch((error: unknown) => problem(what, lineOf(error)))

export async function* diagnoseFolder(store: FolderStore, uuid: string): AsyncGenerator<Diagnosis> {
  const { root, name } = store
  const exists = existsSync(root)
  yield ok('bucket', exists ? `${name} is a folder` : `${name} is not there yet: the first publish makes it`)
  // Without the folder nothing is tried: a put would leave an empty folder.
  if (!exists) {
    yield await problemIfThrown('right to write', async () => {
      await access(existingAbove(root), constants.W_OK | constants.X_OK)
      return ok('right to write', `the folder can be made in ${existingAbove(root)}`)
    })
    return
  }
  const key = scratchKey(uuid)
  try {
    const { etag } = await store.put(scratch(key, 'first'))
    yield ok('right to write', `tried on ${key}`)
    yield await problemIfThrown('clock', () => diagnoseFolderClock(store, key))
    yield await problemIfThrown('conditional put', () => tryConditions(store, key, etag))
  } catch (error) {
    yield problem('right to write', lineOf(error))
  } finally {
    const failure = await store.delete([key]).then(() => null, lineOf)
    if (failure !== null) yield problem('right to delete', failure)
  }
  yield await problemIfThrown('file system', () => diagnoseFileSystem(root))
}

/** Compares clocks: files of a network have the time of their server, and the ages of leases would be wrong. */
async function diagnoseFolderClock(store: FolderStore, key: string): Promise<Diagnosis> {
  const object = await store.get(key)
  object?.cancel()
  const seconds =
    object === null ? 0 : Math.round((object.lastModified.getTime() - object.now.getTime()) / 1000)
  if (Math.abs(seconds) <= 5) return ok('clock', "the time of new files is this machine's")
  const says = `new files get a time that is ${Math.abs(seconds)} s ${seconds < 0 ? 'behind' : 'ahead of'} this machine's clock`
  return problem('clock', `${says}: set the clocks of both (NTP)`)
}

/** The space that the next publish can need: a second slot as large as the live one. @returns null if nothing is live */
export async function neededBytes(store: FolderStore): Promise<{ bytes: number; files: number } | null> {
  const { live } = await readLive(store)
  if (live === null) return null
  return { bytes: live.bytes + (live.downloads?.bytes ?? 0), files: live.objects }
}

/** `f_type` of file systems that another machine holds. Source: statfs(2), linux/magic.h. */
const networks: Readonly<Record<number, string>> = {
  0x6969: 'NFS',
  0xff534d42: 'CIFS',
  0xfe534d42: 'SMB',
  0x517b: 'SMB',
  0x01021997: '9P',
  0x65735546: 'FUSE',
  0x00c36400: 'Ceph',
  0x5346414f: 'AFS',
}

async function diagnoseFileSystem(root: string): Promise<Diagnosis> {
  const what = 'file system'
  const { type } = await statfs(root)
  const network = process.platform === 'linux' ? networks[type >>> 0] : undefined
  if (network === undefined) return ok(what, 'of this machine')
  const risk = `if its server ignores locks, or has another clock, two publishes can meet in ${liveKey}`
  return warning(what, `${network}, which another machine may hold: ${risk}: publish from one machine only`)
}
