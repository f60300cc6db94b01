/** A strict little S3 server for tests, over a real socket: verifies what S3 verifies, fails as the test wants. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeFaults, usualCode, type FaultRule } from './faults.ts'
import { carryOut, targetOf, type Operation, type Target, type World } from './operations.ts'
import { makeSettings, type S3Settings } from './settings.ts'
import { makeBucket, makeObject, type StoredBucket, type StoredObject, type Upload } from './storage.ts'
import { verifyChecksums, verifySignature } from './verification.ts'
import { answer, errorAnswer, joinHeaders, readBody, readSome, S3Error, type Answer } from './wire.ts'

export interface S3Options extends Partial<S3Settings> {
  readonly buckets?: readonly string[]
}

/** A request as it ended. */
export interface LogEntry {
  /** `unknown` if the request names none. */
  readonly operation: Operation | 'unknown'
  readonly method: string
  readonly bucket: string
  readonly key: string
  /** What was answered, 0 if the connection ended before. */
  readonly status: number
  /** The length of the request's body, and the body, as it came. */
  readonly bytes: number
  readonly body: Buffer
  readonly faults: readonly FaultRule['kind'][]
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
  /** Unfinished uploads; tests add to them. */
  readonly uploads: (bucket: string) => Map<string, Upload>
  /** All buckets as they are now; later changes do not show. */
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

export async function startS3({ buckets: names = [], ...given }: S3Options = {}): Promise<S3Server> {
  const settings = makeSettings(given)
  const buckets = new Map<string, StoredBucket>(names.map((name) => [name, makeBucket()]))
  const log: LogEntry[] = []
  let faults = makeFaults([], 0)
  let resets = 0
  let restored = 0
  const world: World = {
    buckets,
    settings,
    makeBucket: (name) => buckets.set(name, buckets.get(name) ?? makeBucket()),
    deleteFault: (key) => faults.ofDelete(key),
  }

  const http = createServer({ keepAliveTimeout: 60_000, requestTimeout: 0 }, (request, response) => {
    const began = { resets, restored }
    const isStale = () => began.restored !== restored
    exchange(request, response, { world, rulesFor: (asked) => faults.of(asked), isStale }).then(
      (entry) => {
        if (!isStale() && began.resets === resets) log.push(entry)
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
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))

  const bucketNamed = (name: string): StoredBucket => {
    const bucket = buckets.get(name)
    if (bucket === undefined) throw new Error(`the S3 server of the tests has no bucket ${name}`)
    return bucket
  }
  return {
    endpoint: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    settings,
    faults: (rules, seed = 1) => {
      faults = makeFaults(rules, seed)
    },
    counts: () => {
      const counts: Record<string, number> = {}
      for (const { operation } of log) counts[operation] = (counts[operation] ?? 0) + 1
      return counts
    },
    log,
    reset: () => {
      resets++
      log.length = 0
      faults = makeFaults([], 0)
    },
    objects: (bucket) => bucketNamed(bucket).objects,
    uploads: (bucket) => bucketNamed(bucket).uploads,
    snapshot: () => new Map([...buckets].map(([name, { objects }]) => [name, new Map(objects)])),
    put: (bucket, key, body, headers = {}) => {
      const now = Date.now() + settings.clockSkewMs
      bucketNamed(bucket).put(makeObject(key, Buffer.from(body), now, { headers }))
    },
    remove: (bucket, key) => {
      bucketNamed(bucket).remove(key)
    },
    empty: (bucket) => {
      bucketNamed(bucket).empty()
    },
    restore: (name, objects) => {
      restored++
      const bucket = bucketNamed(name)
      bucket.empty()
      for (const object of objects.values()) bucket.put(object)
    },
    stop: async () => {
      const closed = new Promise((resolve) => http.close(resolve))
      http.closeAllConnections()
      await closed
    },
  }
}

interface Circumstances {
  readonly world: World
  readonly rulesFor: (asked: { method: string; operation: Operation; key: string }) => readonly FaultRule[]
  /** Whether the server has gone back to an earlier state since the request came. */
  readonly isStale: () => boolean
}

/** The body of a request that was not read to its end. */
const nobody = Buffer.alloc(0)

/** One request, from its first header to its answer, with all that goes wrong on the way. @returns what is logged */
async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  { world, rulesFor, isStale }: Circumstances,
): Promise<LogEntry> {
  const { method = '', url = '' } = request
  const asked = attempt(() => targetOf(method, url))
  const target = asked instanceof S3Error ? { operation: 'unknown' as const, bucket: '', key: '' } : asked
  const { operation, bucket, key } = target
  const rules = operation === 'unknown' ? [] : rulesFor({ method, operation, key })
  const fault = rules.find(({ kind }) => kind !== 'delay' && kind !== 'call')
  const end = (status: number, body: Buffer = nobody): LogEntry => {
    if (status === 0) response.destroy()
    const faults = rules.map(({ kind }) => kind)
    return { operation, method, bucket, key, status, bytes: body.length, body, faults }
  }

  const early = await endEarly(request, response, fault)
  if (early !== undefined) return end(early)
  const received = await readBody(request)
  // A body that broke off: nobody is there to be answered, and nothing is carried out.
  if (received === undefined) return end(0)
  await waitFor(rules, 'before')
  if (isStale()) return end(0, received)
  const now = Date.now() + world.settings.clockSkewMs
  const done = fault?.kind === 'status' ? faultAnswer(fault) : respond(request, asked, received, world, now)
  await waitFor(rules, 'after')
  if (fault?.kind === 'cut-after') return end(0, received)
  response.setHeader('date', new Date(now).toUTCString())
  response.setHeader('x-amz-bucket-region', world.settings.region)
  const answered = fault?.kind === 'status-after' ? faultAnswer(fault) : done
  send(response, answered, fault)
  return end(answered.status, received)
}

/** Ends a request before its body is read, if the fault says so. @returns the status, 0 without an answer */
async function endEarly(
  request: IncomingMessage,
  response: ServerResponse,
  fault: FaultRule | undefined,
): Promise<number | undefined> {
  if (fault?.kind === 'cut-before') return 0
  if (fault?.kind !== 'cut-early' && fault?.kind !== 'status-early') return undefined
  await readSome(request)
  if (fault.kind === 'cut-early') return 0
  // A sender that does not want to send the rest has to end the connection.
  response.setHeader('connection', 'close')
  send(response, faultAnswer(fault), undefined)
  return fault.status
}

/** Verifies a request and carries it out. */
function respond(
  request: IncomingMessage,
  asked: Target | S3Error,
  body: Buffer,
  world: World,
  now: number,
): Answer {
  const done = attempt(() => {
    if (asked instanceof S3Error) throw asked
    const headers = joinHeaders(request)
    verifySignature({ method: request.method ?? '', headers, ...asked }, body, world.settings, now)
    return carryOut({ ...asked, headers, body, checksums: verifyChecksums(body, headers), now }, world)
  })
  if (!(done instanceof S3Error)) return done
  const { status, code, message, details } = done
  if (code === 'NotModified') return answer(304, { etag: details['ETag'] ?? '' })
  return errorAnswer(status, code, { Message: message, ...details })
}

const faultAnswer = ({ status, code = usualCode(status) }: Extract<FaultRule, { status: number }>): Answer =>
  errorAnswer(status, code, { Message: 'A fault of the test.' })

/** A refusal as a value; any other error is a mistake of the server. */
function attempt<Result>(run: () => Result): Result | S3Error {
  try {
    return run()
  } catch (error) {
    if (error instanceof S3Error) return error
    throw error
  }
}

async function waitFor(rules: readonly FaultRule[], when: 'before' | 'after'): Promise<void> {
  for (const rule of rules) {
    if (rule.kind === 'delay' && when === 'before')
      await new Promise((resolve) => setTimeout(resolve, rule.ms))
    if (rule.kind === 'call' && rule.when === when) await rule.run()
  }
}

/** Sends an answer, or breaks it. @param fault only `truncate`, `corrupt` and `chunked` matter here */
function send(
  response: ServerResponse,
  { status, headers, body }: Answer,
  fault: FaultRule | undefined,
): void {
  const { method } = response.req
  response.statusCode = status
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value)
  // A refusal of HEAD says nothing of a length.
  const hasLength = status !== 204 && status !== 304 && (method !== 'HEAD' || status < 300)
  if (hasLength && fault?.kind !== 'chunked') response.setHeader('content-length', body.length)
  // Node counts a body that it gets before the headers have left.
  if (fault?.kind === 'chunked') response.flushHeaders()
  if (fault?.kind === 'truncate') {
    response.flushHeaders()
    response.write(body.subarray(0, body.length >>> 1))
    // What was written has to leave first.
    setImmediate(() => response.destroy())
  } else response.end(method === 'HEAD' ? undefined : fault?.kind === 'corrupt' ? corrupt(body) : body)
}

function corrupt(body: Buffer): Buffer {
  const copy = Buffer.from(body)
  const middle = copy.length >>> 1
  if (copy.length > 0) copy.writeUInt8(copy.readUInt8(middle) ^ 1, middle)
  return copy
}
