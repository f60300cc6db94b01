/** The edge on njs, nginx's JavaScript: what a location answers with. nginx compresses, and sends what is large. */

import { isText } from '../../routes/content-types.ts'
import type { RouteTable } from '../../routes/table.ts'
import { answer, type Answer, type EdgeSettings, type Store } from '../answer.ts'
import { byteRange, contentRange } from '../byte-range.ts'
import { isNotModified, notModifiedHeaders } from '../conditional.ts'
import { headersTooLong, targetTooLong } from '../limits.ts'
import { resolve, type EdgeRequest, type Resolution } from '../resolve.ts'
import { unavailable, type StandaloneAnswer } from '../standalone.ts'
import { bytesOf, lengthOf, type NjsBody } from './njs-body.ts'
import { isGzipWanted } from './njs-gzip.ts'
import { makePart, planRange, sendRange, toRange } from './njs-range.ts'
import type { NjsModules, NjsRequest } from './njs-types.ts'

/** Where snapshots come from. */
export interface NjsOrigin {
  /** The snapshot that is live now: one request reads all it needs from it. */
  readonly pin: (request: NjsRequest) => Promise<NjsSnapshot>
  /** The snapshot of another request, by its `name`: whether it is live still, or not any more. */
  readonly resume: (request: NjsRequest, name: string) => NjsSnapshot
}

export interface NjsSnapshot {
  /** By which another request finds it again. */
  readonly name: string
  readonly table: RouteTable
  readonly store: Store<NjsBody>
  /** Whether all that was read belongs to this snapshot; else the request starts anew. */
  readonly isStillLive: () => Promise<boolean>
}

/** Handlers for `js_content`. */
export interface NjsEdge {
  readonly respond: (request: NjsRequest) => Promise<void>
  /** Answers what nginx itself could not make sense of. */
  readonly respondToUnreadable: (request: NjsRequest) => Promise<void>
  /** Answers what is longer than nginx was told to read. */
  readonly refuseLength: (request: NjsRequest) => void
  /** Sends a range that `respond` has planned. */
  readonly sendRange: (request: NjsRequest) => void
  /** Makes a part of a range, for nginx itself. */
  readonly respondWithPart: (request: NjsRequest) => Promise<void>
  /** What failed after all was decided, or is too much just now. */
  readonly fail: (request: NjsRequest) => void
}

/** How often a request starts anew because the snapshot was exchanged under it. */
const maxAttempts = 20

/** From this length on nginx compresses text, in bytes. */
export const worthCompressing = 1000

/** Larger files go past njs, which would hold them in memory. In bytes. */
export const largeFrom = 1024 * 1024

export function njsEdge({ crypto }: NjsModules, origin: NjsOrigin, settings: EdgeSettings): NjsEdge {
  const respondTo = async (request: NjsRequest, asked: Asked) => {
    let response: Response
    try {
      response = await answerFromOneSnapshot(origin, settings, request, asked)
    } catch (error) {
      request.error('fundpress: ' + asked.target.slice(0, 200) + ' failed: ' + (error as Error).message)
      response = failed
    }
    send(request, response)
  }
  return {
    // As it was sent: `uri` is decoded already, and its slashes and dots are resolved.
    respond: (request) =>
      respondTo(request, { method: request.method, target: request.variables['request_uri'] ?? '/' }),
    respondToUnreadable: async (request) => {
      // If it is the path alone (%00, or `..` out of the root), nginx has read the request line, and no header yet.
      const isPath = !request.variables['request_uri']
      const line = isPath ? requestLine.exec(request.variables['request'] ?? '') : null
      const [, method, target] = line ?? []
      if (method === undefined || target === undefined)
        send(request, { status: 400, headers: {}, body: null })
      else await respondTo(request, { method, target })
    },
    refuseLength: (request) => {
      send(request, ofText(request.uri === '/_fundpress/414' ? targetTooLong : headersTooLong))
    },
    sendRange,
    respondWithPart: async (request) => {
      try {
        const part = await makePart((name) => origin.resume(request, name), crypto, request)
        request.return(200, part)
      } catch (error) {
        request.error('fundpress: a range breaks off: ' + (error as Error).message)
        request.return(500, '')
      }
    },
    fail: (request) => {
      send(request, failed)
    },
  }
}

/** As it was sent; of what is no URI nothing more is said than 400. Source: RFC 3986, appendix A. */
const requestLine =
  /^([A-Z]+) (\/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?) HTTP\//

/** As it was sent. */
interface Asked {
  readonly method: string
  readonly target: string
}

interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | ((request: NjsRequest) => void) | null
}

const ofText = ({ status, headers, body }: StandaloneAnswer): Response => ({
  status,
  headers,
  body: body.text,
})

const failed = ofText(unavailable)

async function answerFromOneSnapshot(
  origin: NjsOrigin,
  settings: EdgeSettings,
  request: NjsRequest,
  asked: Asked,
): Promise<Response> {
  let failure = new Error('the snapshot changed again and again')
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const snapshot = await origin.pin(request)
    let response: Response | null = null
    try {
      const resolution = resolve(snapshot.table, edgeRequest(request, asked))
      const answered = await answer(snapshot.table, settings, snapshot.store, resolution)
      response = await finish(snapshot, answered, resolution, request)
    } catch (error) {
      failure = error as Error
    }
    // Objects that are gone, because the snapshot was exchanged in between, are no failure.
    if (await snapshot.isStillLive()) {
      if (response === null) throw failure
      return response
    }
  }
  throw failure
}

