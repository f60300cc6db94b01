/** The edge as a Cloudflare Worker: snapshots in an R2 bucket, long answers streamed. Cloudflare compresses. */

import type { RouteTable } from '../../../core/api/routes/table.ts'
import { answer, type EdgeSettings } from '../../../core/edge/core/answer.ts'
import {
  followLive,
  fromOneSnapshot,
  idOf,
  isNotKept,
  noAnswer,
  type Look,
} from '../../../core/edge/core/live.ts'
import {
  isDamaged,
  maxLiveBytes,
  parseLiveFile,
  readLiveOrLast,
  type LiveSlot,
} from '../../../core/edge/core/live-file.ts'
import {
  answerStaged,
  asPreview,
  isPreview,
  isStillStaged,
  stagedBeside,
} from '../../../core/edge/core/preview.ts'
import { requestOf, resolve, type Header, type Resolution } from '../../../core/edge/core/resolve.ts'
import { headerBytes, refusalOfLength, unavailable } from '../../../core/edge/core/standalone.ts'
import { respond, withoutStore } from './respond.ts'
import { inTime, textOf, workerStore, type DataCentreCache, type R2Bucket } from './store.ts'

interface WorkerConfig {
  /** `docsUrl` comes from the live snapshot. */
  readonly table: RouteTable
  readonly settings: EdgeSettings
  readonly liveTtlSeconds: number
  /** Requests with this token are answered from the staged snapshot; null: none. */
  readonly previewToken: string | null
  /** A folder of the bucket, with a slash at its end, or empty. */
  readonly prefix: string
}

declare const caches: { readonly default: DataCentreCache }

/** Limit of new starts of a request whose snapshot was replaced. */
const maxAttempts = 3

/** The log shows in the dashboard and in `wrangler tail`. */
// eslint-disable-next-line no-console -- the log of the platform
const onFailure = (error: unknown, url: string) => console.error(url.slice(0, 500), String(error))

interface Isolate {
  readonly config: WorkerConfig
  readonly follower: ReturnType<typeof followLive>
  /** What the log has of the last read of `live.json`; null if it was good. */
  trouble: string | null
}

interface Visit {
  readonly request: Request
  readonly bucket: R2Bucket
  readonly cache: DataCentreCache
  /** `https://host`, as it was sent. */
  readonly origin: string
  readonly target: string
  readonly header: Header
  readonly defer: (work: Promise<unknown>) => void
}

