/**
 * The analysts' files of a night, from `downloads/<as-of>/` of the snapshot's folder into the same place of the bucket,
 * beside the slots. Source: keys.md. Only those of this very day are looked at.
 */

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { contentTypeOf } from '../routes/content-types.ts'
import { applyChanges, type ApplyOptions } from './apply.ts'
import type { Change } from './plan.ts'
import { digestOfFile } from './s3-put-file.ts'
import { isBefore } from './sorted.ts'
import type { ObjectStore } from './store.ts'

export interface DownloadsPlan {
  /** Keys of files that are not there with the same bytes; that of the checksums comes last. */
  readonly put: readonly DownloadFile[]
  /** How many of these replace others. */
  readonly replaced: number
  /** Keys of files of this day that the folder does not have: those of a night that was corrected. */
  readonly gone: readonly string[]
  /** Of the files to put. */
  readonly bytes: number
}

interface DownloadFile {
  readonly key: string
  readonly bytes: number
}

const checksums = 'SHA256SUMS'

/** Where the files of a night lie, beside the slots. @param asOf ISO 8601 day */
export const downloadsFolder = (asOf: string) => `downloads/${asOf}/`

/** The list of the digests of all files of a night. @param asOf ISO 8601 day */
export const downloadSumsKey = (asOf: string) => `${downloadsFolder(asOf)}${checksums}`

/**
 * One listing; none where the snapshot has no downloads.
 * @param out the snapshot's folder @param asOf ISO 8601 day
 */
export async function planDownloads(
  store: ObjectStore,
  out: string,
  asOf: string,
  signal?: AbortSignal,
): Promise<DownloadsPlan> {
  const folder = downloadsFolder(asOf)
  const files = await filesOf(out, folder)
  if (files.length === 0) return { put: [], replaced: 0, gone: [], bytes: 0 }
  const standing = new Map<string, { readonly bytes: number; readonly etag: string }>()
  for await (const { key, ...object } of store.list(folder, { signal })) standing.set(key, object)
  const put: DownloadFile[] = []
  for (const file of files) {
    const there = standing.get(file.key)
    // Of an object that was put in one piece the ETag is its MD5, as a rule; where it is not, the file is put again.
    const isSame =
      there?.bytes === file.bytes && bare(there.etag) === (await md5Of(join(out, file.key), signal))
    if (!isSame) put.push(file)
  }
  const known = new Set(files.map(({ key }) => key))
  return {
    // Whoever reads the checksums finds what they are of.
    put: [...put.filter((file) => !isChecksums(file)), ...put.filter(isChecksums)],
    replaced: put.filter(({ key }) => standing.has(key)).length,
    gone: [...standing.keys()].filter((key) => !known.has(key)),
    bytes: put.reduce((sum, { bytes }) => sum + bytes, 0),
  }
}

/** What is said of it in the end. */
export interface DownloadCounts {
  readonly put: number
  readonly replaced: number
  readonly deleted: number
  readonly bytes: number
}

export const noDownloads: DownloadCounts = { put: 0, replaced: 0, deleted: 0, bytes: 0 }

export const countsOf = ({ put, replaced, gone, bytes }: DownloadsPlan): DownloadCounts => ({
  ...{ put: put.length, replaced, deleted: gone.length, bytes },
})

const isChecksums = ({ key }: DownloadFile) => key.endsWith(`/${checksums}`)
const bare = (etag: string) => etag.replaceAll('"', '')

export type DownloadsOptions = Omit<ApplyOptions, 'slot' | 'onDone' | 'onEtag'>

/** @throws {Error} if a file is not what the checksums of its folder say, or if the store fails */
export async function putDownloads(
  store: ObjectStore,
  plan: DownloadsPlan,
  asOf: string,
  options: DownloadsOptions,
): Promise<void> {
  const { out, signal } = options
  const sums = await readSums(join(out, downloadSumsKey(asOf)))
  const name = (key: string) => key.slice(downloadsFolder(asOf).length)
  async function* puts(files: readonly DownloadFile[]): AsyncGenerator<Change> {
    for (const { key, bytes } of files) {
      const sha256 = sums.get(name(key)) ?? (await digestOfFile(join(out, key), signal))
      yield { kind: 'put', key, sha256, bytes, type: contentTypeOf(key) }
    }
  }
  async function* last(): AsyncGenerator<Change> {
    yield* puts(plan.put.filter(isChecksums))
    for (const key of plan.gone) yield { kind: 'delete', key }
  }
  const applying = { ...options, slot: null, onDone: () => undefined, onEtag: () => undefined }
  await applyChanges(store, puts(plan.put.filter((file) => !isChecksums(file))), applying)
  await applyChanges(store, last(), applying)
}

/** Plain files only, in the order of their keys. */
async function filesOf(out: string, folder: string): Promise<DownloadFile[]> {
  const entries = await readdir(join(out, folder), { recursive: true, withFileTypes: true }).catch(
    (error: unknown) => {
      if (isMissing(error)) return []
      throw error
    },
  )
  const files: DownloadFile[] = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const { size: bytes } = await stat(path)
    files.push({ key: relative(out, path).split(sep).join('/'), bytes })
  }
  return files.sort((one, other) => (isBefore(one.key, other.key) ? -1 : 1))
}

async function md5Of(file: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('md5')
  for await (const chunk of createReadStream(file, { signal })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** SHA-256 by name, as `sha256sum` writes them; none where there is no such file. */
async function readSums(file: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (isMissing(error)) return ''
    throw error
  })
  return sumsIn(text)
}

/** SHA-256 by name. */
export function sumsIn(text: string): ReadonlyMap<string, string> {
  const lines = text.matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm)
  return new Map([...lines].map(([, sha256 = '', name = '']) => [name, sha256]))
}

const isMissing = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT'
