/** The edge as a Cloudflare Worker: snapshots in an R2 bucket, long answers streamed. Compression is Cloudflare's part. */

import type { RouteTable } from '../../api/routes/table.ts'
import { answer, type EdgeSettings } from '../core/answer.ts'
import { followLive, fromOneSnapshot, idOf, isNoAnswer, isNotKept, type Look } from '../core/live.ts'
import { maxLiveBytes, parseLiveFile } from '../core/live-file.ts'
import { answerStaged, asPreview, isPreview, isStillStaged, stagedBeside } from '../core/preview.ts'
import { requestOf, resolve, type Resolution } from '../core/resolve.ts'
import { headerBytes, refusalOfLength, unavailable } from '../core/standalone.ts'
import { respond, withoutStore } from './respond.ts'
import { inTime, textOf, workerStore, type DataCentreCache, type R2Bucket } from './store.ts'

export interface WorkerConfig {
  /** Its errors link to the documentation that the live snapshot's do. */
  readonly table: RouteTable
  readonly settings: EdgeSettings
  readonly liveTtlSeconds: number
  /** Requests that have it are answered from the staged snapshot; null: none are. */
  readonly previewToken: string | null
  /** A folder of the bucket, with a slash at its end, or empty. */
  readonly prefix: string
}

declare const caches: { readonly default: DataCentreCache }

/** How often a request starts anew because the snapshot was exchanged under it. */
const maxAttempts = 3

/** For each request that the Worker fails to answer. The log shows in the dashboard and in `wrangler tail`. */
// eslint-disable-next-line no-console -- the log of the platform
const onFailure = (error: unknown, url: string) => console.error(url.slice(0, 500), String(error))

/** The Worker's default export; made once an isolate. */
export function worker(config: WorkerConfig) {
  const { table, settings, liveTtlSeconds, previewToken, prefix } = config
  const follower = followLive({
    ttlMs: liveTtlSeconds * 1000,
    clock: () => Date.now(),
    onDamaged: (error) => onFailure(error, 'live.json'),
  })

  let isSilent = false

  const fetch = async (
    request: Request,
    { BUCKET: bucket }: { readonly BUCKET: R2Bucket },
    /** Ends what a request has begun when the answer is over, except what it is told to wait for. */
    context: { readonly waitUntil: (promise: Promise<unknown>) => void },
  ): Promise<Response> => {
    const { method, url, headers } = request
    const origin = originOf(url)
    // Cut, not parsed: parsing would change the path once more than Cloudflare does.
    const target = url.slice(origin.length)
    const tooLong = refusalOfLength(target, bytesOf(headers))
    if (tooLong !== null) return withoutStore(request, tooLong)

    const header = (name: string) => headers.get(name) ?? undefined
    const cache = caches.default
    const defer = (work: Promise<unknown>) => context.waitUntil(work)
    const readText = (key: string) =>
      inTime(
        bucket.get(prefix + key).then(async (object) => {
          if (object === null) return null
          // A text that no parser takes.
          return object.size > maxLiveBytes ? '' : textOf(await object.arrayBuffer())
        }),
      )
    // For isolates that begin while R2 does not answer.
    const keptLook = `${origin}/.snapshots/look`
    const readLive = async () => {
      const at = Date.now()
      const text = await readText('live.json').catch((error: unknown) => {
        // Later requests that fail for that reason are not logged.
        if (!isSilent) onFailure(error, 'live.json')
        isSilent = true
        throw error
      })
      isSilent = false
      if (text === null) throw new Error('nothing is live in this bucket: publish first')
      const live = parseLiveFile(text, 'live.json')
      const headers = { 'Cache-Control': 'public, max-age=86400' }
      const kept = new Response(JSON.stringify({ text, at }), { headers })
      defer(cache.put(keptLook, kept).catch(() => undefined))
      return live
    }
    const lookNow = async (): Promise<Look> => {
      try {
        return await follower.current(readLive, defer)
      } catch (error) {
        const kept = isNoAnswer(error) ? await cache.match(keptLook).catch(() => undefined) : undefined
        if (kept === undefined) throw error
        const { text, at } = (await kept.json()) as { readonly text: string; readonly at: number }
        follower.adopt({ live: parseLiveFile(text, 'live.json'), at })
        return follower.current(readLive, defer)
      }
    }
    const readStaged = async () => stagedBeside(await readText('live.json'), await readText('staged.json'))
    const pin = async () => {
      const staged = isPreview(header, previewToken) ? await readStaged() : null
      if (staged !== null) {
        const isStillLive = () => isStillStaged(staged, readStaged)
        return { live: staged, isStaged: true, isStillLive, mayKeep: null, guard: null }
      }
      const look = await lookNow()
      return {
        live: look.live,
        isStaged: false,
        isStillLive: () => follower.isStillLive(look, readLive),
        mayKeep: () => follower.isSafe(look),
        guard: { ...follower, confirm: () => follower.confirm(look, readLive) },
      }
    }
    const answerFrom = async (pinned: Awaited<ReturnType<typeof pin>>) => {
      const { live, isStaged, isStillLive, mayKeep, guard } = pinned
      const linked = { ...table, docsUrl: live.docsUrl }
      const asked = requestOf(method, target, header)
      const resolution = resolve(linked, asked)
      const store = workerStore({
        bucket,
        prefix,
        live,
        cache,
        origin,
        isHeadFirst: mayNeedNoBody(request, resolution),
        mayKeep,
        guard,
        defer,
      })
      const answered =
        (await answerStaged(asked, settings, readStaged)) ??
        (await answer({ table: linked, settings, store }, resolution))
      return respond(request, isStaged ? asPreview(answered, live) : answered, {
        store,
        defer,
        assertLive: async () => {
          if (!(await isStillLive())) throw new Error(`${idOf(live)} is no longer live`)
        },
        onFailure: (error) => onFailure(error, url),
      })
    }
    return fromOneSnapshot(pin, answerFrom, maxAttempts).catch((error: unknown) => {
      if (!isNotKept(error)) onFailure(error, url)
      return withoutStore(request, unavailable)
    })
  }
  return { fetch }
}

/** `https://host`, as it was sent. */
const originOf = (url: string) => /^[^/?#]*\/\/[^/?#]*/.exec(url)?.[0] ?? ''

const bytesOf = (headers: Headers) =>
  [...headers].reduce((sum, [name, value]) => sum + headerBytes(name, value), 0)

/** Whether a stored answer is looked at before it is read: all of it may not be wanted. */
function mayNeedNoBody({ method, headers }: Request, { kind }: Resolution): boolean {
  if (kind !== 'document' && kind !== 'page') return false
  const isConditional = headers.has('If-None-Match') || headers.has('If-Modified-Since')
  return method === 'HEAD' || isConditional || (kind === 'page' && headers.has('Range'))
}
