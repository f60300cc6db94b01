/** `fundpress serve`: an origin of a folder or of a bucket, on a server that follows it until it is stopped. */

import { hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { routeTable } from '../api/derive/route-table.ts'
import { endpoints } from '../api/endpoints/index.ts'
import { checksumsIn, inSlot } from '../bucket/live/layout.ts'
import { findSnapshot } from '../bucket/live/staged.ts'
import { readPart, readUpTo } from '../bucket/store/read.ts'
import { isFolderName, type ObjectStore } from '../bucket/store/store.ts'
import { exampleTargets } from '../snapshot/examples.ts'
import { checksumsKey, manifestKey, readManifestHead, readSparse } from '../snapshot/manifest.ts'
import { recoverSnapshot } from '../snapshot/staging.ts'
import { isNoAnswer, longestReadMs, noAnswer, type ReadLive } from '../edge/core/live.ts'
import {
  isDamaged,
  maxLiveBytes,
  readLiveOrLast,
  type LiveSlot,
  type ReadText,
} from '../edge/core/live-file.ts'
import { stagedBeside } from '../edge/core/preview.ts'
import { bucketOrigin } from '../edge/node/bucket.ts'
import { folderOrigin } from '../edge/node/folder.ts'
import { stopServing } from '../edge/node/connections.ts'
import { createEdgeServer, type Pointer } from '../edge/node/server.ts'
import { messageOf } from '../system/message.ts'
import { Interrupted } from '../system/signals.ts'
import type { Session } from './command.ts'
import { describeAddresses } from './from-settings.ts'

/**
 * Patience of a request: a silent store must soon become a 503. {@link inTime} limits all attempts together. Times of the
 * SDK are longer, because it would wait before another attempt.
 */
export const requestPatience = {
  attempts: 3,
  connectMs: 2 * longestReadMs,
  silenceMs: 2 * longestReadMs,
  bodyMs: 2 * longestReadMs,
}

/** Lets reads fail with NoAnswer if they take too long. */
function inTime(store: ObjectStore): ObjectStore {
  const late = () => noAnswer(`${store.name} has not answered for ${longestReadMs / 1000} s`)
  const deadline = (): AbortSignal => {
    const controller = new AbortController()
    // On a busy machine an answer may have arrived and wait to be read: the read comes first.
    const end = () => setImmediate(() => controller.abort(late()))
    setTimeout(end, longestReadMs).unref()
    return controller.signal
  }
  return { ...store, get: (key, options) => store.get(key, { ...options, signal: deadline() }) }
}

/** Logs an outage once, however many requests fail, and its end once. */
function outageLog({ name }: ObjectStore, { stderr }: Session) {
  let isSilent = false
  return {
    failed: (error: unknown): void => {
      if (!isSilent)
        stderr.tell(`${messageOf(error)} (${name}: until it answers, only what is in memory is served)`)
      isSilent = true
    },
    answered: (): void => {
      if (isSilent) stderr.tell(`${name} answers again`)
      isSilent = false
    },
  }
}

/** Remembers whether `live.json` can be read, for `/status/health`, and logs when that changes. */
function pointerLog({ name }: ObjectStore, { now, stderr }: Pick<Session, 'now' | 'stderr'>) {
  let pointer: Pointer = { state: 'read', since: null }
  return {
    now: (): Pointer => pointer,
    is: (state: Pointer['state']): void => {
      if (state === pointer.state) return
      if (state === 'damaged' || state === 'missing')
        stderr.tell(
          `${name}: live.json is ${state}: what it named last is served on. \`fundpress status\` says what to do`,
        )
      if (state === 'read') stderr.tell(`${name}: live.json can be read again`)
      pointer = { state, since: state === 'read' ? null : now().toISOString() }
    },
  }
}

/** A clock that runs on while the machine sleeps, unlike the steady one, and never back, unlike the wall clock. */
function wakefulClock(clock: Session['clock'], now: Session['now']): Session['clock'] {
  let steady = clock()
  let wall = now().getTime()
  let time = 0
  return () => {
    const steadyNow = clock()
    const wallNow = now().getTime()
    time += Math.max(steadyNow - steady, wallNow - wall)
    ;[steady, wall] = [steadyNow, wallNow]
    return time
  }
}

export async function serveUntilStopped(
  session: Session,
  { origin, snapshot, place, examples, outage }: Served,
) {
  const { settings, isQuiet, signal, stdout, stderr } = session
  const onFailure = (error: unknown, target: string) => {
    if (signal.aborted) return
    if (outage !== undefined && isNoAnswer(error)) outage.failed(error)
    else stderr.tell(`${JSON.stringify(target.slice(0, 200))} failed: ${messageOf(error)}`)
  }
  const server = createEdgeServer({
    origin,
    settings: settings.edge,
    previewToken: settings.edge.previewToken,
    trustedProxies: settings.serve.trustedProxies,
    onFailure,
  })
  const address = await listen(server, socketOfSystemd(session) ?? settings.serve)
  server.on('error', (error) => stderr.tell(`a connection was lost: ${messageOf(error)}`))
  if (!isQuiet) {
    const links = (await examples()).map((target) => `  ${address}${target}\n`)
    stdout.write(`serving ${snapshot} from ${place} on ${address}\n`)
    if (links.length > 0) stdout.write(`try\n${links.join('')}`)
    const local = describeAddresses(settings)
    const isHere = address.endsWith(`:${new URL(settings.baseUrl).port}`)
    if (local !== null && !isHere) stdout.write(`${local}\n`)
  }
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve))
  const { reason } = signal as { readonly reason: unknown }
  const isByKey = reason instanceof Interrupted && reason.signal !== 'SIGTERM'
  await stopServing(server, isByKey ? 0 : drainMs)
}

