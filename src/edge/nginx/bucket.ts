/**
 * nginx with a bucket: reads the live slot through nginx's cache. Cache keys hold the id of what is live, so a flip shows without
 * purging anything. Internal locations send the requests; templates/nginx/bucket.conf has them.
 */

import { placeOf } from '../../api/routes/pages.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import type { EdgeSettings, Store, StoredObject } from '../core/answer.ts'
import { idOf, lastModifiedOf, parseLiveSlot, type LiveSlot, type Look } from '../core/live.ts'
import { isStillStaged, stagedBeside } from '../core/preview.ts'
import { njsEdge } from './handlers.ts'
import {
  forParts,
  isPageKey,
  largeFrom,
  sleep,
  smallTextOf,
  type NjsBody,
  type NjsSnapshot,
} from './objects.ts'
import { signer, type BucketAddress } from './signature.ts'
import type { NjsModules, NjsReply, NjsRequest } from './types.ts'

export interface BucketConfig extends BucketAddress {
  readonly liveTtlMs: number
  /** Its `docsUrl` is that of what is live. */
  readonly table: Omit<RouteTable, 'docsUrl'>
  readonly settings: EdgeSettings
  readonly previewToken: string | null
}

/** How long to wait before a request to the bucket is repeated, in milliseconds: S3 slows down fast clients. */
const waits = [100, 400]

export function bucketEdge(modules: NjsModules, config: BucketConfig) {
  // Without a time to live each millisecond asks for itself.
  const ttl = Math.max(config.liveTtlMs, 1)

  const lookAt = async (ask: Ask, at: number): Promise<Look> => {
    const reply = await ask('live', String(at), 'live.json')
    if (reply.status === 404) throw new Error('the bucket: nothing is live: publish to it first')
    if (reply.status !== 200) throw failure(reply, 'live.json')
    return { live: parseLiveSlot(String(reply.responseBuffer)), at }
  }
  /**
   * njs keeps nothing from one request to the next, but nginx's cache does. The key is the moment at which a span of the time to live
   * began, so a cached `live.json` is never older than that.
   */
  const look = (ask: Ask): Promise<Look> => {
    const now = Date.now()
    const at = now - (now % ttl)
    return lookAt(ask, at).catch((error: unknown) => {
      // One failed look need not fail requests while there is time left to answer.
      if (now - (at - ttl) >= ttl * 1.5) throw error
      return lookAt(ask, at - ttl).catch(() => {
        throw error
      })
    })
  }
  /** njs and nginx keep neither file: a publish ends a preview at once. */
  const readStaged = async (ask: Ask) =>
    stagedBeside(await readFresh(ask, 'live.json'), await readFresh(ask, 'staged.json'))
  const placed = (ask: Ask, live: LiveSlot) => {
    const table: RouteTable = Object.assign({}, config.table, { docsUrl: live.docsUrl })
    return { table, store: slotStore(ask, table, live) }
  }
  const stagedSnapshot = (ask: Ask, staged: LiveSlot): NjsSnapshot =>
    Object.assign(placed(ask, staged), {
      name: JSON.stringify({ staged: forParts(staged) }),
      staged,
      isStillLive: () => isStillStaged(staged, () => readStaged(ask)),
    })
  const snapshotOf = (ask: Ask, { live, at }: Look): NjsSnapshot =>
    Object.assign(placed(ask, live), {
      name: JSON.stringify({ live: forParts(live), at }),
      isStillLive: async () => {
        // bucket.graceSeconds protects a slot for at least twice the time to live.
        if (Date.now() - at < ttl * 2) return true
        const now = await look(ask)
        return idOf(now.live) === idOf(live)
      },
    })
  const pin = async (request: NjsRequest) => {
    const ask = asker(modules, config, request)
    const found = await look(ask)
    return snapshotOf(ask, found)
  }
  const pinStaged = async (request: NjsRequest) => {
    const ask = asker(modules, config, request)
    const staged = await readStaged(ask)
    return staged && stagedSnapshot(ask, staged)
  }
  const resume = (request: NjsRequest, name: string) => {
    const ask = asker(modules, config, request)
    const seen = JSON.parse(name) as Look | { readonly staged: LiveSlot }
    return 'staged' in seen ? stagedSnapshot(ask, seen.staged) : snapshotOf(ask, seen)
  }
  const origin = { pin, pinStaged, resume }
  return Object.assign(njsEdge(modules, origin, config), { dressLarge })
}

