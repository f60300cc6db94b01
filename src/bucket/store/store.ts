/** The port: what publishing needs of an object store. Keys are relative to the prefix of the bucket. */

export interface ObjectStore {
  /** For messages: `s3://bucket/prefix`, `file:///folder/prefix`. */
  readonly name: string
  /** Whether an ETag depends on the object's bytes alone: a copy of the object has the same one. */
  readonly areEtagsDigests: boolean
  /** @returns null if there is no such object */
  readonly get: (key: string, options?: GetOptions) => Promise<FetchedObject | null>
  /**
   * Puts an object, verified by the store. A conditional put whose answer got lost counts as done if it was carried out.
   * @throws {ConditionFailed} if the condition does not hold @throws {ConditionsUnknown} if the store has none
   */
  readonly put: (object: NewObject, condition?: Condition, options?: WriteOptions) => Promise<PutObject>
  /**
   * Puts a file, verified by the store; a big one is never in memory as a whole.
   * @throws {Error} if it cannot be read, or is larger than what one put can hold
   */
  readonly putFile: (file: string, object: NewFileObject, options?: WriteOptions) => Promise<PutObject>
  /** All objects whose keys have this prefix, in the byte order of their keys. */
  readonly list: (prefix: string, options?: CallOptions) => AsyncIterable<ListedObject>
  /** The names between this prefix and the next slash, of all objects that have both. @param prefix ends with a slash */
  readonly folders: (prefix: string, options?: CallOptions) => Promise<readonly string[]>
  /** Deletes up to a thousand objects at once. @throws {Error} that names what could not be deleted, and why */
  readonly delete: (keys: readonly string[], options?: WriteOptions) => Promise<void>
  /**
   * Absent where there is always room. A file that is replaced gives its room back.
   * @throws {Error} with what is free and what is needed, if these do not fit
   */
  readonly assertRoom?: (puts: AsyncIterable<Pick<ListedObject, 'key' | 'bytes'>>) => Promise<void>
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
  /** Called right before each attempt: if it throws, nothing is sent, and the call throws the same. */
  readonly assertFresh?: (() => void) | undefined
  /** Called after each attempt that failed, also if another one follows: `the store answered 503 (SlowDown)`. */
  readonly onFailure?: (why: string) => void
  /** The object says what it said before, so it need not wait until earlier writes are on the disk. Only a folder asks. */
  readonly isRenewal?: boolean
}

export interface NewFileObject {
  readonly key: string
  /** Content-Type */
  readonly type: string
  readonly cacheControl: string
  /** In hex; the store refuses a body with another one. Without it the store is given the file's digest. */
  readonly sha256?: string
}

export type NewObject = Required<NewFileObject> & { readonly body: Buffer }

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
  /** Stops the call and its body: after it, the body is not wanted any more. */
  readonly signal?: AbortSignal | undefined
}

export interface ListedObject {
  readonly key: string
  readonly bytes: number
  readonly etag: string
  readonly lastModified: Date
}

/** Whether the name of a bucket is that of a folder: `file:///srv/fundpress`. */
export const isFolderName = (name: string): boolean => name.startsWith('file:')

/** Another writer was faster, or the object is not what it was. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed'
}

/** The store does not know conditional writes. */
export class ConditionsUnknown extends Error {
  override readonly name = 'ConditionsUnknown'
}

/** An object or a list is there, and this fundpress did not write it: to ask for it again is of no use. */
export class Damaged extends Error {
  override readonly name = 'Damaged'
}
