/**
 * The store port over a folder of this machine: an object is a file whose path is its key. Every change is made under the
 * lock of the folder, so changes are atomic and follow one another, also those of other processes.
 */

import { hash, randomUUID } from 'node:crypto'
import { type BigIntStats, closeSync, createReadStream, existsSync, fstatSync, mkdirSync } from 'node:fs'
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openBelow, openFolderBelow, realFolder, type OpenFolder } from '../../system/below.ts'
import { flushFile, flushFolder, flushTree } from '../../system/durable.ts'
import { isBefore } from '../manifest/compare.ts'
import { callsOf, countRequests } from './calls.ts'
import {
  copierInto,
  entriesOf,
  etagOf,
  isAbsent,
  makeNewer,
  removeEmpty,
  removeFile,
} from './folder-files.ts'
import { removeUnfinished, statOf, withAdvice, assertRoomBelow } from './folder-files.ts'
import { openLock } from './folder-lock.ts'
import { isDiskFull, openReserve } from './folder-reserve.ts'
import { isStray } from './strays.ts'
import { ConditionFailed, type Condition, type ListedObject, type ObjectStore } from './store.ts'
import type { FetchedObject, GetOptions, PutObject, WriteOptions } from './store.ts'

/** Holds the lock, the reserve, and files that are being written; no key begins with it. */
const ownFolder = '.fundpress/'

export interface FolderStore extends ObjectStore {
  readonly kind: 'folder'
  readonly root: string
  readonly close: () => void
}

/**
 * The first write makes the folder; the one above must exist. The folder may be a link; below it none is followed.
 * @param settings.bucket `file:///srv/fundpress` @param settings.prefix a folder in it that holds everything; '' for none
 * @param signal ends the calls under way when it aborts; later ones, to clean up, go through
 * @throws {Error} with advice, if there can be no such folder
 */
export function openFolder(
  settings: { readonly bucket: string; readonly prefix: string },
  signal?: AbortSignal,
): FolderStore {
  const { bucket, prefix } = settings
  const name = prefix === '' ? bucket : `${bucket}/${prefix}`
  const base = fileURLToPath(bucket)
  const root = join(base, prefix)
  assertFolder(name, base)
  const { count, requests } = countRequests()
  const calls = callsOf(signal, (error, doing, key) => withAdvice(error, name, doing, key))
  const place: Place = { name, root, count, calls }
  /** Made by the first write: readers need no right to write. */
  let writer: Writer | undefined
  const prepare = () => (writer ??= openWriter(base, root))
  return {
    kind: 'folder',
    areEtagsDigests: false,
    name,
    root,
    ...readsOf(place),
    ...writesOf(place, prepare),
    assertRoom: (puts) => assertRoomBelow(name, root, puts),
    requests,
    // A change that fails was not made, and a change that is made has been answered.
    unanswered: () => 0,
    close: () => writer?.close(),
  }
}

interface Place extends Pick<FolderStore, 'name' | 'root'> {
  readonly count: (operation: string) => void
  readonly calls: ReturnType<typeof callsOf>
}

function readsOf({ root, count, calls }: Place) {
  const get: ObjectStore['get'] = async (key, { part, ifMatch, signal: own } = {}) => {
    count('GetObject')
    if (!isKey(key)) return null
    return calls.call(own, 'read', key, async (stop) => {
      try {
        // To open a file takes less time than to ask another thread: timers have their turn here.
        await setImmediate()
        return openObject(root, key, { part, ifMatch, signal: stop })
      } catch (error) {
        if (isAbsent(error)) return null
        throw error
      }
    })
  }

  const list: ObjectStore['list'] = (start, { signal: own } = {}) =>
    calls.list(own, start, async function* (stop) {
      count('ListObjectsV2')
      let listed = 0
      for (const object of filesBelow(root, start.slice(0, start.lastIndexOf('/') + 1), start)) {
        // Timers, such as that of the lease, have their turn.
        if (++listed % 1000 === 0) await setImmediate()
        stop?.throwIfAborted()
        yield object
      }
    })

  const folders: ObjectStore['folders'] = (start, { signal: own } = {}) =>
    calls.call(own, 'list', start, async () => {
      count('ListObjectsV2')
      await setImmediate()
      const isFilled = (found: string) => filesBelow(root, `${start}${found}/`, '').next().done !== true
      const found = entriesOf(root, start, (one) => start + one !== ownFolder)
      const names = found.flatMap((entry) => (entry.stat === null ? [entry.name.slice(0, -1)] : []))
      return names.filter(isFilled).sort()
    })
  return { get, list, folders }
}

function openObject(root: string, key: string, { part, ifMatch, signal }: OpenOptions): FetchedObject | null {
  const file = openBelow(realFolder(root), key)
  const stat = fstatSync(file, { bigint: true })
  const etag = etagOf(stat)
  const isFile = stat.isFile()
  const isWanted = ifMatch === undefined || ifMatch === etag
  const { start, bytes } = cutOut(Number(stat.size), part)
  if (!isFile || !isWanted || bytes === 0) closeSync(file)
  if (!isFile) return null
  if (!isWanted) throw new ConditionFailed(`${key} is not what it was`)
  const range = { fd: file, start, end: start + bytes - 1 }
  const body = bytes === 0 ? Readable.from([]) : createReadStream(key, range)
  if (signal !== undefined) addAbortSignal(signal, body)
  const times = { lastModified: new Date(Number(stat.mtimeMs)), now: new Date() }
  return { etag, bytes, ...times, body, cancel: () => body.destroy(), signal }
}