/** Past nginx's cache. @returns null if there is no such object */
async function readFresh(ask: Ask, key: string): Promise<string | null> {
  const reply = await ask('fresh', 'now', key)
  if (reply.status === 404) return null
  if (reply.status !== 200) throw failure(reply, key)
  return String(reply.responseBuffer)
}

type Ask = ReturnType<typeof asker>

/**
 * Asks an internal location for an object. `version` tells apart objects that have the same place at different times. `sign` gives the
 * query with which a location may ask for the object.
 */
function asker(modules: NjsModules, config: BucketConfig, request: NjsRequest) {
  const sign = signer(modules, config, Date.now())
  const ask = (location: 'live' | 'fresh' | 'object' | 'size', version: string, place: string) =>
    request.subrequest(['/_fundpress', location, version, place].join('/'), { args: sign(place) })
  return Object.assign(ask, { sign })
}

function slotStore(ask: Ask, table: RouteTable, live: LiveSlot): Store<NjsBody> {
  const version = idOf(live)
  const liveSince = Date.parse(live.liveSince)
  const read = async (location: 'object' | 'size', place: string): Promise<NjsReply | null> => {
    for (let attempt = 0; ; attempt++) {
      const reply = await ask(location, version, place)
      if (reply.status === 404) return null
      // 416: a byte of nothing was asked for.
      if (reply.status < 300 || reply.status === 416) return reply
      const wait = waits[attempt]
      if (reply.status < 500 || wait === undefined) throw failure(reply, place)
      await sleep(wait)
    }
  }
  const get = async (key: string): Promise<StoredObject<NjsBody> | null> => {
    const place = placeOf(live, key)
    if (place === null) return null
    const isPage = isPageKey(table, key)
    const first = await read(isPage ? 'size' : 'object', place)
    if (first === null) return null
    const length = lengthOf(first)
    const isLarge = isPage && length >= largeFrom
    const reply = isPage && !isLarge ? await read('object', place) : first
    if (reply === null) return null
    const etag = (reply.headersOut['ETag'] ?? '').replace(/^W\//, '')
    const lastModified = lastModifiedOf(Date.parse(reply.headersOut['Last-Modified'] ?? ''), liveSince)
    const body: NjsBody = isLarge
      ? largeObject(place, length, etag, ask.sign(place))
      : { kind: 'bytes', bytes: reply.responseBuffer ?? Buffer.from('') }
    return { body, etag, lastModified }
  }
  return { get, text: smallTextOf }
}

/** The size of an object, from the answer to a request for its first byte. */
function lengthOf({ headersOut }: NjsReply): number {
  const total = /\/(\d+)$/.exec(headersOut['Content-Range'] ?? '')
  return Number(total === null ? headersOut['Content-Length'] : total[1])
}

/** The bucket sends the part. It refuses if it no longer has this object. */
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

/** For `js_header_filter` of what comes from the bucket past njs: replaces its headers, except length and part. */
function dressLarge(request: NjsRequest): void {
  if (request.status >= 300) return
  Object.keys(request.headersOut).forEach((name) => {
    if (!/^content-(length|range|type)$/i.test(name)) request.headersOut[name] = ''
  })
  const headers = JSON.parse(request.variables['fundpress_headers'] ?? '{}') as Record<string, string>
  Object.keys(headers).forEach((name) => {
    // If the bucket's type is the same, it stays: nginx would add its charset once more.
    if (request.headersOut[name] !== headers[name]) request.headersOut[name] = headers[name]
  })
}

function failure({ status }: NjsReply, place: string): Error {
  const needs = ': nginx needs s3:GetObject and s3:ListBucket (without it a missing object is denied, too)'
  return new Error('the bucket: ' + place + ' was answered with ' + status + (status === 403 ? needs : ''))
}
