/** The edge on plain Node: HTTP in and out, compression, and one snapshot per answer. */

import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { RouteTable } from '../../routes/table.ts'
import { allowedMethods, answer, unavailable, type EdgeSettings, type Store } from '../answer.ts'
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

/** How long a request line and headers may be: room for absurd paths, which get a proper 404. */
const maxHeaderBytes = 256 * 1024

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
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (!socket.writable) return
    // Methods that Node's parser does not know are wrong methods all the same.
    const statuses: Readonly<Record<string, number>> = { HPE_HEADER_OVERFLOW: 431, HPE_INVALID_METHOD: 405 }
    socket.end(bareAnswer(statuses[error.code ?? ''] ?? 400))
  })
  server.on('connect', (_, socket) => {
    socket.end(bareAnswer(405))
  })
  return server
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
