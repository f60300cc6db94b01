/** The edge as a Cloudflare Worker: snapshots in an R2 bucket, long answers streamed. Compression is Cloudflare's part. */

import type { RouteTable } from '../../api/routes/table.ts'
import { answer, type EdgeSettings } from '../core/answer.ts'
import { followLive, fromOneSnapshot, idOf, parseLiveSlot, type Look } from '../core/live.ts'
import { requestOf, resolve, type Resolution } from '../core/resolve.ts'
import { headerBytes, refusalOfLength, unavailable } from '../core/standalone.ts'
import type { DataCentreCache, ExecutionContext, R2Bucket } from './platform.ts'
import { respond, withoutStore } from './respond.ts'
import { workerStore } from './store.ts'

export interface WorkerConfig {
  /** Its errors link to the documentation that the live snapshot's do. */
  readonly table: RouteTable
  readonly settings: EdgeSettings
  readonly liveTtlSeconds: number
  /** A folder of the bucket, with a slash at its end, or empty. */
  readonly prefix: string
  /** Called for each request that the Worker fails to answer. */
  readonly onFailure: (error: unknown, url: string) => void
}

export interface WorkerEnvironment {
  readonly BUCKET: R2Bucket
}

export interface Worker {
  readonly fetch: (
    request: Request,
    environment: WorkerEnvironment,
    context: ExecutionContext,
  ) => Promise<Response>
}

declare const caches: { readonly default: DataCentreCache }

/** How often a request starts anew because the snapshot was exchanged under it. */
const maxAttempts = 3

/** The Worker's default export; made once an isolate. */
export function worker(config: WorkerConfig): Worker {
  const { table, settings, liveTtlSeconds, prefix, onFailure } = config
  const follower = followLive({
    ttlMs: liveTtlSeconds * 1000,
    clock: () => Date.now(),
    onDamaged: (error) => onFailure(error, 'live.json'),
  })

  const answerFrom = async (
    { look, isStillLive }: { readonly look: Look; readonly isStillLive: () => Promise<boolean> },
    request: Request,
    { BUCKET: bucket }: WorkerEnvironment,
    context: ExecutionContext,
  ): Promise<Response> => {
    const { live } = look
    const { method, headers } = request
    const header = (name: string) => headers.get(name) ?? undefined
    const defer = (work: Promise<unknown>) => context.waitUntil(work)
    const linked = { ...table, docsUrl: live.docsUrl }
    const resolution = resolve(linked, requestOf(method, targetOf(request), header))
    const store = workerStore({
      bucket,
      prefix,
      live,
      cache: caches.default,
      origin: originOf(request.url),
      isHeadFirst: mayNeedNoBody(request, resolution),
      mayKeep: () => follower.isSafe(look),
      defer,
    })
    const answered = await answer(linked, settings, store, resolution)
    return respond(request, answered, resolution, {
      expectReads: store.expect,
      sizes: store.sizes,
      defer,
      assertLive: async () => {
        if (!(await isStillLive())) throw new Error(`${idOf(live)} is no longer live`)
      },
      onFailure: (error) => onFailure(error, request.url),
    })
  }

  return {
    fetch: async (request, environment, context) => {
      const tooLong = refusalOfLength(targetOf(request), bytesOfHeaders(request))
      if (tooLong !== null) return withoutStore(request, tooLong)
      const readLive = async () => {
        const object = await environment.BUCKET.get(`${prefix}live.json`)
        if (object === null) throw new Error('nothing is live in this bucket: publish first')
        return parseLiveSlot(await object.text())
      }
      const pin = async () => {
        const look = await follower.current(readLive)
        return { look, isStillLive: () => follower.isStillLive(look, readLive) }
      }
      try {
        return await fromOneSnapshot(
          pin,
          (pinned) => answerFrom(pinned, request, environment, context),
          maxAttempts,
        )
      } catch (error) {
        onFailure(error, request.url)
        return withoutStore(request, unavailable)
      }
    },
  }
}

/** `https://host`, as it was sent. */
const originOf = (url: string) => /^[^/?#]*\/\/[^/?#]*/.exec(url)?.[0] ?? ''

// Cut, not parsed: parsing would change the path once more than Cloudflare does.
const targetOf = ({ url }: Request) => url.slice(originOf(url).length)

const bytesOfHeaders = ({ headers }: Request) =>
  [...headers].reduce((sum, [name, value]) => sum + headerBytes(name, value), 0)

/** Whether a stored answer is looked at before it is read: all of it may not be wanted. */
function mayNeedNoBody({ method, headers }: Request, { kind }: Resolution): boolean {
  if (kind !== 'document' && kind !== 'page') return false
  const isConditional = headers.has('If-None-Match') || headers.has('If-Modified-Since')
  return method === 'HEAD' || isConditional || (kind === 'page' && headers.has('Range'))
}
