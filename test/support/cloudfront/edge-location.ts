/**
 * One edge of a local CloudFront: runs the functions, keeps a cache by the policy's key, asks origins, fails over,
 * compresses. What it does stands in CloudFront's developer guide; what it leaves out is said where it is.
 */
import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Distribution } from './distribution.ts'
import type { FunctionRuntime, Headers, OriginGroup } from './function-runtime.ts'

interface ViewerRequest {
  readonly method: string
  readonly path: string
  readonly rawQuery: string | undefined
  /** In the order sent; names in lower case. */
  readonly headers: readonly (readonly [string, string])[]
}

export interface OriginRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
}

export interface OriginResponse {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Throws if the connection fails or breaks off. */
export type AskOrigin = (request: OriginRequest) => Promise<OriginResponse>

interface EdgeOptions {
  readonly distribution: Distribution
  readonly functions: FunctionRuntime
  /** Origins by id. */
  readonly origins: Readonly<Record<string, AskOrigin>>
}

interface FunctionRequest {
  readonly method: string
  readonly uri: string
  readonly querystring: string | Headers
  readonly headers: Headers
}

interface FunctionResponse {
  readonly statusCode: number
  readonly headers: Headers
  readonly body?: { readonly data: string }
}

/** Source: restrictions on edge functions. */
const notExposed =
  /^(connection|expect|keep-alive|proxy-.*|trailer|upgrade|x-accel-.*|x-amz-cf-.*|x-cache|x-edge-.*|cookie)$/
const readOnlyOfRequests = ['content-length', 'host', 'transfer-encoding', 'via']
const readOnlyOfResponses = ['content-encoding', 'content-length', 'transfer-encoding', 'warning', 'via']

export function edgeLocation({ distribution, functions, origins }: EdgeOptions) {
  /** What this edge reads from the KeyValueStore. */
  const keys: Record<string, string> = {}
  /** Answers out of the cache, and others. */
  const counts = { hits: 0, misses: 0 }
  /** Requests to each origin. */
  const asked: Record<string, number> = {}
  const cache = new Map<string, { readonly response: OriginResponse; readonly until: number }>()

  const run = (eventType: string, event: object, rawQueryString?: string) =>
    functions.run(eventType, {
      event: { version: '1.0', context: { eventType }, ...event },
      keys,
      rawQueryString,
    })

  const answer = async (request: ViewerRequest): Promise<OriginResponse> => {
    if (!distribution.allowedMethods.includes(request.method)) return ownAnswer(403)
    const headers = functionHeaders(request.headers)
    const event = { method: request.method, uri: request.path, querystring: {}, headers, cookies: {} }
    const otherCache = distribution.otherCaches.get(request.path)
    if (otherCache !== undefined) return fromCacheOrOrigin(event, request.rawQuery ?? '', null, otherCache)
    const { result, group } = await run('viewer-request', { request: event }, request.rawQuery)
    const changed = result as FunctionRequest | FunctionResponse
    if ('statusCode' in changed) return generated(request.method, changed)
    assertUntouched(headers, changed.headers, readOnlyOfRequests)
    const query = queryText(changed.querystring)
    if (!changed.uri.startsWith('/') || changed.uri.length + query.length + 1 >= 8192 || /[\s#]/.test(query))
      return ownAnswer(502)

    const response = await fromCacheOrOrigin(changed, query, group)
    return response.status >= 400 ? response : viewerResponse(changed, response)
  }

  /** Cached per edge; requests for the same object at the same time all go to the origin. */
  const fromCacheOrOrigin = async (
    request: FunctionRequest,
    query: string,
    group: OriginGroup | null,
    policy = distribution.cache,
  ) => {
    const queries = query.split('&').filter((pair) => policy.queries.includes(pair.split('=')[0] ?? ''))
    const headersNamed = (names: readonly string[]) =>
      Object.entries(plainHeaders(request.headers)).filter(([name]) => names.includes(name))
    const keyHeaders = headersNamed(policy.headers)
    const coding = normalisedCodings(request.headers['accept-encoding']?.value, policy)
    const id = [request.uri, queries.join('&'), JSON.stringify(keyHeaders.sort()), coding].join('\n')
    const cached = (request.method === 'OPTIONS' ? [] : ['GET', request.method])
      .map((method) => cache.get(`${method}\n${id}`))
      .find((entry) => entry !== undefined && entry.until > Date.now())
    if (cached !== undefined) {
      counts.hits++
      return conditional(request, cached.response)
    }
    counts.misses++
    const conditions = headersNamed([
      'if-match',
      'if-unmodified-since',
      'if-none-match',
      'if-modified-since',
      'range',
      'if-range',
    ])
    const headers = Object.fromEntries([...keyHeaders, ...conditions])
    if (coding !== '') headers['accept-encoding'] = coding
    const toOrigin = { method: request.method, path: request.uri, query: queries.join('&'), headers }
    const received = await fromOrigins(toOrigin, group)
    const response = distribution.compresses ? compressed(received, coding) : received
    const seconds = request.method === 'OPTIONS' ? 0 : lifetime(response, policy)
    if (seconds > 0) cache.set(`${request.method}\n${id}`, { response, until: Date.now() + seconds * 1000 })
    return response
  }

  const fromOrigins = async (request: OriginRequest, group: OriginGroup | null) => {
    const [first = distribution.target, second] = group?.originIds.map(({ originId }) => originId) ?? []
    const response = await fromOrigin(first, request)
    const mayFail = second !== undefined && ['GET', 'HEAD', 'OPTIONS'].includes(request.method)
    if (!mayFail || !group?.failoverCriteria.statusCodes.includes(response.status)) return response
    return fromOrigin(second, request)
  }

  const fromOrigin = async (id: string, request: OriginRequest): Promise<OriginResponse> => {
    const origin = origins[id]
    const path = distribution.originPaths.get(id) ?? ''
    if (origin === undefined) throw new Error(`the distribution has no origin ${id}`)
    asked[id] = (asked[id] ?? 0) + 1
    return origin({ ...request, path: path + request.path }).catch(() => ownAnswer(502))
  }

  const viewerResponse = async (request: FunctionRequest, { status, headers, body }: OriginResponse) => {
    const given = functionHeaders(Object.entries(headers))
    const response = { statusCode: status, headers: given, cookies: {} }
    const { result } = await run('viewer-response', { request, response })
    const changed = result as FunctionResponse
    const { statusCode, headers: kept, body: other } = changed
    if (other === undefined && statusCode === status) {
      assertUntouched(given, kept, readOnlyOfResponses)
      return { status, headers: plainHeaders(kept), body }
    }
    // CloudFront counts the bytes of another body itself. It keeps the coding, and would lie about it.
    assertUntouched(
      given,
      kept,
      readOnlyOfResponses.filter((name) => name !== 'content-length'),
    )
    const data = Buffer.from(other?.data ?? '')
    return {
      status: statusCode,
      headers: { ...plainHeaders(kept), 'content-length': `${data.length}` },
      body: data,
    }
  }

  /** Seconds that a response stays in the cache. Source: "Manage how long content stays in the cache". */
  const lifetime = ({ status, headers }: OriginResponse, policy: Distribution['cache']): number => {
    const { minSeconds, maxSeconds } = policy
    const control = headers['cache-control'] ?? ''
    const told = Number(/(?:s-maxage|max-age)=(\d+)/.exec(control)?.[1] ?? 0)
    if (status === 200) return Math.min(Math.max(told, minSeconds), maxSeconds)
    if (status < 400 || status === 416) return 0
    const isPrivate = /no-store|no-cache|private/.test(control)
    if (isPrivate && [404, 410, 414, 501].includes(status)) return 0
    return Math.max(isPrivate ? 0 : told, distribution.errorSeconds.get(status) ?? 10)
  }

  return { keys, answer, counts, asked }
}

/** CloudFront's own page. */
const ownAnswer = (status: number): OriginResponse => ({
  status,
  headers: { 'content-type': 'text/html', 'x-cache': 'Error from cloudfront' },
  body: Buffer.from('<html>cloudfront</html>'),
})

const generated = (method: string, { statusCode, headers, body }: FunctionResponse): OriginResponse => ({
  status: statusCode,
  headers: { ...plainHeaders(headers), 'x-cache': 'FunctionGeneratedResponse from cloudfront' },
  body: method === 'HEAD' ? Buffer.alloc(0) : Buffer.from(body?.data ?? ''),
})

function functionHeaders(headers: readonly (readonly [string, string])[]): Headers {
  const found: Headers = {}
  for (const [name, value] of headers.filter(([name]) => !notExposed.test(name))) {
    const known = found[name]
    if (known === undefined) found[name] = { value }
    else known.multiValue = [...(known.multiValue ?? [{ value: known.value }]), { value }]
  }
  return found
}

const plainHeaders = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, { value }]) => [name, value]))

