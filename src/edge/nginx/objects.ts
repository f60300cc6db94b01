/** Objects and snapshots as the handlers on njs use them. */

import type { RouteTable } from '../../api/routes/table.ts'
import type { Store } from '../core/answer.ts'
import type { ByteRange } from '../core/finish.ts'
import type { Pinned } from '../core/live.ts'
import type { LiveSlot } from '../core/live-file.ts'
import type { NjsRequest, NjsStat } from './types.ts'

/** An object's bytes or, for a large file, how nginx sends it without njs. */
export type NjsBody =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | {
      readonly kind: 'large'
      readonly length: number
      /** @param range null for the whole file */
      readonly send: (request: NjsRequest, headers: Headers, range: ByteRange | null) => void
    }

type Headers = Readonly<Record<string, string>>

/** Larger files are not read by njs, which would hold them in memory. In bytes. */
export const largeFrom = 1024 * 1024

/** @throws {Error} for a large file: only pages are */
export function smallBytesOf(body: NjsBody): Buffer {
  if (body.kind === 'large') throw new Error('a document that is larger than memory')
  return body.bytes
}

export const smallTextOf = (body: NjsBody) => Promise.resolve(smallBytesOf(body).toString())

export const lengthOf = (body: NjsBody) => (body.kind === 'large' ? body.length : body.bytes.length)

/** Whether a key is that of a page or file beside the API: only those may be large. */
export const isPageKey = (table: RouteTable, key: string) =>
  table.pages.includes(key.slice(0, key.indexOf('/')))

/**
 * What nginx's own ETag, the time and the length of a file, lacks to tell the answers of one address apart. Empty for JSON in the first
 * language: that ETag nginx can compare by itself.
 * @returns the end of the text between the quotation marks: `-index.en.xml`
 */
export function tagEnding(key: string): string {
  const isFirst = key.endsWith('.json') && !key.endsWith('.en.json')
  const isAlone = !key.startsWith('api/') && key !== 'de.html'
  return isFirst || isAlone ? '' : '-' + key.slice(key.lastIndexOf('/') + 1)
}

/** A snapshot in a folder. */
export interface DirectSnapshot {
  /** Where its keys begin, with a slash at the end. */
  readonly root: string
  readonly lastModifiedOf: (file: NjsStat) => string
  /** As that of {@link NjsSnapshot}. */
  readonly liveSince?: number
  /** Whether what was read belongs to it. */
  readonly isStillLive: () => boolean
}

/** Where snapshots come from. */
export interface NjsOrigin {
  /** The snapshot that is live now. */
  readonly pin: (request: NjsRequest) => Promise<NjsSnapshot>
  /** The snapshot that is staged, or null. A folder without slots has none. */
  readonly pinStaged?: (request: NjsRequest) => Promise<NjsSnapshot | null>
  /** The live snapshot, if its files can be read at once. */
  readonly pinDirect?: () => DirectSnapshot
  /** The snapshot of another request, by its `name`, whether it is still live or not. */
  readonly resume: (request: NjsRequest, name: string) => NjsSnapshot
}

export interface NjsSnapshot extends Pinned {
  /**
   * When it went live, in milliseconds since 1970, if `Last-Modified` is the time of a file: a copy of an earlier date may be of another
   * snapshot, and newer than the file.
   */
  readonly liveSince?: number
  /** Another request finds the snapshot by it. */
  readonly name: string
  readonly table: RouteTable
  readonly store: Store<NjsBody>
  /** Given if it is staged, and not live. */
  readonly staged?: LiveSlot
}

/** A snapshot's name is a header of each part of a range. A range needs no downloads, and their folders would fill it. */
export const forParts = (live: LiveSlot) => Object.assign({}, live, { earlierDownloads: undefined })

export function setHeaders(request: NjsRequest, headers: Headers): void {
  Object.keys(headers).forEach((name) => {
    request.headersOut[name] = headers[name]
  })
}

export const sleep = (ms: number) =>
  new Promise<void>((wake) => {
    setTimeout(wake, ms)
  })
