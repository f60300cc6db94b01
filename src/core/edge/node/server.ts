/** The edge on Node, for `fundpress serve`: HTTP in and out, and one snapshot for each answer. */

import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RouteTable } from '../../api/routes/table.ts'
import { apart } from '../../system/apart.ts'
import { systemCode } from '../../system/message.ts'
import { allowedMethods, answer, fetchesAtATime, type EdgeSettings, type Store } from '../core/answer.ts'
import { exposedHeaders } from '../core/exposed.ts'
import { fromOneSnapshot, type Pinned } from '../core/live.ts'
import type { LiveSlot } from '../core/live-file.ts'
import { answerStaged, asPreview, isPreview } from '../core/preview.ts'
import { requestOf, resolve } from '../core/resolve.ts'
import {
  headersTooLong,
  maxRequestBytes,
  refusalOfLength,
  targetTooLong,
  unavailable,
} from '../core/standalone.ts'
import { answerCache, answerKey, onCondition, type KnownAnswers, type WholeResponse } from './answers.ts'
import { longAnswerLimits, type LongAnswerLimits } from '../limits.ts'
import { clientsBehind } from './client.ts'
import { connectionLimits, createLimitedServer, RequestTurns, type ConnectionLimits } from './connections.ts'
import type { NodeBody } from './objects.ts'
import { discard, isPouring, pour, respondWith, wholeResponse, type Response } from './response.ts'
import { Busy, longAnswers, turns, type LongAnswers, type LongPlace } from './slots.ts'

export interface Origin {
  readonly pin: () => Promise<PinnedSnapshot>
  /** The staged snapshot, or null. Absent for a folder. */
  readonly pinStaged?: () => Promise<PinnedSnapshot | null>
  /** Absent for a folder. */
  readonly pointer?: () => Pointer
}

/** Whether `live.json` can be read, and since when it cannot (ISO 8601). `unreachable`: answers come from memory only. */
export interface Pointer {
  readonly state: 'read' | 'damaged' | 'missing' | 'unreachable'
  readonly since: string | null
}

export interface PinnedSnapshot extends Pinned {
  readonly table: RouteTable
  readonly store: Store<NodeBody>
  readonly live: {
    readonly snapshot: string
    /** ISO 8601; null in a folder, which lacks the time. */
    readonly since: string | null
  }
  readonly staged?: LiveSlot
}

export interface NodeEdgeOptions {
  readonly origin: Origin
  readonly settings: EdgeSettings
  /** Requests with this token are answered from the staged snapshot; null: none. */
  readonly previewToken?: string | null
  /** Addresses and networks of proxies whose `X-Forwarded-For` names the client, separated by spaces; null: none. */
  readonly trustedProxies?: string | null
  readonly onFailure: (error: unknown, target: string) => void
  readonly limits?: ConnectionLimits
  readonly longAnswers?: LongAnswerLimits
}

/** Limit of new starts of a request whose snapshot has changed. */
const maxAttempts = 20
/** Up to this many long answers, date ranges read several windows at a time. Above, each reads one, to bound the memory. */
const longThatReadAhead = 32
/** To join a window takes up to a millisecond. Other requests are answered in between. */
const windowTurn = turns(4)

