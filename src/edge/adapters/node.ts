/** The edge on plain Node: HTTP in and out, compression, and one snapshot per answer. */

import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { RouteTable } from '../../routes/table.ts'
import { allowedMethods, answer, fetchesAtATime, type EdgeSettings, type Store } from '../answer.ts'
import { headersTooLong, maxRequestBytes, refusalOfLength, targetTooLong } from '../limits.ts'
import { resolve, type EdgeRequest } from '../resolve.ts'
import { unavailable } from '../standalone.ts'
import {
  connectionLimits,
  limitConnections,
  oneAtATime,
  serverOptions,
  type ConnectionLimits,
} from './connections.ts'
import { Busy, discard, finish, pour, whole, type AskedHeaders, type Response } from './finish.ts'
import type { NodeBody } from './node-body.ts'
import { readerSlots, slots, type ReaderSlots } from './slots.ts'
import { turns } from './turns.ts'

/** Where snapshots come from. */
export interface Origin {
  /** The snapshot that is live now: one request reads all it needs from it. */
  readonly pin: () => Promise<PinnedSnapshot>
}

export interface PinnedSnapshot {
  readonly table: RouteTable
  readonly store: Store<NodeBody>
  /** Whether all that was read belongs to this snapshot; else the request starts anew. */
  readonly isStillLive: () => Promise<boolean>
}

export interface NodeEdgeOptions {
  readonly origin: Origin
  readonly settings: EdgeSettings
  /** Told of every request that failed for a reason of ours. */
  readonly onFailure: (error: unknown, target: string) => void
  readonly limits?: ConnectionLimits
}

/** From here on Node itself refuses: it does not tell what was too long, so we read some more than we take. */
const maxHeaderBytes = 2 * maxRequestBytes

/** How often a request starts anew because the snapshot was exchanged under it. */
const maxAttempts = 20

/** How many date ranges may be in work, for all connections together. More are answered with a 503. */
const mostRanges = 128

/** If all are in work, a client that has read nothing for so long loses its date range to the next one. In milliseconds. */
const readerPatienceMs = 5000

/** Up to so many date ranges read several windows at a time; more read one, so that memory does for all of them. */
const rangesThatReadAhead = 32

/** To put the windows of date ranges together takes a millisecond each: others are answered in between. */
const windowTurn = turns(4)

/** How many requests may wait for one before them on their connection, for all connections together. */
const mostWaiting = 2_000

/** A server that is not listening yet. */
export function createEdgeServer(options: NodeEdgeOptions): Server {
  const { limits = connectionLimits } = options
  const ranges = readerSlots(mostRanges, readerPatienceMs)
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    respond(options, ranges, request, response).catch((error: unknown) => {
      if (!isClients(error)) options.onFailure(error, request.url ?? '')
      response.destroy()
    })
  }
  const { handleInTurn, inTurn, hasRequestInWork } = oneAtATime(handle, slots(mostWaiting))
  const server = createServer({ ...serverOptions(limits), maxHeaderSize: maxHeaderBytes }, handleInTurn)
  limitConnections(server, limits)
  server.on('clientError', (error: ClientError, socket: Socket) => {
    // Those before it on its connection are answered first.
    inTurn(socket, () => {
      if (socket.writable) socket.end(answerToClientError(error))
    })
  })
  // Node hands this socket over, and takes its own listeners off it: nobody else sees its errors or closes it.
  server.on('connect', (_, socket: Socket) => {
    socket.on('error', () => undefined)
    if (hasRequestInWork(socket)) socket.destroy()
    else socket.end(bareAnswer(405), () => socket.destroy())
  })
  return server
}

type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

function answerToClientError({ code, rawPacket = Buffer.alloc(0) }: ClientError): string {
  if (code === 'HPE_HEADER_OVERFLOW') return refusalOfFlood(rawPacket)
  // Methods that Node's parser does not know are wrong methods all the same.
  const statuses: Readonly<Record<string, number>> = {
    HPE_INVALID_METHOD: 405,
    ERR_HTTP_REQUEST_TIMEOUT: 408,
  }
  return bareAnswer(statuses[code ?? ''] ?? 400)
}

