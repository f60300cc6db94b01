/**
 * The viewer-request function of CloudFront. It answers what needs no store, and rewrites other requests for the live slot of the
 * bucket or for the Lambda. It writes all of the cache key, the snapshot included: path, query, and the headers {@link targetHeader}
 * and {@link previewHeader}. The publisher writes the key of a preview, so the function knows no token: with a right one, the header
 * names the staged snapshot from here on, for the Lambda and the viewer-response function. Else it is removed.
 *
 * The runtime, 2.0, knows little more than ES5, and accepts at most 10,240 bytes of source.
 */

import { documentName } from '../../../core/api/routes/keys.ts'
import { isTooLong } from '../../../core/api/routes/match.ts'
import { folderOfDay, matchPage } from '../../../core/api/routes/pages.ts'
import {
  formats,
  formatsOf,
  languages,
  type DocumentFormat,
  type Format,
} from '../../../core/api/routes/table.ts'
import { preflight, refusalHeaders } from '../../../core/edge/core/answer.ts'
import type { Answer, Body, EdgeSettings } from '../../../core/edge/core/answer.ts'
import { isFolder, isMonth, isRepeated, type Repeated } from '../../../core/edge/core/live-file.ts'
import {
  preferredLanguage,
  preferredFormat,
  withLanguage,
  isUnsupported,
  parseQuery,
  forRefusal,
  wantedFormat,
  wantedPage,
} from '../../../core/edge/core/representation.ts'
import type { Chosen, Preferences, Query } from '../../../core/edge/core/representation.ts'
import {
  headerBytes,
  headersTooLong,
  maxRequestBytes,
  unavailable,
} from '../../../core/edge/core/standalone.ts'
import { previewHeader } from '../../../core/edge/core/preview.ts'
import {
  conditionHeaders,
  markPreview,
  noteHeader,
  onTheWay,
  targetHeader,
  headerText,
  type Note,
} from './event.ts'
import type { CloudFront, CloudFrontHeaders, CloudFrontRequest, CloudFrontResponse } from './event.ts'
import { unpackRoutes, type PackedRoute, type PackedTable } from './table.ts'

interface ViewerRequestOptions {
  readonly table: PackedTable
  /**
   * The one refusal of the function itself, because CloudFront cannot sign a request with a body for a Lambda: its document
   * in each format, with {method} and {type} to fill in; and its type without the address of the documentation.
   */
  readonly wrongMethod: Readonly<Record<DocumentFormat, string>>
  readonly wrongType: string
  readonly settings: EdgeSettings
  readonly origins: readonly string[]
  readonly failover: readonly number[]
}

export function viewerRequest(options: ViewerRequestOptions) {
  const routes = unpackRoutes(options.table)
  return ({ request }: { readonly request: CloudFrontRequest }, cf: CloudFront) => {
    const { method, headers } = request
    const asked = headers[previewHeader]
    delete headers[previewHeader]
    const kvs = cf.kvs()
    const json = { format: 'json' } as const
    const refuse = (one: Answer<never>) => responseOf(method, one, headers)
    // Source of the values: src/extensions/platforms/cloudfront/key-value-store.ts.
    const forward = (live: unknown) => {
      if (!isRepeated(live)) return refuse(unavailable)
      const found = foundOf(options, routes, request)
      const own = ownAnswer(options, request, found, live)
      if (own) return refuse(own)
      if (rewrite(request, live, found)) {
        cf.createRequestOriginGroup({
          originIds: options.origins.map((originId) => ({ originId })),
          failoverCriteria: { statusCodes: options.failover },
        })
      }
      return placeDownload(request, live, (month) => kvs.get('downloads/' + month), refuse)
    }
    const forwardLive = () => kvs.get('live', json).then(forward, () => refuse(unavailable))
    if (!asked || !/^[\w-]{16,100}$/.test(asked.value)) return forwardLive()
    return kvs.get('preview-' + asked.value, json).then((value) => {
      if (isRepeated(value)) headers[previewHeader] = { value: value.snapshot }
      return forward(value)
    }, forwardLive)
  }
}

function ownAnswer(
  { settings, wrongMethod, wrongType }: ViewerRequestOptions,
  { method, headers, uri }: CloudFrontRequest,
  found: Found,
  { docsUrl }: Repeated,
): Answer<never> | null {
  // CloudFront itself refuses a URL that is too long.
  const length = Object.keys(headers).reduce(
    (sum, name) => sum + headerBytes(name, headerText(headers[name]) || ''),
    uri.length + found.query.length,
  )
  if (length > maxRequestBytes) return headersTooLong
  if (method === 'OPTIONS') return preflight(settings)
  if (method === 'GET' || method === 'HEAD') return null
  const wanted = forRefusal(wantedFormat(found, found.asked, found.offers))
  const text = wrongMethod[wanted.format]
    .replace('{method}', method)
    .replace('{type}', () => docsUrl + wrongType)
  return { status: 405, headers: refusalHeaders(settings, wanted, 405), body: { kind: 'text', text } }
}

