/** `/status/health`: tells a load balancer whether a server can answer, and from what. It is in no snapshot, and no cache keeps it. */

import { unavailable } from '../core/standalone.ts'
import { wholeResponse, type Response } from './response.ts'

/** What a server answers from. */
export interface AnsweredFrom {
  readonly snapshot: string
  /** When it went live, in ISO form; null in a folder, which does not say it. */
  readonly since: string | null
}

export const isHealthCheck = (method: string, target: string) =>
  (method === 'GET' || method === 'HEAD') && /^\/status\/health(\?|$)/.test(target)

/** `{ snapshot, as_of, live_since }`; 503 comes from the server if nothing is live. */
export function healthOf({ snapshot, since }: AnsweredFrom): Response {
  const found = { snapshot, as_of: snapshot.slice(0, 10), live_since: since }
  const headers = { ...unavailable.headers }
  delete headers['Retry-After']
  return wholeResponse({ status: 200, headers, body: { kind: 'text', text: JSON.stringify(found) } })
}
