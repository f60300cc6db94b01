/** Builds and merges as the settings say, for `build`, `merge` and `nightly`. */

import { join } from 'node:path'
import type { BuildOptions, BuildSummary } from '../../build/build.ts'
import { manifestKey, readHeadOf } from '../../build/manifest.ts'
import type { MergeOptions } from '../../build/merge.ts'
import { startRenderThreads } from '../../build/render-threads.ts'
import type { Since } from '../../build/options.ts'
import type { Session } from '../command.ts'
import { formatCount } from '../format.ts'
import { showProgress } from '../progress.ts'
import { withSince, type FindSince } from './since.ts'

/**
 * Builds what changed since a folder, a manifest or a slot; since null, everything.
 * @param onWarning gets the reason if there is no snapshot to continue from, so that everything is rendered
 */
export async function buildSince(
  session: Session,
  word: string | null,
  options: BuildOptions,
  onWarning: (warning: string) => void,
): Promise<BuildSummary> {
  if (word === null) return buildFrom(session, options)
  const purpose = { snapshot: '', documents: ' to make documents.zip complete' }
  let hasWarned = false
  const onMissing = (what: keyof typeof purpose, reason: string) => {
    hasWarned = true
    onWarning(`${reason}: everything is rendered${purpose[what]}`)
  }
  return withSince(session, word, onMissing, async (find) => {
    const summary = await buildFrom(session, { ...options, since: await find() })
    if (summary.since === null && !hasWarned) onMissing('snapshot', `${word} holds no snapshot`)
    return summary
  })
}

function buildFrom(session: Session, options: BuildOptions): Promise<BuildSummary> {
  return watched(session, async (onProgress) => {
    // Two are enough for a small database; a build of a large one starts more.
    const threads = (session.renderThreads ?? startRenderThreads)(Math.min(options.jobs, 2))
    // Imported here so that the threads load their code at the same time.
    const { buildSnapshot } = await import('../../build/build.ts')
    return buildSnapshot({ ...options, threads, onProgress })
  })
}

/**
 * Merges shards that continue from a folder, a manifest or a slot; null if they hold all their files.
 * @param onWarning gets the reason if documents.zip is left out
 */
export function mergeSince(
  session: Session,
  word: string | null,
  options: Omit<MergeOptions, 'findSince' | 'onProgress'>,
  onWarning: (warning: string) => void,
): Promise<BuildSummary> {
  const merge = (more: Pick<MergeOptions, 'findSince'>) =>
    watched(session, async (onProgress) => {
      // Imported here because it loads all of a build, which must not happen before threads start (see `buildFrom`).
      const { mergeShards } = await import('../../build/merge.ts')
      return mergeShards({ ...options, ...more, onProgress })
    })
  if (word === null) return merge({})
  const leftOut = (reason: string) => {
    if (options.downloads !== null) onWarning(`${reason}: documents.zip is left out`)
  }
  const onMissing = (_: string, reason: string) => {
    leftOut(reason)
  }
  return withSince(session, word, onMissing, (find) =>
    merge({ findSince: (snapshot) => findManifest(word, snapshot, find, leftOut) }),
  )
}

/** The manifest of the snapshot that the shards continue from, and of no other. */
async function findManifest(
  word: string,
  snapshot: string,
  find: FindSince,
  leftOut: (reason: string) => void,
): Promise<Since | null> {
  const found = await find()
  if (found === null) return null
  const path = found.kind === 'folder' ? join(found.path, manifestKey) : found.path
  const head = await readHeadOf(path)
  if (head?.snapshot === snapshot) return found.kind === 'folder' ? { kind: 'manifest', path } : found
  const holds = head === null ? 'holds no snapshot' : `is ${head.snapshot}`
  leftOut(`the shards continue from ${snapshot}, but ${word} ${holds}`)
  return null
}

/** Shows the progress of a build. */
function watched(
  session: Session,
  work: (onProgress: NonNullable<BuildOptions['onProgress']>) => Promise<BuildSummary>,
): Promise<BuildSummary> {
  const progress = showProgress(session, 'funds')
  return work(({ funds, of, documents }) => {
    progress.update(funds, of, `${formatCount(documents)} documents`)
  }).finally(progress.end)
}
