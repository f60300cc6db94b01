/**
 * Uploads the files for analysts: from `downloads/<as-of>/` of a snapshot's folder into `downloads/<folder>/` of the bucket. See
 * `src/core/bucket/keys.md`; `live/download-folders.ts` chooses the folder.
 */

import { hash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { Readable } from 'node:stream'
import type { z } from 'zod'
import { contentTypeOf } from '../../api/routes/content-types.ts'
import { count } from '../../snapshot/forms.ts'
import type { ManifestLine } from '../../snapshot/manifest.ts'
import { chooseFolder, type LiveDownloads } from '../live/download-folders.ts'
import { checksumsName, dayFolder, downloadEtagsKey, downloadsPrefix, gzipType } from '../live/layout.ts'
import { sumsIn } from '../live/signed.ts'
import { type Change, isBefore } from '../manifest/compare.ts'
import { etagLine, fetchList } from '../manifest/manifest.ts'
import { nothing, writeNdjson } from '../manifest/ndjson.ts'
import { digestOfFile, orIfMissing } from '../store/files.ts'
import { digestOf } from '../store/read.ts'
import type { ListedObject } from '../store/store.ts'
import type { Publish } from './snapshot.ts'
import { applyChanges } from './upload.ts'

/** `replaced`: of the put files, those that replaced others; `bytes`: size of the put files. */
export type DownloadCounts = Readonly<Record<'put' | 'replaced' | 'deleted' | 'bytes', number>>

export const noDownloads: DownloadCounts = { put: 0, replaced: 0, deleted: 0, bytes: 0 }

/** A line of `journal/<slot>.downloads.ndjson.gz`. */
export const downloadLine = etagLine.extend({ bytes: count })
type DownloadLine = Readonly<z.infer<typeof downloadLine>>

export async function findDownloads({ out, snapshot, base, lease }: Publish) {
  const { head } = snapshot.manifest
  const source = join(out, dayFolder(head.asOf))
  const files = await filesOf(source, lease.writing.signal)
  const sums = files.find(isChecksums)?.sha256 ?? digestOfList(files)
  const downloads = chooseFolder(head.snapshot, sums, base.live.live)
  return { source, files, sums, downloads, prefix: downloadsPrefix(downloads) }
}

/**
 * Puts what differs into a folder that `live.json` does not name, deletes what the snapshot lacks, and writes the
 * list of ETags. One listing; none if the snapshot has no downloads.
 * @returns `live`: for `live.json`; undefined without downloads
 */
export async function uploadDownloads(publish: Publish) {
  const { store, base, folder, lease, isDeep, putOwn, onWarning } = publish
  const { signal } = lease.writing
  const { source, files, sums, downloads, prefix } = await findDownloads(publish)
  if (files.length === 0) return { live: undefined, counts: noDownloads }

  const there = new Map<string, ListedObject>()
  for await (const object of store.list(prefix, { signal }))
    there.set(object.key.slice(prefix.length), object)
  const isSame = async ({ key, bytes, etag }: DownloadLine, file: ManifestLine) => {
    if (bytes !== file.bytes) return false
    // The ETag of an object that was put in one piece is its MD5, as a rule; otherwise the file is put again.
    const { areEtagsDigests } = store
    const md5 = areEtagsDigests ? await digestOfFile(join(source, file.key), signal, 'md5') : ''
    if (areEtagsDigests && etag.replaceAll('"', '') !== md5) return false
    return (areEtagsDigests && !isDeep) || (await digestOf(store, key, { signal })) === file.sha256
  }
  const put: ManifestLine[] = []
  const etags = new Map<string, string>()
  const former = await liveDownloads(publish)
  const sources = new Map<string, DownloadLine>()
  for (const file of files) {
    const object = there.get(file.key)
    const other = former.get(file.key)
    if (object !== undefined && (await isSame(object, file))) {
      etags.set(file.key, object.etag)
      continue
    }
    put.push(file)
    if (other !== undefined && (await isSame(other, file))) sources.set(file.key, other)
  }
  const known = new Set(files.map(({ key }) => key))
  const gone = [...there.keys()].filter((key) => !known.has(key))
  const replaced = put.filter(({ key }) => there.has(key)).length
  const found = `${store.name}/${prefix} had other files, of a publish that was stopped, or damaged ones`
  if (replaced + gone.length > 0) onWarning(`${found}: ${replaced} replaced, ${gone.length} removed`)

  const fileOf = (key: string) => join(source, key)
  const sourceOf = (key: string) => sources.get(key)
  const onEtag = (key: string, etag: string) => etags.set(key, etag)
  const apply = (changes: readonly Change[]) =>
    applyChanges(publish, Readable.from(changes), { prefix, fileOf, sourceOf, onEtag })
  const puts = put.map((file) => ({ kind: 'put', ...file }) as const)
  // The checksums come after the files that they name.
  await apply(puts.filter((file) => !isChecksums(file)))
  await apply([...puts.filter(isChecksums), ...gone.map((key) => ({ kind: 'delete', key }) as const)])

  const lines = files.map(({ key, bytes }) => ({ key: prefix + key, bytes, etag: etags.get(key) ?? '' }))
  const list = join(folder, 'downloads.ndjson.gz')
  await writeNdjson(list, Readable.from(lines))
  await putOwn(list, downloadEtagsKey(base.slot), gzipType)
  const live: LiveDownloads = { folder: downloads, files: files.length, bytes: sumOf(files), sums }
  return { live, counts: { put: put.length, replaced, deleted: gone.length, bytes: sumOf(put) } }
}

/** The live files that the store can copy, by name. Empty if the store makes no copies. */
async function liveDownloads({ store, base, folder }: Publish): Promise<ReadonlyMap<string, DownloadLine>> {
  const found = new Map<string, DownloadLine>()
  const { live } = base.live
  if (store.copy === undefined || live?.downloads === undefined) return found
  const prefix = downloadsPrefix(live.downloads.folder)
  const lines = await fetchList(store, downloadEtagsKey(live.slot), downloadLine, folder, true)
  for await (const line of lines?.() ?? nothing())
    if (line.key.startsWith(prefix)) found.set(line.key.slice(prefix.length), line)
  return found
}

const isChecksums = ({ key }: ManifestLine) => key === checksumsName
const sumOf = (files: readonly ManifestLine[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

const digestOfList = (files: readonly ManifestLine[]) =>
  hash('sha256', files.map(({ key, sha256 }) => `${sha256}  ${key}\n`).join(''))

async function filesOf(source: string, signal: AbortSignal): Promise<ManifestLine[]> {
  const entries = await readdir(source, { recursive: true, withFileTypes: true }).catch(orIfMissing([]))
  const sums = sumsIn(await readFile(join(source, checksumsName), 'utf8').catch(orIfMissing('')))
  const files: ManifestLine[] = []
  for (const entry of entries.filter((one) => one.isFile())) {
    const path = join(entry.parentPath, entry.name)
    const key = relative(source, path).split(sep).join('/')
    const { size: bytes } = await stat(path)
    const sha256 = sums.get(key) ?? (await digestOfFile(path, signal))
    files.push({ key, bytes, sha256, type: contentTypeOf(key) })
  }
  return files.sort((one, other) => (isBefore(one.key, other.key) ? -1 : 1))
}
