/**
 * The viewer-request function of CloudFront: answers what needs no store by itself, and leads everything else to the
 * live slot of the bucket, or to the Lambda that answers for it. What takes part in CloudFront's cache key is written
 * here in full, with the snapshot: path, query, and the one header {@link targetHeader}.
 *
 * Runtime 2.0: little more than ES5, and at most 10,240 bytes of source.
 */

import { fill } from '../../routes/keys.ts'
import { folderOfDay } from '../../routes/pages.ts'
import type { Format } from '../../routes/table.ts'
import { preflight, redirect, refusalHeaders, type Answer, type Body, type EdgeSettings } from '../answer.ts'
import { headerBytes, headersTooLong, maxRequestBytes } from '../limits.ts'
import { resolve, type Resolution } from '../resolve.ts'
import { unavailable } from '../standalone.ts'
import {
  noteHeader,
  targetHeader,
  type CloudFront,
  type CloudFrontHeaders,
  type CloudFrontRequest,
  type CloudFrontResponse,
  type LivePin,
  type Note,
} from './cloudfront-event.ts'
import { unpackTable, type PackedTable } from './cloudfront-table.ts'

export interface ViewerRequestOptions {
  readonly table: PackedTable
  /**
   * The one refusal that the function gives itself: CloudFront cannot sign a request with a body for a Lambda. Its
   * document in each format, with {method} and {docsUrl} in it.
   */
  readonly wrongMethod: Readonly<Record<Format, string>>
  readonly settings: EdgeSettings
  /** Ids of origins of the distribution: the bucket, then what answers in its place. */
  readonly origins: readonly string[]
  /** Statuses of the bucket at which the second one answers. */
  readonly failover: readonly number[]
}

type Handler = (
  event: { readonly request: CloudFrontRequest },
  cf: CloudFront,
) => Promise<CloudFrontRequest | CloudFrontResponse>

export function viewerRequest(options: ViewerRequestOptions): Handler {
  const { settings } = options
  const table = unpackTable(options.table)
  return ({ request }, cf) => {
    const { method, headers } = request
    const answered = (one: Answer<never>) => responseOf(method, one)
    const forward = (value: unknown) => {
      const live = value as LivePin
      const query = request.rawQueryString() || ''
      // An address that is too long CloudFront itself refuses.
      const length = Object.keys(headers).reduce(
        (sum, name) => sum + headerBytes(name, textOf(headers[name]) || ''),
        request.uri.length + query.length,
      )
      if (length > maxRequestBytes) return answered(headersTooLong)
      const resolution = resolve(table, {
        method,
        path: request.uri,
        query,
        accept: textOf(headers['accept']),
        acceptLanguage: textOf(headers['accept-language']),
      })
      const { kind } = resolution
      if (kind === 'preflight') return answered(preflight(settings))
      if (kind === 'redirect') return answered(redirect(settings, resolution.location))
      const { wanted } = resolution
      if (method !== 'GET' && method !== 'HEAD') {
        return answered({
          status: 405,
          headers: refusalHeaders(settings, wanted, 405),
          body: { kind: 'text', text: wrongMethod(options.wrongMethod[wanted.format], method, live.docsUrl) },
        })
      }
      if (lead(request, query, live, resolution)) {
        cf.createRequestOriginGroup({
          originIds: options.origins.map((originId) => ({ originId })),
          failoverCriteria: { statusCodes: options.failover },
        })
      }
      // Downloads lie beside the slots, as placeOf says to the other platforms; in a slot there are none.
      const asked = /^\/\w+\/downloads\/(latest|[\d-]{10})(\/.+)/.exec(request.uri)
      const asOf = live.snapshot.slice(0, 10)
      // After a rollback a later day is no longer published.
      if (!asked || (asked[1] !== 'latest' && (asked[1] as string) > asOf)) return request
      const day = asked[1] === 'latest' ? asOf : (asked[1] as string)
      return kvs
        .get('downloads/' + day.slice(0, 7))
        .then(
          (month) => folderOfDay(month as string, day),
          () => day,
        )
        .then((folder) => {
          request.uri = '/downloads/' + folder + (asked[2] as string)
          return request
        })
    }
    const kvs = cf.kvs()
    return kvs.get('live', { format: 'json' }).then(forward, () => answered(unavailable))
  }
}

/** Rewrites the request. @returns whether the bucket has the answer, as a rule */
function lead(
  request: CloudFrontRequest,
  query: string,
  live: LivePin,
  resolution: Exclude<Resolution, { kind: 'preflight' | 'redirect' }>,
): boolean {
  const { headers } = request
  const { kind, wanted } = resolution
  const liveSince = Math.floor(Date.parse(live.liveSince) / 1000)
  const asked = request.uri
  delete headers[noteHeader]
  delete headers[targetHeader]
  // Objects may be older than the snapshot, whose date is what clients were told.
  const since = headers['if-modified-since']
  if (since && !(Date.parse(since.value) >= liveSince * 1000)) delete headers['if-modified-since']
  if (kind !== 'page' || request.method !== 'GET') {
    // Documents come as a whole, and so is what a HEAD is told of, whatever the bucket could do.
    delete headers['range']
    delete headers['if-range']
  }
  const pin = [live.slot, live.snapshot, liveSince, encodeURIComponent(live.docsUrl)].join('.')
  const { format, language, vary } = wanted
  request.querystring =
    'live=' +
    pin +
    '&format=' +
    format +
    (language ? '&language=' + language : '') +
    (vary[0] === 'Accept' ? '&vary=accept' : '')
  if (kind === 'range') {
    request.uri = fill(resolution.route.path, resolution.values)
    return false
  }
  if (kind === 'refusal') {
    headers[targetHeader] = { value: asked + '?' + query }
    request.uri = '/'
    return false
  }
  const note: Note =
    kind === 'page'
      ? { liveSince, path: resolution.key }
      : { liveSince, path: fill(resolution.route.path, resolution.values), wanted }
  headers[noteHeader] = { value: JSON.stringify(note) }
  if (kind === 'page') headers[targetHeader] = { value: asked }
  request.uri = '/' + live.slot + '/' + resolution.key
  return true
}

const wrongMethod = (template: string, method: string, docsUrl: string) =>
  template.replace('{method}', method).replace('{docsUrl}', () => docsUrl)

const textOf = (header: CloudFrontHeaders[string] | undefined) =>
  header && (header.multiValue || [header]).map(({ value }) => value).join(', ')

function responseOf(method: string, answered: Answer<never>): CloudFrontResponse {
  const headers: CloudFrontHeaders = {}
  Object.keys(answered.headers).forEach((name) => {
    headers[name.toLowerCase()] = { value: answered.headers[name] as string }
  })
  const body: Body<never> = answered.body
  const response = { statusCode: answered.status, headers }
  if (body.kind !== 'text' || method === 'HEAD') return response
  return Object.assign(response, { body: { encoding: 'text' as const, data: body.text } })
}