/** The Worker's default export, made once an isolate. */
export function worker(config: WorkerConfig) {
  const follower = followLive({ ttlMs: config.liveTtlSeconds * 1000, clock: () => Date.now() })
  const isolate: Isolate = { config, follower, trouble: null }
  return {
    fetch: async (
      request: Request,
      { BUCKET: bucket }: { readonly BUCKET: R2Bucket },
      /** After the answer, the runtime ends all work of a request but this. */
      context: { readonly waitUntil: (promise: Promise<unknown>) => void },
    ): Promise<Response> => {
      const { url, headers } = request
      const origin = /^[^/?#]*\/\/[^/?#]*/.exec(url)?.[0] ?? ''
      // Cut, not parsed: a parser would change the path once more than Cloudflare does.
      const target = url.slice(origin.length)
      const tooLong = refusalOfLength(target, bytesOf(headers))
      if (tooLong !== null) return withoutStore(request, tooLong)
      const header = (name: string) => headers.get(name) ?? undefined
      const defer = (work: Promise<unknown>) => context.waitUntil(work)
      const visit = { request, bucket, cache: caches.default, origin, target, header, defer }
      const pin = () => pinSnapshot(isolate, visit)
      return fromOneSnapshot(pin, (pinned) => answerFrom(config, visit, pinned), maxAttempts).catch(
        (error: unknown) => {
          if (!isNotKept(error)) onFailure(error, url)
          return withoutStore(request, unavailable)
        },
      )
    },
  }
}

/** @returns null if there is no such file; a text that no parser takes if it is too long */
const readText = ({ prefix }: WorkerConfig, { bucket }: Visit, key: string): Promise<string | null> =>
  inTime(
    bucket.get(prefix + key).then(async (object) => {
      if (object === null) return null
      return object.size > maxLiveBytes ? '' : textOf(await object.arrayBuffer())
    }),
  )

const readStaged = async (config: WorkerConfig, visit: Visit) =>
  stagedBeside(await readText(config, visit, 'live.json'), await readText(config, visit, 'staged.json'))

/** The place of the last good `live.json`, for isolates that begin while it cannot be read. */
const keptLook = ({ origin }: Visit) => `${origin}/.snapshots/look`

async function readLive(isolate: Isolate, visit: Visit, last: LiveSlot | undefined): Promise<LiveSlot> {
  const at = Date.now()
  let text: string | null = null
  const read = async (key: string) => {
    const found = await readText(isolate.config, visit, key)
    if (key === 'live.json') text = found
    return found
  }
  /** Later failures of the same kind are not logged. */
  const note = (trouble: string | null) => {
    if (trouble !== isolate.trouble) onFailure(trouble ?? 'can be read again', 'live.json')
    isolate.trouble = trouble
  }
  try {
    const { live, trouble } = await readLiveOrLast(read, last)
    note(trouble && `live.json is ${trouble}: the last good one counts`)
    if (trouble !== null) return live
    const headers = { 'Cache-Control': 'public, max-age=31536000' }
    const kept = new Response(JSON.stringify({ text, at }), { headers })
    visit.defer(visit.cache.put(keptLook(visit), kept).catch(() => undefined))
    return live
  } catch (error) {
    const { message } = error as Error
    note(message)
    // Whatever the reason, what is cached is right as long as nobody knows better.
    throw isDamaged(error) ? error : noAnswer(message)
  }
}

async function lookNow(isolate: Isolate, visit: Visit): Promise<Look> {
  const { follower } = isolate
  const current = () => follower.current((last) => readLive(isolate, visit, last), visit.defer)
  try {
    return await current()
  } catch (error) {
    const kept = await visit.cache.match(keptLook(visit)).catch(() => undefined)
    if (kept === undefined) throw error
    const { text, at } = (await kept.json()) as { readonly text: string; readonly at: number }
    follower.adopt({ live: parseLiveFile(text, 'live.json'), at })
    return current()
  }
}

async function pinSnapshot(isolate: Isolate, visit: Visit) {
  const { config, follower } = isolate
  const isAsPreview = isPreview(visit.header, config.previewToken)
  const staged = isAsPreview ? await readStaged(config, visit) : null
  if (staged !== null) {
    const isStillLive = () => isStillStaged(staged, () => readStaged(config, visit))
    return { live: staged, isStaged: true, isStillLive, mayKeep: null, guard: null }
  }
  const look = await lookNow(isolate, visit)
  const read = (last: LiveSlot | undefined) => readLive(isolate, visit, last)
  return {
    live: look.live,
    isStaged: false,
    isStillLive: () => follower.isStillLive(look, read),
    mayKeep: () => follower.isSafe(look),
    guard: { ...follower, confirm: () => follower.confirm(look, read) },
  }
}

async function answerFrom(
  config: WorkerConfig,
  visit: Visit,
  pinned: Awaited<ReturnType<typeof pinSnapshot>>,
): Promise<Response> {
  const { request, target, header, defer } = visit
  const { live, isStaged, isStillLive } = pinned
  const { settings } = config
  const table = { ...config.table, docsUrl: live.docsUrl }
  const asked = requestOf(request.method, target, header)
  const resolution = resolve(table, asked)
  const isHeadFirst = mayNeedNoBody(request, resolution)
  const store = workerStore({ ...visit, ...pinned, prefix: config.prefix, isHeadFirst })
  const answered =
    (await answerStaged(asked, settings, () => readStaged(config, visit))) ??
    (await answer({ table, settings, store }, resolution))
  return respond(request, isStaged ? asPreview(answered, live) : answered, {
    store,
    defer,
    assertLive: async () => {
      if (!(await isStillLive())) throw new Error(`${idOf(live)} is no longer live`)
    },
    onFailure: (error) => onFailure(error, request.url),
  })
}

const bytesOf = (headers: Headers) =>
  [...headers].reduce((sum, [name, value]) => sum + headerBytes(name, value), 0)

/** True if a stored answer is checked before it is read, since the body may not be needed. */
function mayNeedNoBody({ method, headers }: Request, { kind }: Resolution): boolean {
  if (kind !== 'document' && kind !== 'page') return false
  const conditions = ['If-Match', 'If-Unmodified-Since', 'If-None-Match', 'If-Modified-Since']
  const isConditional = conditions.some((name) => headers.has(name))
  return method === 'HEAD' || isConditional || (kind === 'page' && headers.has('Range'))
}
