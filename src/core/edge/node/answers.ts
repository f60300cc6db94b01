/** Finished answers, with headers and coding, for requests that come again. They belong to one snapshot, so none gets stale. */

import { LRUCache } from 'lru-cache'
import { preconditionFailed, notModifiedHeaders, verdictOf } from '../core/finish.ts'
import type { Header } from '../core/resolve.ts'
import { missing, mostInMemory } from './objects.ts'
import { wholeResponse, type Response } from './response.ts'

export type WholeResponse = Response & { readonly body: Buffer }

export type KnownAnswers = ReturnType<typeof answerCache>

const maxBytes = 8 * 1024 * 1024
/** Bytes of an entry beyond its body and its key. */
const entryBytes = 2000
/** Characters. A longer request is rare, or made up. */
const longestKey = 500
const mostAskedOnce = 5000

/** Keeps the last used answers, each from its second request on: single and made-up requests push nothing out. */
export function answerCache() {
  const askedOnce = new LRUCache<string, true>({ max: mostAskedOnce })
  const answers = new LRUCache<string, WholeResponse>({
    maxSize: maxBytes,
    maxEntrySize: mostInMemory + entryBytes + 2 * longestKey,
    sizeCalculation: ({ body }, key) => body.length + 2 * key.length + entryBytes,
  })
  return {
    get: (key: string) => answers.get(key),
    keep: (key: string, { status, headers, length, body }: WholeResponse) => {
      if (askedOnce.delete(key))
        // A refusal reports a missing object, which may appear.
        answers.set(key, { status, headers, length, body }, status === 200 ? {} : { ttl: missing.ttl })
      else askedOnce.set(key, true)
    },
  }
}

/**
 * Conditions are not part of the key: {@link onCondition} decides those.
 * @param target without its host @returns null if the answer is not to be kept
 */
export function answerKey(method: string, target: string, header: Header): string | null {
  if (method !== 'GET' || header('range') !== undefined) return null
  // No header contains the character that stands for an absent one.
  const choosing = choosingHeaders.map((name) => header(name) ?? '\0')
  const key = [target, ...choosing].join('\n')
  return key.length > longestKey ? null : key
}

const choosingHeaders = ['accept', 'accept-language', 'accept-encoding']

export function onCondition(known: WholeResponse, header: Header): Response {
  const { ETag: etag = '', 'Last-Modified': lastModified = '' } = known.headers
  const verdict = known.status === 200 ? verdictOf(header, etag, lastModified) : 'whole'
  if (verdict === 'whole') return known
  if (verdict === 'failed') return wholeResponse(preconditionFailed(known.headers))
  return { status: 304, headers: notModifiedHeaders(known.headers), length: null, body: null }
}
