/** Answers a resolved request from a store. All I/O goes through {@link Store}; bodies stay in the store's form. */

import { contentTypeOf } from '../../api/routes/content-types.ts'
import { errorKey, fill, windowKey } from '../../api/routes/keys.ts'
import type { Around, WindowEntry, WindowList } from '../../api/routes/keys.ts'
import { problemDocument } from '../../api/routes/problems.ts'
import { type Format, type Language, languages, type RouteTable } from '../../api/routes/table.ts'
import { exposedHeaders } from './exposed.ts'
import { forRefusal } from './representation.ts'
import type { RefusalRepresentation, Representation } from './representation.ts'
import type { Place } from './window.ts'
import type { BrowserPage, RangeResolution, Refused, Resolution, Stored } from './resolve.ts'

/** One snapshot's objects. `B` is the platform's body. */
export interface Store<B> {
  readonly get: (key: string) => Promise<StoredObject<B> | null>
  /** Decodes UTF-8. A body is read once. */
  readonly text: (body: B) => Promise<string>
  /** Parses a window list. Absent if the store does not keep parsed lists. */
  readonly list?: (body: B) => Promise<WindowList>
  /** First and last byte, both included. Absent if the store has only whole objects. Rejects if the bytes are missing. */
  readonly slice?: (key: string, first: number, last: number) => Promise<B>
}

export interface StoredObject<B> {
  readonly body: B
  readonly etag: string
  /** An HTTP date. */
  readonly lastModified: string
}

export interface EdgeSettings {
  readonly cacheControl: string
  readonly errorCacheControl: string
}

/** `joined`: a date range. The platform gets the windows and joins them (join.ts). */
export type Body<B> =
  | { readonly kind: 'none' }
  | { readonly kind: 'stored'; readonly body: B }
  | JoinedBody<B>
  | { readonly kind: 'text'; readonly text: string }

export interface JoinedBody<B> {
  readonly kind: 'joined'
  readonly range: RangeResolution
  /** Ascending, at least one. A single window may have no record between the two days. */
  readonly windows: readonly WindowEntry[]
  readonly around: Around
  /** The window, or a slice of it with its records of the range. */
  readonly get: (window: WindowEntry) => Promise<WindowPart<B>>
}

export interface WindowPart<B> extends Place {
  /** Null if no byte is needed. */
  readonly body: B | null
}

export interface Answer<B> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body<B>
}

/** Limit of windows at a time: Cloudflare allows six connections. */
export const fetchesAtATime = 6

interface Edge<B> {
  readonly table: RouteTable
  readonly settings: EdgeSettings
  readonly store: Store<B>
}

/** The answer to a GET; finish.ts does the rest. @throws {Error} if the store fails or holds half a snapshot */
export async function answer<B>(edge: Edge<B>, resolution: Resolution): Promise<Answer<B>> {
  const { settings, store } = edge
  if (resolution.kind === 'preflight') return preflight(settings)
  if (resolution.kind === 'redirect') return redirect(settings, resolution.location)
  if (resolution.kind === 'refusal') return refusal(edge, resolution.wanted, resolution)
  if (resolution.kind === 'range') return range(edge, resolution)
  const object = await store.get(resolution.key)
  if (resolution.kind === 'page') {
    if (object === null) return refusal(edge, resolution.wanted, resolution.missing)
    const headers = Object.assign(pageHeaders(settings, resolution.key), chosenHeaders(resolution.chosen))
    return found(headers, object, storedBody(object))
  }
  if (object === null) return storedRefusal(edge, resolution)
  return found(headersOf(settings, resolution), object, storedBody(object))
}

export const allowedMethods = 'GET, HEAD, OPTIONS'

export const preflight = (settings: EdgeSettings): Answer<never> => ({
  status: 204,
  headers: Object.assign(commonHeaders(settings.cacheControl, []), {
    Allow: allowedMethods,
    'Access-Control-Allow-Methods': allowedMethods,
    'Access-Control-Allow-Headers': '*',
    'Access-Control-Max-Age': '86400',
  }),
  body: { kind: 'none' },
})

const redirect = (settings: EdgeSettings, location: string): Answer<never> => ({
  status: 308,
  headers: Object.assign(commonHeaders(settings.cacheControl, []), { Location: location }),
  body: { kind: 'none' },
})

