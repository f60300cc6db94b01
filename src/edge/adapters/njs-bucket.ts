/**
 * nginx with a bucket: the live slot, through nginx's cache. What is cached is told apart by what is live, so that a
 * flip shows without purging anything. Internal locations do the asking; templates/nginx/bucket.conf has them.
 */

import { placeOf, type Placed } from '../../routes/pages.ts'
import type { RouteTable } from '../../routes/table.ts'
import type { EdgeSettings, Store, StoredObject } from '../answer.ts'
import { bytesOf, type NjsBody } from './njs-body.ts'
import { isPageKey, largeFrom, njsEdge, sleep, type NjsEdge, type NjsSnapshot } from './njs.ts'
import { signer, type BucketAddress } from './njs-signature.ts'
import type { NjsModules, NjsReply, NjsRequest } from './njs-types.ts'

export interface BucketConfig extends BucketAddress {
  readonly liveTtlMs: number
  /** Its `docsUrl` is that of what is live. */
  readonly table: Omit<RouteTable, 'docsUrl'>
  readonly settings: EdgeSettings
}

export interface BucketEdge extends NjsEdge {
  /** For `js_header_filter` of what comes from the bucket past njs. */
  readonly dressLarge: (request: NjsRequest) => void
}

/** What `live.json` says. Source: keys.md. */
interface Live extends Placed {
  readonly liveSince: string
  readonly docsUrl: string
}

interface Look {
  readonly live: Live
  /** At this moment or later it was live. In milliseconds since 1970. */
  readonly at: number
}

/** How long to wait before a request to the bucket is made again, in milliseconds: it slows down whoever is too fast. */
const waits = [100, 400]

export function bucketEdge(modules: NjsModules, config: BucketConfig): BucketEdge {
  // Without a time to live each millisecond asks for itself.
  const ttl = Math.max(config.liveTtlMs, 1)

  const lookAt = async (ask: Ask, at: number): Promise<Look | string> => {
    const reply = await ask('live', String(at), 'live.json')
    if (reply.status === 404) return 'nothing is live: publish to it first'
    if (reply.status !== 200) return reasonOf(reply, 'live.json')
    const live = parseLive(String(reply.responseBuffer))
    return live === null
      ? 'live.json is not one of this fundpress: `fundpress status` names what is wrong'
      : { live, at }
  }
  /**
   * njs keeps nothing from one request to the next, nginx's cache does: under the moment at which a span of the time to
   * live began, so that what is found there is never older than that.
   */
  const look = async (ask: Ask): Promise<Look> => {
    const now = Date.now()
    const at = now - (now % ttl)
    const found = await lookAt(ask, at)
    if (typeof found !== 'string') return found
    // One failed look need not fail requests, while there is time left to answer in.
    const before = now - (at - ttl) < ttl * 1.5 ? await lookAt(ask, at - ttl) : found
    if (typeof before !== 'string') return before
    throw new Error('the bucket: ' + found)
  }
  const snapshotOf = (ask: Ask, { live, at }: Look): NjsSnapshot => {
    const table: RouteTable = Object.assign({}, config.table, { docsUrl: live.docsUrl })
    return {
      // A header of each part of a range: a range needs no downloads, whose folders would fill it.
      name: JSON.stringify({ live: Object.assign({}, live, { earlierDownloads: undefined }), at }),
      table,
      store: slotStore(ask, table, live),
      isStillLive: async () => {
        // A slot is left alone for twice the time after it stopped being live: bucket.graceSeconds.
        if (Date.now() - at < ttl * 2) return true
        const now = await look(ask)
        return idOf(now.live) === idOf(live)
      },
    }
  }
  const pin = async (request: NjsRequest) => {
    const ask = asker(modules, config, request)
    const found = await look(ask)
    return snapshotOf(ask, found)
  }
  const resume = (request: NjsRequest, name: string) =>
    snapshotOf(asker(modules, config, request), JSON.parse(name) as Look)
  return Object.assign(njsEdge(modules, { pin, resume }, config.settings), { dressLarge })
}

/** @returns null if it is not what `fundpress publish` writes */
function parseLive(text: string): Live | null {
  try {
    const live = JSON.parse(text) as Live & { readonly format: number }
    const isRight =
      live.format === 1 &&
      (live.slot === 'blue' || live.slot === 'green') &&
      /^[\w-]{1,100}$/.test(live.snapshot) &&
      /^(https?:\/)?\/\S/.test(live.docsUrl) &&
      !isNaN(Date.parse(live.liveSince))
    return isRight ? live : null
  } catch (_error) {
    return null
  }
}

