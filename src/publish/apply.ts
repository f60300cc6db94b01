/** Carrying out changes: puts in parallel but bounded, then deletes; what the store gave as ETags is kept in order. */

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pLimit from 'p-limit'
import { inSlot, type Slot } from './layout.ts'
import type { Change } from './plan.ts'
import type { ObjectStore } from './store.ts'

export interface ApplyOptions {
  /** The snapshot's folder. */
  readonly out: string
  readonly slot: Slot
  readonly cacheControl: string
  readonly concurrency: number
  /** Puts a second at most; null for as many as go. */
  readonly maxRate: number | null
  readonly signal: AbortSignal
  readonly onDone: (change: Change) => void
  /** Told of each put's ETag in the order of keys. */
  readonly onEtag: (key: string, etag: string) => void
}

const keysPerDelete = 1000

/** @throws {Error} at the first change that fails, or when the signal aborts; those under way have ended then */
export async function applyChanges(
  store: ObjectStore,
  changes: AsyncIterable<Change>,
  options: ApplyOptions,
): Promise<void> {
  const { out, slot, cacheControl, concurrency, maxRate, signal, onDone, onEtag } = options
  const limit = pLimit(concurrency)
  const running = new Set<Promise<void>>()
  const inOrder = emitInOrder(onEtag)
  const pace = pacer(maxRate)
  let failure: Error | undefined
  let gone: string[] = []
  const failed = () => failure !== undefined || signal.aborted

  const start = (work: () => Promise<void>) => {
    const task = limit(async () => {
      if (!failed()) await work()
    })
      .catch((error: unknown) => {
        failure ??= error instanceof Error ? error : new Error(String(error))
      })
      .finally(() => running.delete(task))
    running.add(task)
  }
  const flushDeletes = () => {
    const keys = gone
    gone = []
    start(async () => {
      await store.delete(keys.map((key) => inSlot(slot, key)))
      for (const key of keys) onDone({ kind: 'delete', key })
    })
  }

  let order = 0
  for await (const change of changes) {
    if (failed()) break
    if (change.kind === 'delete') {
      gone.push(change.key)
      if (gone.length === keysPerDelete) flushDeletes()
    } else {
      const place = order++
      await pace()
      start(async () => {
        const body = await readObject(out, change.key)
        const { sha256, type } = change
        const { etag } = await store.put({ key: inSlot(slot, change.key), body, type, cacheControl, sha256 })
        inOrder(place, change.key, etag)
        onDone(change)
      })
    }
    // The queue is bounded too: a waiting put costs memory.
    while (running.size >= concurrency * 2) await Promise.race(running)
  }
  if (gone.length > 0 && !failed()) flushDeletes()
  await Promise.all(running)
  signal.throwIfAborted()
  if (failure !== undefined) throw failure
}

async function readObject(out: string, key: string): Promise<Buffer> {
  try {
    return await readFile(join(out, key))
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    throw new Error(
      `${join(out, key)} is in the manifest but cannot be read (${code}): build the snapshot again`,
      { cause: error },
    )
  }
}

/** Puts end in any order; lists are sorted. Holds back only what is ahead of a put that is under way. */
function emitInOrder(emit: (key: string, etag: string) => void) {
  const early = new Map<number, readonly [string, string]>()
  let next = 0
  return (place: number, key: string, etag: string) => {
    early.set(place, [key, etag])
    for (let ready = early.get(next); ready !== undefined; ready = early.get(next)) {
      early.delete(next++)
      emit(...ready)
    }
  }
}

/** Waits so that there are no more than so many starts a second. */
function pacer(maxRate: number | null): () => Promise<void> {
  if (maxRate === null) return () => Promise.resolve()
  let due = performance.now()
  return async () => {
    const now = performance.now()
    due = Math.max(due, now - 1000 / maxRate) + 1000 / maxRate
    if (due > now) await setTimeout(due - now)
  }
}
