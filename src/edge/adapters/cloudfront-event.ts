/** What CloudFront Functions are given and give back, as far as it is used. Source: CloudFront's developer guide. */

import type { Wanted } from '../resolve.ts'

/** Names in lower case. `multiValue`: a header that came several times. */
export type CloudFrontHeaders = Record<
  string,
  { readonly value: string; readonly multiValue?: readonly { readonly value: string }[] }
>

export interface CloudFrontRequest {
  readonly method: string
  /** As it was sent: still percent-encoded. */
  uri: string
  /** A function may put a text here. */
  querystring: unknown
  readonly headers: CloudFrontHeaders
  /** As it was sent; undefined where there is no question mark. */
  readonly rawQueryString: () => string | undefined
}

export interface CloudFrontResponse {
  readonly statusCode: number
  readonly headers: CloudFrontHeaders
  /** Of an answer that the function makes itself. */
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

/**
 * What the KeyValueStore says under `live`. Under `downloads/<month>` it says which folders have the downloads of that
 * month's days, in the form of `earlierDownloads` (pages.ts). Written by publish/key-value-store.ts.
 */
export interface LivePin {
  readonly slot: string
  readonly snapshot: string
  /** ISO 8601 with time. */
  readonly liveSince: string
  readonly docsUrl: string
}

/** The request header in which the viewer-request function tells the viewer-response one of an answer in the bucket. */
export const noteHeader = 'x-fundpress-note'

export interface Note {
  /** In seconds since 1970. */
  readonly liveSince: number
  /** Of a document its address, its ISIN in upper case; of a page or a file its key. */
  readonly path: string
  /** Absent for a page or a file. */
  readonly wanted?: Wanted
}

/** The request header that tells the Lambda what was asked for, where the path is that of an object, or none's. */
export const targetHeader = 'x-fundpress-target'
