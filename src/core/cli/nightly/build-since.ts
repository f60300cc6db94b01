/** Builds and merges that continue from a word of --since: a folder, a manifest, or a slot of the bucket. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { fetchSlotManifest, isSlotWord } from '../../bucket/manifest/sources.ts'
import { withFolder } from '../../bucket/store/files.ts'
import { Damaged } from '../../bucket/store/store.ts'
import type { BuildOptions, BuildSummary } from '../../snapshot/build.ts'
import { manifestKey, readHeadOf } from '../../snapshot/manifest.ts'
import type { MergeOptions } from '../../snapshot/merge.ts'
import type { Since } from '../../snapshot/options.ts'
import { startRenderThreads } from '../../snapshot/render-threads.ts'
import { OutdatedShards } from '../../snapshot/shard.ts'
import type { Session } from '../command.ts'
import { formatCount } from '../format.ts'
import { withBucket } from '../from-settings.ts'
import { showProgress } from '../progress.ts'

/** The warning of a build that begins anew. The reason may hold colons, so it comes last. */
export const everythingRendered = (reason: string): string => `everything is rendered: ${reason}`

/** @param word null: everything is rendered @param onWarning gets the reason if everything is rendered all the same */
export async function buildSince(
  session: Session,
  word: string | null,
  options: BuildOptions,
  onWarning: (warning: string) => void,
): Promise<BuildSummary> {
  if (word === null) return buildFrom(session, options)
  const since = (from: Since) => buildFrom(session, { ...options, since: from })
  if (!isSlotWord(word)) {
    const summary = await since({ kind: isFile(word) ? 'manifest' : 'folder', path: word })
    if (summary.since === null) onWarning(everythingRendered(`${word} holds no snapshot`))
    return summary
  }
  return withFolder(async (folder) => {
    const found = await manifestOf(session, word, folder).catch((error: unknown) => {
      if (!(error instanceof Damaged)) throw error
      throw new Error(`${error.message}: build without --since`, { cause: error })
    })
    if (found.kind === 'whole') return since({ kind: 'manifest', path: found.manifest.file })
    // The next publish needs all files that a stopped one may have changed in a torn slot, to put them again.
    onWarning(everythingRendered(found.reason))
    return buildFrom(session, options)
  })
}

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true

function manifestOf(session: Session, word: Parameters<typeof fetchSlotManifest>[1], folder: string) {
  const { slots } = session.settings.bucket
  return withBucket(session, (store) => fetchSlotManifest(store, word, { slots, folder }))
}

function buildFrom(session: Session, options: BuildOptions): Promise<BuildSummary> {
  return withProgress(session, async (onProgress) => {
    // Two threads are enough for a small database. A build of a large one starts more.
    const { startThread } = session
    const threads = startRenderThreads(Math.min(options.jobs, 2), startThread)
    // Imported here, so that the threads load their code at the same time.
    const { buildSnapshot } = await import('../../snapshot/build.ts')
    return buildSnapshot({ ...options, threads, startThread, onProgress })
  })
}

function withProgress(
  session: Session,
  work: (onProgress: NonNullable<BuildOptions['onProgress']>) => Promise<BuildSummary>,
): Promise<BuildSummary> {
  const progress = showProgress(session, 'funds')
  const onProgress: Parameters<typeof work>[0] = ({ funds, of, documents }) =>
    progress.update(funds, of, `${formatCount(documents)} documents`)
  return work(onProgress).finally(progress.end)
}

/** @param word null: the shards are complete, not sparse @throws {OutdatedShards} if it holds another snapshot now */
export function mergeSince(
  session: Session,
  word: string | null,
  options: Omit<MergeOptions, 'assertThere' | 'onProgress'>,
): Promise<BuildSummary> {
  const assertThere = async (snapshot: string) => {
    const there = word === null ? snapshot : await snapshotIn(session, word)
    if (there !== snapshot)
      throw new OutdatedShards(`the shards continue from ${snapshot}, but ${word ?? ''} is ${there}`)
  }
  return withProgress(session, async (onProgress) => {
    // Imported here, because threads must start before all of a build is loaded (see `buildFrom`).
    const { mergeShards } = await import('../../snapshot/merge.ts')
    return mergeShards({ ...options, assertThere, startThread: session.startThread, onProgress })
  })
}

async function snapshotIn(session: Session, word: string): Promise<string> {
  if (!isSlotWord(word)) {
    const head = await readHeadOf(isFile(word) ? word : join(word, manifestKey))
    if (head === null) throw new OutdatedShards(`${word} holds no snapshot`)
    return head.snapshot
  }
  const found = await withFolder((folder) => manifestOf(session, word, folder))
  if (found.kind === 'none') throw new OutdatedShards(found.reason)
  // The stopped publish in a torn slot may be one of these shards. The next publish checks that it has every file.
  return found.manifest.head.snapshot
}
