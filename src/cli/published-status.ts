/** What a deployment says of itself at `/status/`, over HTTP: no credentials are needed. */

import type { StatusDocument } from '../freshness/status-document.ts'
import { isDay } from '../routes/values.ts'

export interface PublishedStatus {
  readonly url: string
  readonly document: StatusDocument
  /** When the snapshot went live, in a bucket; when it was built, in a folder. */
  readonly liveSince: Date
}

/** How long a deployment may take to answer. */
const patienceMs = 30_000

/** @param base without a closing slash @throws {Error} if nothing answers, or something else than a status */
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
  // A cache on the way that serves what is long gone is no proof of life.
  const response = await fetch(url, { headers: { 'cache-control': 'no-cache' }, signal })
  return { response, text: await response.text() }
}

function parse(url: string, text: string): StatusDocument {
  let document: Partial<StatusDocument> | null = null
  try {
    document = JSON.parse(text) as Partial<StatusDocument> | null
  } catch {
    // Said below, with the place.
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
