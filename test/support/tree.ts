/** Folders as they lie on the disk: what is in them, and whether a snapshot is whole. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Relative paths with slashes, sorted. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Every file with its hash. */
export function hashesOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(filesIn(folder).map((file) => [file, hashOf(join(folder, file))]))
}

/** SHA-256 by key, as the snapshot says. */
export function sumsOf(out: string): ReadonlyMap<string, string> {
  const lines = readFileSync(join(out, 'SHA256SUMS'), 'utf8').trimEnd().split('\n')
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]))
}

interface ObjectLine {
  readonly key: string
  readonly sha256: string
  readonly bytes: number
  readonly type: string
}

/** The head of a manifest, the lines of its documents as they stand and parsed. @throws {Error} if it cannot be read */
export function parseManifest(zipped: Buffer) {
  const [first = '', ...lines] = gunzipSync(zipped).toString().trimEnd().split('\n')
  const head = JSON.parse(first) as { readonly snapshot: string; readonly files: readonly ObjectLine[] }
  return { head, lines, documents: lines.map((line) => JSON.parse(line) as ObjectLine) }
}

export const manifestOf = (out: string) => parseManifest(readFileSync(join(out, 'manifest.ndjson.gz')))

/** The id of the snapshot `out` of a folder, or of the one that the next build or server brings back; it has to be whole. */
export function wholeSnapshot(folder: string): string {
  const old = readdirSync(folder).find((name) => name.startsWith('.out.old-'))
  const place = join(folder, existsSync(join(folder, 'out')) || old === undefined ? 'out' : old)
  const faults = faultsOf(place)
  if (faults.length > 0) throw new Error(faults.join('\n'))
  return snapshotId(place)
}

/** The id of a snapshot, read from its manifest; throws where the manifest cannot be read. */
export const snapshotId = (out: string): string => manifestOf(out).head.snapshot

/** What keeps a snapshot from being whole: files that are missing, changed, or in no list. */
export function faultsOf(out: string): string[] {
  const { head, lines, documents } = manifestOf(out)
  // The files of the status come last, in the order of keys as well.
  const objects = [...documents, ...head.files]
  const found = hashesOf(out)
  const listed = new Map(objects.map(({ key, sha256 }) => [key, sha256]))
  const sums = objects.map(({ key, sha256 }) => `${sha256}  ${key}\n`).join('')
  const id = createHash('sha256').update(lines.map((line) => `${withoutFrom(line)}\n`).join(''))
  return [
    ...objects.filter(({ key, sha256 }) => found[key] !== sha256).map(({ key }) => `${key} is not as listed`),
    ...Object.keys(found).filter((key) => !listed.has(key) && !atRoot.includes(key) && !isOfChanges(key)),
    ...(readFileSync(join(out, 'SHA256SUMS'), 'utf8') === sums ? [] : ['SHA256SUMS is not the manifest']),
    ...(head.snapshot.includes(id.digest('hex').slice(0, 12)) ? [] : ['the id is not that of the objects']),
  ]
}

/** The id is that of the objects: it leaves out what they were made from. */
const withoutFrom = (line: string): string =>
  line.replace(/,"from":"[\w-]{22}"(,"months":\[(\d+,){12}\d+\])?\}$/, '}')

/** Files of a publish: it writes its own into a slot, and a build those that say that nothing is published yet. */
export const isOfChanges = (key: string) => key.startsWith('changes/')

const atRoot = ['SHA256SUMS', 'manifest.ndjson.gz']

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
