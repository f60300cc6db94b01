/** The handlers that nginx calls on njs. nginx itself compresses, and sends large files. */

import { answer, type Answer, type EdgeSettings } from '../core/answer.ts'
import { finish, mayBeCoded } from '../core/finish.ts'
import { fromOneSnapshot } from '../core/live.ts'
import { requestOf, resolve, type Resolution } from '../core/resolve.ts'
import { headersTooLong, targetTooLong, unavailable, type StandaloneAnswer } from '../core/standalone.ts'
import {
  smallBytesOf,
  lengthOf,
  setHeaders,
  type NjsBody,
  type NjsOrigin,
  type NjsSnapshot,
} from './objects.ts'
import { makePart, planRange, sendRange, toRange } from './range.ts'
import type { NjsModules, NjsRequest } from './types.ts'

/** Handlers for `js_content`. */
export interface NjsEdge {
  readonly respond: (request: NjsRequest) => Promise<void>
  /** Answers a request that nginx itself could not read. */
  readonly respondToUnreadable: (request: NjsRequest) => Promise<void>
  /** Refuses a request that is longer than nginx reads. */
  readonly refuseLength: (request: NjsRequest) => void
  /** Sends a range that `respond` has planned. */
  readonly sendRange: (request: NjsRequest) => void
  /** Makes a part of a range, for nginx itself. */
  readonly respondWithPart: (request: NjsRequest) => Promise<void>
  /** Answers if the way that was decided on failed, or if too many ranges are in work. */
  readonly fail: (request: NjsRequest) => void
}

/** How often a request starts anew because the snapshot was exchanged under it. */
const maxAttempts = 20

export function njsEdge({ crypto }: NjsModules, origin: NjsOrigin, settings: EdgeSettings): NjsEdge {
  const respondTo = async (request: NjsRequest, asked: Asked) => {
    let response: Response
    try {
      response = await fromOneSnapshot(
        () => origin.pin(request),
        (snapshot) => answerFrom(snapshot, settings, request, asked),
        maxAttempts,
      )
    } catch (error) {
      request.error('fundpress: ' + asked.target.slice(0, 200) + ' failed: ' + (error as Error).message)
      response = failed
    }
    send(request, response)
  }
  return {
    // `uri` is decoded, and its slashes and dots are resolved: the edge needs what the client sent.
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

/** A request line with a valid URI, as it was sent. Anything else is only a 400. Source: RFC 3986, appendix A. */
const requestLine =
  /^([A-Z]+) (\/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?) HTTP\//

/** What the client sent. */
interface Asked {
  readonly method: string
  readonly target: string
}

interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ((request: NjsRequest) => void) | null
}

const ofText = ({ status, headers, body }: StandaloneAnswer): Response => ({
  status,
  headers,
  body: body.text,
})

const failed = ofText(unavailable)

async function answerFrom(
  snapshot: NjsSnapshot,
  settings: EdgeSettings,
  request: NjsRequest,
  { method, target }: Asked,
): Promise<Response> {
  const { table, store } = snapshot
  const header = (name: string) => request.headersIn[name]
  const resolution = resolve(table, requestOf(method, target, header))
  const answered = await answer(table, settings, store, resolution)
  return responseOf(snapshot, answered, resolution, request)
}

/** Applies conditional requests and byte ranges, and foresees nginx's compression. */
async function responseOf(
  snapshot: NjsSnapshot,
  answered: Answer<NjsBody>,
  resolution: Resolution,
  request: NjsRequest,
): Promise<Response> {
  const { method, headersIn } = request
  const mayDiffer = mayBeCompressed(answered)
  const isCompressed = mayDiffer && isGzipWanted(headersIn['Accept-Encoding'] ?? '')
  // The ETag says which coding it is: nginx leaves an ETag of ours alone, and adds nothing to `Vary` for HEAD.
  const coding = { mayDiffer, name: isCompressed ? 'gzip' : '' }
  const { status, headers, body, part } = finish(
    answered,
    method,
    (name) => headersIn[name],
    coding,
    lengthOf,
  )
  if (status === 200 && isCompressed && method === 'HEAD') {
    // nginx compresses no answer to HEAD: its headers would be those of another body.
    return { status, headers: Object.assign({}, headers, { 'Content-Encoding': 'gzip' }), body: null }
  }
  if (body.kind === 'joined' && resolution.kind === 'range') {
    // Nobody knows its length before it is joined.
    if (method === 'HEAD') return { status, headers, body: null }
    const planned = await planRange(body, resolution, snapshot.table, snapshot.name)
    return { status, headers, body: toRange(headers, planned) }
  }
  if (body.kind === 'stored' && body.body.kind === 'large') {
    const { length, send } = body.body
    if (method === 'HEAD') {
      // nginx and the bucket would describe the part that was asked for.
      const ofWhole = Object.assign({}, headers, { 'Content-Length': String(length) })
      return { status, headers: ofWhole, body: null }
    }
    // nginx or the bucket adds it.
    delete headers['Content-Range']
    return {
      status,
      headers,
      body: (sent) => {
        send(sent, headers, part)
      },
    }
  }
  const content = contentOf(body)
  if (part === null || !Buffer.isBuffer(content)) return { status, headers, body: content }
  return { status, headers, body: content.subarray(part.first, part.last + 1) }
}

/** Whether nginx compresses it for a client that wants that. Large files go out as they are. */
function mayBeCompressed({ status, headers, body }: Answer<NjsBody>): boolean {
  if (status !== 200) return false
  const isLarge = body.kind === 'stored' && body.body.kind === 'large'
  return (
    !isLarge && mayBeCoded(headers['Content-Type'] ?? '', body.kind === 'stored' ? lengthOf(body.body) : null)
  )
}

/**
 * Whether nginx compresses for this `Accept-Encoding`: as nginx 1.22 reads it, since the ETag has to say so beforehand. nginx looks
 * at the first `gzip`, knows no `*`, and adds up the decimals of the weight. Source: ngx_http_gzip_accept_encoding.
 */
export function isGzipWanted(acceptEncoding: string): boolean {
  if (acceptEncoding.startsWith('gzip,')) return true
  const found = /(?:^|[ ,])gzip(.*)$/i.exec(acceptEncoding)
  if (found === null) return false
  const after = found[1] ?? ''
  if (/^ *(,|$)/.test(after) || /^ *; *$/.test(after)) return true
  const weight = /^ *; *q=([01])(?:\.(\d{0,3}))?(?:[ ,]|$)/i.exec(after)
  if (weight === null) return false
  const [, ones = '', decimals = ''] = weight
  const sum = decimals.split('').reduce((total, digit) => total + Number(digit), Number(ones) * 100)
  return sum > 0 && sum <= 100
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
      return smallBytesOf(body.body)
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
