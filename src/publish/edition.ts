/**
 * What a publish brings beside the objects that the snapshot's id is made of: the files of `/status/`, the analysts'
 * files, the address that the feed names. Other thresholds, another licence or baseUrl may change these and no object.
 */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ManifestHead } from '../snapshot/manifest.ts'
import { checksumsName } from './downloads.ts'
import { dayFolder } from './layout.ts'
import type { Live } from './live.ts'

/** Whether just this is live: the same objects, and the same beside them. */
export const isLiveAlready = (live: Live | null, snapshot: string, edition: string): live is Live =>
  live?.snapshot === snapshot && live.edition === edition

/**
 * @param out the snapshot's folder
 * @returns 12 hex digits: what has the same id and edition is the same to the last byte
 */
export async function editionOf(out: string, head: ManifestHead, baseUrl: string): Promise<string> {
  const sums = await readFile(join(out, dayFolder(head.asOf), checksumsName), 'utf8').catch(
    (error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    },
  )
  return editionWith(head, sums, baseUrl)
}

/** @param sums the text of the downloads' checksums, or null without downloads */
export function editionWith({ files = [] }: ManifestHead, sums: string | null, baseUrl: string): string {
  const beside = files.map(({ key, sha256, type }) => [key, sha256, type])
  const parts = JSON.stringify([beside, sums, baseUrl])
  return createHash('sha256').update(parts).digest('hex').slice(0, 12)
}
