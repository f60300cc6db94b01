/** Which answers may come compressed, whoever compresses: the platform, or what stands before it. */

import { isText } from '../routes/content-types.ts'

/** Below this many bytes, compressing costs more than it saves. CloudFront draws the line there too. */
const worthCompressing = 1000

/** @param length in bytes; null for a body that is put together, which is longer than that but for few */
export function mayBeCoded(contentType: string, length: number | null): boolean {
  return (length === null || length >= worthCompressing) && isText(contentType)
}

/** `Vary` of an answer that may come compressed. */
export const varyByCoding = (vary: string | undefined) => (vary ? vary + ', ' : '') + 'Accept-Encoding'
