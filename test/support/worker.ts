/** The real Workers runtime (workerd) with an R2 bucket that holds snapshots: the very files of a deployment. No network. */
import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Miniflare } from 'miniflare'
import {
  compatibilityDate,
  deployment as cloudflare,
} from '../../src/extensions/platforms/cloudflare/deploy.ts'
import { edgeSettings } from './edge-settings.ts'
import { manifestOf } from './tree.ts'

type Slot = 'blue' | 'green'

/** What R2 does wrong: calls for keys that end like this, all of a kind, fail or wait. */
interface WorkerFault {
  readonly keyEnd: string
  readonly fails?: boolean
  readonly delayMs?: number
  /** Waits until other faults are set. */
  readonly isHeld?: boolean
}

export type WorkerServer = Awaited<ReturnType<typeof startWorker>>

interface WorkerServerOptions {
  readonly liveTtlSeconds?: number
  readonly prefix?: string
  readonly previewToken?: string
  /** Whether R2's calls are counted and may fail; not for those who measure. */
  readonly isWatched?: boolean
}

/** Stands between the deployed module and R2: fails and waits where it is told to. */
const watcher = `import worker from './worker.js'
let faults = []
const calls = []
const watched = (bucket) => {
  const call = (name) => async (asked, ...rest) => {
    const key = asked.prefix ?? asked
    calls.push(name + ' ' + key)
    for (const fault of faults) {
      const { keyEnd, fails, delayMs, isHeld } = fault
      if (!key.endsWith(keyEnd)) continue
      while (isHeld && faults.includes(fault)) await new Promise((resolve) => setTimeout(resolve, 20))
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

/** Puts objects into R2 at a time: past miniflare's own way into the bucket, which takes four times the work. */
const filler = `export default {
  fetch: async (request, { BUCKET }) => {
    const put = ({ key, body, type, sha256 }) =>
      BUCKET.put(key, Uint8Array.fromBase64(body), {
        httpMetadata: { contentType: type },
        customMetadata: { sha256 },
      })
    await Promise.all((await request.json()).map(put))
    return new Response(null)
  },
}`

export async function startWorker({
  liveTtlSeconds = 1,
  prefix = '',
  previewToken,
  isWatched = true,
}: WorkerServerOptions = {}) {
  const files = await cloudflare(edgeSettings(liveTtlSeconds, prefix, previewToken))
  const code = files.find(({ path }) => path === 'worker.js')?.text ?? ''
  const deployed = moduleOf('worker.js', code)
  const common = {
    compatibilityDate,
    r2Buckets: ['BUCKET'],
    unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
  }
  const miniflare = new Miniflare({
    workers: [
      {
        ...common,
        name: 'edge',
        modules: isWatched ? [moduleOf('watcher.js', watcher), deployed] : [deployed],
      },
      { ...common, name: 'filler', modules: [moduleOf('filler.js', filler)] },
    ],
    // The Worker says what failed: here it fails because it is told to.
    handleRuntimeStdio: (stdout: Readable, stderr: Readable) => {
      stdout.resume()
      stderr.resume()
    },
  })
  // Past miniflare's own server, which compresses and parses paths.
  const urlOf = async (name: string) => (await miniflare.unsafeGetDirectURL(name)).origin
  const base = await urlOf('edge')
  const fillerBase = await urlOf('filler')
  const root = prefix === '' ? '' : `${prefix}/`
  let live: { readonly slot: Slot; readonly liveSince: string } | null = null

  const put = async (objects: readonly Filling[]): Promise<void> => {
    const bodies = objects.map(({ key, body, ...about }) => {
      return { key: root + key, body: Buffer.from(body).toString('base64'), ...about }
    })
    // On a slow machine workerd may have closed a connection that is used again.
    const headers = { connection: 'close' }
    const { status } = await fetch(fillerBase, { method: 'POST', headers, body: JSON.stringify(bodies) })
    if (status !== 200) throw new Error(`R2 takes no objects: ${status}`)
  }
  const fill = async (slot: Slot, out: string): Promise<void> => {
    const { documents } = manifestOf(out)
    const status = 'status/index.json'
    const json = { type: 'application/json', sha256: '' }
    await put([
      { ...json, key: `${slot}/${status}`, body: readFileSync(join(out, status)) },
      { ...json, key: 'journal.json', body: '{"format":1,"changing":{}}' },
    ])
    for (let at = 0; at < documents.length; at += 200) {
      const batch = documents.slice(at, at + 200)
      await put(
        batch.map(({ key, ...about }) => {
          return { ...about, key: `${slot}/${key}`, body: readFileSync(join(out, key)) }
        }),
      )
    }
  }
  const makeLive = async (slot: Slot, out: string): Promise<void> => {
    const { head } = manifestOf(out)
    const next = { ...head, format: 1, slot, liveSince: new Date().toISOString() }
    const body = JSON.stringify({ ...next, earlierDownloads: {}, previous: live })
    await put([{ key: 'live.json', body, type: 'application/json', sha256: '' }])
    live = next
  }

  return {
    /** http://127.0.0.1:port: workerd itself, with nothing in between. */
    base,
    /** Puts objects below the prefix. */
    put,
    /** The folder becomes what lies in the slot. */
    fill,
    /** The flip: one write. */
    makeLive,
    /** Both, into the slot that is not live, as a publish does it. */
    publish: async (out: string) => {
      const slot = live?.slot === 'blue' ? 'green' : 'blue'
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

interface Filling {
  readonly key: string
  readonly body: Buffer | string
  readonly type: string
  readonly sha256: string
}

const moduleOf = (path: string, contents: string) => {
  return { type: 'ESModule' as const, path, contents }
}

/** The children of this process that are workerd. */
export async function workerdPids(): Promise<number[]> {
  const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')
  const pids = children.trim().split(' ').map(Number)
  const names = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/comm`, 'utf8')))
  return pids.filter((_, index) => names[index]?.startsWith('workerd'))
}
