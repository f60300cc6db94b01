/** Carrying out changes: puts in parallel but bounded, then deletes; what the store gave as ETags is kept in order. */

import { constants } from 'node:fs'
import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withCrew } from './in-parallel.ts'
import { inSlot, type Slot } from './layout.ts'
import { pause } from './pause.ts'
import type { Change } from './plan.ts'
import { streamedFrom } from './s3-put-file.ts'
import type { ObjectStore, PutObject, WriteOptions } from './store.ts'

export interface ApplyOptions {
  /** The snapshot's folder. */
  readonly out: string
  /** Where the file of a key is; below `out` unless given. */
  readonly fileOf?: (key: string) => string
  /** Null for what lies beside the slots. */
  readonly slot: Slot | null
  readonly cacheControl: string
  readonly concurrency: number
  /** Puts a second at most; null for as many as go. */
  readonly maxRate: number | null
  /** Ends the requests that are under way, too. */
  readonly signal: AbortSignal
  /** Throws when the lease can no longer be trusted: asked right before each write, without a request. */
  readonly assertFresh?: () => void
  readonly onDone: (change: Change) => void
  /** Told of each put's ETag in the order of keys; a promise that it returns is waited for before there are many more. */
  readonly onEtag: (key: string, etag: string) => unknown
}

type PutChange = Extract<Change, { readonly kind: 'put' }>

const keysPerDelete = 1000

/** How many puts, for each that is under way, may be done and wait for an earlier one. */
const putsAhead = 64

/** @throws {Error} at the first change that fails, or when the signal aborts; those under way have ended then */
export async function applyChanges(
  store: ObjectStore,
  changes: AsyncIterable<Change>,
  options: ApplyOptions,
): Promise<void> {
  const { slot, concurrency, signal, assertFresh, onDone } = options
  const inOrder = emitInOrder(options.onEtag)
  const pace = pacer(options.maxRate, signal)
  const mayWrite = {
    signal,
    assertFresh: () => {
      signal.throwIfAborted()
      assertFresh?.()
    },
  }

  const applying = withCrew(concurrency, async ({ begin, until, hasFailed }) => {
    let gone: string[] = []
    const flushDeletes = () => {
      const keys = gone
      gone = []
      return begin(async () => {
        mayWrite.assertFresh()
        await store.delete(
          keys.map((key) => placeIn(slot, key)),
          mayWrite,
        )
        for (const key of keys) onDone({ kind: 'delete', key })
      })
    }

    let order = 0
    for await (const change of changes) {
      signal.throwIfAborted()
      if (hasFailed()) return
      if (change.kind === 'delete') {
        gone.push(change.key)
        if (gone.length === keysPerDelete) await flushDeletes()
      } else {
        const place = order++
        // One that is slow must not have all the others' ETags wait in memory.
        await until(() => place < inOrder.emitted() + concurrency * putsAhead)
        await pace()
        await begin(async () => {
          const { etag } = await putChange(store, change, options, mayWrite)
          await inOrder.put(place, change.key, etag)
          onDone(change)
        })
      }
    }
    if (gone.length > 0) await flushDeletes()
  })
  try {
    await applying
  } catch (error) {
    // What was stopped fails in its own words, which are no news.
    signal.throwIfAborted()
    throw error
  }
  signal.throwIfAborted()
}

async function putChange(
  store: ObjectStore,
  { key, type, sha256, bytes }: PutChange,
  { out, fileOf = (inFolder) => join(out, inFolder), slot, cacheControl }: ApplyOptions,
  mayWrite: WriteOptions & { readonly assertFresh: () => void },
): Promise<PutObject> {
  const file = fileOf(key)
  const object = { key: placeIn(slot, key), type, cacheControl, sha256 }
  if (bytes < streamedFrom) {
    const body = await readFile(file).catch(rebuild(file))
    mayWrite.assertFresh()
    return store.put({ ...object, body }, undefined, mayWrite)
  }
  await access(file, constants.R_OK).catch(rebuild(file))
  mayWrite.assertFresh()
  return store.putFile(file, object, mayWrite)
}

const placeIn = (slot: Slot | null, key: string) => (slot === null ? key : inSlot(slot, key))

const rebuild = (file: string) => (error: unknown) => {
  const { code = '' } = error as NodeJS.ErrnoException
  throw new Error(`${file} is in the manifest but cannot be read (${code}): build the snapshot again`, {
    cause: error,
  })
}

/** Puts end in any order; lists are sorted. Holds back only what is ahead of a put that is under way. */
function emitInOrder(emit: ApplyOptions['onEtag']) {
  const early = new Map<number, readonly [string, string]>()
  let next = 0
  return {
    /** How many have been emitted. */
    emitted: () => next,
    put: async (place: number, key: string, etag: string) => {
      early.set(place, [key, etag])
      let room: unknown
      for (let ready = early.get(next); ready !== undefined; ready = early.get(next)) {
        early.delete(next++)
        room = emit(...ready)
      }
      await room
    },
  }
}

/** Waits so that there are no more than so many starts a second. */
function pacer(maxRate: number | null, signal: AbortSignal): () => Promise<void> {
  if (maxRate === null) return () => Promise.resolve()
  let due = performance.now()
  return async () => {
    const now = performance.now()
    due = Math.max(due, now - 1000 / maxRate) + 1000 / maxRate
    if (due > now) await pause(due - now, signal)
  }
}
