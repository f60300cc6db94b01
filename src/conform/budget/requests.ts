/** The hostile requests, and the ones in good faith that they are compared with. The command and the tests send the same. */

import { hostileHeaders } from './hostile-headers.ts'
import type { BudgetPlace, HostileRequest, RawRequest } from './hostile-request.ts'
import { hostileTargets } from './hostile-targets.ts'

/** All of them for a deployment. */
export const hostileRequests = (place: BudgetPlace): readonly HostileRequest[] => [
  ...hostileTargets(place),
  ...hostileHeaders(place),
]

/** Bytes of line and headers. The limit is 16 KB with everything that a client and a proxy add. */
export const smallSizes: readonly number[] = [1_000, 4_000, 15_500]

/** Beyond the limit: to be refused. */
export const largeSizes: readonly number[] = [64_000, 250_000]

/** A request in good faith with as many bytes: a header that nobody reads. */
export const plainRequest = (target: string, bytes: number): RawRequest => ({
  target,
  headers: [['x-filler', 'a'.repeat(Math.max(1, bytes - target.length - 14))]],
})
