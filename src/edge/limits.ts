/** How long a request may be: the same on every platform. README.md has the list. */

import { standalone, type StandaloneAnswer } from './standalone.ts'

/** The target and all headers together. */
export const maxRequestBytes = 16 * 1024

export const targetTooLong = /* @__PURE__ */ standalone(414, 'The URL is longer than 16 KB')
export const headersTooLong = /* @__PURE__ */ standalone(431, 'The headers are longer than 16 KB')

/** @returns the answer to a request that is too long, else null */
export function refusalOfLength(target: string, headerBytes: number): StandaloneAnswer | null {
  if (target.length > maxRequestBytes) return targetTooLong
  return target.length + headerBytes > maxRequestBytes ? headersTooLong : null
}

/** How many bytes a header takes in a request, with its colon, its blank and its line ending. */
export const headerBytes = (name: string, value: string) => name.length + value.length + 4
