/** A strict little S3 server for tests, over a real socket: verifies what S3 verifies, fails when it is told to. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exchange, type LogEntry } from './exchange.ts'
import { makeFaults, type FaultRule } from './faults.ts'
import { keptHeaders, makeObject } from './put-object.ts'
import type { World } from './request.ts'
import type { Operation } from './route.ts'
import { makeSettings, type S3Settings } from './settings.ts'
import { openStore, type Bucket, type StoredObject, type Upload } from './store.ts'

export interface S3Options extends Partial<S3Settings> {
  readonly buckets?: readonly string[]
  /** Where objects are kept and found again; in memory unless given. */
  readonly dir?: string
  /** 0, unless given: any that is free. */
  readonly port?: number
}

export interface S3Server {
  /** http://127.0.0.1:port */
  readonly endpoint: string
  /** What the server holds true, to be changed at any time. */
  readonly settings: S3Settings
  /** Rules in place of those before; none: all is well again. */
  readonly faults: (rules: readonly FaultRule[], seed?: number) => void
  /** Requests that came since the last reset, by operation. */
  readonly counts: () => Readonly<Record<string, number>>
  /** Requests that came since the last reset, in the order of their ends. */
  readonly log: readonly LogEntry[]
  /** Forgets counts, log and faults; objects stay. Requests that are on their way are carried out, but not logged. */
  readonly reset: () => void
  /** As it is now and becomes; not over HTTP, so neither counted nor logged. */
  readonly objects: (bucket: string) => ReadonlyMap<string, StoredObject>
  readonly uploads: (bucket: string) => ReadonlyMap<string, Upload>
  /** All buckets as they are now, with their bodies; later changes do not show. */
  readonly snapshot: () => ReadonlyMap<string, ReadonlyMap<string, StoredObject>>
  /** Past all checks, faults and counts. */
  readonly put: (
    bucket: string,
    key: string,
    body: string | Buffer,
    headers?: Readonly<Record<string, string>>,
  ) => void
  readonly remove: (bucket: string, key: string) => void
  /** Removes all objects and uploads. */
  readonly empty: (bucket: string) => void
  /**
   * Puts objects of a snapshot back as they were, in place of all that is there. ETags are the same again: requests that
   * are on their way are not carried out any more, and not logged.
   */
  readonly restore: (bucket: string, objects: ReadonlyMap<string, StoredObject>) => void
  readonly stop: () => Promise<void>
}

export async function startS3(options: S3Options = {}): Promise<S3Server> {
  const { buckets = [], dir, port = 0, ...given } = options
  const settings = makeSettings(given)
  const store = openStore(dir)
  buckets.forEach(store.create)
  const log: LogEntry[] = []
  const counts = new Map<Operation | 'unknown', number>()
  let faults = makeFaults([], 0)
  let requests = 0
  let resets = 0
  let restored = 0
  const world: World = { store, settings, deleteFault: (key) => faults.ofDelete(key) }

  const http = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, response) => {
    const requestId = (++requests).toString(16).toUpperCase().padStart(16, '0')
    const began = { resets, restored }
    const isStale = () => began.restored !== restored
    exchange(request, response, { world, faults, requestId, isStale }).then(
      (entry) => {
        if (isStale() || began.resets !== resets) return
        log.push(entry)
        counts.set(entry.operation, (counts.get(entry.operation) ?? 0) + 1)
      },
      (error: unknown) => {
        // A mistake of this server: loud, wherever the test looks.
        response.destroy()
        process.nextTick(() => {
          throw error
        })
      },
    )
  })
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject)
    http.listen(port, '127.0.0.1', resolve)
  })
  const { port: listening } = http.address() as AddressInfo

  const empty = (name: string): void => {
    const { objects, uploads, remove } = bucketNamed(name)
    for (const key of [...objects.keys()]) remove(key)
    uploads.clear()
  }
  const bucketNamed = (name: string): Bucket => {
    const bucket = store.buckets.get(name)
    if (bucket === undefined) throw new Error(`the S3 server of the tests has no bucket ${name}`)
    return bucket
  }
  return {
    endpoint: `http://127.0.0.1:${listening}`,
    settings,
    faults: (rules, seed = 1) => {
      faults = makeFaults(rules, seed)
    },
    counts: () => Object.fromEntries(counts),
    log,
    reset: () => {
      resets++
      log.length = 0
      counts.clear()
      faults = makeFaults([], 0)
    },
    objects: (bucket) => bucketNamed(bucket).objects,
    uploads: (bucket) => bucketNamed(bucket).uploads,
    snapshot: () => new Map([...store.buckets.values()].map(({ name, objects }) => [name, copyOf(objects)])),
    put: (bucket, key, body, headers = {}) => {
      const now = Date.now() + settings.clockSkewMs
      bucketNamed(bucket).put(makeObject({ key, now }, Buffer.from(body), keptHeaders(headers), {}))
    },
    remove: (bucket, key) => {
      bucketNamed(bucket).remove(key)
    },
    empty,
    restore: (bucket, objects) => {
      restored++
      empty(bucket)
      for (const object of copyOf(objects).values()) bucketNamed(bucket).put(object)
    },
    stop: async () => {
      const closed = new Promise((resolve) => http.close(resolve))
      http.closeAllConnections()
      await closed
    },
  }
}

/** Objects are never changed; a body in a file has to be read, though. */
const copyOf = (objects: ReadonlyMap<string, StoredObject>): ReadonlyMap<string, StoredObject> =>
  new Map([...objects].map(([key, object]) => [key, { ...object }]))
