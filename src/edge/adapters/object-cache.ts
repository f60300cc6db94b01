/** Small objects of one snapshot in memory, the last used ones: they never change, so nothing goes stale. */

import { LRUCache } from 'lru-cache'
import { mostInMemory } from './node-body.ts'

export interface ObjectCache<T> {
  /** The object, read at most once at a time. */
  readonly get: (key: string, read: () => Promise<T | null>) => Promise<T | null>
  /** Forgets an object that is not what it was. */
  readonly forget: (key: string) => void
}

/** Of all objects together. */
const maxBytes = 64 * 1024 * 1024

/** What an entry takes beside its object, in bytes. */
const entryBytes = 500

/** @param sizeOf how many bytes an object holds in memory; one that holds more than {@link mostInMemory} is not kept */
export function objectCache<T extends object>(sizeOf: (object: T) => number): ObjectCache<T> {
  type Read = () => Promise<T | null>
  const objects = new LRUCache<string, T, Read>({
    maxSize: maxBytes,
    maxEntrySize: mostInMemory + entryBytes,
    sizeCalculation: (object) => sizeOf(object) + entryBytes,
    // An entry that leaves the cache while it is read is given to those who wait for it all the same.
    ignoreFetchAbort: true,
    fetchMethod: async (_key, _known, { context: read }) => (await read()) ?? undefined,
  })
  return {
    get: async (key, read) => objects.get(key) ?? (await objects.fetch(key, { context: read })) ?? null,
    forget: (key) => {
      objects.delete(key)
    },
  }
}