function assertUntouched(before: Headers, after: Headers, names: readonly string[]): void {
  const touched = names.filter((name) => before[name]?.value !== after[name]?.value)
  const strange = Object.keys(after).filter((name) => notExposed.test(name) || name !== name.toLowerCase())
  if (touched.length + strange.length > 0)
    throw new Error(`The CloudFront function tried to change ${[...touched, ...strange].join(', ')}`)
}

function queryText(query: string | Headers): string {
  if (typeof query === 'string') return query
  const pairs = Object.entries(query).map(([name, { value }]) => `${name}=${value}`)
  return pairs.join('&')
}

/** Accept-Encoding as it takes part in the key, and goes to the origin: `br,gzip`, `gzip` or nothing. */
function normalisedCodings(header: string | undefined, policy: Distribution['cache']): string {
  const offered = (header ?? '').split(',').flatMap((range) => {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    const isRefused = parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
    return isRefused ? [] : [name]
  })
  return policy.codings.filter((name) => offered.includes(name)).join(',')
}

/** Source: "Serve compressed files", file types that CloudFront compresses; those that we have. */
const compressible =
  /^(application\/(json|xml)|text\/(css|csv|html|javascript|plain|xml)|image\/svg\+xml)(;|$)/

function compressed(response: OriginResponse, codings: string): OriginResponse {
  const { status, headers, body } = response
  const length = Number(headers['content-length'] ?? NaN)
  const isWorthIt = length >= 1000 && length <= 10_000_000 && compressible.test(headers['content-type'] ?? '')
  if (status !== 200 || codings === '' || headers['content-encoding'] !== undefined || !isWorthIt)
    return response
  const coding = codings.startsWith('br') ? 'br' : 'gzip'
  const others = Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-length'))
  const weak = headers['etag']?.startsWith('"') === true ? { etag: `W/${headers['etag']}` } : {}
  const small = body.length === 0 ? body : coding === 'br' ? brotliCompressSync(body) : gzipSync(body)
  const about = { ...others, ...weak, 'content-encoding': coding, vary: 'Accept-Encoding' }
  return { status, headers: about, body: small }
}

