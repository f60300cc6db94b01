/** Objects of one snapshot in memory, the last used ones: they never change, so nothing goes stale. */

export interface ObjectCache<T> {
  /** The object, read at most once at a time. */
  readonly get: (key: string, read: () => Promise<T | null>) => Promise<T | null>
}

const maxBytes = 64 * 1024 * 1024

/** @param sizeOf bytes that an object holds */
export function objectCache<T>(sizeOf: (object: T) => number): ObjectCache<T> {
  // A Map keeps the order of insertion: the first is the one that was not used for longest.
  const objects = new Map<string, T>()
  const reading = new Map<string, Promise<T | null>>()
  let bytes = 0

  const keep = (key: string, object: T) => {
    objects.set(key, object)
    bytes += sizeOf(object)
    for (const [oldest, dropped] of objects) {
      if (bytes <= maxBytes) break
      objects.delete(oldest)
      bytes -= sizeOf(dropped)
    }
  }

  return {
    get: async (key, read) => {
      const known = objects.get(key)
      if (known !== undefined) {
        objects.delete(key)
        objects.set(key, known)
        return known
      }
      const underWay = reading.get(key)
      if (underWay !== undefined) return underWay
      const started = read()
      reading.set(key, started)
      try {
        const object = await started
        if (object !== null) keep(key, object)
        return object
      } finally {
        reading.delete(key)
      }
    },
  }
}