async function range<B>(edge: Edge<B>, resolution: RangeResolution): Promise<Answer<B>> {
  const { settings, store } = edge
  const listObject = await store.get(resolution.listKey)
  if (listObject === null) return storedRefusal(edge, resolution)
  const { body } = listObject
  const list: WindowList = store.list
    ? await store.list(body)
    : (JSON.parse(await store.text(body)) as WindowList)
  const { from, to, wanted, route, values } = resolution
  const windows = overlapping(list.windows, from, to)
  const keyOf = ({ year }: WindowEntry) => windowKey(route, values, year, wanted.format)
  const readWindow = async (window: WindowEntry): Promise<StoredObject<B>> => {
    const object = await store.get(keyOf(window))
    if (object === null) throw new Error('no document: ' + keyOf(window))
    return object
  }

  const headers = headersOf(settings, resolution)
  const only = windows.length === 1 ? (windows[0] as WindowEntry) : null
  if (only !== null && isWhole(only, from, to)) {
    const object = await readWindow(only)
    return found(headers, object, storedBody(object))
  }
  // An answer without records still describes the fund, as each of its windows does.
  const needed = windows.length > 0 ? windows : list.windows.slice(-1)
  const around = list.around[wanted.format] as Around
  const get = async (window: WindowEntry): Promise<WindowPart<B>> => {
    const { start, end } = placeOfRange(window, resolution)
    if (store.slice === undefined || isWhole(window, from, to))
      return { body: (await readWindow(window)).body, start, end }
    if (start === end) return { body: null, start: 0, end: 0 }
    return { body: await store.slice(keyOf(window), start, end - 1), start: 0, end: end - start }
  }
  const etag = rangeEtag(needed, wanted.format, from, to)
  const { lastModified } = listObject
  return found(
    headers,
    { etag, lastModified },
    { kind: 'joined', range: resolution, windows: needed, around, get },
  )
}

type Days = Pick<WindowEntry, 'first' | 'last'>

const isWhole = ({ first, last }: Days, from: string, to: string) => from <= first && last <= to

/** The place of a range's months in a window's document. Days outside the range may be at both ends. */
export function placeOfRange(
  { first, last, months }: WindowEntry,
  { from, to, wanted }: Pick<RangeResolution, 'from' | 'to' | 'wanted'>,
): Place {
  const offsets = months[wanted.format] as readonly number[]
  const at = (index: number) => offsets[index] as number
  if (to < first || last < from) return { start: at(0), end: at(0) }
  // A day that is not before the first record, or not after the last one, is of the window's year.
  const monthOf = (day: string) => Number(day.slice(5, 7))
  return { start: at(from <= first ? 0 : monthOf(from) - 1), end: at(last <= to ? 12 : monthOf(to)) }
}

/** The windows with records between the two days, both included, in order. */
export const overlapping = <W extends Days>(windows: readonly W[], from: string, to: string): readonly W[] =>
  windows.filter((window) => window.first <= to && window.last >= from)

/** A strong ETag from the digests of the windows, which are uniform: a rolling sum tells contents apart. */
function rangeEtag(windows: readonly WindowEntry[], format: Format, from: string, to: string): string {
  const sums = [0, 0, 0, 0]
  windows.forEach((window) => {
    sums.forEach((sum, lane) => {
      const word = parseInt(window[format].slice(lane * 8, lane * 8 + 8), 16)
      sums[lane] = (sum * 31 + word) % 4294967296
    })
  })
  const digest = sums.map((sum) => ('0000000' + sum.toString(16)).slice(-8)).join('')
  return `"${digest}-${from}-${to}"`
}

/** The refusal that is stored beside a known fund's answers, else the one for an unknown fund. */
async function storedRefusal<B>(edge: Edge<B>, stored: Stored): Promise<Answer<B>> {
  const { route, values, unknown } = stored
  const wanted = forRefusal(stored.wanted)
  const key = errorKey(route, values, wanted.format)
  const object = unknown === null ? null : await edge.store.get(key)
  if (object === null) {
    if (unknown === null) throw new Error('no document: ' + route.path)
    return refusal(edge, wanted, unknown)
  }
  const text = await edge.store.text(object.body)
  const match = /"status":([0-9]{3})\}$|<status>([0-9]{3})<\/status><\/root>$/.exec(text)
  if (match === null) throw new Error('no error document: ' + key)
  const status = Number(match[1] || match[2])
  return {
    status,
    headers: refusalHeaders(edge.settings, wanted, status),
    body: { kind: 'text', text },
  }
}

async function refusal<B>(
  { table, settings, store }: Edge<B>,
  wanted: RefusalRepresentation,
  { problem, values, page }: Refused,
): Promise<Answer<B>> {
  const { status } = problem
  const object = page ? await store.get(page.key) : null
  if (page && object !== null) {
    const headers = Object.assign(pageHeaders(settings, page.key), chosenHeaders(page))
    headers['Cache-Control'] = settings.errorCacheControl
    // CDNs compress a 404, too, and finish.ts adds the header to a 200 only.
    headers['Vary'] += ', Accept-Encoding'
    delete headers['Accept-Ranges']
    return { status, headers, body: { kind: 'text', text: await store.text(object.body) } }
  }
  return {
    status,
    headers: refusalHeaders(settings, wanted, status),
    body: { kind: 'text', text: problemDocument(table.docsUrl, problem, values, wanted.format) },
  }
}

