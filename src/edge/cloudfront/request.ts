/**
 * The viewer-request function of CloudFront. It answers what needs no store, and rewrites other requests for the live slot of the
 * bucket or for the Lambda. It writes all of the cache key, the snapshot included: path, query, and the headers {@link targetHeader}
 * and {@link previewHeader}. The publisher writes the key of a preview, so the function knows no token: with a right one, the header
 * names the staged snapshot from here on, for the Lambda and the viewer-response function. Else it is gone.
 *
 * The runtime, 2.0, knows little more than ES5, and accepts at most 10,240 bytes of source.
 */

import { fill } from '../../api/routes/keys.ts'
import { folderOfDay } from '../../api/routes/pages.ts'
import type { DocumentFormat } from '../../api/routes/table.ts'
import { preflight, redirect, refusalHeaders } from '../core/answer.ts'
import type { Answer, Body, EdgeSettings } from '../core/answer.ts'
import type { LiveSlot } from '../core/live.ts'
import { refusalOf, resolve, type Resolution } from '../core/resolve.ts'
import { headerBytes, headersTooLong, maxRequestBytes, unavailable } from '../core/standalone.ts'
import { previewHeader } from '../core/preview.ts'
import { markPreview, noteHeader, targetHeader, type Note } from './event.ts'
import type { CloudFront, CloudFrontHeaders, CloudFrontRequest, CloudFrontResponse } from './event.ts'
import { unpackTable, type PackedTable } from './table.ts'

export interface ViewerRequestOptions {
  readonly table: PackedTable
  /**
   * The one refusal that the function makes itself, because CloudFront cannot sign a request with a body for a Lambda: its document
   * in each format, with {method} and {type} to fill in; and its type without the address of the documentation.
   */
  readonly wrongMethod: Readonly<Record<DocumentFormat, string>>
  readonly wrongType: string
  readonly settings: EdgeSettings
  /** Ids of the distribution's origins: the bucket, then the Lambda. */
  readonly origins: readonly string[]
  /** Statuses of the bucket at which the Lambda answers. */
  readonly failover: readonly number[]
}

/** A value of the KeyValueStore. Source: src/bucket/live/key-value-store.ts. */
type PointedSlot = LiveSlot & {
  /** Of its own downloads. Absent if it has none, and in values of earlier versions. */
  readonly folder?: string
}

export function viewerRequest(options: ViewerRequestOptions) {
  const { settings } = options
  const table = unpackTable(options.table)
  return ({ request }: { readonly request: CloudFrontRequest }, cf: CloudFront) => {
    const { method, headers } = request
    const asked = headers[previewHeader]
    delete headers[previewHeader]
    const answered = (one: Answer<never>) => responseOf(method, one, headers)
    const forward = (value: unknown) => {
      const live = value as PointedSlot
      const query = request.rawQueryString() || ''
      // CloudFront itself refuses a URL that is too long.
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
      if (method !== 'GET' && method !== 'HEAD') {
        const wanted = refusalOf(resolution.wanted)
        return answered({
          status: 405,
          headers: refusalHeaders(settings, wanted, 405),
          body: {
            kind: 'text',
            text: options.wrongMethod[wanted.format]
              .replace('{method}', method)
              .replace('{type}', () => live.docsUrl + options.wrongType),
          },
        })
      }
      if (rewrite(request, query, live, resolution)) {
        cf.createRequestOriginGroup({
          originIds: options.origins.map((originId) => ({ originId })),
          failoverCriteria: { statusCodes: options.failover },
        })
      }
      // Downloads lie beside the slots: the other platforms use `placeOf`.
      const download = /^\/\w+\/downloads\/(latest|[\d-]{10})(\/.+)/.exec(request.uri)
      if (!download) return request
      const asOf = live.snapshot.slice(0, 10)
      const day = download[1] === 'latest' ? asOf : (download[1] as string)
      // After a rollback a later day is no longer published.
      if (day > asOf) return request
      const forwardTo = (folder: string) => {
        request.uri = '/downloads/' + folder + (download[2] as string)
        return request
      }
      // The keys of months are those of what is live: they do not name the folder of what is staged.
      if (live.folder && day === asOf) return forwardTo(live.folder)
      return kvs.get('downloads/' + day.slice(0, 7)).then(
        (month) => forwardTo(folderOfDay(month as string, day)),
        () => forwardTo(day),
      )
    }
    const kvs = cf.kvs()
    const json = { format: 'json' } as const
    const forwardLive = () => kvs.get('live', json).then(forward, () => answered(unavailable))
    if (!asked || !/^[\w-]{16,100}$/.test(asked.value)) return forwardLive()
    return kvs.get('preview-' + asked.value, json).then((value) => {
      headers[previewHeader] = { value: (value as LiveSlot).snapshot }
      return forward(value)
    }, forwardLive)
  }
}

/** Rewrites the request. @returns whether the bucket should have the answer */
function rewrite(
  request: CloudFrontRequest,
  query: string,
  live: LiveSlot,
  resolution: Exclude<Resolution, { kind: 'preflight' | 'redirect' }>,
): boolean {
  const { headers } = request
  const { kind, wanted } = resolution
  const since = Math.floor(Date.parse(live.liveSince) / 1000)
  const asked = request.uri
  delete headers[noteHeader]
  delete headers[targetHeader]
  // Objects may be older than the snapshot, and clients know the snapshot's date.
  const known = headers['if-modified-since']
  if (known && !(Date.parse(known.value) >= since * 1000)) delete headers['if-modified-since']
  if (kind !== 'page' || request.method !== 'GET') {
    // The bucket could do it, but documents have no parts, and a HEAD describes the whole.
    delete headers['range']
    delete headers['if-range']
  }
  const pin = [live.slot, live.snapshot, since, encodeURIComponent(live.docsUrl)].join('.')
  const { format, language, vary } = wanted
  const inLanguage = language ? '&language=' + language : ''
  const negotiated = vary[0] === 'Accept' ? '&vary=accept' : ''
  request.querystring = 'live=' + pin + '&format=' + format + inLanguage + negotiated
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
      ? { since, path: resolution.key }
      : { since, path: fill(resolution.route.path, resolution.values), wanted }
  headers[noteHeader] = { value: JSON.stringify(note) }
  if (kind === 'page') headers[targetHeader] = { value: asked }
  request.uri = '/' + live.slot + '/' + resolution.key
  return true
}

const textOf = (header: CloudFrontHeaders[string] | undefined) =>
  header && (header.multiValue || [header]).map(({ value }) => value).join(', ')

function responseOf(method: string, answered: Answer<never>, asked: CloudFrontHeaders): CloudFrontResponse {
  const headers: CloudFrontHeaders = {}
  Object.keys(answered.headers).forEach((name) => {
    headers[name.toLowerCase()] = { value: answered.headers[name] as string }
  })
  markPreview(asked, headers)
  const body: Body<never> = answered.body
  const response = { statusCode: answered.status, headers }
  if (body.kind !== 'text' || method === 'HEAD') return response
  return Object.assign(response, { body: { encoding: 'text' as const, data: body.text } })
}
