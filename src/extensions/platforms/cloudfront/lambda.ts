/**
 * The Lambda behind CloudFront. It joins date ranges, refuses requests, and answers where the bucket has no answer. The viewer-request
 * function (request.ts) sends snapshot and target; only the distribution can call the Lambda. A second handler measures the age of the
 * live snapshot.
 */

import type { Writable } from 'node:stream'
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { LRUCache } from 'lru-cache'
import { downloadsOf } from '../../../core/api/routes/pages.ts'
import type { RouteTable } from '../../../core/api/routes/table.ts'
import { answer, fetchesAtATime, type EdgeSettings } from '../../../core/edge/core/answer.ts'
import { longestReadMs } from '../../../core/edge/core/live.ts'
import { isRepeated, maxLiveBytes, parseLiveFile } from '../../../core/edge/core/live-file.ts'
import { answerStaged, asPreview, previewHeader, stagedBeside } from '../../../core/edge/core/preview.ts'
import { requestOf, resolve, type EdgeRequest } from '../../../core/edge/core/resolve.ts'
import { unavailable } from '../../../core/edge/core/standalone.ts'
import { slotStore, type BucketReader, type SlotStore } from '../../../core/edge/node/bucket.ts'
import {
  isPouring,
  pour,
  respondWith,
  wholeResponse,
  type Response,
  type SendOptions,
} from '../../../core/edge/node/response.ts'
import { targetHeader } from './event.ts'

declare const awslambda: {
  readonly streamifyResponse: <Handler>(handler: Handler) => Handler
  readonly HttpResponseStream: {
    /** Sends the head, and returns the stream for the body. */
    readonly from: (
      stream: Writable,
      head: { readonly statusCode: number; readonly headers: Readonly<Record<string, string>> },
    ) => Writable
  }
}

interface LambdaConfig {
  /** `docsUrl` comes with each request. */
  readonly table: RouteTable
  readonly settings: EdgeSettings
}

/** Both handlers, with the SDK of Lambda's Node and the globals of its runtime. */
export function handlers(config: LambdaConfig) {
  const reader = lambdaReader()
  return {
    handler: awslambda.streamifyResponse(requestHandler(config, reader)),
    watch: () => watch(reader),
  }
}

/** A request to a function URL. Source: Lambda's developer guide, payload format 2.0. */
interface FunctionUrlEvent {
  readonly rawPath: string
  readonly rawQueryString: string
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly requestContext: { readonly http: { readonly method: string } }
}

/** An instance has one request at a time, and bucket.graceSeconds protects the slot for longer than a request may take. */
const sending: SendOptions = {
  place: null,
  readsAtATime: () => fetchesAtATime,
  assertLive: () => Promise.resolve(),
}

function requestHandler({ table, settings }: LambdaConfig, reader: BucketReader) {
  const storeOf = storesByPin(reader)
  return async (event: FunctionUrlEvent, stream: Writable): Promise<void> => {
    const response = await respond(event).catch((error: unknown) => {
      const target = `${event.rawPath}?${event.rawQueryString}`
      // eslint-disable-next-line no-console -- the log of the platform
      console.error(target.slice(0, 500), error)
      return wholeResponse(unavailable)
    })
    const { status: statusCode, headers } = response
    const out = awslambda.HttpResponseStream.from(stream, { statusCode, headers })
    if (isPouring(response)) return pour(response, out)
    const { body } = response
    // The head goes out with the first write, even an empty one.
    out.write(event.requestContext.http.method === 'HEAD' || body === null ? '' : body)
    out.end()
  }

  async function respond(event: FunctionUrlEvent): Promise<Response> {
    const { rawPath: path, headers } = event
    const { method } = event.requestContext.http
    const header = (name: string) => headers[name]
    // This path has a behaviour of its own, past the functions.
    const staged = await answerStaged({ method, path }, settings, () => readStaged(reader))
    if (staged !== null) return respondWith(staged, method, header, sending)
    const query = new URLSearchParams(event.rawQueryString)
    const pin = parsePin(query.get('live') ?? '')
    const full = { ...table, docsUrl: pin.docsUrl }
    const store = placedStore(storeOf(pin), pin, event)
    const request = edgeRequest(event, query)
    const answered = await answer({ table: full, settings, store }, resolve(full, request))
    // The viewer-request function has put the snapshot there, in place of the token.
    const snapshot = headers[previewHeader]
    const shown = snapshot === undefined ? answered : asPreview(answered, { snapshot })
    return respondWith(shown, method, header, sending)
  }
}

async function readStaged(reader: BucketReader) {
  const files = ['live.json', 'staged.json'].map((key) => readText(reader, key))
  const [live = null, staged = null] = await Promise.all(files)
  return stagedBeside(live, staged)
}

/** @returns null if there is no such object; a text that no parser takes if it is too long */
async function readText({ read }: BucketReader, key: string): Promise<string | null> {
  const object = await read(key, maxLiveBytes)
  return object && (object.body?.toString() ?? '')
}

type Pin = ReturnType<typeof parsePin>

