/** `check --bucket` on a folder of this machine. */

import { existsSync } from 'node:fs'
import { access, constants, statfs } from 'node:fs/promises'
import { existingAbove } from '../../system/disk.ts'
import { liveKey, scratchKey } from '../live/layout.ts'
import { readLive } from '../live/live.ts'
import type { FolderStore } from '../store/folder.ts'
import { lineOf, ok, problem, problemIfThrown, warning, type Diagnosis } from './diagnosis.ts'
import { tryConditions } from './rights.ts'
import { scratch } from './trial.ts'

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