export function createEdgeServer(options: NodeEdgeOptions): Server {
  const { limits = connectionLimits, trustedProxies = null } = options
  const clientOf = clientsBehind(trustedProxies)
  const slots = longAnswers(options.longAnswers ?? longAnswerLimits)
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const fail = (error: unknown) => {
      if (!isClients(error)) options.onFailure(error, request.url ?? '')
      // A proxy that shares its load takes a broken connection for a failed server.
      if (response.headersSent) response.destroy()
      else send(wholeResponse(unavailable), request, response).catch(() => response.destroy())
    }
    apart(fail, () => {
      let known: LongPlace | undefined
      const place = () => (known ??= placeUntilClose(slots.placeOf(clientOf(request)), response))
      respond({ ...options, slots, place }, request, response).catch(fail)
    })
  }
  const inTurn = new RequestTurns(handle, limits)
  const server = createLimitedServer(limits, clientOf, (request, response) =>
    inTurn.handle(request, response),
  )
  server.on('clientError', (error: ClientError, socket: Socket) => {
    const refuse = () =>
      inTurn.refuse(socket, () => {
        if (socket.writable) socket.end(answerToClientError(error))
      })
    if (!isLate(error) || inTurn.hasRequestInWork(socket)) {
      refuse()
      return
    }
    // This process may have been busy itself: bytes that came meanwhile are read first.
    const { bytesWritten } = socket
    setImmediate(() => {
      const isAnswered = inTurn.hasWholeRequest(socket) || socket.bytesWritten > bytesWritten
      if (!isAnswered) refuse()
    })
  })
  // Node removes its own listeners from this socket: an error on it would end the process.
  server.on('connect', (_, socket: Socket) => {
    socket.on('error', () => undefined)
    if (inTurn.hasRequestInWork(socket)) socket.destroy()
    else socket.end(bareAnswer(405), () => socket.destroy())
  })
  return server
}

/** A slot stands for memory, until the client has read the answer or is gone. */
function placeUntilClose(place: LongPlace, response: ServerResponse): LongPlace {
  if (response.closed) place.leave()
  else response.once('close', place.leave)
  return place
}

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

const isLate = ({ code }: ClientError) => code === 'ERR_HTTP_REQUEST_TIMEOUT'

function answerToClientError(error: ClientError): string {
  const { code, rawPacket = Buffer.alloc(0) } = error
  if (code === 'HPE_HEADER_OVERFLOW') return refusalOfFlood(rawPacket)
  if (isLate(error)) return bareAnswer(408)
  // A method that is unknown to Node's parser is a wrong method, too.
  return bareAnswer(code === 'HPE_INVALID_METHOD' ? 405 : 400)
}

/** @param packet the last one: without a line end in its first 16 KB, the request line is too long */
function refusalOfFlood(packet: Buffer): string {
  const end = packet.indexOf('\n')
  const { status, headers, body } = end < 0 || end > maxRequestBytes ? targetTooLong : headersTooLong
  const isHead = packet.toString('latin1', 0, 5) === 'HEAD '
  return rawAnswer(status, headers, Buffer.byteLength(body.text)) + (isHead ? '' : body.text)
}

const bareAnswer = (status: number) => rawAnswer(status, status === 405 ? bareRefusal : {}, 0)

const bareRefusal = {
  Allow: allowedMethods,
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers': exposedHeaders,
}