const chosenHeaders = (chosen: BrowserPage | undefined): Record<string, string> =>
  chosen ? Object.assign({ 'Content-Language': chosen.language }, varyHeader(chosen.vary)) : {}

/** Refusals are always English, so they do not depend on Accept-Language. */
export function refusalHeaders(
  settings: EdgeSettings,
  { format, vary }: RefusalRepresentation,
  status: number,
): Record<string, string> {
  return Object.assign(
    commonHeaders(settings.errorCacheControl, vary),
    contentHeaders(format, 'en'),
    status === 405 ? { Allow: allowedMethods } : {},
  )
}

const storedBody = <B>({ body }: StoredObject<B>): Body<B> => ({ kind: 'stored', body })

const found = <B>(
  headers: Record<string, string>,
  { etag, lastModified }: Pick<StoredObject<B>, 'etag' | 'lastModified'>,
  body: Body<B>,
): Answer<B> => ({
  status: 200,
  headers: Object.assign(headers, { ETag: etag, 'Last-Modified': lastModified }),
  body,
})

const headersOf = (settings: EdgeSettings, { route, values, wanted }: Stored) =>
  documentHeaders(settings, fill(route.path, values), wanted)

/** Headers of a document that do not come from its object. @param path of the request, its ISIN in upper case */
export const documentHeaders = (
  settings: EdgeSettings,
  path: string,
  wanted: Representation,
): Record<string, string> =>
  Object.assign(
    commonHeaders(settings.cacheControl, wanted.vary),
    contentHeaders(wanted.format, wanted.language),
    wanted.format === 'csv' ? fileHeaders(path) : {},
    { Link: alternates(path, wanted).join(', ') },
  )

/** Headers of a page or a file. Caches keep the status pages as briefly as errors, so that readers see the present state. */
export function pageHeaders(settings: EdgeSettings, key: string): Record<string, string> {
  const isStatus = key.indexOf('status/') === 0
  const type = contentTypeOf(key)
  const headers = commonHeaders(isStatus ? settings.errorCacheControl : settings.cacheControl, [])
  const own =
    type.indexOf('text/html') === 0 ? htmlHeaders : type.indexOf('image/svg') === 0 ? svgHeaders : {}
  return Object.assign(headers, own, {
    'Content-Type': type,
    'Accept-Ranges': 'bytes',
  })
}

function commonHeaders(cacheControl: string, vary: readonly string[]): Record<string, string> {
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposedHeaders,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': cacheControl,
  }
  return Object.assign(headers, varyHeader(vary))
}

const varyHeader = (vary: readonly string[]) => (vary.length > 0 ? { Vary: vary.join(', ') } : {})

const mediaType = (format: Format) => (format === 'csv' ? 'text/' : 'application/') + format

function contentHeaders(format: Format, language: string | null): Record<string, string> {
  const type = { 'Content-Type': mediaType(format) + '; charset=utf-8' }
  return language === null ? type : Object.assign(type, { 'Content-Language': language })
}

/** Names the CSV of a date range after the fund, for clients that save it. */
function fileHeaders(path: string): Record<string, string> {
  const match = /\/([^/]+)\/([^/]+)\/[0-9-]{10}\/[0-9-]{10}\/$/.exec(path)
  return match === null
    ? {}
    : { 'Content-Disposition': `inline; filename="${match[2] as string}-${match[1] as string}.csv"` }
}

/** Links to the other formats in this language, and this format in the other languages. Source: RFC 8288. */
function alternates(path: string, { format, offers, language }: Representation): string[] {
  const link = (otherFormat: Format, otherLanguage: Language | null) => {
    const withLanguage = otherLanguage === null ? '' : `&language=${otherLanguage}`
    const hreflang = otherLanguage === language ? '' : `; hreflang="${otherLanguage}"`
    return `<${path}?format=${otherFormat}${withLanguage}>; rel="alternate"; type="${mediaType(otherFormat)}"${hreflang}`
  }
  return offers
    .filter((other) => other !== format)
    .map((other) => link(other, language))
    .concat(
      language === null
        ? []
        : languages.filter((other) => other !== language).map((other) => link(format, other)),
    )
}

/** An SVG file that is opened by itself is a document: it runs nothing and loads nothing. */
const svgHeaders: Readonly<Record<string, string>> = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox",
}

/** Sources: CSP Level 3, Referrer Policy, Permissions Policy. */
const htmlHeaders: Readonly<Record<string, string>> = {
  // A meta element cannot set frame-ancestors.
  'Content-Security-Policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'strict-origin-when-cross-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
}
