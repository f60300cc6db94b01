/** Reads what a deployment reports about itself at `/status/`, over HTTP and without credentials. */

import { isDay } from '../../api/routes/values.ts'
import type { StatusDocument } from './document.ts'

export interface PublishedStatus {
  readonly url: string
  readonly document: StatusDocument
  /** When the snapshot of a bucket went live, or that of a folder was built. */
  readonly liveSince: Date
}

/** The time that a deployment has to answer. */
const patienceMs = 30_000

/** @param base without a closing slash @throws {Error} if nothing answers, or not with a status */
export async function readPublishedStatus(base: string, signal: AbortSignal): Promise<PublishedStatus> {
  const url = `${base}/status/index.json`
  const { response, text } = await ask(url, AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])).catch(
    (error: unknown) => {
      signal.throwIfAborted()
      throw new Error(`${url} does not answer`, { cause: error })
    },
  )
  if (response.status !== 200) throw new Error(`${url} answers with status ${response.status}`)
  const liveSince = new Date(response.headers.get('last-modified') ?? '')
  if (Number.isNaN(liveSince.getTime()))
    throw new Error(`${url} does not say when it went live (no Last-Modified)`)
  return { url, document: parse(url, text), liveSince }
}

async function ask(url: string, signal: AbortSignal) {
  // The answer of a cache does not show that the deployment is alive.
  const response = await fetch(url, { headers: { 'cache-control': 'no-cache' }, signal })
  return { response, text: await response.text() }
}

function parse(url: string, text: string): StatusDocument {
  let document: Partial<StatusDocument> | null = null
  try {
    document = JSON.parse(text) as Partial<StatusDocument> | null
  } catch {
    // The error below names the place.
  }
  const counts = [document?.freshness?.fresh, document?.freshness?.late, document?.freshness?.stale]
  const isStatus =
    document?.format === 1 &&
    /^[0-9-]{10}-[0-9a-f]{12}$/.test(document.snapshot ?? '') &&
    isDay(document.as_of ?? '') &&
    counts.every((count) => typeof count === 'number')
  if (!isStatus) throw new Error(`${url} is not the status of a fundpress`)
  return document as StatusDocument
}
