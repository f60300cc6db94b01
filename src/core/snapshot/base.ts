/** The snapshot that a build continues from, decided once, before anything is rendered. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import { messageOf } from '../system/message.ts'
import { manifestKey, readHeadOf, readSparse } from './manifest.ts'
import type { BuildOptions, Since } from './options.ts'
import { noPrevious, openPrevious, type PreviousManifest } from './previous-manifest.ts'
import { lackedBy } from './shard.ts'

export interface Base {
  readonly from: BaseSnapshot
  /** Empty without a snapshot, and for shards whose manifest is unknown. Unpacked while threads start. */
  readonly manifest: Promise<PreviousManifest>
  /** May be called again. Resolves when nothing is written to the temporary file any more. */
  readonly close: () => Promise<void>
  /** @throws {Error} if another snapshot has replaced this one meanwhile */
  readonly assertSame: () => void
}

type BaseSnapshot =
  | { readonly kind: 'nothing' }
  /** A folder with all files of a snapshot: the build links unchanged files from there. */
  | { readonly kind: 'folder'; readonly snapshot: string; readonly folder: string }
  /** A snapshot whose files are somewhere else: the new folder lacks the unchanged files. */
  | { readonly kind: 'sparse'; readonly snapshot: string }

/** @throws {Error} if `since` names no manifest, or a sparse folder; `manifest` rejects if later lines are damaged */
export async function openBase(options: BuildOptions, temporary: string): Promise<Base> {
  const { since = null, part = null } = options
  const lacked = part?.kind === 'shards' ? lackedBy(part.shards) : null
  const without: Base = {
    from: lacked === null ? { kind: 'nothing' } : { kind: 'sparse', snapshot: lacked },
    manifest: Promise.resolve(noPrevious),
    close: () => Promise.resolve(),
    assertSame: () => undefined,
  }
  if (since === null) return without
  const isFolder = since.kind === 'folder'
  const file = isFolder ? join(since.path, manifestKey) : since.path
  const assertSame = sameFolder(since.path)
  const head = await readHeadOf(file).catch(adviseOn(since))
  if (head === null) return without
  if (isFolder && readSparse(since.path) !== null) {
    const advice = `continue from its manifest (--since ${file}) if it was published, or build without --since`
    throw new Error(`${since.path} is sparse and lacks its unchanged files: ${advice}`)
  }
  const { snapshot } = head
  const manifest = openPrevious(file, join(temporary, '.previous')).catch(adviseOn(since))
  // Every user of the manifest gets the error.
  manifest.catch(() => undefined)
  return {
    from: isFolder ? { kind: 'folder', snapshot, folder: since.path } : { kind: 'sparse', snapshot },
    manifest,
    close: () =>
      manifest.then(
        (opened) => opened.close(),
        () => undefined,
      ),
    assertSame,
  }
}

/** Adds the remedy to an error. A manifest that cannot be read is damaged, for example by a power cut. */
function adviseOn({ kind, path }: Since): (error: unknown) => never {
  return (error) => {
    if ((error as NodeJS.ErrnoException).syscall === 'write') throw error
    const remedy = kind === 'folder' ? `build without --since, or remove ${path}` : 'build without --since'
    throw new Error(`${messageOf(error)}: ${remedy}`, { cause: error })
  }
}

/** @returns a function that throws if the folder or the file was replaced since the call */
export function sameFolder(path: string): () => void {
  const identity = identityAt(path)
  return () => {
    if (identityAt(path) !== identity) throw new Error(`${path} was replaced meanwhile: build again`)
  }
}

function identityAt(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`
}
