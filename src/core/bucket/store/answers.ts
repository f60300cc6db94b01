/** Answers as they come over the wire, before the SDK reads them: whether a store has given them, and their limits. */

import { Readable } from 'node:stream'
import { contentTypeOf } from '../../api/routes/content-types.ts'
import { limitBody } from './bodies.ts'
import { foreignAnswer } from './errors.ts'

export interface RawAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  body: AsyncIterable<Uint8Array> | Uint8Array | undefined
}

/** Statuses of a proxy that has waited in vain: the store may still carry the request out. */
export const answersOfProxies: readonly (number | undefined)[] = [408, 502, 504]

/** Statuses of a proxy, and of a network, that want to know who asks. */
const portals: readonly number[] = [407, 511]

/** @param command its name @param key of the object, if there is one @throws {Error} if it is a page, or a redirect to one */
export function assertOfStore(answer: RawAnswer, command: string, key: string): void {
  const { statusCode: status } = answer
  const isForeign =
    portals.includes(status) ||
    (status < 300 ? isForeignSuccess(answer, command, key) : isForeignFailure(answer))
  if (isForeign) throw foreignAnswer(described(answer), status)
}

const isPage = (type: string | undefined) => /^text\/html\b/i.test(type ?? '')

function isForeignSuccess({ statusCode, headers }: RawAnswer, command: string, key: string): boolean {
  const { etag, 'content-type': type, 'content-length': length } = headers
  // Some stores call the empty body of a put a page, too.
  if (command === 'PutObjectCommand') return etag === undefined
  if (command === 'GetObjectCommand')
    return etag === undefined || (isPage(type) && !isPage(contentTypeOf(key)))
  return isPage(type) && statusCode === 200 && length !== '0'
}

/** A store that fails or throttles may send a page, too: that passes. */
function isForeignFailure({ statusCode: status, headers: { 'content-type': type } }: RawAnswer): boolean {
  if (status < 400) return status !== 304 && !/xml/i.test(type ?? '')
  return isPage(type) && status < 500 && status !== 408 && status !== 429
}

function described({ statusCode, headers }: RawAnswer): string {
  const type = headers['content-type'] ?? 'no type'
  const { location = '' } = headers
  const to = URL.canParse(location) ? `, to ${new URL(location).host}` : ''
  return `${statusCode}, ${type.slice(0, 50)}${to}`
}

/** Bytes of an answer in XML. A page of a listing has a thousand keys of 1,024 bytes at most. */
const maxXmlBytes = 16 * 2 ** 20

/** Limits an answer that the SDK reads as a whole. A million puts have none. @param waitMs see `Patience` */
export function limitXml(answer: RawAnswer, command: string, waitMs: number): void {
  const { statusCode, body } = answer
  const isRead = statusCode >= 300 || !/^(?:Get|Put|Head)Object/.test(command)
  if (!isRead || body === undefined || body instanceof Uint8Array) return
  const what = `the answer to ${command.replace('Command', '')}`
  answer.body = Readable.from(limitBody(body, what, { waitMs, maxBytes: maxXmlBytes }))
}