/** @param packet what came last: where no line ends in time, it is the request line that is too long */
function refusalOfFlood(packet: Buffer): string {
  const end = packet.indexOf('\n')
  const { status, headers, body } = end < 0 || end > maxRequestBytes ? targetTooLong : headersTooLong
  const text = packet.toString('latin1', 0, 5) === 'HEAD ' ? '' : body.text
  const all = { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body.text) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${text}`
}

/** An answer to what never became a request. */
function bareAnswer(status: number): string {
  const allow = status === 405 ? `Allow: ${allowedMethods}\r\nAccess-Control-Allow-Origin: *\r\n` : ''
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${allow}Connection: close\r\nContent-Length: 0\r\n\r\n`
}

/** Whether a body broke off because its client went away, or did not read it in time. */
const isClients = (error: unknown) =>
  ['ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EPIPE', 'ABORT_ERR'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  )

async function respond(
  options: NodeEdgeOptions,
  ranges: ReaderSlots,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, headers, length, body } = await respondSafely(options, ranges, request)
  // What a client sends along is not read: the connection cannot be used again then.
  if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined) {
    response.setHeader('Connection', 'close')
  }
  response.writeHead(status, length === null ? headers : { ...headers, 'Content-Length': length })
  if (request.method === 'HEAD' || body === null) response.end()
  else if (Buffer.isBuffer(body)) response.end(body)
  else await pour(body, response)
}

/** An answer in every case: what fails is a 503. */
async function respondSafely(
  options: NodeEdgeOptions,
  ranges: ReaderSlots,
  request: IncomingMessage,
): Promise<Response> {
  const tooLong = refusalOfLength(request.url ?? '', bytesOfHeaders(request))
  if (tooLong !== null) return whole(tooLong)
  try {
    return await answerFromOneSnapshot(options, ranges, request)
  } catch (error) {
    if (!(error instanceof Busy)) options.onFailure(error, request.url ?? '')
    return whole(unavailable)
  }
}

async function answerFromOneSnapshot(
  { origin, settings }: NodeEdgeOptions,
  ranges: ReaderSlots,
  request: IncomingMessage,
): Promise<Response> {
  let failure: unknown
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const { table, store, isStillLive } = await origin.pin()
    const assertLive = async () => {
      if (!(await isStillLive())) throw new Error('another snapshot is live now')
    }
    try {
      const resolution = resolve(table, edgeRequest(request))
      const answered = await answer(table, settings, store, resolution)
      const asked = { method: request.method ?? 'GET', headers: askedHeaders(request) }
      const response = await finish(answered, resolution, asked, {
        slots: ranges,
        readsAtATime: () => (ranges.taken() > rangesThatReadAhead ? 1 : fetchesAtATime),
        assertLive,
        turn: windowTurn,
      })
      let isLive = false
      try {
        isLive = await isStillLive()
      } finally {
        if (!isLive) await discard(response)
      }
      if (isLive) return response
      failure = new Error('the snapshot changed again and again')
    } catch (error) {
      // Objects that are gone, because the snapshot was exchanged in between, are no failure.
      if (error instanceof Busy || (await isStillLive())) throw error
      failure = error
    }
  }
  throw failure
}

/** Names and values take turns in the list. */
const bytesOfHeaders = ({ rawHeaders }: IncomingMessage): number =>
  rawHeaders.reduce((sum, text) => sum + text.length + 2, 0)

function edgeRequest({ method = 'GET', url = '/', headers }: IncomingMessage): EdgeRequest {
  // A proxy asks in absolute form: http://host/path. Source: RFC 9112, 3.2.2.
  const target = url.replace(/^https?:\/\/[^/?]*/i, '')
  const question = target.indexOf('?')
  return {
    method,
    path: question < 0 ? target : target.slice(0, question),
    query: question < 0 ? '' : target.slice(question + 1),
    accept: headers.accept,
    acceptLanguage: headers['accept-language'],
  }
}

/** Node's type for headers knows these as texts, but for If-Range. */
const askedHeaders = ({ headers }: IncomingMessage) => headers as AskedHeaders
