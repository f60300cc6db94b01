/** A strict little S3 server for tests, over a real socket: verifies what S3 verifies, fails as the test wants. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { freePorts } from '../ports.ts'
import { listen } from '../request.ts'
import { makeFaults, type FaultRule } from './faults.ts'
import { carryOut, targetOf, type Operation, type World } from './operations.ts'
import { makeSettings, type S3Settings } from './settings.ts'
import { makeBucket, makeObject, type StoredBucket, type StoredObject } from './storage.ts'
import { verifyChecksums, verifySignature } from './verification.ts'
import { answer, errorAnswer, joinHeaders, readBody, readSome, S3Error, type Answer } from './wire.ts'

/** A request as it ended. */
interface LogEntry {
  /** `unknown` if the request names none. */
  readonly operation: Operation | 'unknown'
  readonly method: string
  readonly bucket: string
  readonly key: string
  /** What was answered, 0 if the connection ended before. */
  readonly status: number
  /** The request's body as it came; empty if it was not read to its end. */
  readonly body: Buffer
  readonly faults: readonly FaultRule['kind'][]
}

export type S3Server = Awaited<ReturnType<typeof startS3>>
type Objects = ReadonlyMap<string, StoredObject>

interface S3Options extends Partial<S3Settings> {
  readonly buckets?: readonly string[]
}

export async function startS3({ buckets: names = [], ...given }: S3Options = {}) {
  const settings = makeSettings(given)
  const buckets = new Map<string, StoredBucket>(names.map((name) => [name, makeBucket()]))
  const log: LogEntry[] = []
  let faults = makeFaults([])
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
    exchange(request, response, world, (asked) => faults.of(asked), isStale).then(
      (entry) => {
        if (!isStale() && began.resets === resets) log.push(entry)
      },
      (error: unknown) => {
        // A mistake of this server ends the test.
        response.destroy()
        process.nextTick(() => {
          throw error
        })
      },
    )
  })
  const port = await freePorts()
  const { base: endpoint, stop } = await listen(http, port)

  const bucketNamed = (name: string): StoredBucket => {
    const bucket = buckets.get(name)
    if (bucket === undefined) throw new Error(`the S3 server of the tests has no bucket ${name}`)
    return bucket
  }
  return {
    /** http://127.0.0.1:port */
    endpoint,
    /** How the server behaves: tests change it at any time. */
    settings,
    /** Rules in place of those before; none: all is well again. */
    faults: (rules: readonly FaultRule[]) => {
      faults = makeFaults(rules)
    },
    /** Requests since the last reset, by operation. */
    counts: (): Readonly<Record<string, number>> => {
      const counts: Record<string, number> = {}
      for (const { operation } of log) counts[operation] = (counts[operation] ?? 0) + 1
      return counts
    },
    /** Requests since the last reset, in the order of their ends. */
    log: log as readonly LogEntry[],
    /** Forgets counts, log and faults; objects stay. Requests that are on their way are carried out, but not logged. */
    reset: () => {
      resets++
      log.length = 0
      faults = makeFaults([])
    },
    /** As it is now and becomes; not over HTTP, so neither counted nor logged. */
    objects: (bucket: string): Objects => bucketNamed(bucket).objects,
    /** Unfinished uploads; tests add to them. */
    uploads: (bucket: string) => bucketNamed(bucket).uploads,
    /** All buckets as they are now; later changes do not show. */
    snapshot: (): ReadonlyMap<string, Objects> =>
      new Map([...buckets].map(([name, { objects }]) => [name, new Map(objects)])),
    /** Past all checks, faults and counts. */
    put: (
      bucket: string,
      key: string,
      body: string | Buffer,
      headers: Readonly<Record<string, string>> = {},
    ) => {
      const now = Date.now() + settings.clockSkewMs
      bucketNamed(bucket).put(makeObject(key, Buffer.from(body), now, { headers }))
    },
    remove: (bucket: string, key: string) => {
      bucketNamed(bucket).remove(key)
    },
    /** Removes all objects and uploads. */
    empty: (bucket: string) => {
      bucketNamed(bucket).empty()
    },
    /**
     * Puts objects of a snapshot back as they were, in place of all that is there. ETags are the same again: requests that
     * are on their way are not carried out any more, and not logged.
     */
    restore: (name: string, objects: Objects) => {
      restored++
      const bucket = bucketNamed(name)
      bucket.empty()
      for (const object of objects.values()) bucket.put(object)
    },
    /** Ends all connections and refuses new ones for a while, as a server that restarts. */
    restart: async (awayMs: number) => {
      await stop()
      await setTimeout(awayMs)
      await once(http.listen(port, '127.0.0.1'), 'listening')
    },
    stop,
  }
}