function rawAnswer(status: number, headers: Readonly<Record<string, string>>, length: number): string {
  const all = { ...headers, Connection: 'close', 'Content-Length': length }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`
}

/** True if a body broke off because its client left, or did not read it in time. */
const isClients = (error: unknown) =>
  ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'ECANCELED', 'EPIPE'].includes(
    systemCode(error),
  )

interface RequestOptions extends NodeEdgeOptions {
  readonly slots: LongAnswers
  /** The same for each call. Most answers need none. */
  readonly place: () => LongPlace
}

async function respond(
  options: RequestOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const answered = await respondSafely(options, request)
  // The client has gone, or the request has failed meanwhile.
  if (response.destroyed || response.headersSent) await discard(answered)
  else await send(answered, request, response)
}

async function send(answered: Response, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, headers, length, body, slot } = answered
  slot?.endWith(() => response.destroy())
  response.writeHead(status, length === null ? headers : { ...headers, 'Content-Length': length })
  if (isPouring(answered)) return pour(answered, response)
  slot?.setWaiting(true)
  response.end(request.method === 'HEAD' ? null : body)
}

async function respondSafely(
  { origin, settings, previewToken = null, onFailure, slots, place }: RequestOptions,
  request: IncomingMessage,
): Promise<Response> {
  const { method = 'GET', url = '/', headers } = request
  const tooLong = refusalOfLength(url, bytesOfHeaders(request))
  if (tooLong !== null) return wholeResponse(tooLong)
  // A proxy sends the absolute form: http://host/path. Source: RFC 9112, 3.2.2.
  const target = url.replace(/^https?:\/\/[^/?]*/i, '')
  // Node's type allows lists, but the headers that the edge reads are texts.
  const header = (name: string) => headers[name] as string | undefined
  const pinStaged = async () => (await origin.pinStaged?.()) ?? null
  const isAsPreview = isPreview(header, previewToken)
  const pin = async () => (isAsPreview ? await pinStaged() : null) ?? origin.pin()
  const readStaged = async () => (await pinStaged())?.staged ?? null
  const key = isAsPreview ? null : answerKey(method, target, header)
  let keepIn = null as KnownAnswers | null
  const answerFrom = async ({ table, store, isStillLive, staged }: PinnedSnapshot) => {
    const asked = requestOf(method, target, header)
    const answered =
      (await answerStaged(asked, settings, readStaged)) ??
      (await answer({ table, settings, store }, resolve(table, asked)))
    const shown = staged === undefined ? answered : asPreview(answered, staged)
    // Text of status 200 names the staged snapshot of this moment.
    keepIn = shown.body.kind === 'text' && shown.status === 200 ? null : knownAnswers(store)
    let isBegun = false
    const response = await respondWith(shown, method, header, {
      place,
      readsAtATime: () => (slots.taken() > longThatReadAhead ? 1 : fetchesAtATime),
      assertLive: async () => {
        // Before the begin, `fromOneSnapshot` confirms all reads together.
        if (isBegun && !(await isStillLive())) throw new Error('another snapshot is live now')
      },
      turn: () => windowTurn(place().client),
    })
    isBegun = true
    return response
  }
  try {
    const first = await pin()
    if (isHealthCheck(method, target)) return healthOf(first.live, origin.pointer?.() ?? null)
    const known = key === null ? undefined : knownAnswers(first.store).get(key)
    if (known !== undefined) return onCondition(known, header)
    const response = await fromOneSnapshot(startingWith(first, pin), answerFrom, maxAttempts, discard)
    if (key !== null && isWhole(response)) keepIn?.keep(key, response)
    return response
  } catch (error) {
    if (!(error instanceof Busy)) onFailure(error, url)
    return wholeResponse(unavailable)
  }
}

/** Gives the value at hand the first time, then makes others. */
function startingWith<T>(first: T, make: () => Promise<T>): () => Promise<T> {
  let isFirst = true
  return () => {
    if (!isFirst) return make()
    isFirst = false
    return Promise.resolve(first)
  }
}

/** True for an answer that does not depend on conditions. */
const isWhole = (response: Response): response is WholeResponse =>
  (response.status === 200 || (response.status >= 400 && response.status !== 412)) &&
  Buffer.isBuffer(response.body)

const answersOfStores = new WeakMap<Store<NodeBody>, KnownAnswers>()

function knownAnswers(store: Store<NodeBody>): KnownAnswers {
  const answers = answersOfStores.get(store) ?? answerCache()
  answersOfStores.set(store, answers)
  return answers
}

/** `rawHeaders` lists names and values in turn. */
const bytesOfHeaders = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((sum, text) => sum + text.length + 2, 0)

/** `/status/health` shows a load balancer the live snapshot. The path is in no snapshot, and no cache keeps it. */
const isHealthCheck = (method: string, target: string) =>
  (method === 'GET' || method === 'HEAD') && /^\/status\/health(\?|$)/.test(target)

/** What this edge can read: the format of `live.json`, and the number of slots. Source: .github/RELEASES.md, Edges first. */
const reads = { format: 1, slots: 7 }

/**
 * `{ snapshot, as_of, live_since, pointer, reads }`, with the status 200 as long as there are answers: no load balancer shall take away the
 * edges that go on. 503 comes from the server if there are none.
 */
function healthOf({ snapshot, since }: PinnedSnapshot['live'], pointer: Pointer | null): Response {
  const found = { snapshot, as_of: snapshot.slice(0, 10), live_since: since, pointer, reads }
  const headers = { ...unavailable.headers }
  delete headers['Retry-After']
  return wholeResponse({ status: 200, headers, body: { kind: 'text', text: JSON.stringify(found) } })
}