/**
 * Asks an internal location for an object: `version` tells objects apart that lie at the same place at another time.
 * `sign` gives the query that a location needs to ask for it.
 */
interface Ask {
  (location: 'live' | 'object' | 'size', version: string, place: string): Promise<NjsReply>
  readonly sign: (place: string) => string
}

function asker(modules: NjsModules, config: BucketConfig, request: NjsRequest): Ask {
  const sign = signer(modules, config, Date.now())
  const ask = (location: string, version: string, place: string) =>
    request.subrequest(['/_fundpress', location, version, place].join('/'), { args: sign(place) })
  return Object.assign(ask, { sign })
}

/** What was live once is never again under the same id: a rollback makes it live at another time. */
const idOf = ({ slot, snapshot, liveSince }: Live) => [slot, snapshot, liveSince].join('_')

function slotStore(ask: Ask, table: RouteTable, live: Live): Store<NjsBody> {
  const version = idOf(live)
  const liveSince = Date.parse(live.liveSince)
  const read = async (location: 'object' | 'size', place: string): Promise<NjsReply | null> => {
    for (let attempt = 0; ; attempt++) {
      const reply = await ask(location, version, place)
      if (reply.status === 404) return null
      // 416: a byte of nothing was asked for.
      if (reply.status < 300 || reply.status === 416) return reply
      const wait = waits[attempt]
      if (reply.status < 500 || wait === undefined) throw new Error('the bucket: ' + reasonOf(reply, place))
      await sleep(wait)
    }
  }
  const get = async (key: string): Promise<StoredObject<NjsBody> | null> => {
    const place = placeOf(live, key)
    if (place === null) return null
    const isPage = isPageKey(table, key)
    const first = await read(isPage ? 'size' : 'object', place)
    const length = first === null ? 0 : lengthOf(first)
    const isLarge = isPage && length >= largeFrom
    const reply = isPage && !isLarge && first !== null ? await read('object', place) : first
    if (reply === null) return null
    const etag = (reply.headersOut['ETag'] ?? '').replace(/^W\//, '')
    // After a rollback older objects are live: a client's copy of the newer ones must not pass for one of these.
    const changed = Math.max(Date.parse(reply.headersOut['Last-Modified'] ?? ''), liveSince)
    const body: NjsBody = isLarge
      ? largeObject(place, length, etag, ask.sign(place))
      : { kind: 'bytes', bytes: reply.responseBuffer ?? Buffer.from('') }
    return { body, etag, lastModified: new Date(changed).toUTCString() }
  }
  return { get, text: (body) => Promise.resolve(bytesOf(body).toString()) }
}

/** Of an object whose first byte was asked for. */
function lengthOf({ headersOut }: NjsReply): number {
  const total = /\/(\d+)$/.exec(headersOut['Content-Range'] ?? '')
  return Number(total === null ? headersOut['Content-Length'] : total[1])
}

/** The bucket cuts the part that was asked for; it refuses if it does not hold this object any more. */
const largeObject = (place: string, length: number, etag: string, query: string): NjsBody => ({
  kind: 'large',
  length,
  send: (request, headers, range) => {
    request.variables['fundpress_headers'] = JSON.stringify(headers)
    request.variables['fundpress_etag'] = etag
    request.variables['fundpress_range'] = range === null ? '' : 'bytes=' + range.first + '-' + range.last
    request.internalRedirect('/_fundpress/large/now/' + place + (query && '?' + query))
  },
})

/** In place of the bucket's own headers, but for the length and the part. */
function dressLarge(request: NjsRequest): void {
  if (request.status >= 300) return
  const headers = JSON.parse(request.variables['fundpress_headers'] ?? '{}') as Record<string, string>
  Object.keys(request.headersOut).forEach((name) => {
    if (!/^content-(length|range|type)$/i.test(name)) request.headersOut[name] = ''
  })
  Object.keys(headers).forEach((name) => {
    // A type that is the bucket's already stays: nginx would add its charset once more.
    if (request.headersOut[name] !== headers[name]) request.headersOut[name] = headers[name]
  })
}

function reasonOf({ status }: NjsReply, place: string): string {
  const said = place + ' was answered with ' + status
  return status === 403
    ? said +
        ': nginx needs s3:GetObject and s3:ListBucket (without it an object that is not there is denied too)'
    : said
}
