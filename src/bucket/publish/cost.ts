/** What requests and storage cost. Pure. */

/** Requests by operation, as stores bill them. */
export interface Requests {
  readonly PutObject: number
  readonly GetObject: number
  readonly ListObjectsV2: number
  readonly DeleteObjects: number
}

/** In dollars. */
export interface Prices {
  /** Puts and lists cost the same. */
  readonly perMillionPuts: number
  readonly perMillionGets: number
  readonly perMillionDeletes: number
  readonly perGbMonth: number
}

/** In dollars, without traffic. */
export function costOfRequests(requests: Requests, prices: Prices): number {
  const { PutObject, GetObject, ListObjectsV2, DeleteObjects } = requests
  const millionths =
    (PutObject + ListObjectsV2) * prices.perMillionPuts +
    GetObject * prices.perMillionGets +
    DeleteObjects * prices.perMillionDeletes
  return millionths / 1e6
}

const nightsAMonth = 30

/** Such a publish each night, and two slots of this size kept. @param bytes of one slot */
export function costOfMonth(requests: Requests, bytes: number, prices: Prices): number {
  return nightsAMonth * costOfRequests(requests, prices) + ((2 * bytes) / 1e9) * prices.perGbMonth
}
