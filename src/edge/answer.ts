/**
 * Answering a resolved request out of a store. All I/O goes through {@link Store}; bodies stay what the store gave,
 * so that a platform can stream them.
 */

import { contentTypeOf } from '../routes/content-types.ts'
import { fill, windowKey } from '../routes/keys.ts'
import { problemDocument } from '../routes/problems.ts'
import type { Format, RouteTable } from '../routes/table.ts'
import type { WindowEntry, WindowList } from '../routes/windows.ts'
import { alternates } from './alternates.ts'
import { htmlHeaders } from './html-headers.ts'
import { isWhole, overlapping } from './range.ts'
import type { Refused, Resolution, Stored, Wanted } from './resolve.ts'

/** One snapshot's objects: everything that one answer needs is read from the same one. `B` is the platform's body. */
export interface Store<B> {
  readonly get: (key: string) => Promise<StoredObject<B> | null>
  /** The body as text in which ASCII characters are themselves: UTF-8, or Latin-1 of the bytes. */
  readonly text: (body: B) => Promise<string>
}

export interface StoredObject<B> {
  readonly body: B
  /** Strong, with its quotation marks. */
  readonly etag: string
  /** An HTTP date. */
  readonly lastModified: string
}

export interface EdgeSettings {
  /** `Cache-Control` of answers, and of refusals and the status. */
  readonly cacheControl: string
  readonly errorCacheControl: string
}

/**
 * - `stored`: an object as it is.
 * - `joined`: of these windows. The platform reads them, one after the other, and joins them (range.ts, windowJoiner).
 * - `text`: Unicode text.
 */
export type Body<B> =
  | { readonly kind: 'none' }
  | { readonly kind: 'stored'; readonly body: B }
  | {
      readonly kind: 'joined'
      /** Ascending; one at least, which may have no record between the two days. */
      readonly windows: readonly WindowEntry[]
      readonly read: (window: WindowEntry) => Promise<StoredObject<B>>
    }
  | { readonly kind: 'text'; readonly text: string }

export interface Answer<B> {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Body<B>
}

/** How many windows are fetched at a time: Cloudflare allows six connections. */
export const fetchesAtATime = 6

/**
 * The answer to a GET; a HEAD has the same headers, and a conditional request is looked at afterwards (conditional.ts).
 * @throws {Error} if the store fails or holds half a snapshot
 */
export async function answer<B>(
  table: RouteTable,
  settings: EdgeSettings,
  store: Store<B>,
  resolution: Resolution,
): Promise<Answer<B>> {
  switch (resolution.kind) {
    case 'preflight':
      return preflight(settings)
    case 'redirect':
      return redirect(settings, resolution.location)
    case 'refusal':
      return refusal(table, settings, resolution.wanted, resolution)
    case 'page': {
      const object = await store.get(resolution.key)
      if (object === null) return refusal(table, settings, resolution.wanted, resolution.missing)
      const headers = Object.assign(pageHeaders(settings, resolution.key), {
        ETag: object.etag,
        'Last-Modified': object.lastModified,
      })
      return { status: 200, headers, body: { kind: 'stored', body: object.body } }
    }
    case 'document': {
      const object = await store.get(resolution.key)
      if (object === null) return storedRefusal(table, settings, store, resolution)
      return found(settings, resolution, object.etag, object.lastModified, {
        kind: 'stored',
        body: object.body,
      })
    }
    default:
      return range(table, settings, store, resolution)
  }
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

export const redirect = (settings: EdgeSettings, location: string): Answer<never> => ({
  status: 308,
  headers: Object.assign(commonHeaders(settings.cacheControl, []), { Location: location }),
  body: { kind: 'none' },
})

async function range<B>(
  table: RouteTable,
  settings: EdgeSettings,
  store: Store<B>,
  resolution: Extract<Resolution, { kind: 'range' }>,
): Promise<Answer<B>> {
  const listObject = await store.get(resolution.listKey)
  if (listObject === null) return storedRefusal(table, settings, store, resolution)
  const listText = await store.text(listObject.body)
  const list = JSON.parse(listText) as WindowList
  const { from, to, wanted, route, values } = resolution
  const windows = overlapping(list.windows, from, to)
  const readWindow = async (window: WindowEntry): Promise<StoredObject<B>> => {
    const key = windowKey(route, values, window.year, wanted.format)
    const object = await store.get(key)
    if (object === null) throw new Error('no document: ' + key)
    return object
  }

  const only = windows.length === 1 ? (windows[0] as WindowEntry) : null
  if (only !== null && isWhole(only, from, to)) {
    const object = await readWindow(only)
    return found(settings, resolution, object.etag, object.lastModified, {
      kind: 'stored',
      body: object.body,
    })
  }
  // Without a record there is still the fund to tell of: any window's text has it.
  const needed = windows.length > 0 ? windows : list.windows.slice(-1)
  const etag = rangeEtag(needed, wanted.format, from, to)
  const body: Body<B> = { kind: 'joined', windows: needed, read: readWindow }
  return found(settings, resolution, etag, listObject.lastModified, body)
}

/**
 * A strong ETag of a range: made of the digests of the windows that it is cut from, and of its days. Digests are
 * uniformly distributed, so a rolling sum over their words tells contents apart.
 */
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

/** The refusal that lies beside a known fund's answers, else the one of an unknown fund. */
async function storedRefusal<B>(
  table: RouteTable,
  settings: EdgeSettings,
  store: Store<B>,
  stored: Stored,
): Promise<Answer<B>> {
  const object = stored.unknown === null ? null : await store.get(stored.errorKey)
  if (object === null) {
    if (stored.unknown === null) throw new Error('no document: ' + stored.route.path)
    return refusal(table, settings, stored.wanted, stored.unknown)
  }
  const text = await store.text(object.body)
  const status = /"status":([0-9]{3})\}$|<status>([0-9]{3})<\/status><\/root>$/.exec(text)
  if (status === null) throw new Error('no error document: ' + stored.errorKey)
  const number = Number(status[1] || status[2])
  return {
    status: number,
    headers: refusalHeaders(settings, stored.wanted, number),
    body: { kind: 'stored', body: object.body },
  }
}

