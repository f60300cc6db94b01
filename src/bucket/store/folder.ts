/**
 * The store port over a folder of this machine: an object is a file whose path is its key. Every change is made under one
 * lock of the folder, so changes are atomic and follow one another, also those of other processes.
 */

import { hash, randomUUID } from 'node:crypto'
import { type BigIntStats, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { addAbortSignal, Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { flushFile, flushFolder, flushTree } from '../../system/durable.ts'
import { isBefore } from '../manifest/compare.ts'
import { copyFile, entriesOf, etagOf, isAbsent, makeNewer, moveTo, removeEmpty } from './folder-files.ts'
import { removeUnfinished, statOf, unlinkIfThere, withAdvice } from './folder-files.ts'
import { openLock } from './folder-lock.ts'
import { joinedWith } from './signals.ts'
import { ConditionFailed, type Condition, type ListedObject, type ObjectStore } from './store.ts'
import type { GetOptions, PutObject, WriteOptions } from './store.ts'

/** Beside the objects, and no key: the lock, and files that are being written. */
const ownFolder = '.fundpress'

export interface FolderStore extends ObjectStore {
  readonly kind: 'folder'
  /** The absolute path of the folder that keys are relative to. */
  readonly root: string
  readonly close: () => void
}

/**
 * The folder is made by the first write; the one above it must exist.
 * @param settings.bucket `file:///srv/fundpress` @param settings.prefix a folder in it that holds everything; '' for none
 * @param signal ends the calls under way when it aborts; later ones, to clean up, go through
 * @throws {Error} that says what to do, if there can be no such folder
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
  const own = join(root, ownFolder)
  const stopOf = joinedWith(signal)
  const counts: Record<string, number> = {}
  const count = (operation: string) => {
    counts[operation] = (counts[operation] ?? 0) + 1
  }
  const reasonFor = (error: unknown, stop: AbortSignal | undefined, doing: string, key: string): unknown =>
    stop?.aborted === true ? stop.reason : withAdvice(error, name, doing, key)

  /** Made by the first write: readers need no right to write. */
  let lock: ReturnType<typeof openLock> | undefined
  const prepare = () => {
    if (lock !== undefined) return lock
    if (statOf(base) === null) {
      mkdirSync(base)
      flushFolder(dirname(base))
    }
    mkdirSync(own, { recursive: true })
    removeUnfinished(own)
    return (lock = openLock(join(own, 'lock')))
  }

  /** Whether something was changed since the last flush. What an earlier process wrote may not have been flushed. */
  let isUnflushed = true
  /** One after the other: what another put has begun to flush is not on the disk before that is done. */
  let flushes: Promise<void> = Promise.resolve()
  const flushEarlier = (stop: AbortSignal | undefined): Promise<void> => {
    const turn = flushes.then(async () => {
      if (!isUnflushed) return
      isUnflushed = false
      try {
        await flushTree(root, stop ?? new AbortController().signal)
      } catch (error) {
        isUnflushed = true
        throw error
      }
    })
    flushes = turn.catch(() => undefined)
    return turn
  }

  const get: ObjectStore['get'] = async (key, { part, ifMatch, signal: ownSignal } = {}) => {
    count('GetObject')
    const stop = stopOf(ownSignal)
    if (!isKey(key)) return null
    try {
      const file = await open(join(root, key))
      const stat = await file.stat({ bigint: true })
      const [etag, isFile] = [etagOf(stat), stat.isFile()]
      const isWanted = ifMatch === undefined || ifMatch === etag
      const { start, bytes } = cutOut(Number(stat.size), part)
      if (!isFile || !isWanted || bytes === 0) await file.close()
      if (!isFile) return null
      if (!isWanted) throw new ConditionFailed(`${key} is not what it was`)
      const body = bytes === 0 ? Readable.from([]) : file.createReadStream({ start, end: start + bytes - 1 })
      if (stop !== undefined) addAbortSignal(stop, body)
      const times = { lastModified: new Date(Number(stat.mtimeMs)), now: new Date() }
      return { etag, bytes, ...times, body, cancel: () => body.destroy(), signal: stop }
    } catch (error) {
      if (isAbsent(error)) return null
      throw reasonFor(error, stop, 'read', key)
    }
  }

  /**
   * Writes a file under another name, then gives it its key. A key at the root of the bucket says something about all other
   * objects (what is live, what is torn): these are flushed before it, unless it only renews what it says, and it is flushed
   * itself before the call ends.
   */
  const place = async (
    key: string,
    write: (temporary: string, stop: AbortSignal | undefined) => Promise<void> | void,
    { signal: ownSignal, assertFresh, isRenewal = false }: WriteOptions,
    checked?: { readonly condition: Condition; readonly body: Buffer },
  ): Promise<PutObject> => {
    count('PutObject')
    const stop = stopOf(ownSignal)
    const target = join(root, assertKey(name, key))
    const temporary = join(own, `${randomUUID()}.tmp`)
    const isAtRoot = !key.includes('/')
    try {
      const { change } = prepare()
      // Small files are written at once, which takes less time than to ask another thread: timers have their turn here.
      await setImmediate()
      await write(temporary, stop)
      if (isAtRoot && !isRenewal) await flushEarlier(stop)
      return await change(stop, () => {
        // The clock is looked at under the lock: whoever takes the lease over holds it when this cannot pass any more.
        assertFresh?.()
        const before = statOf(target)
        if (checked !== undefined && before?.isDirectory() !== true && !holds(checked.condition, before)) {
          if (before !== null && readFileSync(target).equals(checked.body)) return { etag: etagOf(before) }
          throw new ConditionFailed(`${key} is not what it was`)
        }
        const etag = etagOf(makeNewer(temporary, before))
        if (isAtRoot) flushFile(temporary)
        moveTo(temporary, target)
        if (isAtRoot) flushFolder(root)
        else isUnflushed = true
        return { etag }
      })
    } catch (error) {
      throw reasonFor(error, stop, 'write', key)
    } finally {
      rmSync(temporary, { force: true })
    }
  }

  const put: ObjectStore['put'] = ({ key, body, sha256 }, condition, options = {}) =>
    place(
      key,
      (temporary) => {
        assertDigest(key, hash('sha256', body), sha256)
        writeFileSync(temporary, body, { flag: 'wx' })
      },
      options,
      condition && { condition, body },
    )

  const putFile: ObjectStore['putFile'] = (file, { key, sha256 }, options = {}) =>
    place(
      key,
      async (temporary, stop) => {
        const found = await copyFile(file, temporary, stop)
        assertDigest(key, found, sha256)
      },
      options,
    )

  /** Files below a folder whose keys have the prefix, in the byte order of keys: that of a folder counts with its slash. */
  function* filesBelow(folder: string, prefixOfKeys: string): Generator<ListedObject> {
    const names = entriesOf(join(root, folder))
      .filter(({ name: own, isFile, isFolder }) => isFile || (isFolder && folder + own !== ownFolder))
      .map(({ name: own, isFolder }) => `${folder}${own}${isFolder ? '/' : ''}`)
      .filter((key) => key.startsWith(prefixOfKeys) || (key.endsWith('/') && prefixOfKeys.startsWith(key)))
      .sort((one, other) => (isBefore(one, other) ? -1 : 1))
    for (const key of names) {
      if (key.endsWith('/')) yield* filesBelow(key, prefixOfKeys)
      else {
        const stat = statOf(join(root, key))
        // It may have been deleted meanwhile.
        if (stat?.isFile() !== true) continue
        const lastModified = new Date(Number(stat.mtimeMs))
        yield { key, bytes: Number(stat.size), etag: etagOf(stat), lastModified }
      }
    }
  }

  const list: ObjectStore['list'] = async function* (start, options = {}) {
    count('ListObjectsV2')
    const stop = stopOf(options.signal)
    let listed = 0
    try {
      for (const object of filesBelow(start.slice(0, start.lastIndexOf('/') + 1), start)) {
        // Timers, such as that of the lease, have their turn.
        if (++listed % 1000 === 0) await setImmediate()
        stop?.throwIfAborted()
        yield object
      }
    } catch (error) {
      throw reasonFor(error, stop, 'list', start)
    }
  }

  const folders: ObjectStore['folders'] = async (start) => {
    count('ListObjectsV2')
    const isFilled = (found: string) => filesBelow(`${start}${found}/`, '').next().done !== true
    await setImmediate()
    try {
      const found = entriesOf(join(root, start)).filter(({ isFolder }) => isFolder)
      const names = found.map((entry) => entry.name).filter((one) => start + one !== ownFolder)
      return names.filter(isFilled).sort()
    } catch (error) {
      throw reasonFor(error, undefined, 'list', start)
    }
  }

  const remove: ObjectStore['delete'] = async (keys, { signal: ownSignal, assertFresh } = {}) => {
    if (keys.length === 0) return
    count('DeleteObjects')
    const stop = stopOf(ownSignal)
    let current = keys[0] ?? ''
    try {
      const { change } = prepare()
      for (let from = 0; from < keys.length; from += keysPerChange)
        await change(stop, () => {
          assertFresh?.()
          isUnflushed = true
          const emptied = new Set<string>()
          for (current of keys.slice(from, from + keysPerChange)) {
            const path = join(root, assertKey(name, current))
            unlinkIfThere(path)
            emptied.add(dirname(path))
          }
          for (const folder of emptied) removeEmpty(folder, root)
          if (emptied.has(root)) flushFolder(root)
        })
    } catch (error) {
      throw reasonFor(error, stop, 'delete', current)
    }
  }

  return {
    kind: 'folder',
    ...{ name, root, get, put, putFile, list, folders, delete: remove },
    requests: () => ({ ...counts }),
    // A change that fails was not made, and one that is made has been answered.
    unanswered: () => 0,
    close: () => lock?.close(),
  }
}

/** Where a part of an object begins, and how many bytes of it there are. */
function cutOut(size: number, part: GetOptions['part'] = { first: 0, last: Infinity }) {
  const { first: start, last } = part
  return { start, bytes: Math.max(0, Math.min(last, size - 1) - start + 1) }
}

/** Timers have their turn after so many deletes. */
const keysPerChange = 100

/** @throws {Error} if the path is that of a file, or if the folder above it is missing */
function assertFolder(name: string, path: string): void {
  try {
    const found = statOf(path)
    if (found?.isDirectory() === true) return
    if (found !== null) throw new Error(`${name}: ${path} is a file: name a folder`)
    if (statOf(dirname(path)) === null)
      throw new Error(`${name}: there is no folder ${dirname(path)}: make it (mkdir -p ${dirname(path)})`)
  } catch (error) {
    throw withAdvice(error, name, 'read', 'the folder')
  }
}

/** A key is a path below the folder. */
const isKey = (key: string): boolean =>
  !/[\0\\]/.test(key) &&
  key.split('/').every((part) => part !== '' && part !== '.' && part !== '..') &&
  key.split('/')[0] !== ownFolder

function assertKey(name: string, key: string): string {
  if (isKey(key)) return key
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
