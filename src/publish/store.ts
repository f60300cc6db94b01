/** What publishing needs of an object store. Keys are relative to the place that snapshots live in. */

export interface ObjectStore {
  /** For messages: `s3://bucket/prefix`. */
  readonly name: string
  /** @returns null if there is no such object */
  readonly get: (key: string, options?: GetOptions) => Promise<FetchedObject | null>
  /**
   * Puts an object, verified by the store. A conditional put that was carried out although its answer got lost counts
   * as done.
   * @throws {ConditionFailed} if the condition does not hold @throws {ConditionsUnknown} if the store has none
   */
  readonly put: (object: NewObject, condition?: Condition, options?: WriteOptions) => Promise<PutObject>
  /**
   * Puts a file, verified by the store; a big one is never in memory as a whole.
   * @throws {Error} if it cannot be read, or is larger than what one put can hold
   */
  readonly putFile: (file: string, object: NewFileObject, options?: WriteOptions) => Promise<PutObject>
  /** All objects whose keys start so, in the byte order of their keys. */
  readonly list: (prefix: string, options?: CallOptions) => AsyncIterable<ListedObject>
  /** Deletes up to a thousand objects at once. @throws {Error} that names what could not be deleted, and why */
  readonly delete: (keys: readonly string[], options?: WriteOptions) => Promise<void>
  /** Requests so far, by operation. */
  readonly requests: () => Readonly<Record<string, number>>
  /** Attempts to write or delete that ended without an answer: the store may still carry them out. */
  readonly unanswered: () => number
}

export interface CallOptions {
  /** Ends the call, which throws the signal's reason then. */
  readonly signal?: AbortSignal | undefined
}

export interface GetOptions extends CallOptions {
  /** These bytes only: the first and the last one, both included. `bytes` is their number then. */
  readonly part?: { readonly first: number; readonly last: number }
  /** The object has this ETag, or the call fails. A store that ignores conditions gives the object all the same. */
  readonly ifMatch?: string
}

export interface WriteOptions extends CallOptions {
  /** Asked right before each attempt: where it throws, nothing is sent, and the call throws the same. */
  readonly assertFresh?: (() => void) | undefined
}

export interface NewObject {
  readonly key: string
  readonly body: Buffer
  /** Content-Type */
  readonly type: string
  readonly cacheControl: string
  /** In hex; the store refuses a body with another one. */
  readonly sha256: string
}

export interface NewFileObject extends Pick<NewObject, 'key' | 'type' | 'cacheControl'> {
  /** In hex, where it is known before the file is read; else that of the file as it is. */
  readonly sha256?: string
}

/** `ifMatch`: the object is there with this ETag. `ifAbsent`: it is not there. */
export type Condition = { readonly ifMatch: string } | { readonly ifAbsent: true }

export interface PutObject {
  readonly etag: string
}

export interface FetchedObject {
  readonly etag: string
  /** Null where the store does not say: an answer in chunks has no length. */
  readonly bytes: number | null
  readonly lastModified: Date
  /** The store's clock when it answered. */
  readonly now: Date
  /** To be read once, or given back by `cancel`. */
  readonly body: AsyncIterable<Uint8Array>
  readonly cancel: () => void
  /** What can end the body before its end: then nobody wants it any more. */
  readonly signal?: AbortSignal | undefined
}

export interface ListedObject {
  readonly key: string
  readonly bytes: number
  readonly etag: string
  readonly lastModified: Date
}

/** Somebody else was faster, or the object is not what it was. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed'
}

/** The store does not know conditional writes. */
export class ConditionsUnknown extends Error {
  override readonly name = 'ConditionsUnknown'
}

/** An object is larger than what is written under its key ever is: it is not read any further. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge'
}

/** @param maxBytes of the body @throws {TooLarge} @throws {Error} if the body breaks off */
export async function bytesOf({ body }: Pick<FetchedObject, 'body'>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let read = 0
  for await (const chunk of body) {
    read += chunk.length
    if (read > maxBytes) throw new TooLarge(`it has more than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** An object's body as text. @throws as above */
export const textOf = async (object: Pick<FetchedObject, 'body'>, maxBytes = maxJsonBytes): Promise<string> =>
  (await bytesOf(object, maxBytes)).toString('utf8')

/** JSON that a publish or a night writes takes much less. */
const maxJsonBytes = 16 * 2 ** 20
