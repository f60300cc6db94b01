/** The edge as a Cloudflare Worker: snapshots in an R2 bucket, long answers streamed. Compression is Cloudflare's part. */

import type { RouteTable } from '../../routes/table.ts'
import { answer, type EdgeSettings } from '../answer.ts'
import { headerBytes, refusalOfLength } from '../limits.ts'
import { resolve, type EdgeRequest, type Resolution } from '../resolve.ts'
import { unavailable } from '../standalone.ts'
import { followLive, idOf, parseLive, type LiveSlot, type Look } from './worker/live.ts'
import type { DataCentreCache, ExecutionContext, R2Bucket } from './worker/platform.ts'
import { respond, withoutStore } from './worker/respond.ts'
import { workerStore } from './worker/store.ts'

export interface WorkerConfig {
  /** Its errors link to the documentation that the live snapshot's do. */
  readonly table: RouteTable
  readonly settings: EdgeSettings
  readonly liveTtlSeconds: number
  /** A folder of the bucket, with a slash at its end, or empty. */
  readonly prefix: string
  /** Told of every request that failed for a reason of ours. */
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
  const follower = followLive(
    liveTtlSeconds * 1000,
    () => Date.now(),
    (error) => onFailure(error, 'live.json'),
  )

  const answerFrom = async (
    look: Look,
    request: Request,
    { BUCKET: bucket }: WorkerEnvironment,
    context: ExecutionContext,
    isStillLive: () => Promise<boolean>,
  ): Promise<Response> => {
    const { live } = look
    const defer = (work: Promise<unknown>) => context.waitUntil(work)
    const linked = { ...table, docsUrl: live.docsUrl }
    const resolution = resolve(linked, edgeRequest(request))
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

  const answerFromOneSnapshot: Worker['fetch'] = async (request, environment, context) => {
    const readLive = () => readLiveSlot(environment.BUCKET, prefix)
    let failure: unknown
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const look = await follower.current(readLive)
      const isStillLive = () => follower.isStillLive(look, readLive)
      try {
        const response = await answerFrom(look, request, environment, context, isStillLive)
        if (await isStillLive()) return response
        failure = new Error('the snapshot changed again and again')
      } catch (error) {
        // Objects that are gone, because the snapshot was exchanged in between, are no failure.
        if (await isStillLive()) throw error
        failure = error
      }
    }
    throw failure
  }

  return {
    fetch: async (request, environment, context) => {
      const tooLong = refusalOfLength(targetOf(request), bytesOfHeaders(request))
      if (tooLong !== null) return withoutStore(request, tooLong)
      try {
        return await answerFromOneSnapshot(request, environment, context)
      } catch (error) {
        onFailure(error, request.url)
        return withoutStore(request, unavailable)
      }
    },
  }
}

async function readLiveSlot(bucket: R2Bucket, prefix: string): Promise<LiveSlot> {
  const object = await bucket.get(`${prefix}live.json`)
  if (object === null) throw new Error('nothing is live in this bucket: publish first')
  return parseLive(await object.text())
}

/** `https://host`, as it was sent. */
const originOf = (url: string) => /^[^/?#]*\/\/[^/?#]*/.exec(url)?.[0] ?? ''

// Cut, not parsed: parsing would change the path once more than Cloudflare does.
const targetOf = ({ url }: Request) => url.slice(originOf(url).length)

const bytesOfHeaders = ({ headers }: Request) =>
  [...headers].reduce((sum, [name, value]) => sum + headerBytes(name, value), 0)

function edgeRequest(request: Request): EdgeRequest {
  const { method, headers } = request
  const target = targetOf(request)
  const question = target.indexOf('?')
  return {
    method,
    path: question < 0 ? target : target.slice(0, question),
    query: question < 0 ? '' : target.slice(question + 1),
    accept: headers.get('Accept') ?? undefined,
    acceptLanguage: headers.get('Accept-Language') ?? undefined,
  }
}

/** Whether a stored answer is looked at before it is read: all of it may not be wanted. */
function mayNeedNoBody({ method, headers }: Request, { kind }: Resolution): boolean {
  if (kind !== 'document' && kind !== 'page') return false
  const isConditional = headers.has('If-None-Match') || headers.has('If-Modified-Since')
  return method === 'HEAD' || isConditional || (kind === 'page' && headers.has('Range'))
}