/** What a cache that holds the whole answers itself: 304, 206, 416. */
function conditional({ headers: asked }: FunctionRequest, whole: OriginResponse): OriginResponse {
  if (whole.status !== 200) return whole
  if (!isKnown(asked, whole.headers)) return partOf(asked, whole)
  const kept = Object.entries(whole.headers).filter(([name]) => !name.startsWith('content-'))
  return { status: 304, headers: Object.fromEntries(kept), body: Buffer.alloc(0) }
}

/** Whether the client has it, by weak comparison. */
function isKnown(asked: Headers, { etag, 'last-modified': modified = '' }: OriginResponse['headers']) {
  const tags = asked['if-none-match']?.value
  const since = asked['if-modified-since']?.value
  const opaque = (tag: string | undefined) => tag?.trim().replace(/^W\//, '')
  if (tags === undefined) return since !== undefined && Date.parse(modified) <= Date.parse(since)
  return tags.trim() === '*' || tags.split(',').some((tag) => opaque(tag) === opaque(etag))
}

/** One range of bytes, of what is not compressed. */
function partOf(asked: Headers, whole: OriginResponse): OriginResponse {
  const { headers, body } = whole
  const condition = asked['if-range']?.value
  const isWanted = [undefined, headers['etag'], headers['last-modified']].includes(condition)
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(asked['range']?.value ?? '') ?? []
  if (from + to === '' || !isWanted || headers['content-encoding'] !== undefined) return whole
  const end = body.length - 1
  const first = from === '' ? Math.max(end + 1 - Number(to), 0) : Number(from)
  const last = from === '' || to === '' ? end : Math.min(Number(to), end)
  if (first > last) return { ...ownAnswer(416), headers: { 'content-range': `bytes */${end + 1}` } }
  const part = body.subarray(first, last + 1)
  const contentRange = `bytes ${first}-${last}/${end + 1}`
  const length = { 'content-range': contentRange, 'content-length': String(part.length) }
  return { status: 206, headers: { ...headers, ...length }, body: part }
}
