/** Where the documents are packed that a sparse snapshot will lack: its `documents.zip` is made out of them. */

import { dirname } from 'node:path'
import type { Packed } from '../downloads/index.ts'
import type { BuildOptions } from './build.ts'
import { readHeadOf } from './manifest.ts'
import { settingsDigest } from './settings-digest.ts'
import { adviseOn } from './since.ts'

/**
 * @param file a new one, for what has to be fetched
 * @returns null if it should be had and is not: a sparse snapshot would leave `documents.zip` out, and so would each
 * that goes on from that one
 */
export async function findStandingZip(options: BuildOptions, file: string): Promise<Packed | null> {
  const { since = null, downloads = null, part = null, baseUrl } = options
  if (since?.kind !== 'manifest' || downloads === null) return { kind: 'nowhere' }
  if (since.zip !== undefined) {
    const made = { settings: settingsDigest(options), baseUrl }
    // The merge of the shards packs the documents: here it counts that it can.
    if (part?.kind === 'shard') return (await since.zip.isThere(made)) ? { kind: 'nowhere' } : null
    const sha256 = await since.zip.fetch(file, made)
    return sha256 === null ? null : { kind: 'zip', path: file, sha256 }
  }
  const head = await readHeadOf(since.path).catch(adviseOn(since))
  if (head === null) return { kind: 'nowhere' }
  return { kind: 'beside', root: dirname(since.path), snapshot: head.snapshot }
}
