/**
 * A range goes out in parts of a few windows. nginx makes the next part when the client has taken the one before.
 *
 * njs cannot do that by itself: `r.send` holds in memory what a client does not read, and a request frees nothing before it ends.
 * So each part is a request of its own, which nginx makes to itself (templates/nginx/locations.conf). A document of includes (SSI)
 * names the parts, and nginx waits for the end of one before it begins the next.
 */

import { windowKey } from '../../api/routes/keys.ts'
import type { Format, RouteTable, Values } from '../../api/routes/table.ts'
import { placeOfRange, type JoinedBody } from '../core/answer.ts'
import { worthCompressing } from '../core/finish.ts'
import { type Search, windowJoiner } from '../core/join.ts'
import { type NjsBody, type NjsSnapshot, setHeaders, smallBytesOf } from './objects.ts'
import type { NjsModules, NjsRequest } from './types.ts'

/** What all parts of a range have in common. It travels in a header, from nginx to nginx. */
interface Plan {
  /** Its name. */
  readonly snapshot: string
  /** Which of the table's. */
  readonly route: number
  readonly values: Values
  readonly format: Format
  /** Empty where the first, or the last, window is whole. */
  readonly from: string
  readonly to: string
}

/** Windows that are held in memory at a time, by the request that makes a part. */
const windowsAPart = 2

/** njs interprets loops slowly; these run in C. */
export const njsSearch: Search<Buffer> = {
  find: (bytes, text, from) => bytes.indexOf(text, from),
  findLast: (bytes, text) => bytes.lastIndexOf(text),
  text: (bytes, from, to) => bytes.toString('utf8', from, to),
  encode: (text) => Buffer.from(text),
  alloc: (length) => Buffer.alloc(length),
}

/** A range of at most so many bytes is sent at once, however many there are: as a document is. */
export const mostUncounted = 64 * 1024

/** @returns null if it is too long for that, or too short for nginx to compress it, or if the window list is of an earlier version */
async function joinedAtOnce({
  windows,
  around,
  get,
  range,
}: JoinedBody<NjsBody>): Promise<Uint8Array | null> {
  const { from, to, wanted, route } = range
  const places = windows.map((window) => placeOfRange(window, range))
  const length = places.reduce((sum, place) => sum + (place === null ? 0 : place.end - place.start), 0)
  const [first] = windows
  const last = windows[windows.length - 1]
  if (around === null || length === 0 || length > mostUncounted) return null
  if (first === undefined || last === undefined || route.series === undefined) return null
  const bodies = await Promise.all(windows.map(get))
  const runs = bodies.map(({ body, records }) => {
    if (body === null || records === null) throw new Error('no range')
    return Object.assign({ bytes: smallBytesOf(body) }, records)
  })
  const { bytes } = windowJoiner(njsSearch, wanted.format, route.series).join(runs, {
    from: from <= first.first ? '' : from,
    to: last.last <= to ? '' : to,
    head: Buffer.from(around.head),
    tail: Buffer.from(around.tail),
    before: 0,
  })
  return bytes.length < worthCompressing ? null : bytes
}

/**
 * Decides how a range is cut into parts.
 * @param snapshot its name
 * @returns what hands the range to the location that limits how many are in work: what it refuses has other headers
 */
