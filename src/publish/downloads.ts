/**
 * The files for analysts: from `downloads/<as-of>/` of a snapshot's folder into `downloads/<folder>/` of the bucket,
 * beside the slots. Source: keys.md. `live-downloads.ts` chooses the folder.
 */

import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import { contentTypeOf } from '../routes/content-types.ts'
import { applyChanges, type ApplyOptions } from './apply.ts'
import type { EtagLine } from './etags.ts'
import { dayFolder, downloadsPrefix } from './layout.ts'
import type { Live } from './live.ts'
import { chooseFolder, type LiveDownloads } from './live-downloads.ts'
import { digestOf } from './manifest-reader.ts'
import type { Change } from './plan.ts'
import { digestOfFile } from './s3-put-file.ts'
import { isBefore } from './sorted.ts'
import type { ListedObject, ObjectStore } from './store.ts'

export interface DownloadsPlan {
  /** What `live.json` is to say of them; undefined: the snapshot has none. */
  readonly live: LiveDownloads | undefined
  /** Where the files are on disk. */
  readonly source: string
  /** All files, in the order of their names. */
  readonly files: readonly DownloadFile[]
  /** Files that are not there with the same bytes; the checksums come last. */
  readonly put: readonly DownloadFile[]
  /** How many of these replace others. */
  readonly replaced: number
  /** ETags of the files that are there already, by name. */
  readonly unchanged: ReadonlyMap<string, string>
  /** Names of files in the folder that the snapshot does not have. */
  readonly gone: readonly string[]
  /** Of the files to put. */
  readonly bytes: number
}

export interface DownloadFile {
  /** Its path below the folder. */
  readonly name: string
  readonly bytes: number
  /** In hex. */
  readonly sha256: string
}

/** A file as a listing of the bucket should show it. */
export interface DownloadLine extends EtagLine {
  readonly bytes: number
}

/** The digests of all other files of a folder. */
export const checksumsName = 'SHA256SUMS'

export interface PlanDownloadsOptions {
  /** The snapshot's folder. */
  readonly out: string
  /** ISO 8601 day */
  readonly asOf: string
  readonly snapshot: string
  readonly live: Live | null
  /** Whether the bodies of files that seem to be there are read. */
  readonly isDeep: boolean
  readonly signal?: AbortSignal
}

/** One listing; none if the snapshot has no downloads. */
export async function planDownloads(
  store: ObjectStore,
  { out, asOf, snapshot, live, isDeep, signal }: PlanDownloadsOptions,
): Promise<DownloadsPlan> {
  const source = join(out, dayFolder(asOf))
  const files = await filesOf(source, signal)
  if (files.length === 0)
    return { live: undefined, source, files, put: [], replaced: 0, unchanged: new Map(), gone: [], bytes: 0 }
  const sums = files.find(isChecksums)?.sha256 ?? digestOfList(files)
  const folder = chooseFolder(snapshot, sums, live)
  const prefix = downloadsPrefix(folder)
  const there = new Map<string, ListedObject>()
  for await (const object of store.list(prefix, { signal }))
    there.set(object.key.slice(prefix.length), object)
  const put: DownloadFile[] = []
  const unchanged = new Map<string, string>()
  for (const file of files) {
    const object = there.get(file.name)
    const isSame =
      object !== undefined &&
      (await isSameFile(object, file, join(source, file.name), signal)) &&
      (!isDeep || (await digestOf(store, object.key, { signal })) === file.sha256)
    if (isSame) unchanged.set(file.name, object.etag)
    else put.push(file)
  }
  const known = new Set(files.map(({ name }) => name))
  return {
    live: { folder, files: files.length, bytes: sumOf(files), sums },
    source,
    files,
    // Whoever reads the checksums finds what they are of.
    put: [...put.filter((file) => !isChecksums(file)), ...put.filter(isChecksums)],
    replaced: put.filter(({ name }) => there.has(name)).length,
    unchanged,
    gone: [...there.keys()].filter((name) => !known.has(name)),
    bytes: sumOf(put),
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

const isChecksums = ({ name }: DownloadFile) => name === checksumsName
const sumOf = (files: readonly DownloadFile[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

/** For files that nobody has written checksums of. */
const digestOfList = (files: readonly DownloadFile[]) =>
  createHash('sha256')
    .update(files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join(''))
    .digest('hex')

const bare = (etag: string) => etag.replaceAll('"', '')

/** The ETag of an object that was put in one piece is its MD5, as a rule; if it is not, the file is put again. */
const isSameFile = async (
  object: ListedObject,
  { bytes }: DownloadFile,
  file: string,
  signal: AbortSignal | undefined,
) => object.bytes === bytes && bare(object.etag) === (await md5Of(file, signal))

export type DownloadsOptions = Omit<ApplyOptions, 'slot' | 'fileOf' | 'onDone' | 'onEtag'>

/**
 * Puts and deletes. @returns what a listing of the folder should show from then on
 * @throws {Error} if a file is not what the checksums of its folder say, or if the store fails
 */
export async function putDownloads(
  store: ObjectStore,
  { live, source, files, put, gone, unchanged }: DownloadsPlan,
  options: DownloadsOptions,
): Promise<DownloadLine[]> {
  if (live === undefined) return []
  const prefix = downloadsPrefix(live.folder)
  const etags = new Map([...unchanged].map(([name, etag]) => [prefix + name, etag]))
  const applying = {
    ...options,
    slot: null,
    fileOf: (key: string) => join(source, key.slice(prefix.length)),
    onDone: () => undefined,
    onEtag: (key: string, etag: string) => {
      etags.set(key, etag)
    },
  }
  const puts = (some: readonly DownloadFile[]): Change[] =>
    some.map(({ name, bytes, sha256 }) => {
      return { kind: 'put', key: prefix + name, sha256, bytes, type: contentTypeOf(name) }
    })
  const deletes = gone.map((name): Change => ({ kind: 'delete', key: prefix + name }))
  const last = [...puts(put.filter(isChecksums)), ...deletes]
  await applyChanges(store, Readable.from(puts(put.filter((file) => !isChecksums(file)))), applying)
  await applyChanges(store, Readable.from(last), applying)
  return files.flatMap(({ name, bytes }) => {
    const etag = etags.get(prefix + name)
    return etag === undefined ? [] : [{ key: prefix + name, bytes, etag }]
  })
}

/** Plain files only, in the order of their names, with the digests that `SHA256SUMS` says. */
async function filesOf(source: string, signal: AbortSignal | undefined): Promise<DownloadFile[]> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true }).catch((error: unknown) => {
    if (isMissing(error)) return []
    throw error
  })
  const sums = await readSums(join(source, checksumsName))
  const files: DownloadFile[] = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const name = relative(source, path).split(sep).join('/')
    const { size: bytes } = await stat(path)
    files.push({ name, bytes, sha256: sums.get(name) ?? (await digestOfFile(path, signal)) })
  }
  return files.sort((one, other) => (isBefore(one.name, other.name) ? -1 : 1))
}

async function md5Of(file: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('md5')
  for await (const chunk of createReadStream(file, { signal })) hash.update(chunk as Buffer)
  return hash.digest('hex')
}

/** SHA-256 by name, as `sha256sum` writes them; none if there is no such file. */
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
