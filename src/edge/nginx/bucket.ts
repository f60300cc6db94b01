/**
 * nginx with a bucket: reads the live slot through nginx's cache. Cache keys hold the id of what is live, so a flip shows without
 * purging anything, and the cache goes on with what was live while the bucket does not answer. Internal locations send the requests;
 * templates/nginx/bucket.conf has them.
 */

import { placeOf } from '../../api/routes/pages.ts'
import type { Route, RouteTable } from '../../api/routes/table.ts'
import type { EdgeSettings, Store, StoredObject } from '../core/answer.ts'
import {
  idOf,
  isCutOffAt,
  isNoAnswer,
  lastModifiedOf,
  longestReadMs,
  noAnswer,
  notKept,
  type Look,
} from '../core/live.ts'
import { parseLiveFile, type LiveSlot } from '../core/live-file.ts'
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
  readonly ranges: readonly Route[]
  readonly settings: EdgeSettings
  readonly previewToken: string | null
}

/** How long to wait before a request to the bucket is repeated, in milliseconds: S3 slows down fast clients. */
const waits = [100, 400]

/** @param makeTable is called once a request, unless that needs no table. Its `docsUrl` is that of what is live */
export function bucketEdge(
  modules: NjsModules,
  config: BucketConfig,
  makeTable: () => Omit<RouteTable, 'docsUrl'>,
) {
  // Without a time to live each millisecond asks for itself.
  const ttl = Math.max(config.liveTtlMs, 1)

  /** @throws {Error} if the last look is too old, and another one fails */
  const look = async (ask: Ask): Promise<NjsLook> => {
    const known = await readKnown(ask, false)
    const now = Date.now()
    const isYounger = (factor: number) => now - known.at < ttl * factor
    // nginx looks again before the time to live is over.
    if (isYounger(known.unansweredAt ? 1 : 1.5)) return known
    if (isCutOffAt(now, known, known.unansweredAt)) return Object.assign(known, { isCutOff: true })
    // One failed look need not fail requests while there is time left to answer.
    const renewed = await readKnown(ask, true).catch((error: unknown) => {
      if (isYounger(1.5)) return known
      throw error
    })
    return Object.assign(renewed, { isCutOff: isCutOffAt(Date.now(), renewed, renewed.unansweredAt) })
  }
  /** Looks at `live.json`, for nginx itself, which keeps the answer for all requests. */
  const renew = async (request: NjsRequest): Promise<void> => {
    const tell = (message: string) => request.error('fundpress: ' + message)
    const at = Date.now()
    try {
      const ask = asker(modules, config, request)
      const before = async () => knownOf(await ask.kept('known'))
      const found = await readFresh(ask, 'live.json').catch(async (error: unknown) => {
        const known = await before()
        if (!isNoAnswer(error) || known === null) throw error
        if (!known.unansweredAt)
          tell((error as Error).message + ': until it answers, only what the cache has is served')
        return Object.assign(known, { unansweredAt: Date.now() })
      })
      if (found === null) throw new Error('the bucket: nothing is live: publish to it first')
      if (typeof found === 'object') {
        request.return(203, JSON.stringify(found))
        return
      }
      const look: Known = { live: parseLiveFile(found, 'live.json'), at }
      if ((await before())?.unansweredAt) tell('the bucket answers again')
      request.return(200, JSON.stringify(look))
    } catch (error) {
      const { message } = error as Error
      tell(message)
      request.return(500, message)
    }
  }
  /** njs and nginx keep neither file: a publish ends a preview at once. */
  const readStaged = async (ask: Ask) =>
    stagedBeside(await readFresh(ask, 'live.json'), await readFresh(ask, 'staged.json'))
  const placed = (ask: Ask, live: LiveSlot, isCutOff: boolean, mayKeep: () => boolean) => {
    const table: RouteTable = Object.assign({}, makeTable(), { docsUrl: live.docsUrl })
    return { table, store: slotStore(ask, table, live, isCutOff, mayKeep) }
  }
  const stagedSnapshot = (ask: Ask, staged: LiveSlot): NjsSnapshot =>
    Object.assign(
      placed(ask, staged, false, () => true),
      {
        name: JSON.stringify({ staged: forParts(staged) }),
        staged,
        isStillLive: () => isStillStaged(staged, () => readStaged(ask)),
      },
    )
  const snapshotOf = (ask: Ask, { live, at, isCutOff = false }: NjsLook): NjsSnapshot => {
    // nginx keeps what it reads now. It is still protected when it arrives: half a time to live is longer than nginx waits for it.
    const mayKeep = () => Date.now() - at < ttl * 1.5
    return Object.assign(placed(ask, live, isCutOff, mayKeep), {
      name: JSON.stringify({ live: forParts(live), at, isCutOff }),
      isStillLive: async () => {
        // bucket.graceSeconds protects a slot for at least twice the time to live. What the cache has was read in that time.
        if (isCutOff || Date.now() - at < ttl * 2) return true
        const now = await look(ask)
        return now.isCutOff !== true && idOf(now.live) === idOf(live)
      },
    })
  }
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
    const seen = JSON.parse(name) as NjsLook | { readonly staged: LiveSlot }
    return 'staged' in seen ? stagedSnapshot(ask, seen.staged) : snapshotOf(ask, seen)
  }
  const origin = { pin, pinStaged, resume }
  return Object.assign(njsEdge(modules, origin, config), { dressLarge, renew })
}