/** @param text slot, snapshot, seconds since 1970 and the address of the documentation, joined by dots */
function parsePin(text: string) {
  const [, slot, snapshot, seconds, docsUrl] = /^([^.]*)\.([^.]*)\.([0-9]{1,11})\.(.*)$/.exec(text) ?? []
  const liveSince = new Date(Number(seconds) * 1000)
  const pin = { slot, snapshot, docsUrl, liveSince: seconds && liveSince.toISOString() }
  if (!isRepeated(pin)) throw new Error(`the request does not say what is live: ${text}`)
  return { ...pin, liveSince }
}

/** The store of one request. The viewer-request function has rewritten the path of a live download to its place. */
const placedStore = (byPlace: SlotStore, { slot }: Pin, { rawPath }: FunctionUrlEvent): SlotStore => ({
  ...byPlace,
  get: async (key) => {
    if (downloadsOf(key) === null) return byPlace.get(`${slot}/${key}`)
    return rawPath.startsWith('/downloads/') ? byPlace.get(rawPath.slice(1)) : null
  },
  slice: (key, first, last) => byPlace.slice(`${slot}/${key}`, first, last),
})

/** Keeps stores of the last pins: requests with the pin before may still arrive, and previews have one of their own. */
function storesByPin(reader: BucketReader): (pin: Pin) => SlotStore {
  const stores = new LRUCache<string, SlotStore>({ max: 3 })
  return ({ slot, snapshot, liveSince }) => {
    const id = `${slot} ${snapshot} ${liveSince.getTime()}`
    const store = stores.get(id) ?? slotStore((place) => place, liveSince, reader)
    stores.set(id, store)
    return store
  }
}

/** The client's request, as far as the answer depends on it: see request.ts. */
function edgeRequest({ headers, requestContext }: FunctionUrlEvent, query: URLSearchParams): EdgeRequest {
  const accepted = (query.get('format') ?? '').split('.').filter((name) => name !== '')
  const known = {
    accept: accepted.map((name) => `text/${name}`).join(', '),
    'accept-language': query.get('language') ?? '',
  }
  const header = (name: string) => known[name as keyof typeof known]
  return requestOf(requestContext.http.method, headers[targetHeader] ?? '/', header)
}

interface GotObject {
  readonly Body: { readonly transformToByteArray: () => Promise<Uint8Array>; readonly destroy: () => void }
  readonly ContentLength: number
  readonly ETag: string
  readonly LastModified: Date
}

function lambdaReader(): BucketReader {
  const { BUCKET, PREFIX = '' } = process.env
  const timeouts = { connectionTimeout: 2 * longestReadMs, socketTimeout: 2 * longestReadMs }
  const client = new S3Client({ maxAttempts: 3, requestHandler: timeouts })
  const get = (key: string, more?: { readonly Range: string; readonly IfMatch?: string }) =>
    client.send(new GetObjectCommand({ Bucket: BUCKET, Key: PREFIX + key, ...more }), {
      abortSignal: AbortSignal.timeout(longestReadMs),
    }) as Promise<GotObject>
  return {
    read: async (key, most) => {
      const got = await get(key).catch(nullIfMissing)
      if (got === null) return null
      const { Body, ContentLength: length, ETag: etag, LastModified: lastModified } = got
      if (length <= most) return { length, body: await bytesOf(got), etag, lastModified }
      Body.destroy()
      return { length, body: null, etag, lastModified }
    },
    readPart: async (key, { first, last }, etag) => {
      const got = await get(key, { Range: `bytes=${first}-${last}`, ...(etag !== null && { IfMatch: etag }) })
      const bytes = await bytesOf(got)
      if ((etag !== null && got.ETag !== etag) || bytes.length !== last - first + 1)
        throw new Error(`${key} was changed while it was read, or broke off`)
      return [bytes]
    },
  }
}

function nullIfMissing(error: unknown): null {
  const { name } = error as { readonly name?: string }
  if (name === 'NoSuchKey' || name === 'KeyTooLongError') return null
  throw error
}

async function bytesOf({ Body }: GotObject): Promise<Buffer> {
  const { buffer, byteOffset, length } = await Body.transformToByteArray()
  return Buffer.from(buffer, byteOffset, length)
}

/**
 * The handler of the schedule writes a line from which CloudWatch reads the metric. Source: its embedded metric format. If nothing is
 * live, it writes none: the alarm treats that like a snapshot that is too old.
 */
async function watch(reader: BucketReader): Promise<void> {
  const text = await readText(reader, 'live.json')
  if (text === null) return
  const { snapshot, liveSince } = parseLiveFile(text, 'live.json')
  const now = Date.now()
  const metric = { Name: 'LiveSnapshotAge', Unit: 'Seconds' }
  const metrics = [{ Namespace: 'Fundpress', Dimensions: [['Stack']], Metrics: [metric] }]
  const line = {
    _aws: { Timestamp: now, CloudWatchMetrics: metrics },
    Stack: process.env['STACK'] ?? '',
    LiveSnapshotAge: Math.round((now - Date.parse(liveSince)) / 1000),
    snapshot,
  }
  // Not by console: its prefix would hide the line from CloudWatch.
  process.stdout.write(`${JSON.stringify(line)}\n`)
}
