/** The handlers that nginx calls on njs. nginx itself compresses, and sends large files. */

import { answer, type Answer, type EdgeSettings } from '../core/answer.ts'
import { finish, mayBeCoded, worthCompressing } from '../core/finish.ts'
import type { Route } from '../../api/routes/table.ts'
import { fromOneSnapshot, isNotKept } from '../core/live.ts'
import { answerStaged, asPreview, isPreview, type ReadStaged } from '../core/preview.ts'
import { requestOf, resolve } from '../core/resolve.ts'
import { headersTooLong, targetTooLong, unavailable, type StandaloneAnswer } from '../core/standalone.ts'
import { directRanges } from './direct-range.ts'
import { lengthOf, setHeaders } from './objects.ts'
import type { NjsBody, NjsOrigin, NjsSnapshot } from './objects.ts'
import { makePart, mostUncounted, planRange, sendRange } from './range.ts'
import type { NjsModules, NjsRequest } from './types.ts'

/** How often a request starts anew because the snapshot was exchanged under it. */
const maxAttempts = 20

interface NjsEdgeConfig {
  /** The routes of date ranges. */
  readonly ranges: readonly Route[]
  readonly settings: EdgeSettings
  /** Requests that have it are answered from the staged snapshot; null or absent: none are. */
  readonly previewToken?: string | null
}

/** In bytes, of a range whose clients nginx counts (templates/nginx/locations.conf). What is longer goes out in parts. */
const mostAtOnce = 1536 * 1024

/** Handlers for `js_content`. */
export function njsEdge(modules: NjsModules, origin: NjsOrigin, config: NjsEdgeConfig) {
  const { crypto } = modules
  const { ranges, settings, previewToken = null } = config
  const { pinDirect } = origin
  const directRange = pinDirect && directRanges(modules, ranges, settings)
  const respondTo = async (request: NjsRequest, method: string, target: string) => {
    const pinStaged = async () => (origin.pinStaged === undefined ? null : origin.pinStaged(request))
    const pin = async () => {
      const isAsked = isPreview((name) => request.headersIn[name], previewToken)
      const staged = isAsked ? await pinStaged() : null
      return staged ?? origin.pin(request)
    }
    const readStaged = async () => (await pinStaged())?.staged ?? null
    const response = await fromOneSnapshot(
      pin,
      (snapshot) => responseOf(snapshot, settings, request, method, target, readStaged),
      maxAttempts,
    ).catch((error: unknown) => {
      if (!isNotKept(error))
        request.error('fundpress: ' + target.slice(0, 200) + ' failed: ' + (error as Error).message)
      return failed
    })
    send(request, response)
  }
  /** @returns false if the core has to answer, as ever if anything fails here */
  const respondDirectly = (request: NjsRequest, most: number): boolean => {
    const { method, headersIn, variables } = request
    if (directRange === undefined || pinDirect === undefined || method !== 'GET') return false
    if (isPreview((name) => headersIn[name], previewToken)) return false
    try {
      const found = directRange(variables['request_uri'] ?? '', headersIn['accept'], pinDirect, most)
      if (found === null) return false
      const { bytes, headers, liveSince } = found
      // With a length, nginx would not compress a short one.
      if (bytes !== null && bytes.length < worthCompressing) return false
      if (bytes === null && most === mostAtOnce) return false
      if (bytes === null) request.internalRedirect('/_fundpress/long')
      else {
        const body = { kind: 'stored' as const, body: { kind: 'bytes' as const, bytes } }
        const finished = finishedFor({ status: 200, headers, body }, method, headersIn, liveSince)
        send(request, responseFrom(finished, method))
      }
      return true
    } catch (_error) {
      return false
    }
  }
  // `uri` is decoded, and its slashes and dots are resolved: the edge needs what the client sent.
  const respond = (request: NjsRequest) =>
    respondTo(request, request.method, request.variables['request_uri'] ?? '/')
  return {
    // Not async: a promise takes a tenth of the time of a short range.
    respond: (request: NjsRequest): Promise<void> | undefined => {
      // nginx would check these itself, without our ETags.
      if (has(request, 'If-Match') || has(request, 'If-Unmodified-Since'))
        request.internalRedirect('@fundpress_unconditional')
      else if (!respondDirectly(request, mostUncounted)) return respond(request)
      return undefined
    },
    /** Answers a request that nginx itself could not read. */
    respondToUnreadable: async (request: NjsRequest) => {
      // If it is the path alone (%00, or `..` out of the root), nginx has read the request line, and no header yet.
      const isPath = !request.variables['request_uri']
      const line = isPath ? requestLine.exec(request.variables['request'] ?? '') : null
      const [, method, target] = line ?? []
      if (method === undefined || target === undefined)
        send(request, { status: 400, headers: {}, body: null })
      else await respondTo(request, method, target)
    },
    /** Refuses a request that is longer than nginx reads. */
    refuseLength: (request: NjsRequest) => {
      send(request, ofText(request.uri === '/_fundpress/414' ? targetTooLong : headersTooLong))
    },
    /** Answers a range of many bytes, or hands it on to be sent in parts. */
    respondAtLength: (request: NjsRequest) =>
      respondDirectly(request, mostAtOnce) ? undefined : respond(request),
    sendRange,
    /** Makes a part of a range, for nginx itself. */
    respondWithPart: async (request: NjsRequest) => {
      try {
        const part = await makePart((name) => origin.resume(request, name), crypto, request)
        request.return(200, part)
      } catch (error) {
        request.error('fundpress: a range breaks off: ' + (error as Error).message)
        request.return(500, '')
      }
    },
    /** Answers if the way that was decided on failed, or if too many ranges are in work. */
    fail: (request: NjsRequest) => {
      send(request, failed)
    },
  }
}