function edgeRequest({ headersIn }: NjsRequest, { method, target }: Asked): EdgeRequest {
  const question = target.indexOf('?')
  return {
    method,
    path: question < 0 ? target : target.slice(0, question),
    query: question < 0 ? '' : target.slice(question + 1),
    accept: headersIn['Accept'],
    acceptLanguage: headersIn['Accept-Language'],
  }
}

/** Compression, conditional requests, byte ranges, and the body. */
async function finish(
  snapshot: NjsSnapshot,
  answered: Answer<NjsBody>,
  resolution: Resolution,
  request: NjsRequest,
): Promise<Response> {
  const { status, body } = answered
  if (status !== 200) return { status, headers: answered.headers, body: contentOf(body) }
  const { headersIn } = request
  const mayDiffer = mayBeCompressed(answered)
  const isCompressed = mayDiffer && isGzipWanted(headersIn['Accept-Encoding'] ?? '')
  const headers = mayDiffer ? withCoding(answered.headers, isCompressed) : answered.headers
  const etag = headers['ETag'] ?? ''
  const lastModified = headers['Last-Modified'] ?? ''
  const asked = { ifNoneMatch: headersIn['If-None-Match'], ifModifiedSince: headersIn['If-Modified-Since'] }
  if (isNotModified(asked, etag, lastModified)) {
    return { status: 304, headers: notModifiedHeaders(headers), body: null }
  }
  if (isCompressed && request.method === 'HEAD') {
    // nginx compresses no answer to HEAD: what is told of it would be that of another body.
    return { status, headers: Object.assign({}, headers, { 'Content-Encoding': 'gzip' }), body: null }
  }
  if (body.kind === 'joined' && resolution.kind === 'range') {
    // Nobody knows how long it is going to be before it is made.
    if (request.method === 'HEAD') return { status, headers, body: null }
    const planned = await planRange(body, resolution, snapshot.table, snapshot.name)
    return { status, headers, body: toRange(headers, planned) }
  }
  if (body.kind !== 'stored' || headers['Accept-Ranges'] !== 'bytes' || isCompressed) {
    return { status, headers, body: contentOf(body) }
  }
  return fileOf(request, headers, body.body)
}

/** A file, or the part of it that was asked for. */
function fileOf(request: NjsRequest, headers: Record<string, string>, file: NjsBody): Response {
  const { method, headersIn } = request
  const length = lengthOf(file)
  const asked = { method, range: headersIn['Range'], ifRange: headersIn['If-Range'] }
  const whole = { length, etag: headers['ETag'] ?? '', lastModified: headers['Last-Modified'] ?? '' }
  const range = byteRange(asked, whole)
  if (range === 'outside') {
    const inNone = Object.assign({}, headers, { 'Content-Range': contentRange(range, length) })
    return { status: 416, headers: inNone, body: '' }
  }
  if (file.kind === 'large' && method === 'HEAD') {
    // nginx and the bucket would tell of the part that was asked for.
    return {
      status: 200,
      headers: Object.assign({}, headers, { 'Content-Length': String(length) }),
      body: null,
    }
  }
  if (file.kind === 'large') {
    return {
      status: 200,
      headers,
      body: (sent) => {
        file.send(sent, headers, range)
      },
    }
  }
  if (range === null) return { status: 200, headers, body: file.bytes }
  const inPart = Object.assign({}, headers, { 'Content-Range': contentRange(range, length) })
  return { status: 206, headers: inPart, body: file.bytes.subarray(range.first, range.last + 1) }
}

/** Whether nginx compresses it for a client that wants that; large files are sent as they are. */
function mayBeCompressed({ headers, body }: Answer<NjsBody>): boolean {
  if (!isText(headers['Content-Type'] ?? '')) return false
  return body.kind !== 'stored' || (body.body.kind === 'bytes' && lengthOf(body.body) >= worthCompressing)
}

/** The ETag says which coding it is: nginx does not touch one that was set here, nor does it add to `Vary` for HEAD. */
function withCoding(headers: Answer<NjsBody>['headers'], isCompressed: boolean): Record<string, string> {
  const { Vary: vary, ETag: etag } = headers
  return Object.assign({}, headers, {
    Vary: (vary === undefined ? '' : vary + ', ') + 'Accept-Encoding',
    ETag: isCompressed ? (etag ?? '').replace(/"$/, '-gzip"') : etag,
  })
}

function contentOf(body: Answer<NjsBody>['body']): string | Buffer | null {
  switch (body.kind) {
    case 'none':
      return null
    case 'joined':
      throw new Error('a range is sent in parts')
    case 'text':
      return body.text
    default:
      return bytesOf(body.body)
  }
}

function send(request: NjsRequest, { status, headers, body }: Response): void {
  if (typeof body === 'function') {
    body(request)
    return
  }
  setHeaders(request, headers)
  if (body !== null && body.length > 0) {
    request.return(status, body)
    return
  }
  request.status = status
  if (status >= 300 && status !== 304) request.headersOut['Content-Length'] = '0'
  request.sendHeader()
  request.finish()
}

export function setHeaders(request: NjsRequest, headers: Readonly<Record<string, string>>): void {
  Object.keys(headers).forEach((name) => {
    request.headersOut[name] = headers[name]
  })
}

/** Milliseconds. */
export const sleep = (ms: number) =>
  new Promise<void>((wake) => {
    setTimeout(wake, ms)
  })

/** Whether a key is that of a page or file beside the API: those may be large. */
export const isPageKey = (table: RouteTable, key: string) =>
  table.pages.includes(key.slice(0, key.indexOf('/')))
