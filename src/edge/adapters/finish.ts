/** From an answer to what goes out: content coding, conditional requests, byte ranges. For Node, wherever it runs. */

import type { Answer } from '../answer.ts'
import { byteRange, contentRange, type RangeRequest } from '../byte-range.ts'
import { isNotModified, notModifiedHeaders } from '../conditional.ts'
import { chooseCoding, compress, withCoding, type Coding } from './compression.ts'

export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null where there is none: 204, 304. */
  readonly body: Buffer | null
}

/** What counts of a request's headers; names in lower case. */
export interface AskedHeaders {
  readonly 'accept-encoding'?: string | undefined
  readonly 'if-none-match'?: string | undefined
  readonly 'if-modified-since'?: string | undefined
  readonly 'if-range'?: string | undefined
  readonly range?: string | undefined
}

/** An answer before its body is read: a 304 needs none. */
export interface Head {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Of the body that is to come. */
  readonly coding: Coding
}

export function headOf(answered: Answer<Buffer>, asked: AskedHeaders): Head {
  const { status, headers } = answered
  if (status !== 200) return { status, headers, coding: 'identity' }
  const { coding, mayDiffer } = chooseCoding(asked['accept-encoding'], answered)
  const all = mayDiffer ? withCoding(headers, coding) : headers
  const conditions = { ifNoneMatch: asked['if-none-match'], ifModifiedSince: asked['if-modified-since'] }
  if (isNotModified(conditions, all['ETag'] ?? '', all['Last-Modified'] ?? '')) {
    return { status: 304, headers: notModifiedHeaders(all), coding: 'identity' }
  }
  return { status, headers: all, coding }
}

/** The answer with its body in memory. */
export async function finish(
  answered: Answer<Buffer>,
  method: string,
  asked: AskedHeaders,
): Promise<Response> {
  const { status, headers, coding } = headOf(answered, asked)
  if (status === 304) return { status, headers, body: null }
  const bytes = await bytesOf(answered.body)
  if (status !== 200 || bytes === null) return { status, headers, body: bytes }
  if (coding === 'identity')
    return partOf(bytes, headers, { method, range: asked.range, ifRange: asked['if-range'] })
  return { status, headers, body: await compress(bytes, coding) }
}

/** The bytes that were asked for; of what is no file, all of them. */
function partOf(bytes: Buffer, headers: Readonly<Record<string, string>>, asked: RangeRequest): Response {
  const { length } = bytes
  const isFile = headers['Accept-Ranges'] === 'bytes'
  const whole = { length, etag: headers['ETag'] ?? '', lastModified: headers['Last-Modified'] ?? '' }
  const wanted = isFile ? byteRange(asked, whole) : null
  if (wanted === null) return { status: 200, headers, body: bytes }
  const all = { ...headers, 'Content-Range': contentRange(wanted, length) }
  if (wanted === 'outside') return { status: 416, headers: all, body: Buffer.alloc(0) }
  return { status: 206, headers: all, body: bytes.subarray(wanted.first, wanted.last + 1) }
}

async function bytesOf(body: Answer<Buffer>['body']): Promise<Buffer | null> {
  switch (body.kind) {
    case 'none':
      return null
    case 'stored':
      return body.body
    case 'joined':
      // The store's text is Latin-1 of the bytes: this way the bytes come back as they were.
      return Buffer.from((await body.pieces()).join(''), 'latin1')
    case 'text':
      return Buffer.from(body.text)
    default:
      return body satisfies never
  }
}