function refusal(table: RouteTable, settings: EdgeSettings, wanted: Wanted, refused: Refused): Answer<never> {
  const { problem, values } = refused
  return {
    status: problem.status,
    headers: refusalHeaders(settings, wanted, problem.status),
    body: { kind: 'text', text: problemDocument(table.docsUrl, problem, values, wanted.format) },
  }
}

/** Refusals are English whatever was asked for, so they do not depend on Accept-Language. */
export function refusalHeaders(
  settings: EdgeSettings,
  wanted: Wanted,
  status: number,
): Record<string, string> {
  const vary = wanted.vary.filter((header) => header !== 'Accept-Language')
  const headers = Object.assign(
    commonHeaders(settings.errorCacheControl, vary),
    contentHeaders(wanted.format, 'en'),
  )
  return status === 405 ? Object.assign(headers, { Allow: allowedMethods }) : headers
}

function found<B>(
  settings: EdgeSettings,
  stored: Stored,
  etag: string,
  lastModified: string,
  body: Body<B>,
): Answer<B> {
  const headers = documentHeaders(settings, fill(stored.route.path, stored.values), stored.wanted)
  return { status: 200, headers: Object.assign(headers, { ETag: etag, 'Last-Modified': lastModified }), body }
}

/** The headers of a document that do not come from its object. @param path of the request, its ISIN in upper case */
export function documentHeaders(
  settings: EdgeSettings,
  path: string,
  wanted: Wanted,
): Record<string, string> {
  return Object.assign(
    commonHeaders(settings.cacheControl, wanted.vary),
    contentHeaders(wanted.format, wanted.language),
    { Link: alternates(path, wanted).join(', ') },
  )
}

/** The same of a page or a file. The status is kept as short as an error: whoever asks wants to know how things are. */
export function pageHeaders(settings: EdgeSettings, key: string): Record<string, string> {
  const isStatus = key.indexOf('status/') === 0
  const type = contentTypeOf(key)
  const headers = commonHeaders(isStatus ? settings.errorCacheControl : settings.cacheControl, [])
  return Object.assign(headers, type.indexOf('text/html') === 0 ? htmlHeaders : {}, {
    'Content-Type': type,
    'Accept-Ranges': 'bytes',
    // A script of another origin that reads the parts of a Parquet file has to know how long the whole is.
    'Access-Control-Expose-Headers': exposed + ', Accept-Ranges, Content-Range',
  })
}

const exposed = 'ETag, Link, Content-Language, Last-Modified'

function commonHeaders(cacheControl: string, vary: readonly string[]): Record<string, string> {
  const headers = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Expose-Headers': exposed,
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': cacheControl,
  }
  return vary.length > 0 ? Object.assign(headers, { Vary: vary.join(', ') }) : headers
}

function contentHeaders(format: Format, language: string | null): Record<string, string> {
  const type = { 'Content-Type': 'application/' + format + '; charset=utf-8' }
  return language === null ? type : Object.assign(type, { 'Content-Language': language })
}