export async function planRange(
  body: JoinedBody<NjsBody>,
  headers: Readonly<Record<string, string>>,
  table: RouteTable,
  snapshot: string,
): Promise<{ readonly send: (request: NjsRequest) => void }> {
  const atOnce = await joinedAtOnce(body)
  if (atOnce !== null) {
    const sendAtOnce = (request: NjsRequest) => {
      setHeaders(request, headers)
      request.return(200, atOnce)
    }
    return { send: sendAtOnce }
  }
  const { windows, get, range } = body
  const { from, to, wanted, route, values } = range
  const { series } = route
  const [first] = windows
  const last = windows[windows.length - 1]
  if (first === undefined || last === undefined || series === undefined) throw new Error('no range')
  const plan: Plan = {
    snapshot,
    route: table.routes.indexOf(route),
    values,
    format: wanted.format,
    from: from <= first.first ? '' : from,
    to: last.last <= to ? '' : to,
  }
  // Each of several windows has a record between the two days: JSON need not know more.
  let before = 0
  if (wanted.format === 'xml' && plan.from !== '' && windows.length > windowsAPart) {
    const joiner = windowJoiner(njsSearch, 'xml', series)
    const { body: stored, records } = await get(first)
    if (stored === null) throw new Error('no range')
    const bytes = smallBytesOf(stored)
    before = -joiner.recordsBefore(
      records ? Object.assign({ bytes }, records) : joiner.recordsIn(bytes),
      from,
    )
  }
  const parts: string[] = []
  for (let start = 0; start < windows.length; start += windowsAPart) {
    const batch = windows.slice(start, start + windowsAPart)
    const isLast = start + windowsAPart >= windows.length
    // nginx looks through this text: whatever a list of windows holds, no mark of an include gets into it.
    const years = batch.map((window) => encodeURIComponent(window.year + '-' + window[wanted.format]))
    const ends = (start === 0 ? '&first=1' : '') + (isLast ? '&last=1' : '')
    const query = 'before=' + (start === 0 ? 0 : Math.max(before, 1)) + ends + '&windows=' + years.join(',')
    parts.push('<!--#include virtual="/_fundpress/part?' + query + '" wait="yes"-->')
    before = batch.reduce((sum, { records }) => sum + records, before)
  }
  const send = (request: NjsRequest) => {
    request.variables['fundpress_headers'] = JSON.stringify(headers)
    request.variables['fundpress_plan'] = encodeURIComponent(JSON.stringify(plan))
    request.variables['fundpress_parts'] = parts.join('')
    request.internalRedirect('/_fundpress/range')
  }
  // Not the function itself: a promise of a function fails in njs.
  return { send }
}

/** In that location: nginx makes the body out of the includes. */
export function sendRange(request: NjsRequest): void {
  setHeaders(request, JSON.parse(request.variables['fundpress_headers'] ?? '{}') as Record<string, string>)
  request.return(200, request.variables['fundpress_parts'] ?? '')
}

/**
 * Makes a part, as `planRange` asked for it.
 * @throws {Error} if a window is not there, or not the one that the plan was made for: the whole answer has to break off
 */
export async function makePart(
  resume: (name: string) => NjsSnapshot,
  crypto: NjsModules['crypto'],
  { args, headersIn }: Pick<NjsRequest, 'args' | 'headersIn'>,
): Promise<Uint8Array> {
  const plan = JSON.parse(decodeURIComponent(headersIn['Fundpress-Plan'] ?? '')) as Plan
  const { table, store, isStillLive } = resume(plan.snapshot)
  const { values, format, from, to } = plan
  const route = table.routes[plan.route]
  const { series } = route ?? {}
  if (route === undefined || series === undefined) throw new Error('no range')
  const read = async (year: string): Promise<Buffer> => {
    const key = windowKey(route, values, year, format)
    const object = await store.get(key)
    if (object === null) throw new Error('no document: ' + key)
    return smallBytesOf(object.body)
  }
  const wanted = (args['windows'] ?? '').split(',').map((window) => window.split('-'))
  const windows = await Promise.all(wanted.map(([year]) => read(year ?? '')))
  const isCertain = await isStillLive().catch(() => false)
  if (!isCertain) {
    // They may still be the right ones. This takes too long to be done each time.
    windows.forEach((bytes, index) => {
      const digest = crypto.createHash('sha256').update(bytes).digest('hex').slice(0, 32)
      if (digest !== wanted[index]?.[1]) throw new Error('the snapshot was exchanged under it')
    })
  }
  const joiner = windowJoiner(njsSearch, format, series)
  const runs = windows.map((bytes) => joiner.recordsIn(bytes))
  const [first, last] = [runs[0], runs[runs.length - 1]]
  const isFirst = first !== undefined && args['first'] !== undefined
  const isLast = last !== undefined && args['last'] !== undefined
  return joiner.join(runs, {
    from: isFirst ? from : '',
    to: isLast ? to : '',
    head: isFirst ? first.bytes.subarray(0, first.start) : null,
    tail: isLast ? last.bytes.subarray(last.end) : null,
    before: Number(args['before']),
  }).bytes
}