/** Downloads lie beside the slots: the other platforms use `placeOf`. @param monthOf the folders of a month, `2026-11` */
function placeDownload<R>(
  request: CloudFrontRequest,
  { snapshot, folder }: Repeated & { readonly folder?: unknown },
  monthOf: (month: string) => Promise<unknown>,
  refuse: (answer: Answer<never>) => R,
): CloudFrontRequest | R | Promise<CloudFrontRequest | R> {
  const download = /^\/\w+\/downloads\/(latest|[\d-]{10})(\/.+)/.exec(request.uri)
  if (!download) return request
  const asOf = snapshot.slice(0, 10)
  const day = download[1] === 'latest' ? asOf : (download[1] as string)
  // After a rollback a later day is no longer published.
  if (day > asOf) return request
  // The slot has no downloads: a day without a folder is answered with 404.
  const forwardTo = (folder: string | null) => {
    if (folder) request.uri = '/downloads/' + folder + (download[2] as string)
    return request
  }
  // The keys of months do not name the folder of a staged snapshot.
  if (day === asOf)
    return folder === undefined || isFolder(folder) ? forwardTo(folder || null) : refuse(unavailable)
  return monthOf(day.slice(0, 7)).then(
    (month) => (month === '-' || isMonth(month) ? forwardTo(folderOfDay(month, day)) : refuse(unavailable)),
    () => request,
  )
}

interface Found extends Preferences {
  /** Of the address of a document or of a date range. */
  readonly route: PackedRoute | undefined
  readonly pages: readonly string[]
  readonly query: string
  readonly asked: Query
  readonly offers: readonly Format[]
}

function foundOf(
  { table }: ViewerRequestOptions,
  routes: readonly PackedRoute[],
  request: CloudFrontRequest,
): Found {
  const { uri, headers } = request
  const route = routes.filter(({ pattern }) => pattern.test(uri))[0]
  const query = request.rawQueryString() || ''
  return {
    route,
    pages: table.pages,
    asked: parseQuery(query),
    query,
    offers: formatsOf(route || {}),
    accept: headerText(headers['accept']),
    acceptLanguage: headerText(headers['accept-language']),
  }
}

/**
 * Rewrites the request. Documents and pages come from the bucket. The Lambda makes date ranges, and answers what is unknown here:
 * refusals, redirects, pages that depend on headers. It gets an equal request, also in place of the bucket: {@link targetHeader}
 * holds path and query, the query string has what the client's headers accept.
 * @returns true if the bucket should have the answer
 */
function rewrite(request: CloudFrontRequest, live: Repeated, found: Found): boolean {
  const { headers, uri } = request
  const { route, asked, offers, accept, acceptLanguage } = found
  const since = Math.floor(Date.parse(live.liveSince) / 1000)
  // Objects may be older than the snapshot, and clients know the snapshot's date.
  const known = headers['if-modified-since']
  if (known && !(Date.parse(known.value) >= since * 1000)) delete headers['if-modified-since']
  conditionHeaders.forEach((name) => {
    const condition = headers[name]
    delete headers[onTheWay(name)]
    if (!condition) return
    delete headers[name]
    headers[onTheWay(name)] = { value: headerText(condition) as string }
    // A function cannot take the coding from an answer whose body it replaces.
    delete headers['accept-encoding']
  })
  if (route || request.method !== 'GET') {
    // The bucket could send a part, but documents have no parts, and a HEAD describes the whole.
    delete headers['range']
    delete headers['if-range']
  }
  const pin = [live.slot, live.snapshot, since, encodeURIComponent(live.docsUrl)].join('.')
  const send = (place: string, target: string, accepted: string, inLanguages: string | null, note?: Note) => {
    request.uri = place
    request.querystring = 'live=' + pin + '&format=' + accepted + '&language=' + (inLanguages || '')
    headers[targetHeader] = { value: target }
    delete headers[noteHeader]
    if (note) headers[noteHeader] = { value: JSON.stringify(note) }
    return !!note
  }
  /** Keeps choices of the client's query in the query. */
  const sendFor = (place: string, path: string, wanted: Chosen, note?: Note) => {
    const { format, language, vary } = wanted
    const hasChosen = vary.indexOf('Accept') < 0
    const hasChosenLanguage = vary.indexOf('Accept-Language') < 0
    const query =
      (hasChosen ? 'format=' + format : '') + (language && hasChosenLanguage ? '&language=' + language : '')
    return send(place, path + '?' + query, hasChosen ? '' : format, hasChosenLanguage ? '' : language, note)
  }
  const isLost = isTooLong(uri)
  const isClear =
    route &&
    !isLost &&
    !isUnsupported(offers, asked.format) &&
    !(route.hasLanguages && isUnsupported(languages, asked.language))
  if (isClear) {
    const plain = wantedFormat(found, asked, offers)
    const wanted = route.hasLanguages ? withLanguage(found, asked, plain) : plain
    const path = uri.replace(isinSegment, (text) => text.toUpperCase())
    if (route.isRange) return sendFor('/', path, wanted)
    const place = '/' + live.slot + path + documentName(wanted.language, wanted.format)
    return sendFor(place, path, wanted, { since, path, wanted })
  }
  const page = matchPage(found, uri)
  if (page.kind === 'page' && !isLost)
    return sendFor('/' + live.slot + '/' + page.key, uri, wantedPage(found, asked), { since, path: page.key })
  // Only the Lambda knows whether CSV exists.
  const accepted = [formatsOf({ hasCsv: true }), formats].map((each) => preferredFormat(accept, each))
  return send('/', uri + '?' + found.query, accepted.join('.'), preferredLanguage(acceptLanguage))
}

/** The first segment in the form of an ISIN: no other one of a document's address has it. */
const isinSegment = /\/[A-Za-z]{2}[A-Za-z0-9]{9}\d\//

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
