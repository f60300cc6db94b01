/** The edge on plain Node: HTTP in and out, compression, and one snapshot per answer. */

import { createServer, STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { RouteTable } from '../../routes/table.ts'
import { allowedMethods, answer, type Answer, type EdgeSettings, type Store } from '../answer.ts'
import { byteRange, contentRange } from '../byte-range.ts'
import { isNotModified, notModifiedHeaders } from '../conditional.ts'
import { resolve, type EdgeRequest } from '../resolve.ts'
import { chooseCoding, compress, withCoding } from './compression.ts'

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

interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null where there is none: 204, 304. */
  readonly body: Buffer | null
}

/** An answer in every case: what fails is a 503. */
async function respondSafely(options: NodeEdgeOptions, request: IncomingMessage): Promise<Response> {
  try {
    return await answerFromOneSnapshot(options, request)
  } catch (error) {
    options.onFailure(error, request.url ?? '')
    return {
      status: 503,
      headers: {
        'Access-Control-Allow-Origin': '*',
        'Cache-Control': 'no-store',
        'Content-Language': 'en',
        'Content-Type': 'application/json; charset=utf-8',
        'Retry-After': '5',
        'X-Content-Type-Options': 'nosniff',
      },
      body: Buffer.from('{"title":"The service cannot answer just now","type":"about:blank","status":503}'),
    }
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
      const response = await finish(answered, request)
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

/** Compression, conditional requests, and the body's bytes. */
async function finish(answered: Answer<Buffer>, request: IncomingMessage): Promise<Response> {
  const { status, headers, body } = answered
  if (status !== 200) return { status, headers, body: await bytesOf(body) }
  const { coding, mayDiffer } = chooseCoding(request.headers['accept-encoding'], answered)
  const all = mayDiffer ? withCoding(headers, coding) : headers
  const asked = {
    ifNoneMatch: request.headers['if-none-match'],
    ifModifiedSince: request.headers['if-modified-since'],
  }
  if (isNotModified(asked, all['ETag'] ?? '', all['Last-Modified'] ?? '')) {
    return { status: 304, headers: notModifiedHeaders(all), body: null }
  }
  const bytes = await bytesOf(body)
  if (bytes === null) return { status, headers: all, body: null }
  if (coding === 'identity') return partOf(bytes, all, request)
  return { status, headers: all, body: await compress(bytes, coding) }
}

/** The bytes that were asked for; of what is no file, all of them. */
function partOf(bytes: Buffer, headers: Record<string, string>, request: IncomingMessage): Response {
  const { length } = bytes
  const { range, 'if-range': ifRange } = request.headers
  const isFile = headers['Accept-Ranges'] === 'bytes'
  const whole = { length, etag: headers['ETag'] ?? '', lastModified: headers['Last-Modified'] ?? '' }
  const wanted = isFile ? byteRange(range, ifRange as string | undefined, whole) : null
  if (wanted === null) return { status: 200, headers, body: bytes }
  const all = { ...headers, 'Content-Range': contentRange(wanted, length) }
  if (wanted === 'outside') return { status: 416, headers: all, body: Buffer.alloc(0) }
  return { status: 206, headers: all, body: bytes.subarray(wanted.first, wanted.last + 1) }
}

async function bytesOf(body: Answer<Buffer>['body']): Promise<Buffer | null> {
  switch (body.kind) {
    case 'none':
      return null
    case 'stored':
      return body.body
    case 'joined':
      // The store's text is Latin-1 of the bytes: this way the bytes come back as they were.
      return Buffer.from((await body.pieces()).join(''), 'latin1')
    case 'text':
      return Buffer.from(body.text)
    default:
      return body satisfies never
  }
}
