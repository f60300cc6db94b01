/** What is in a bucket of the S3 server of the tests. Knows nothing of HTTP; every change happens at once. */
import { createHash } from 'node:crypto'

/** Never changed, only replaced. */
export interface StoredObject {
  readonly key: string
  readonly body: Buffer
  /** In quotes, as on the wire. */
  readonly etag: string
  /** Milliseconds, whole seconds. */
  readonly lastModified: number
  /** Content-Type and the like, and x-amz-meta-…; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** In base64, by the algorithm that the header named. */
  readonly checksums: Readonly<Record<string, string>>
}

/** Begun and never finished: the server lists and aborts uploads in parts, tests put them there. */
interface Upload {
  readonly key: string
  readonly id: string
  readonly initiated: number
}

export type StoredBucket = ReturnType<typeof makeBucket>

export function makeBucket() {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<string, Upload>()
  let sorted: readonly string[] | undefined
  return {
    objects: objects as ReadonlyMap<string, StoredObject>,
    uploads,
    /** In the order of their UTF-8 bytes. */
    sortedKeys: (): readonly string[] => (sorted ??= [...objects.keys()].sort(compareKeys)),
    put: (object: StoredObject) => {
      if (!objects.has(object.key)) sorted = undefined
      objects.set(object.key, object)
    },
    remove: (key: string) => {
      if (objects.delete(key)) sorted = undefined
    },
    empty: () => {
      objects.clear()
      uploads.clear()
      sorted = undefined
    },
  }
}

export function makeObject(
  key: string,
  body: Buffer,
  now: number,
  { headers = {}, checksums = {} }: Partial<Pick<StoredObject, 'headers' | 'checksums'>>,
): StoredObject {
  const etag = `"${createHash('md5').update(body).digest('hex')}"`
  const lastModified = Math.floor(now / 1000) * 1000
  const type = headers['content-type'] ?? 'binary/octet-stream'
  return { key, body, etag, lastModified, headers: { ...headers, 'content-type': type }, checksums }
}

/** JavaScript compares UTF-16 units, which order otherwise than UTF-8 bytes. */
export function compareKeys(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Surrogates stand for characters behind U+FFFF, yet have lower numbers than U+E000 to U+FFFF. */
const rank = (unit: number): number => (unit < 0xd800 || unit > 0xdfff ? unit : unit + 0x10000)