/**
 * One request, from its first header to its answer, with all that goes wrong on the way.
 * @param isStale whether the server has gone back to an earlier state since the request came
 * @returns what is logged
 */
async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  world: World,
  rulesFor: ReturnType<typeof makeFaults>['of'],
  isStale: () => boolean,
): Promise<LogEntry> {
  const { method = '', url = '' } = request
  const asked = attempt(() => targetOf(method, url))
  const target = asked instanceof S3Error ? { operation: 'unknown' as const, bucket: '', key: '' } : asked
  const { operation, bucket, key } = target
  const rules = operation === 'unknown' ? [] : rulesFor({ method, operation, key })
  const fault = rules.find(({ kind }) => kind !== 'delay' && kind !== 'call')
  const end = (status: number, body: Buffer = Buffer.alloc(0)): LogEntry => {
    if (status === 0) response.destroy()
    return { operation, method, bucket, key, status, body, faults: rules.map(({ kind }) => kind) }
  }

  const early = await endEarly(request, response, fault)
  if (early !== undefined) return end(early)
  const body = await readBody(request)
  // A body that broke off: the sender is gone, and nothing is carried out.
  if (body === undefined) return end(0)
  await waitFor(rules, 'before')
  if (isStale()) return end(0, body)
  const now = Date.now() + world.settings.clockSkewMs
  const respond = () => {
    if (asked instanceof S3Error) throw asked
    const headers = joinHeaders(request)
    verifySignature({ method, headers, ...asked }, body, world.settings, now)
    const { instead, minds = asIs, becomes = asIs } = world.settings.quirk
    const about = { method, headers, now, ...asked }
    const minded = { ...asked, headers: minds(headers, about), body, now }
    const carried = () => carryOut({ ...minded, checksums: verifyChecksums(body, headers) }, world)
    return becomes(instead?.(about) ?? answerOf(attempt(carried)), about)
  }
  const done = fault?.kind === 'status' ? faultAnswer(fault) : answerOf(attempt(respond))
  await waitFor(rules, 'after')
  if (fault?.kind === 'cut-after') return end(0, body)
  response.sendDate = false
  response.setHeader('date', new Date(now).toUTCString())
  response.setHeader('x-amz-bucket-region', world.settings.region)
  const answered = fault?.kind === 'status-after' ? faultAnswer(fault) : done
  send(response, answered, fault)
  return end(answered.status, body)
}

const asIs = <T>(value: T): T => value

/** Ends a request before its body is read, if the fault says so. @returns the status, 0 without an answer */
async function endEarly(request: IncomingMessage, response: ServerResponse, fault?: FaultRule) {
  if (fault?.kind !== 'cut-early' && fault?.kind !== 'status-early') return undefined
  await readSome(request)
  if (fault.kind === 'cut-early') return 0
  // A sender that does not want to send the rest has to end the connection.
  response.setHeader('connection', 'close')
  send(response, faultAnswer(fault))
  return fault.status
}

function answerOf(done: Answer | S3Error): Answer {
  if (!(done instanceof S3Error)) return done
  const { status, code, message, details } = done
  if (code === 'NotModified') return answer(304, { etag: details['ETag'] ?? '' })
  return errorAnswer(status, code, { Message: message, ...details })
}

const faultAnswer = ({
  status,
  code = codes[status] ?? 'InternalError',
}: Extract<FaultRule, { status: number }>): Answer =>
  errorAnswer(status, code, { Message: 'A fault of the test.' })

/** What S3 mostly calls an error of this status. */
const codes: Readonly<Record<number, string>> = {
  400: 'RequestTimeout',
  403: 'AccessDenied',
  409: 'ConditionalRequestConflict',
  412: 'PreconditionFailed',
  429: 'TooManyRequests',
  503: 'SlowDown',
}

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
    if (rule.kind === 'delay' && when === 'before') await setTimeout(rule.ms)
    if (rule.kind === 'call' && rule.when === when) await rule.run()
  }
}

/** Sends an answer, or breaks it. @param fault only `truncate`, `corrupt` and `chunked` matter here */
function send(response: ServerResponse, { status, headers, body }: Answer, fault?: FaultRule): void {
  const { method } = response.req
  response.statusCode = status
  for (const [name, value] of Object.entries(headers))
    if (value === '') response.removeHeader(name)
    else response.setHeader(name, value)
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
