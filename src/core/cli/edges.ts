/** Asks the edges of `bucket.edges` what they read. */

import { z } from 'zod'
import type { KnownEdge, Readable } from '../bucket/live/edges.ts'
import type { Session } from './command.ts'
import { request, tryOften } from '../system/attempts.ts'

/** In milliseconds. An edge that is restarted gets a second attempt. */
const patience = { attempts: 2, attempt: 4000, pause: 1000, total: 10_000 }

/** The answer of `serve` (`src/core/edge/node/server.ts`). Versions without `reads` may read no more than all do. */
const healthShape = z.object({
  snapshot: z.string(),
  reads: z.object({ format: z.int().positive(), slots: z.int().positive() }),
})

/** All at the same time. @throws the reason of the signal, if the command is stopped */
export function askEdges(session: Session): Promise<readonly KnownEdge[]> {
  const addresses = session.settings.bucket.edges?.split(' ') ?? []
  return Promise.all(addresses.map((address) => askEdge(address, session.signal)))
}

async function askEdge(address: string, signal: AbortSignal): Promise<KnownEdge> {
  const found: { reads: Readable | null } = { reads: null }
  const slash = address.endsWith('/') ? '' : '/'
  const ask = (stop: AbortSignal) =>
    request(
      `${address}${slash}status/health`,
      { headers: { 'cache-control': 'no-cache' }, signal: stop },
      (text) => {
        found.reads = readsIn(text)
        return found.reads === null
          ? { reason: 'its answer is not that of `fundpress serve`', isFinal: true }
          : null
      },
    )
  const failed = await tryOften(ask, { patience, clock: () => performance.now(), signal })
  signal.throwIfAborted()
  const { reads } = found
  return reads === null ? { address, unknown: failed ?? 'no answer' } : { address, reads }
}

/** @param text the beginning of an answer, some 1,000 characters: a longer one is no health */
function readsIn(text: string): Readable | null {
  try {
    return healthShape.safeParse(JSON.parse(text)).data?.reads ?? null
  } catch {
    return null
  }
}
