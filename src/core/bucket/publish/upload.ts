import { constants, existsSync } from 'node:fs'
import { access, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { changesKey, etagsKey, gzipType, slotPrefix } from '../live/layout.ts'
import type { Lease } from '../live/lease.ts'
import type { Mend } from '../live/options.ts'
import { describeDamage } from '../live/whole.ts'
import { type Change, type KeyedLine, mergeSorted } from '../manifest/compare.ts'
import type { ObjectDifference } from '../manifest/listing.ts'
import { etagLine, type EtagLine, fetchList } from '../manifest/manifest.ts'
import { lineWriter, nothing, ownLine, readNdjson, writeNdjson } from '../manifest/ndjson.ts'
import type { Publish } from './snapshot.ts'
import type { Prepared } from './prepare.ts'
import { withCrew } from '../store/in-parallel.ts'
import { pause } from '../store/retry.ts'
import { keysPerDelete, type ListedObject } from '../store/store.ts'
import { systemCode } from '../../system/message.ts'

export async function uploadChanges(publish: Publish, prepared: Prepared): Promise<number> {
  const { onProgress } = publish
  const of = prepared.put + prepared.deleted
  let done = 0
  let bytes = 0
  await carryOut(publish, changesIn(prepared), prepared.etags, (change) => {
    done++
    if (change.kind === 'put') bytes += change.bytes
    onProgress?.({ done, of, bytes })
  })
  return bytes
}

async function carryOut(
  publish: Publish,
  changes: AsyncIterable<Change>,
  before: () => AsyncIterable<EtagLine>,
  onDone: (change: Change) => void,
): Promise<void> {
  const { folder, out, base, putOwn } = publish
  const put = lineWriter<EtagLine>(join(folder, 'put-etags.ndjson.gz'))
  const places = { prefix: slotPrefix(base.slot), fileOf: (key: string) => join(out, key) }
  try {
    const onEtag = (key: string, etag: string) => put.add({ key, etag })
    await applyChanges(publish, changes, { ...places, onEtag, onDone })
  } finally {
    await put.end()
  }
  const lists = [publish.snapshot.manifest.lines(), before(), put.read()] as const
  async function* etagLines() {
    for await (const { key, values } of mergeSorted(...lists)) {
      const [line, old, now] = values
      const etag = now?.etag ?? old?.etag
      if (line !== undefined && etag !== undefined) yield { key, etag }
    }
  }
  const next = join(folder, 'next-etags.ndjson.gz')
  await writeNdjson(next, etagLines())
  await rename(next, etagsFile(folder))
  await putOwn(etagsFile(folder), etagsKey(base.slot), gzipType)
}

/** Mends a slot; the journal names the keys first. @param prepared changes of this publish in the slot; null for none */
export const putAgain =
  (publish: Publish, prepared: Prepared | null): Mend =>
  async (damaged) => {
    const { store, folder, out, base, lease, putOwn, snapshot } = publish
    const file = join(folder, 'again.ndjson.gz')
    const found = () => Readable.from(damaged) as AsyncIterable<ObjectDifference>
    async function* changes(): AsyncGenerator<Change> {
      for await (const { key, values } of mergeSorted(found(), snapshot.manifest.lines())) {
        const [difference, line] = values
        if (difference === undefined) continue
        if (line !== undefined && !existsSync(join(out, key))) throw notAtHand(publish, key, damaged)
        yield line === undefined ? { kind: 'delete', key } : { kind: 'put', ...line }
      }
    }
    await writeNdjson(file, changes())
    const list = changesKey(lease.id)
    const own = prepared === null ? nothing() : changesIn(prepared)
    const all = join(folder, 'changes-and-again.ndjson.gz')
    await writeNdjson(all, keysOf(own, readNdjson(file, ownLine<Change>)))
    await putOwn(all, list, gzipType)
    if (prepared === null) await lease.markTorn(base.slot, list)
    const noted =
      prepared === null ? await fetchList(store, etagsKey(base.slot), etagLine, folder, true) : null
    const before =
      prepared === null ? (noted ?? nothing) : () => readNdjson(etagsFile(folder), ownLine<EtagLine>)
    await carryOut(publish, readNdjson(file, ownLine<Change>), before, () => undefined)
  }

async function* keysOf(...lists: readonly AsyncIterable<KeyedLine>[]) {
  for await (const { key } of mergeSorted(...lists)) yield { key }
}

/** Mending fails: a sparse snapshot holds only what the slot lacked by its lists. */
export class NotAtHand extends Error {
  override readonly name = 'NotAtHand'
  /** The message without its advice, which a night follows by itself. */
  readonly found: string

  constructor(found: string) {
    super(`${found}: build without --since, and publish again`)
    this.found = found
  }
}

const notAtHand = ({ store, base, out }: Publish, key: string, damaged: readonly ObjectDifference[]) =>
  new NotAtHand(
    `${store.name}: ${base.slot} is not whole (${describeDamage(damaged)}), and ${out} lacks ${key}`,
  )

export const etagsOf = ({ folder }: Publish) => readNdjson(etagsFile(folder), ownLine<EtagLine>)

export async function* deletedBy(prepared: Prepared): AsyncGenerator<KeyedLine> {
  for await (const { kind, key } of changesIn(prepared)) if (kind === 'delete') yield { key }
}

const etagsFile = (folder: string) => join(folder, 'etags.ndjson.gz')
const changesIn = ({ file }: Prepared) => readNdjson(file, ownLine<Change>)

export interface ApplyOptions {
  readonly prefix: string
  readonly fileOf: (key: string) => string
  /** An object of the store with the same bytes, to copy instead. */
  readonly sourceOf?: (key: string) => Pick<ListedObject, 'key' | 'etag'> | undefined
  /** Called with each put's ETag in the order of keys; a returned promise is awaited. */
  readonly onEtag: (key: string, etag: string) => unknown
  readonly onDone?: (change: Change) => void
}

/** Limit of finished puts that wait for an earlier one, for each put that is under way. */
const putsAhead = 64

/** @throws {Error} at the first change that fails, or when `writing` aborts; no request is under way then */
export async function applyChanges(
  publish: Pick<Publish, 'store' | 'cacheControl' | 'concurrency' | 'maxRate'> & {
    lease: Pick<Lease, 'writing'>
  },
  changes: AsyncIterable<Change>,
  { prefix, fileOf, sourceOf, onEtag, onDone }: ApplyOptions,
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
        const source = sourceOf?.(key)
        const copied = source && (await store.copy?.(source, object, writing))
        const { etag } = copied ?? (await store.putFile(file, object, writing).catch(explainMissing(file)))
        await inOrder.put(place, key, etag)
        onDone?.(change)
      })
    }
    if (gone.length > 0) await flushDeletes()
  })
  await applying.finally(() => {
    // After a stop every request fails with an error of its own: only the reason for the stop counts.
    writing.signal.throwIfAborted()
  })
}

const explainMissing = (file: string) => async (error: unknown) => {
  await access(file, constants.R_OK).catch((cause: unknown) => {
    const what = `${file} is in the manifest but cannot be read (${systemCode(cause)})`
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

function pacer(maxRate: number | null, signal: AbortSignal): () => Promise<void> {
  let due = performance.now()
  return async () => {
    if (maxRate === null) return
    const now = performance.now()
    due = Math.max(due, now - 1000 / maxRate) + 1000 / maxRate
    if (due > now) await pause(due - now, signal)
  }
}
