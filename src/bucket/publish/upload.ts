/** The upload: puts in parallel but bounded, then deletes, and a list of the ETags that the store gives. */

import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { etagsKey, gzipType, inSlot, slotPrefix } from '../live/layout.ts'
import type { Lease } from '../live/lease.ts'
import { type Change, mergeSorted } from '../manifest/compare.ts'
import { compareWithListing } from '../manifest/listing.ts'
import type { EtagLine } from '../manifest/manifest.ts'
import { lineWriter, readNdjson, writeNdjson } from '../manifest/ndjson.ts'
import type { Publish } from './options.ts'
import type { Prepared } from './prepare.ts'
import { withCrew } from '../store/in-parallel.ts'
import { pause } from '../store/retry.ts'

/** Puts and deletes what differs in the slot. @returns bytes that were put */
export async function uploadChanges(publish: Publish, prepared: Prepared): Promise<number> {
  const { folder, out, base, putOwn, onProgress } = publish
  const of = prepared.put + prepared.deleted
  const newEtags = lineWriter<EtagLine>(join(folder, 'new-etags.ndjson.gz'))
  let done = 0
  let bytes = 0
  try {
    await applyChanges(publish, changesIn(prepared), {
      prefix: slotPrefix(base.slot),
      fileOf: (key) => join(out, key),
      onEtag: (key, etag) => newEtags.add({ key, etag }),
      onDone: (change) => {
        done++
        if (change.kind === 'put') bytes += change.bytes
        onProgress?.({ done, of, bytes })
      },
    })
  } finally {
    await newEtags.end()
  }
  const lists = [publish.snapshot.manifest.lines(), prepared.etags(), newEtags.read()] as const
  async function* etagLines() {
    for await (const { key, values } of mergeSorted(...lists)) {
      const [line, old, put] = values
      const etag = put?.etag ?? old?.etag
      if (line !== undefined && etag !== undefined) yield { key, etag }
    }
  }
  await writeNdjson(etagsFile(folder), etagLines())
  await putOwn(etagsFile(folder), etagsKey(base.slot), gzipType)
  return bytes
}

/**
 * A check of the README's first assumption: no request of an earlier holder was carried out after the wait for them.
 * @throws {Error} if the slot is not what was uploaded
 */
export async function assertUntouched({ store, base, snapshot, folder }: Publish, prepared: Prepared) {
  const etags = readNdjson<EtagLine>(etagsFile(folder))
  const differing = compareWithListing(store, base.slot, snapshot.manifest.lines(), etags)
  for await (const { key, values } of mergeSorted(differing, changesIn(prepared))) {
    const [difference, ours] = values
    // Objects of others in the slot harm nobody; an object that was deleted must be gone.
    if (difference === undefined || (difference.what === 'extra' && ours === undefined)) continue
    const what = `somebody else wrote to ${inSlot(base.slot, key)} meanwhile`
    throw new Error(`${store.name}: ${what}; nothing was flipped, publish again`)
  }
}

const etagsFile = (folder: string) => join(folder, 'etags.ndjson.gz')
const changesIn = ({ file }: Prepared) => readNdjson<Change>(file)

export interface ApplyOptions {
  /** What the keys of the changes begin with in the bucket. */
  readonly prefix: string
  readonly fileOf: (key: string) => string
  /** Receives each put's ETag in the order of keys; the upload waits for a promise that it returns. */
  readonly onEtag: (key: string, etag: string) => unknown
  readonly onDone?: (change: Change) => void
}

const keysPerDelete = 1000
/** The number of puts, for each that is under way, that may be done and wait for an earlier one. */
const putsAhead = 64

/** @throws {Error} at the first change that fails, or when `writing` aborts; those under way have ended then */
export async function applyChanges(
  publish: Pick<Publish, 'store' | 'cacheControl' | 'concurrency' | 'maxRate'> & {
    lease: Pick<Lease, 'writing'>
  },
  changes: AsyncIterable<Change>,
  { prefix, fileOf, onEtag, onDone }: ApplyOptions,
): Promise<void> {
  const { store, cacheControl, concurrency, maxRate } = publish
  const { writing } = publish.lease
  const inOrder = emitInOrder(onEtag)
  const pace = pacer(maxRate, writing.signal)

  const applying = withCrew(concurrency, async ({ begin, until, hasFailed }) => {
    let gone: string[] = []
    const flushDeletes = () => {
      const keys = gone
      gone = []
      return begin(async () => {
        const full = keys.map((key) => prefix + key)
        await store.delete(full, writing)
        for (const key of keys) onDone?.({ kind: 'delete', key })
      })
    }

    let order = 0
    for await (const change of changes) {
      writing.signal.throwIfAborted()
      if (hasFailed()) return
      const { key } = change
      if (change.kind === 'delete') {
        gone.push(key)
        if (gone.length === keysPerDelete) await flushDeletes()
        continue
      }
      const place = order++
      // A slow put must not keep all the others' ETags in memory.
      await until(() => place < inOrder.emitted() + concurrency * putsAhead)
      await pace()
      await begin(async () => {
        const file = fileOf(key)
        const object = { key: prefix + key, type: change.type, cacheControl, sha256: change.sha256 }
        const { etag } = await store.putFile(file, object, writing).catch(explainMissing(file))
        await inOrder.put(place, key, etag)
        onDone?.(change)
      })
    }
    if (gone.length > 0) await flushDeletes()
  })
  await applying.finally(() => {
    // After a stop every request fails in words of its own: only the reason for the stop counts.
    writing.signal.throwIfAborted()
  })
}

/** For `catch`: says what to do if the file cannot be read. */
const explainMissing = (file: string) => async (error: unknown) => {
  await access(file, constants.R_OK).catch((cause: unknown) => {
    const what = `${file} is in the manifest but cannot be read (${(cause as NodeJS.ErrnoException).code ?? ''})`
    throw new Error(`${what}: build the snapshot again`, { cause })
  })
  throw error
}

/** Puts end in any order; lists are sorted. Holds back only what is ahead of a put that is under way. */
function emitInOrder(emit: ApplyOptions['onEtag']) {
  const early = new Map<number, readonly [string, string]>()
  let next = 0
  return {
    emitted: () => next,
    put: async (place: number, key: string, etag: string) => {
      early.set(place, [key, etag])
      const room: unknown[] = []
      for (let ready = early.get(next); ready !== undefined; ready = early.get(next)) {
        early.delete(next++)
        room.push(emit(...ready))
      }
      await Promise.all(room)
    },
  }
}

/** Waits so that no more puts start in a second than the rate allows. */
function pacer(maxRate: number | null, signal: AbortSignal): () => Promise<void> {
  let due = performance.now()
  return async () => {
    if (maxRate === null) return
    const now = performance.now()
    due = Math.max(due, now - 1000 / maxRate) + 1000 / maxRate
    if (due > now) await pause(due - now, signal)
  }
}
