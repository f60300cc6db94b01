/** The port: an object store for publishing. Keys are relative to the prefix of the bucket. */

import type { Lack } from './lacks.ts'

export interface ObjectStore {
  /** For messages: `s3://bucket/prefix`, `file:///folder/prefix`. */
  readonly name: string
  /** True if an ETag depends on the object's bytes alone: a copy of the object has the same one. */
  readonly areEtagsDigests: boolean
  readonly get: (key: string, options?: GetOptions) => Promise<FetchedObject | null>
  /**
   * Puts an object, verified by the store. A conditional put whose answer got lost counts as done if it was carried out.
   * @throws {ConditionFailed} if the condition does not hold @throws {ConditionsUnknown} if the store has none
   */
  readonly put: (object: NewObject, condition?: Condition, options?: WriteOptions) => Promise<PutObject>
  /** A big file is never in memory as a whole. @throws {Error} if it cannot be read, or is too large for one put */
  readonly putFile: (file: string, object: NewFileObject, options?: WriteOptions) => Promise<PutObject>
  /**
   * Puts a copy of another object, whose ETag is known. Absent if the store makes none.
   * @returns null if the store refuses, or has copied something with another ETag: a put follows
   */
  readonly copy?: (
    source: Pick<ListedObject, 'key' | 'etag'>,
    object: Required<NewFileObject>,
    options?: WriteOptions,
  ) => Promise<PutObject | null>
  /** Lists the objects whose keys have this prefix, in the byte order of their keys, without strays (`strays.ts`). */
  readonly list: (prefix: string, options?: ListOptions) => AsyncIterable<ListedObject>
  /** Lists the names between this prefix and the next slash. @param prefix ends with a slash */
  readonly folders: (prefix: string, options?: CallOptions) => Promise<readonly string[]>
  /** @throws {Error} that names a key that could not be deleted, and why */
  readonly delete: (keys: readonly string[], options?: WriteOptions) => Promise<void>
  /** Absent where there is always room. @throws {Error} with the free and the needed bytes */
  readonly assertRoom?: (puts: AsyncIterable<Pick<ListedObject, 'key' | 'bytes'>>) => Promise<void>
  /** What the store was found to lack in this run. Absent where nothing can be lacking, as in a folder. */
  readonly lacks?: ReadonlySet<Lack>
  readonly requests: () => Readonly<Record<string, number>>
  /** Writes and deletes that ended without an answer: the store may still carry them out. */
  readonly unanswered: () => number
}

/** The most keys that one request of S3 deletes. */
export const keysPerDelete = 1000

export interface CallOptions {
  /** Ends the call, which throws the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

export interface ListOptions extends CallOptions {
  /** Keys of a page at most; absent: as many as the store likes. */
  readonly pageKeys?: number | undefined
}

export interface GetOptions extends CallOptions {
  /** First and last byte, both included. `bytes` is their number then. */
  readonly part?: { readonly first: number; readonly last: number }
  /** Fails for another ETag. A store that ignores conditions gives the object all the same. */
  readonly ifMatch?: string
}

export interface WriteOptions extends CallOptions {
  /** Called right before each attempt: if it throws, nothing is sent, and the call throws the same. */
  readonly assertFresh?: (() => void) | undefined
  /** Called after each failed attempt, the last or not: `the store answered 503 (SlowDown)`. */
  readonly onFailure?: (why: string) => void
  /** The object repeats what it said before: a folder need not flush earlier writes. */
  readonly isRenewal?: boolean
}

export interface NewFileObject {
  readonly key: string
  readonly type: string
  readonly cacheControl: string
  /** In hex; the store refuses a body with another one. Absent: the file's digest is sent. */
  readonly sha256?: string
}

export type NewObject = Required<NewFileObject> & { readonly body: Buffer }

/** `ifMatch`: the object has this ETag. `ifAbsent`: there is no object. */
export type Condition = { readonly ifMatch: string } | { readonly ifAbsent: true }

export interface PutObject {
  readonly etag: string
}

export interface FetchedObject {
  readonly etag: string
  /** Null if unknown: an answer in chunks has no length. */
  readonly bytes: number | null
  readonly lastModified: Date
  /** The store's time of the answer. */
  readonly now: Date
  /** To be read once, or given back by `cancel`. */
  readonly body: AsyncIterable<Uint8Array>
  readonly cancel: () => void
  /** Stops the call and the reading of its body. */
  readonly signal?: AbortSignal | undefined
}

export interface ListedObject {
  readonly key: string
  readonly bytes: number
  readonly etag: string
  readonly lastModified: Date
}

export const isFolderName = (name: string): boolean => name.startsWith('file:')

/** Another writer was faster, or the object is not what it was. */
export class ConditionFailed extends Error {
  override readonly name = 'ConditionFailed'
}

export class ConditionsUnknown extends Error {
  override readonly name = 'ConditionsUnknown'
}

/** An object or a list was not written by this fundpress: to ask for it again is of no use. */
export class Damaged extends Error {
  override readonly name = 'Damaged'
}

/** For `catch`. @throws any other error */
export function nullIfDamaged(error: unknown): null {
  if (error instanceof Damaged) return null
  throw error
}
