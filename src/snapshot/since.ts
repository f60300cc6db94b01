/** The snapshot that a build goes on from: its manifest, and its files if it is a folder. */

import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Reuse } from './document-files.ts'
import { manifestKey, readHeadOf } from './manifest.ts'
import { openPreviousManifest, type PreviousManifest } from './previous-manifest.ts'
import { readSparse } from './sparse.ts'

/** `folder`: a snapshot with all its files. `manifest`: the manifest of one whose files lie elsewhere. */
export type Since =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'manifest'
      readonly path: string
      /** Asked by a build that makes downloads; without it they are looked for beside the manifest. */
      readonly zip?: RemoteZip
    }

/** `documents.zip` of that very snapshot, where it was made with the same. */
export interface RemoteZip {
  /** Brings it into a new file. @returns its SHA-256, in hex, or null where it is not to be had */
  readonly fetch: (file: string, made: MadeWith) => Promise<string | null>
  /** Whether it would, as far as can be told without fetching it. */
  readonly isThere: (made: MadeWith) => Promise<boolean>
}

/** What decides the bytes of downloads beside the database and the date. */
export interface MadeWith {
  /** As the manifest has it. */
  readonly settings: string
  /** The address that the API is published at. */
  readonly baseUrl: string
}

export interface Previous {
  /** The snapshot's id. */
  readonly snapshot: string
  readonly reuse: Reuse
  /** It is unpacked while the rendering threads start. */
  readonly manifest: Promise<PreviousManifest>
  /** Any number of times; waits until nothing is written to the temporary file any more. */
  readonly close: () => Promise<void>
  /** @throws {Error} if another snapshot has come into its place meanwhile */
  readonly assertSame: () => void
}

/**
 * @param temporary a file for what is needed in between
 * @returns null if there is no snapshot: then everything has to be rendered
 * @throws {Error} if it is no manifest, or the folder is sparse itself; a manifest that is damaged later on rejects
 */
export async function openPrevious(since: Since, temporary: string): Promise<Previous | null> {
  const isFolder = since.kind === 'folder'
  const file = isFolder ? join(since.path, manifestKey) : since.path
  const assertSame = sameFolder(since.path)
  const head = await readHeadOf(file).catch(adviseOn(since))
  if (head === null) return null
  if (isFolder && readSparse(since.path) !== null) {
    throw new Error(
      `${since.path} is sparse, its unchanged files are not there: go on from its manifest (--since ${file}) if it was ` +
        'published, or build without --since',
    )
  }
  const manifest = openPreviousManifest(file, temporary).catch(adviseOn(since))
  const close = () =>
    manifest.then(
      (opened) => opened.close(),
      // Whoever reads it is told.
      () => undefined,
    )
  manifest.catch(() => undefined)
  const reuse: Reuse = isFolder ? { kind: 'linked', folder: since.path } : { kind: 'sparse' }
  return { snapshot: head.snapshot, reuse, manifest, close, assertSame }
}

/** A manifest that cannot be read is a damaged one, as a power cut can leave it. Missing files are rendered anew. */
export function adviseOn({ kind, path }: Since): (error: unknown) => never {
  return (error) => {
    if ((error as NodeJS.ErrnoException).syscall === 'write') throw error
    const reason = error instanceof Error ? error.message : String(error)
    const remedy = kind === 'folder' ? `build without --since, or remove ${path}` : 'build without --since'
    throw new Error(`${reason}: ${remedy}`, { cause: error })
  }
}

/** @returns throws if something else has come into the place of a folder, or a file, since the call */
export function sameFolder(path: string): () => void {
  const identity = identityOf(path)
  return () => {
    if (identityOf(path) !== identity) throw new Error(`${path} was built anew meanwhile: build again`)
  }
}

function identityOf(path: string): string {
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return stats === undefined ? '' : `${stats.dev} ${stats.ino} ${stats.birthtimeNs}`
}
