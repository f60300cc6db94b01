/**
 * The Lambda behind CloudFront: puts date ranges together, refuses, and answers in the bucket's place where the bucket
 * has no answer. Which slot it reads from, and what was asked for, is told by the viewer-request function
 * (cloudfront.ts): nobody but the distribution can call it.
 */

import type { Writable } from 'node:stream'
import { fill } from '../../routes/keys.ts'
import { downloadsOf } from '../../routes/pages.ts'
import { parseKey } from '../../routes/parse-key.ts'
import type { RouteTable } from '../../routes/table.ts'
import { answer, fetchesAtATime, type EdgeSettings, type Store } from '../answer.ts'
import { resolve, type EdgeRequest } from '../resolve.ts'
import { unavailable } from '../standalone.ts'
import { targetHeader } from './cloudfront-event.ts'
import { finish, pour, whole, type RangeOptions, type Response } from './finish.ts'
import type { NodeBody } from './node-body.ts'
import { readerSlots } from './slots.ts'
import { slotStore, type BucketReader } from './slot-store.ts'

/** A request to a function URL. Source: Lambda's developer guide, payload format 2.0. */
export interface FunctionUrlEvent {
  readonly rawPath: string
  readonly rawQueryString: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly requestContext: { readonly http: { readonly method: string } }
}

export interface LambdaEdgeOptions {
  /** Its `docsUrl` is that of the live snapshot, which each request tells. */
  readonly table: RouteTable
  readonly settings: EdgeSettings
  readonly reader: BucketReader
  /** `awslambda.HttpResponseStream.from`: the stream of a body, after this head. */
  readonly open: (
    stream: Writable,
    head: { readonly statusCode: number; readonly headers: Readonly<Record<string, string>> },
  ) => Writable
  readonly onFailure: (error: unknown, target: string) => void
}

/** An instance of a Lambda has one request at a time, and what the pin names is left alone while it is answered. */
const range: RangeOptions = {
  slots: readerSlots(Infinity, Infinity),
  readsAtATime: () => fetchesAtATime,
  assertLive: () => Promise.resolve(),
}

/** To be wrapped in `awslambda.streamifyResponse`. */
export function lambdaEdge({ table, settings, reader, open, onFailure }: LambdaEdgeOptions) {
  const storeOf = storesByPin(reader)
  return async (event: FunctionUrlEvent, stream: Writable): Promise<void> => {
    const { status, headers, body } = await respond(event).catch((error: unknown) => {
      onFailure(error, `${event.rawPath}?${event.rawQueryString}`)
      return whole(unavailable)
    })
    const out = open(stream, { statusCode: status, headers })
    if (body !== null && 'chunks' in body) return pour(body, out)
    // The head goes out with the first write, even if that writes nothing.
    out.write(isHead(event) || body === null ? '' : body)
    out.end()
  }

  async function respond(event: FunctionUrlEvent): Promise<Response> {
    const query = new URLSearchParams(event.rawQueryString)
    const pin = parsePin(query.get('live') ?? '')
    const full = { ...table, docsUrl: pin.docsUrl }
    const store = placedStore(storeOf(pin), pin, event)
    const resolution = resolve(full, edgeRequest(full, event, query, pin))
    const answered = await answer(full, settings, store, resolution)
    const { method } = event.requestContext.http
    return finish(answered, resolution, { method, headers: event.headers }, range)
  }
}

const isHead = ({ requestContext }: FunctionUrlEvent) => requestContext.http.method === 'HEAD'

/** What is live, as the viewer-request function tells it: slot, snapshot, seconds since 1970, address of the docs. */
interface Pin {
  readonly slot: string
  readonly snapshot: string
  readonly liveSince: Date
  readonly docsUrl: string
}

function parsePin(text: string): Pin {
  const [, slot, snapshot, seconds, docsUrl] = /^([a-z]+)\.([0-9a-f-]+)\.([0-9]+)\.(.*)$/.exec(text) ?? []
  if (slot === undefined || snapshot === undefined || docsUrl === undefined)
    throw new Error(`the request does not say what is live: ${text}`)
  return { slot, snapshot, liveSince: new Date(Number(seconds) * 1000), docsUrl }
}

/**
 * The store of one request. The viewer-request function knows which downloads are live: a download lies where the
 * request was rewritten to, and nowhere if it was not.
 */
function placedStore(
  byPlace: Store<NodeBody>,
  { slot }: Pin,
  { rawPath }: FunctionUrlEvent,
): Store<NodeBody> {
  const get: Store<NodeBody>['get'] = async (key) => {
    if (downloadsOf(key) === null) return byPlace.get(`${slot}/${key}`)
    return rawPath.startsWith('/downloads/') ? byPlace.get(rawPath.slice(1)) : null
  }
  return { get, text: byPlace.text }
}

/** By place. Objects of a pin's slot never change; of the pin before some requests are still on their way. */
function storesByPin(reader: BucketReader): (pin: Pin) => Store<NodeBody> {
  const stores = new Map<string, Store<NodeBody>>()
  return ({ slot, snapshot, liveSince }) => {
    const id = `${slot} ${snapshot} ${liveSince.getTime()}`
    const known = stores.get(id)
    if (known !== undefined) return known
    const store = slotStore((place) => place, liveSince, reader)
    stores.set(id, store)
    for (const oldest of [...stores.keys()].slice(0, -2)) stores.delete(oldest)
    return store
  }
}

/** The request as the client made it, as far as the answer depends on it. */
function edgeRequest(
  table: RouteTable,
  { rawPath, headers, requestContext }: FunctionUrlEvent,
  query: URLSearchParams,
  pin: Pin,
): EdgeRequest {
  const format = query.get('format') ?? ''
  const language = query.get('language')
  const isNegotiated = query.get('vary') === 'accept'
  const [path = '', asked] = (headers[targetHeader] ?? pathOf(table, rawPath, pin)).split(/\?(.*)/s)
  const representation = [
    ...(isNegotiated ? [] : [`format=${format}`]),
    ...(language === null ? [] : [`language=${language}`]),
  ]
  return {
    method: requestContext.http.method,
    path,
    query: asked ?? representation.join('&'),
    accept: isNegotiated ? `application/${format}` : undefined,
    acceptLanguage: undefined,
  }
}

/** Where the bucket has no answer, the path is that of the object: it leads back to what was asked for. */
function pathOf(table: RouteTable, rawPath: string, { slot }: Pin): string {
  const key = rawPath.slice(slot.length + 2)
  const meaning = rawPath.startsWith(`/${slot}/`) ? parseKey(table, key) : null
  return meaning?.kind === 'document' ? fill(meaning.route.path, meaning.values) : rawPath
}
