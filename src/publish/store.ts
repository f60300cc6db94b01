/** What publishing needs of an object store: five methods. Keys are relative to the place that snapshots live in. */

export interface ObjectStore {
  /** For messages: `s3://bucket/prefix`. */
  readonly name: string
  /** @returns null if there is no such object */
  readonly get: (key: string) => Promise<FetchedObject | null>
  /**
   * Puts an object, verified by the store. A conditional put that was carried out although its answer got lost counts
   * as done.
   * @throws {ConditionFailed} if the condition does not hold @throws {ConditionsUnknown} if the store has none
   */
  readonly put: (object: NewObject, condition?: Condition) => Promise<PutObject>
  /** All objects whose keys start so, in the byte order of their keys. */
  readonly list: (prefix: string) => AsyncIterable<ListedObject>
  /** Deletes up to a thousand objects at once. @throws {Error} that names what could not be deleted */
  readonly delete: (keys: readonly string[]) => Promise<void>
  /** Requests so far, by operation. */
  readonly requests: () => Readonly<Record<string, number>>
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

/** `ifMatch`: the object is there with this ETag. `ifAbsent`: it is not there. */
export type Condition = { readonly ifMatch: string } | { readonly ifAbsent: true }

export interface PutObject {
  readonly etag: string
}

export interface FetchedObject {
  readonly etag: string
  readonly bytes: number
  readonly lastModified: Date
  /** The store's clock when it answered. */
  readonly now: Date
  /** To be read once, or given back by `cancel`. */
  readonly body: AsyncIterable<Uint8Array>
  readonly cancel: () => void
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

/** An object's body as text. */
export async function textOf(object: FetchedObject): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of object.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