/** Time for requests in work after SIGTERM. The process ends after 9 s. */
const drainMs = 7000

/** `fundpress-serve.socket`: no request fails while one process replaces another. Source: sd_listen_fds(3). */
function socketOfSystemd({ environment }: Session): { readonly fd: number } | null {
  const isOurs = environment['LISTEN_PID'] === String(process.pid) && environment['LISTEN_FDS'] === '1'
  return isOurs ? { fd: 3 } : null
}

/** `snapshot` is served now, from `place`; `examples` are pages to open and requests to try. */
type Served = Awaited<ReturnType<typeof serveFolder>> & {
  /** Only for a bucket. */
  readonly outage?: ReturnType<typeof outageLog>
}

/** @throws {Error} if the folder holds no snapshot, or a sparse one */
export async function serveFolder(out: string) {
  recoverSnapshot(out)
  const readHead = async (folder: string) => {
    const head = await readManifestHead(folder)
    if (readSparse(folder) === null) return head
    throw new Error(`${folder} is sparse, it lacks unchanged documents: publish it, or build without --since`)
  }
  const { snapshot } = await readHead(out)
  const origin = folderOrigin({
    folder: out,
    markFile: manifestKey,
    // Errors of the edge link to the documentation of the snapshot.
    readHead: async (folder) => {
      const head = await readHead(folder)
      return { snapshot: head.snapshot, table: routeTable(endpoints, head.docsUrl) }
    },
    recover: () => recoverSnapshot(out),
  })
  const examples = () =>
    exampleTargets(createReadStream(join(out, checksumsKey)), routeTable(endpoints, ''), (key) =>
      existsSync(join(out, key)),
    )
  return { origin, snapshot, place: out, examples }
}

