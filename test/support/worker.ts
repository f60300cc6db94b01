/** The real Workers runtime (workerd) with an R2 bucket that holds snapshots: the very files of a deployment. No network. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Miniflare } from 'miniflare'
import pLimit from 'p-limit'
import { cloudflare, compatibilityDate } from '../../src/edge/cloudflare/deploy.ts'
import type { DeploymentSettings } from '../../src/edge/deployment.ts'
import { docsUrl } from './product.ts'
import { manifestOf } from './tree.ts'

type Slot = 'blue' | 'green'

/** What R2 does wrong: calls for keys that end like this, all of a kind, fail or wait. */
interface WorkerFault {
  readonly keyEnd: string
  readonly fails?: boolean
  readonly delayMs?: number
}

export type WorkerServer = Awaited<ReturnType<typeof startWorker>>

interface WorkerServerOptions {
  readonly liveTtlSeconds?: number
  readonly prefix?: string
  /** Whether R2's calls are counted and may fail; not for those who measure. */
  readonly isWatched?: boolean
}

export function workerSettings(liveTtlSeconds: number, prefix = ''): DeploymentSettings {
  return {
    baseUrl: 'https://api.example.org',
    docsUrl,
    out: 'out',
    bucket: { name: 'fund-data', endpoint: null, region: null, prefix, pathStyle: false },
    edge: {
      cacheControl: 'public, max-age=300, stale-while-revalidate=3600, stale-if-error=86400',
      errorCacheControl: 'public, max-age=60',
      liveTtlSeconds,
      hstsSeconds: 0,
      host: '127.0.0.1',
      port: 0,
    },
  }
}

/** Stands between the deployed module and R2: fails and waits where it is told to. */
const watcher = `import worker from './worker.js'
let faults = []
const calls = []
const watched = (bucket) => {
  const call = (name) => async (asked, ...rest) => {
    const key = asked.prefix ?? asked
    calls.push(name + ' ' + key)
    for (const { keyEnd, fails, delayMs } of faults) {
      if (!key.endsWith(keyEnd)) continue
      if (delayMs) await new Promise((resolve) => setTimeout(resolve, delayMs))
      if (fails) throw new Error('R2 fails: it was told to')
    }
    return bucket[name](asked, ...rest)
  }
  return { get: call('get'), head: call('head'), list: call('list') }
}
export default {
  fetch: async (request, environment, context) => {
    if (request.headers.has('x-watcher-faults')) {
      faults = JSON.parse(request.headers.get('x-watcher-faults'))
      return new Response(null)
    }
    if (request.headers.has('x-watcher-calls')) return Response.json(calls.splice(0))
    return worker.fetch(request, { BUCKET: watched(environment.BUCKET) }, context)
  },
}`

export async function startWorker({
  liveTtlSeconds = 1,
  prefix = '',
  isWatched = true,
}: WorkerServerOptions = {}) {
  const files = await cloudflare(workerSettings(liveTtlSeconds, prefix))
  const code = files.find(({ path }) => path === 'worker.js')?.text ?? ''
  const deployed = { type: 'ESModule' as const, path: 'worker.js', contents: code }
  const watching = { type: 'ESModule' as const, path: 'watcher.js', contents: watcher }
  const miniflare = new Miniflare({
    modules: isWatched ? [watching, deployed] : [deployed],
    compatibilityDate,
    r2Buckets: ['BUCKET'],
    // The Worker says what failed: here it fails because it is told to.
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      stdout.resume()
      stderr.resume()
    },
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  })
  // Past miniflare's own server, which compresses and parses paths.
  const base = (await miniflare.unsafeGetDirectURL()).origin
  const bucket = (await miniflare.getR2Bucket('BUCKET')) as unknown as FilledBucket
  const root = prefix === '' ? '' : `${prefix}/`
  let live: Slot | null = null

  const fill = async (slot: Slot, out: string): Promise<void> => {
    const { documents } = manifestOf(out)
    const put = pLimit(16)
    await put.map(documents, async ({ key, type, sha256 }) => {
      // Bytes of their own: a Node Buffer is a part of a larger one, which miniflare cannot send.
      const { buffer } = Uint8Array.from(await readFile(join(out, key)))
      await bucket.put(`${root}${slot}/${key}`, buffer, {
        httpMetadata: { contentType: type },
        customMetadata: { sha256 },
      })
    })
  }
  const makeLive = async (slot: Slot, out: string): Promise<void> => {
    const { head } = manifestOf(out)
    const next = {
      ...head,
      format: 1,
      slot,
      liveSince: new Date().toISOString(),
      previous: live && { slot: live },
    }
    await bucket.put(`${root}live.json`, JSON.stringify(next))
    live = slot
  }

  return {
    /** http://127.0.0.1:port: workerd itself, with nothing in between. */
    base,
    /** The folder becomes what lies in the slot. */
    fill,
    /** The flip: one write. */
    makeLive,
    /** Both, into the slot that is not live, as a publish does it. */
    publish: async (out: string) => {
      const slot = live === 'blue' ? 'green' : 'blue'
      await fill(slot, out)
      await makeLive(slot, out)
    },
    /** In place of those before; none: all is well again. */
    faults: async (faults: readonly WorkerFault[]) => {
      await fetch(base, { headers: { 'x-watcher-faults': JSON.stringify(faults) } })
    },
    /** The calls that R2 got since it was asked last, each with its key: `get blue/…`, `head blue/…`. */
    calls: async () =>
      (await fetch(base, { headers: { 'x-watcher-calls': '1' } })).json() as Promise<string[]>,
    /** Process ids of workerd, for those who measure. */
    pids: workerdPids,
    stop: () => miniflare.dispose(),
  }
}

/** What of miniflare's hold on the bucket is used; its own types are in a package that is not here. */
interface FilledBucket {
  readonly put: (key: string, body: ArrayBuffer | string, about?: object) => Promise<unknown>
}

/** The children of this process that are workerd. */
async function workerdPids(): Promise<number[]> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')
  const pids = children.trim().split(' ').map(Number)
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8')))
  return pids.filter((_, index) => names[index]?.startsWith('workerd'))
}