/** A look, as nginx keeps it. */
interface Known extends Look {
  /** When a newer look ended without an answer. */
  readonly unansweredAt?: number
}

interface NjsLook extends Look {
  /** Whether the bucket does not answer: only the cache counts. */
  readonly isCutOff?: boolean
}

const knownOf = ({ status, responseBuffer }: NjsReply): Known | null =>
  status === 200 || status === 203 ? (JSON.parse(String(responseBuffer)) as Known) : null

/** @param isNew whether to wait for a new look */
async function readKnown(ask: Ask, isNew: boolean): Promise<Known> {
  const reply = await ask.look(isNew)
  const known = knownOf(reply)
  if (known === null) throw noAnswer(String(reply.responseBuffer ?? 'the bucket: nobody knows what is live'))
  return known
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
  const ask = async (location: 'fresh' | 'object' | 'size', version: string, place: string) => {
    const path = ['/_fundpress', location, version, place].join('/')
    const reply = await request.subrequest(path, { args: sign(place) })
    return isWhole(reply) ? reply : Object.assign({}, reply, { status: 502 })
  }
  return Object.assign(ask, {
    sign,
    /** What is known of `live.json`. A few keys take turns: one that comes again is out of date for long. */
    look: (isNew: boolean) => {
      const turn = Math.floor(Date.now() / 500) % 20
      return request.subrequest('/_fundpress/look/' + turn, { args: isNew ? 'new=1' : '' })
    },
    /** From the cache alone. @param path behind `/_fundpress/` */
    kept: (path: string) => request.subrequest('/_fundpress/kept/' + path, {}),
    /** Whether the cache may keep what is asked for from now on. */
    mayKeep: (isAllowed: boolean) => {
      request.variables['fundpress_unsure'] = isAllowed ? '' : '1'
    },
  })
}

/** Whether the connection to the bucket lasted to the end: nginx hands on the status in any case. */
const isWhole = ({ status, headersOut, responseBuffer }: NjsReply): boolean => {
  const length = headersOut['Content-Length']
  return status >= 300 || length === undefined || Number(length) === (responseBuffer ?? '').length
}

/**
 * @param isCutOff whether only the cache counts
 * @param mayKeep whether the cache may keep what is asked for now
 */
function slotStore(
  ask: Ask,
  table: RouteTable,
  live: LiveSlot,
  isCutOff: boolean,
  mayKeep: () => boolean,
): Store<NjsBody> {
  const version = idOf(live)
  const liveSince = Date.parse(live.liveSince)
  const read = async (location: 'object' | 'size', place: string): Promise<NjsReply | null> => {
    const began = Date.now()
    for (let attempt = 0; ; attempt++) {
      ask.mayKeep(mayKeep())
      const reply = isCutOff
        ? await ask.kept([location, version, place].join('/'))
        : await ask(location, version, place)
      if (reply.status === 404) return null
      // 416: a byte of nothing was asked for.
      if (reply.status < 300 || reply.status === 416) return reply
      if (isCutOff) throw notKept()
      const wait = waits[attempt]
      const isOver = wait === undefined || Date.now() - began > longestReadMs / 2
      if (reply.status < 500 || isOver) throw failure(reply, place)
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
    if (isLarge && isCutOff) throw notKept()
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
  const message = 'the bucket: ' + place + ' was answered with ' + status + (status === 403 ? needs : '')
  return status === 429 || status >= 500 ? noAnswer(message) : new Error(message)
}