/** Whether a request for something has a header, even an empty one. */
const has = ({ method, headersIn }: NjsRequest, name: string) =>
  (method === 'GET' || method === 'HEAD') && headersIn[name] !== undefined

/** A request line with a valid URI, as it was sent. Anything else is only a 400. Source: RFC 3986, appendix A. */
const requestLine =
  /^([A-Z]+) (\/(?:[\w.~!$&'()*+,;=:@/-]|%[0-9A-Fa-f]{2})*(?:\?(?:[\w.~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*)?) HTTP\/1\./

interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | ((request: NjsRequest) => void) | null
}

const ofText = ({ status, headers, body: { text } }: StandaloneAnswer) => ({ status, headers, body: text })

const failed = ofText(unavailable)

async function responseOf(
  snapshot: NjsSnapshot,
  settings: EdgeSettings,
  { headersIn }: NjsRequest,
  method: string,
  target: string,
  readStaged: ReadStaged,
): Promise<Response> {
  const { table, store, staged } = snapshot
  const header = (name: string) => headersIn[name]
  const asked = requestOf(method, target, header)
  const found =
    (await answerStaged(asked, settings, readStaged)) ??
    (await answer({ table, settings, store }, resolve(table, asked)))
  const answered = staged === undefined ? found : asPreview(found, staged)
  const finished = finishedFor(answered, method, headersIn, snapshot.liveSince)
  const { status, headers, body } = finished
  // Nobody knows its length before it is joined.
  if (body.kind !== 'joined' || method === 'HEAD') return responseFrom(finished, method)
  const planned = await planRange(body, headers, table, snapshot.name)
  return { status, headers, body: planned.send }
}

/** Applies conditional requests and byte ranges, and foresees nginx's compression. */
function finishedFor(
  answered: Answer<NjsBody>,
  method: string,
  headersIn: NjsRequest['headersIn'],
  liveSince = 0,
) {
  const mayDiffer = mayBeCompressed(answered)
  const isCompressed = mayDiffer && isGzipWanted(headersIn['Accept-Encoding'] ?? '')
  const condition = (name: string) => {
    const value = headersIn[name]
    const isIgnored =
      name === 'range'
        ? isCompressed
        : name === 'if-modified-since' &&
          value !== answered.headers['Last-Modified'] &&
          Date.parse(value ?? '') < liveSince
    return isIgnored ? undefined : value
  }
  const finished = finish(answered, method, condition, { mayDiffer, name: '' }, lengthOf)
  // nginx does that to ETags of its own, and adds nothing to `Vary` for HEAD.
  if (finished.status === 200 && isCompressed)
    finished.headers['ETag'] = 'W/' + (finished.headers['ETag'] ?? '')
  return Object.assign(finished, { isCompressed })
}

function responseFrom(
  { status, headers, body, part, isCompressed }: ReturnType<typeof finishedFor>,
  method: string,
): Response {
  // nginx compresses no answer to HEAD: its headers would be those of another body.
  if (status === 200 && isCompressed && method === 'HEAD')
    return { status, headers: Object.assign(headers, { 'Content-Encoding': 'gzip' }), body: null }
  if (body.kind !== 'stored') return { status, headers, body: body.kind === 'text' ? body.text : null }
  const stored = body.body
  if (stored.kind === 'bytes') {
    const { bytes } = stored
    return { status, headers, body: part === null ? bytes : bytes.subarray(part.first, part.last + 1) }
  }
  if (method === 'HEAD') {
    // nginx and the bucket would describe the part that was asked for.
    const ofWhole = Object.assign(headers, { 'Content-Length': String(stored.length) })
    return { status, headers: ofWhole, body: null }
  }
  // nginx or the bucket adds it.
  delete headers['Content-Range']
  const sendLarge = (request: NjsRequest) => {
    stored.send(request, headers, part)
  }
  return { status, headers, body: sendLarge }
}

/** Whether nginx compresses it for a client that wants that. Large files go out as they are. */
function mayBeCompressed({ status, headers, body }: Answer<NjsBody>): boolean {
  if (status !== 200 || body.kind === 'text') return false
  const stored = body.kind === 'stored' ? body.body : null
  if (stored !== null && stored.kind === 'large') return false
  return mayBeCoded(headers['Content-Type'] ?? '', stored && lengthOf(stored))
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
