/**
 * Previews: requests with the token of the settings are answered from the staged snapshot. Also the address at which clients ask what
 * is staged. CloudFront's function has a way of its own (../cloudfront/request.ts).
 */

import { type Answer, type EdgeSettings, pageHeaders, preflight } from './answer.ts'
import { idOf } from './live.ts'
import { type LiveSlot, parseLiveFile } from './live-file.ts'
import type { EdgeRequest, Header } from './resolve.ts'

export const previewHeader = 'x-fundpress-preview'
/** The header that names the snapshot of a preview's answer. Other answers lack it. */
export const snapshotHeader = 'X-Fundpress-Snapshot'
/** `Cache-Control` of a preview's answer. */
export const noStore = 'private, no-store'

export type ReadStaged = () => Promise<LiveSlot | null>

/** Compares the token in a time that does not depend on its right part. @param token null: there is no preview */
export function isPreview(header: Header, token: string | null): boolean {
  const given = header(previewHeader)
  if (token === null || given === undefined || given.length !== token.length) return false
  let differences = 0
  for (let at = 0; at < token.length; at++)
    differences += given.charCodeAt(at) === token.charCodeAt(at) ? 0 : 1
  return differences === 0
}

/**
 * Reads `staged.json`, if it counts: a stopped publish may have left an old one. Source: src/core/bucket/keys.md.
 * @param live `live.json`, or null while nothing is live @param text `staged.json`, or null without one
 * @throws {Error} if one of them is damaged
 */
export function stagedBeside(live: string | null, text: string | null): LiveSlot | null {
  if (text === null) return null
  const staged = parseLiveFile(text, 'staged.json')
  if (live === null) return staged.previousSince === null ? staged : null
  const { slot, liveSince } = parseLiveFile(live, 'live.json')
  return staged.previousSince === liveSince && staged.slot !== slot ? staged : null
}

/** Ask after the last read: no grace period protects the slot. A publish removes `staged.json` before it writes there. */
export async function isStillStaged(staged: LiveSlot, readStaged: ReadStaged): Promise<boolean> {
  const now = await readStaged()
  return now !== null && idOf(now) === idOf(staged)
}

export const asPreview = <B>(
  { status, headers, body }: Answer<B>,
  { snapshot }: Pick<LiveSlot, 'snapshot'>,
): Answer<B> => ({
  status,
  headers: Object.assign({}, headers, { 'Cache-Control': noStore, [snapshotHeader]: snapshot }),
  body,
})

/** The path for the status page and `fundpress status`. It is in no snapshot. */
const stagedPath = '/status/staged.json'

/**
 * Answers any client: `{ format: 1, staged: { snapshot, as_of, staged_since } }`, or `staged: null` with status 200, so that browsers
 * report no error.
 * @returns null for another path or method @throws {Error} if the store fails
 */
export async function answerStaged(
  { method, path }: Pick<EdgeRequest, 'method' | 'path'>,
  settings: EdgeSettings,
  readStaged: ReadStaged,
): Promise<Answer<never> | null> {
  if (path !== stagedPath) return null
  if (method === 'OPTIONS') return preflight(settings)
  if (method !== 'GET' && method !== 'HEAD') return null
  const found = await readStaged()
  const staged = found && {
    snapshot: found.snapshot,
    as_of: found.snapshot.slice(0, 10),
    staged_since: found.liveSince,
  }
  return {
    status: 200,
    headers: pageHeaders(settings, stagedPath.slice(1)),
    body: { kind: 'text', text: JSON.stringify({ format: 1, staged }) },
  }
}