type OpenOptions = { readonly [K in keyof GetOptions]: GetOptions[K] | undefined }

/**
 * Writes a file under another name, then gives it its key. An object at the root of the bucket (`live.json`, `journal.json`) describes
 * all others: these are flushed before it, unless it is a renewal, and it is flushed itself before the call ends. On a full disk
 * such an object takes the reserve, so that a rollback needs no room.
 */
function placerOf(
  { name, count, calls }: Place,
  prepare: () => Writer,
  flushes: ReturnType<typeof flushesOf>,
) {
  return (
    key: string,
    write: (writer: Writer, temporary: string, stop: AbortSignal | undefined) => Promise<void> | void,
    { signal: own, assertFresh, isRenewal = false }: WriteOptions,
    checked?: Checked,
  ): Promise<PutObject> =>
    calls.call(own, 'write', key, async (stop) => {
      count('PutObject')
      assertKey(name, key)
      const temporary = `${randomUUID()}.tmp`
      const isAtRoot = !key.includes('/')
      const writer = prepare()
      const place = async () => {
        // Small files are written at once, which takes less time than to ask another thread: timers have their turn here.
        await setImmediate()
        await write(writer, temporary, stop)
        if (isAtRoot && !isRenewal) await flushes.flush(stop)
        return await writer.change(stop, () => {
          // The clock is read under the lock: when this check fails, the next holder of the lease has the lock.
          assertFresh?.()
          if (isAtRoot) writer.assertSame()
          else flushes.noteChange()
          const into = (at: string) =>
            writer.own.within((from) =>
              replace(join(at, basename(key)), join(from, temporary), isAtRoot, checked),
            )
          return writer.inFolder(dirname(key), into)
        })
      }
      try {
        return await place().catch((error: unknown) => {
          if (!isAtRoot || !isDiskFull(error)) throw error
          writer.discard(temporary)
          if (!writer.reserve.release()) throw error
          return place()
        })
      } catch (error) {
        writer.discard(temporary)
        throw error
      }
    })
}

function writesOf(place: Place, prepare: () => Writer) {
  const { name, root, count, calls } = place
  const flushes = flushesOf(root)
  const write = placerOf(place, prepare, flushes)

  const put: ObjectStore['put'] = ({ key, body, sha256 }, condition, options = {}) =>
    write(
      key,
      ({ own }, temporary) => {
        assertDigest(key, hash('sha256', body), sha256)
        own.within((at) => {
          writeFileSync(join(at, temporary), body, { flag: 'wx' })
        })
      },
      options,
      condition && { key, condition, body },
    )

  const putFile: ObjectStore['putFile'] = (file, { key, sha256 }, options = {}) =>
    write(
      key,
      async ({ copy }, temporary, stop) => {
        assertDigest(key, await copy(file, temporary, stop), sha256)
      },
      options,
    )

  const remove: ObjectStore['delete'] = async (keys, { signal: own, assertFresh } = {}) => {
    if (keys.length === 0) return
    await calls.call(own, 'delete', keys[0] ?? '', async (stop) => {
      count('DeleteObjects')
      const { real, change, leaveFolder } = prepare()
      for (let from = 0; from < keys.length; from += keysPerChange)
        await change(stop, () => {
          assertFresh?.()
          flushes.noteChange()
          // It may be removed.
          leaveFolder()
          const some = keys.slice(from, from + keysPerChange)
          for (const key of some) removeObject(name, real, key)
          const emptied = new Set(some.map(dirname))
          for (const folder of emptied) removeEmpty(real, folder)
          if (emptied.has('.')) flushFolder(real)
        })
    })
  }
  return { put, putFile, delete: remove }
}

function removeObject(name: string, real: string, key: string): void {
  assertKey(name, key)
  try {
    removeFile(real, key)
  } catch (error) {
    throw withAdvice(error, name, 'delete', key)
  }
}

interface Checked {
  readonly key: string
  readonly condition: Condition
  readonly body: Buffer
}

/** @throws {ConditionFailed} unless the body is there already: a put whose answer got lost counts as done */
function replace(target: string, source: string, isAtRoot: boolean, checked?: Checked): PutObject {
  const before = statOf(target)
  if (checked !== undefined && before?.isDirectory() !== true && !holds(checked.condition, before)) {
    const isThere = before?.isFile() === true && readFileSync(target).equals(checked.body)
    if (!isThere) throw new ConditionFailed(`${checked.key} is not what it was`)
    rmSync(source)
    return { etag: etagOf(before) }
  }
  const etag = etagOf(makeNewer(source, before))
  if (isAtRoot) flushFile(source)
  renameSync(source, target)
  if (isAtRoot) flushFolder(dirname(target))
  return { etag }
}

