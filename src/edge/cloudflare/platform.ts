/** What of Cloudflare's platform the Worker uses; its runtime (workerd) has it. Source: the Workers runtime APIs. */

export interface R2Object {
  readonly size: number
  /** With its quotation marks. */
  readonly httpEtag: string
  readonly uploaded: Date
}

export interface R2ObjectBody extends R2Object {
  readonly body: ReadableStream<Uint8Array>
  readonly text: () => Promise<string>
  readonly arrayBuffer: () => Promise<ArrayBuffer>
}

/** A bucket as it is bound to a Worker. All of it rejects where R2 fails. */
export interface R2Bucket {
  readonly head: (key: string) => Promise<R2Object | null>
  readonly get: (
    key: string,
    options?: { readonly range: { readonly offset: number; readonly length: number } },
  ) => Promise<R2ObjectBody | null>
  /** At most 1,000 objects, in the order of their keys. */
  readonly list: (options: { readonly prefix: string }) => Promise<{
    readonly objects: readonly { readonly key: string; readonly size: number }[]
    readonly truncated: boolean
  }>
}

/** The cache of the data centre that the Worker runs in. */
export interface DataCentreCache {
  /** @returns undefined if it is not there */
  readonly match: (key: string) => Promise<Response | undefined>
  /** Stores nothing but a 200 to a GET. */
  readonly put: (key: string, response: Response) => Promise<void>
}

/** One request's life: what it begins is ended when it is over, but for what it says to wait for. */
export interface ExecutionContext {
  readonly waitUntil: (promise: Promise<unknown>) => void
}
