/** What is in the buckets, in memory or in a folder. Knows nothing of HTTP; every change happens at once. */
import type { Checksums } from './checksums.ts'
import { openBodies } from './bodies.ts'
import { makeSortedKeys, type SortedKeys } from './key-order.ts'

/** Never changed, only replaced. */
export interface StoredObject {
  readonly key: string
  readonly body: Buffer
  readonly size: number
  /** In quotes, as on the wire. */
  readonly etag: string
  /** Milliseconds, whole seconds. */
  readonly lastModified: number
  /** Content-Type and its like, and x-amz-meta-…; names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly checksums: Checksums
  readonly checksumType: 'FULL_OBJECT' | 'COMPOSITE'
}

export interface Part {
  readonly body: Buffer
  readonly etag: string
  readonly lastModified: number
  readonly checksums: Checksums
}

export interface Upload {
  readonly id: string
  readonly key: string
  readonly initiated: number
  readonly headers: Readonly<Record<string, string>>
  readonly checksumAlgorithm: string | undefined
  readonly parts: Map<number, Part>
}

export interface Bucket {
  readonly name: string
  readonly objects: ReadonlyMap<string, StoredObject>
  readonly uploads: Map<string, Upload>
  readonly sortedKeys: SortedKeys['all']
  readonly put: (object: StoredObject) => void
  readonly remove: (key: string) => void
}

export interface Store {
  readonly buckets: ReadonlyMap<string, Bucket>
  readonly create: (name: string) => Bucket
}

/** @param dir where bodies are kept and found again; none: in memory */
export function openStore(dir: string | undefined): Store {
  const buckets = new Map<string, Bucket>()
  const create = (name: string): Bucket => {
    const bucket = buckets.get(name) ?? openBucket(name, dir)
    buckets.set(name, bucket)
    return bucket
  }
  return { buckets, create }
}

function openBucket(name: string, dir: string | undefined): Bucket {
  const objects = new Map<string, StoredObject>()
  const keys = makeSortedKeys()
  const bodies = dir === undefined ? undefined : openBodies(dir, name)
  for (const object of bodies?.found ?? []) {
    objects.set(object.key, object)
    keys.add(object.key)
  }
  return {
    name,
    objects,
    uploads: new Map(),
    sortedKeys: keys.all,
    put: (object) => {
      if (!objects.has(object.key)) keys.add(object.key)
      objects.set(object.key, bodies?.write(object) ?? object)
    },
    remove: (key) => {
      if (!objects.delete(key)) return
      keys.remove(key)
      bodies?.remove(key)
    },
  }
}