/** @param wanted null: the live snapshot @throws {Error} if no slot holds the snapshot, or the bucket cannot be read */
export async function serveBucket(
  patient: ObjectStore,
  session: Session,
  wanted: string | null,
): Promise<Served> {
  const { settings, clock, now } = session
  const store = inTime(patient)
  const outage = outageLog(store, session)
  /** A file that is too long becomes an empty text, which no parser takes. */
  const readText: ReadText = async (key) => {
    const object = await readUpTo(store, key, maxLiveBytes)
    return object && (object.body?.toString() ?? '')
  }
  const pointer = pointerLog(store, session)
  const readWanted = async (id: string) => {
    try {
      const found = await findSnapshot(store, id)
      outage.answered()
      return found
    } catch (error) {
      if (isNoAnswer(error)) outage.failed(error)
      throw error
    }
  }
  const atStart = wanted === null ? await startWith(store, readText) : await findSnapshot(store, wanted)
  const readLive: ReadLive = async (last = atStart) => {
    try {
      const { live, trouble } = await readLiveOrLast(readText, last)
      pointer.is(trouble ?? 'read')
      outage.answered()
      return live
    } catch (error) {
      pointer.is('unreachable')
      outage.failed(error)
      // Whatever the reason, what is in memory is right as long as nobody knows better.
      throw isNoAnswer(error) || isDamaged(error) ? error : noAnswer(messageOf(error))
    }
  }
  const origin = bucketOrigin({
    readLive: wanted === null ? readLive : () => readWanted(wanted),
    pointer: pointer.now,
    readStaged: async () => stagedBeside(await readText('live.json'), await readText('staged.json')),
    table: routeTable(endpoints, ''),
    reader: {
      read: async (key, most) => withDigest(store, await readUpTo(store, key, most)),
      readPart: (key, part, etag) => readPart(store, key, part, etag),
    },
    // No grace period protects a staged snapshot: each answer checks that its slot still holds it.
    ttlMs: wanted === null ? settings.edge.liveTtlSeconds * 1000 : 0,
    clock: wakefulClock(clock, now),
  })
  const { slot, snapshot } = atStart
  const examples = async () => {
    const list = await patient.get(checksumsIn(slot))
    if (list === null) return []
    const has = async (key: string) => {
      const object = await patient.get(inSlot(slot, key))
      object?.cancel()
      return object !== null
    }
    const found = await exampleTargets(Readable.from(list.body), routeTable(endpoints, ''), has)
    list.cancel()
    return found
  }
  return { origin, snapshot, place: store.name, examples, outage }
}

/** @throws {Error} without a good `live.json`: this edge has no last one */
async function startWith({ name }: ObjectStore, readText: ReadText): Promise<LiveSlot> {
  if ((await readText('live.json')) === null)
    throw new Error(`${name}: nothing is live, there is nothing to serve`)
  return (await readLiveOrLast(readText, undefined)).live
}

/** A folder's ETags differ between slots for the same bytes. A digest keeps the ETag, as on S3. */
function withDigest(store: ObjectStore, object: Awaited<ReturnType<typeof readUpTo>>) {
  if (!isFolderName(store.name) || !object?.body) return object
  return { ...object, etag: `"${hash('md5', object.body)}"` }
}

/** @returns the address for a browser: `http://127.0.0.1:8080` @throws {Error} if the port cannot be opened */
async function listen(
  server: Server,
  place: { readonly host: string; readonly port: number } | { readonly fd: number },
): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason: Readonly<Record<string, string>> = {
        EADDRINUSE: 'another program uses it: choose another --port (0: any free port)',
        EACCES: 'permission denied: choose a --port above 1023',
        EADDRNOTAVAIL: 'this machine does not have that address: choose another --host',
        ENOTFOUND: 'that host does not exist: choose another --host',
      }
      const known = reason[error.code ?? '']
      const where = 'fd' in place ? "systemd's socket" : `${place.host} port ${place.port}`
      reject(known === undefined ? error : new Error(`${where}: ${known}`, { cause: error }))
    })
    server.listen(place, resolve)
  })
  const { address, family, port: actual } = server.address() as AddressInfo
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${actual}`
}
