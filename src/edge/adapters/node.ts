/** The edge on plain Node: HTTP in and out, compression, and one snapshot per answer. */

import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { RouteTable } from '../../routes/table.ts'
import { allowedMethods, answer, unavailable, type EdgeSettings, type Store } from '../answer.ts'
import { headersTooLong, maxRequestBytes, refusalOfLength, targetTooLong } from '../limits.ts'
import { resolve, type EdgeRequest } from '../resolve.ts'
import { finish, type AskedHeaders, type Response } from './finish.ts'

/** Where snapshots come from. */
export interface Origin {
  /** The snapshot that is live now: one request reads all it needs from it. */
  readonly pin: () => Promise<PinnedSnapshot>
}

export interface PinnedSnapshot {
  readonly table: RouteTable
  readonly store: Store<Buffer>
  /** Whether all that was read belongs to this snapshot; else the request starts anew. */
  readonly isStillLive: () => Promise<boolean>
}

export interface NodeEdgeOptions {
  readonly origin: Origin
  readonly settings: EdgeSettings
  /** Told of every request that failed for a reason of ours. */
  readonly onFailure: (error: unknown, target: string) => void
}

/** From here on Node itself refuses: it does not tell what was too long, so we read some more than we take. */
const maxHeaderBytes = 2 * maxRequestBytes

/** How often a request starts anew because the snapshot was exchanged under it. */
const maxAttempts = 20

/** A server that is not listening yet. */
export function createEdgeServer(options: NodeEdgeOptions): Server {
  const server = createServer({ maxHeaderSize: maxHeaderBytes }, (request, response) => {
    respond(options, request, response).catch((error: unknown) => {
      options.onFailure(error, request.url ?? '')
      response.destroy()
    })
  })
  server.on('clientError', (error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer }, socket) => {
    if (!socket.writable) return
    // Methods that Node's parser does not know are wrong methods all the same.
    if (error.code === 'HPE_HEADER_OVERFLOW') socket.end(refusalOfFlood(error.rawPacket ?? Buffer.alloc(0)))
    else socket.end(bareAnswer(error.code === 'HPE_INVALID_METHOD' ? 405 : 400))
  })
  server.on('connect', (_, socket) => {
    socket.end(bareAnswer(405))
  })
  return server
}

/** @param packet what came last: where no line ends in time, it is the request line that is too long */
function refusalOfFlood(packet: Buffer): string {
  const end = packet.indexOf('\n')
  const { status, headers, body } = end < 0 || end > maxRequestBytes ? targetTooLong : headersTooLong
  const all = { ...headers, Connection: 'close', 'Content-Length': Buffer.byteLength(body.text) }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body.text}`
}

/** An answer to what never became a request. */
function bareAnswer(status: number): string {
  const allow = status === 405 ? `Allow: ${allowedMethods}\r\nAccess-Control-Allow-Origin: *\r\n` : ''
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${allow}Connection: close\r\nContent-Length: 0\r\n\r\n`
}

async function respond(
  options: NodeEdgeOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { status, headers, body } = await respondSafely(options, request)
  // What a client sends along is not read: the connection cannot be used again then.
  if (request.headers['content-length'] !== undefined || request.headers['transfer-encoding'] !== undefined) {
    response.setHeader('Connection', 'close')
  }
  const hasNoLength = status === 204 || status === 304
  response.writeHead(status, hasNoLength ? headers : { ...headers, 'Content-Length': body?.length ?? 0 })
  if (request.method === 'HEAD' || body === null) response.end()
  else response.end(body)
}

/** An answer in every case: what fails is a 503. */
async function respondSafely(options: NodeEdgeOptions, request: IncomingMessage): Promise<Response> {
  const tooLong = refusalOfLength(request.url ?? '', bytesOfHeaders(request))
  if (tooLong !== null) return finish(tooLong, 'GET', {})
  try {
    return await answerFromOneSnapshot(options, request)
  } catch (error) {
    options.onFailure(error, request.url ?? '')
    return finish(unavailable, 'GET', {})
  }
}

async function answerFromOneSnapshot(
  { origin, settings }: NodeEdgeOptions,
  request: IncomingMessage,
): Promise<Response> {
  let failure: unknown
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const snapshot = await origin.pin()
    try {
      const resolution = resolve(snapshot.table, edgeRequest(request))
      const answered = await answer(snapshot.table, settings, snapshot.store, resolution)
      const response = await finish(answered, request.method ?? 'GET', askedHeaders(request))
      if (await snapshot.isStillLive()) return response
      failure = new Error('the snapshot changed again and again')
    } catch (error) {
      // Objects that are gone, because the snapshot was exchanged in between, are no failure.
      if (await snapshot.isStillLive()) throw error
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
