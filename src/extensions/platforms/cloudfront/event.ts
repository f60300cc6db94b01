/** The used part of the API of CloudFront Functions. Source: CloudFront's developer guide. */

import { noStore, previewHeader, snapshotHeader } from '../../../core/edge/core/preview.ts'
import type { Representation } from '../../../core/edge/core/representation.ts'

/** Names in lower case. `multiValue`: a header that the client sent several times. */
export type CloudFrontHeaders = Record<
  string,
  { readonly value: string; readonly multiValue?: readonly { readonly value: string }[] }
>

export interface CloudFrontRequest {
  readonly method: string
  uri: string
  /** A function may put a text here. */
  querystring: unknown
  readonly headers: CloudFrontHeaders
  /** As the client sent it; undefined without a question mark. */
  readonly rawQueryString: () => string | undefined
}

export interface CloudFrontResponse {
  readonly statusCode: number
  readonly headers: CloudFrontHeaders
  readonly body?: { readonly encoding: 'text'; readonly data: string }
}

/** The module `cloudfront`, which only the function's file can import. */
export interface CloudFront {
  readonly kvs: () => {
    readonly get: (key: string, options?: { readonly format: 'json' }) => Promise<unknown>
  }
  readonly createRequestOriginGroup: (group: {
    readonly originIds: readonly { readonly originId: string }[]
    readonly failoverCriteria: { readonly statusCodes: readonly number[] }
  }) => void
}

/** The request header in which the viewer-request function describes an answer of the bucket for the viewer-response function. */
export const noteHeader = 'x-fundpress-note'

export interface Note {
  /** `liveSince` of the snapshot in seconds since 1970. */
  readonly since: number
  /** A document's address with the ISIN in upper case, or the key of a page or a file. */
  readonly path: string
  readonly wanted?: Representation
}

/** The request header for the Lambda with the client's target, or an equal one. */
export const targetHeader = 'x-fundpress-target'

/**
 * Conditions that the viewer-response function decides: the bucket's refusal would be a text of its own, and CloudFront's cache
 * decides none of them. On the way they have names that nothing else knows.
 */
export const conditionHeaders = ['if-match', 'if-unmodified-since']
export const onTheWay = (name: string) => 'x-fundpress-' + name

export const headerText = (header: CloudFrontHeaders[string] | undefined) =>
  header && (header.multiValue || [header]).map(({ value }) => value).join(', ')

export function markPreview(asked: CloudFrontHeaders, headers: CloudFrontHeaders): void {
  const snapshot = asked[previewHeader]
  if (!snapshot) return
  headers['cache-control'] = { value: noStore }
  headers[snapshotHeader.toLowerCase()] = snapshot
}