/** Flushes changes, one flush after the other: what another put has begun to flush is not on the disk before the end of its flush. */
function flushesOf(root: string) {
  /** True at the start: writes of an earlier process may not have been flushed. */
  let isUnflushed = true
  let queue: Promise<void> = Promise.resolve()
  return {
    noteChange: () => {
      isUnflushed = true
    },
    flush: (stop: AbortSignal | undefined): Promise<void> => {
      const turn = queue.then(async () => {
        if (!isUnflushed) return
        isUnflushed = false
        try {
          await flushTree(root, stop ?? new AbortController().signal)
        } catch (error) {
          isUnflushed = true
          throw error
        }
      })
      queue = turn.catch(() => undefined)
      return turn
    },
  }
}

type Writer = ReturnType<typeof openWriter>

/** Makes the folder of a bucket, and opens it for all changes. @param base the bucket @param root with its prefix */
function openWriter(base: string, root: string) {
  if (!existsSync(base)) {
    mkdirSync(base)
    flushFolder(dirname(base))
  }
  mkdirSync(root, { recursive: true })
  const real = realFolder(root)
  const own = openFolderBelow(real, ownFolder, true)
  try {
    removeUnfinished(own)
    const { inFolder, leaveFolder } = folderInUse(real)
    const { change, close } = openLock(own, leaveFolder)
    const reserve = openReserve(own)
    return {
      real,
      own,
      change,
      inFolder,
      leaveFolder,
      copy: copierInto(own),
      reserve,
      /** Readers follow the root if it is a link: `live.json` must lie in the folder that it describes. */
      assertSame: () => {
        if (realFolder(root) === real) return
        throw new Error(`${root} leads to another folder than before: run the command again`)
      },
      discard: (temporary: string) => {
        try {
          own.within((at) => {
            rmSync(join(at, temporary), { force: true })
          })
        } catch {
          // The failure before this one explains more.
        }
      },
      close: () => {
        reserve.make()
        close()
        own.close()
      },
    }
  } catch (error) {
    own.close()
    throw error
  }
}

/** The folder of the last change under the lock, which stays open for the next one: keys come in their order. */
function folderInUse(real: string) {
  let inUse: { readonly path: string; readonly folder: OpenFolder } | undefined
  const leaveFolder = () => {
    inUse?.folder.close()
    inUse = undefined
  }
  return {
    /** @param path of the folder, which is made if it is missing @param work gets a path that holds until it returns */
    inFolder: <T>(path: string, work: (at: string) => T): T => {
      if (inUse?.path !== path) {
        leaveFolder()
        inUse = { path, folder: openFolderBelow(real, path, true) }
      }
      return inUse.folder.within(work)
    },
    leaveFolder,
  }
}

/** Yields files whose keys have the prefix, in the byte order of keys: a folder's key counts with its slash. */
function* filesBelow(root: string, folder: string, prefix: string): Generator<ListedObject> {
  const isWanted = (name: string) => {
    const key = folder + name
    // A stray folder may be closed to us: `lost+found`.
    if (key === ownFolder || isStray(key.replace(/\/$/, ''))) return false
    return key.startsWith(prefix) || (key.endsWith('/') && prefix.startsWith(key))
  }
  const entries = entriesOf(root, folder, isWanted)
  for (const { name, stat } of entries.sort((one, other) => (isBefore(one.name, other.name) ? -1 : 1))) {
    const key = folder + name
    if (stat === null) yield* filesBelow(root, key, prefix)
    else {
      const lastModified = new Date(Number(stat.mtimeMs))
      yield { key, bytes: Number(stat.size), etag: etagOf(stat), lastModified }
    }
  }
}

function cutOut(size: number, part: GetOptions['part'] = { first: 0, last: Infinity }) {
  const { first: start, last } = part
  return { start, bytes: Math.max(0, Math.min(last, size - 1) - start + 1) }
}

const keysPerChange = 100

function assertFolder(name: string, path: string): void {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory() === true) return
    if (found !== undefined) throw new Error(`${name}: ${path} is a file: name a folder`)
    if (!existsSync(dirname(path)))
      throw new Error(`${name}: there is no folder ${dirname(path)}: make it (mkdir -p ${dirname(path)})`)
  } catch (error) {
    throw withAdvice(error, name, 'read', 'the folder')
  }
}

const isKey = (key: string): boolean =>
  !/[\0\\]/.test(key) &&
  key.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
  !`${key}/`.startsWith(ownFolder)

function assertKey(name: string, key: string): void {
  if (!isKey(key))
    throw new Error(`${name}: ${JSON.stringify(key)} cannot be the path of a file below the folder`)
}

function assertDigest(key: string, found: string, wanted: string | undefined): void {
  if (wanted !== undefined && found !== wanted)
    throw new Error(
      `${key} does not have the digest of the manifest: the snapshot was changed after its build: build the snapshot again`,
    )
}

const holds = (condition: Condition, found: BigIntStats | null): boolean =>
  'ifAbsent' in condition ? found === null : found !== null && etagOf(found) === condition.ifMatch
