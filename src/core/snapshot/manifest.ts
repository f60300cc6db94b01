/** The manifest: a snapshot's objects, and its lines as text. Source: src/core/bucket/keys.md, `manifest.ndjson.gz`. */

import { readFileSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { constants, gunzipSync } from 'node:zlib'
import { z } from 'zod'
import { languages } from '../api/routes/table.ts'
import type { RestrictedFunds } from '../api/contract/fund.ts'
import { type Publisher, siteParts, type SiteParts } from '../api/contract/page.ts'
import type { FreshnessCounts } from '../guards/assess.ts'
import type { AllowedObjection, GuardName } from '../guards/guards.ts'
import type { SnapshotCounts } from '../guards/loss.ts'
import type { PublishedSettings } from '../guards/settings.ts'
import type { WithheldFund } from '../guards/plausibility.ts'
import * as form from './forms.ts'
import { refuseShard } from './shard.ts'
import { messageOf, systemCode } from '../system/message.ts'
import { shellWord } from '../system/shell-text.ts'
import { assertFile } from '../system/place.ts'

export const manifestKey = 'manifest.ndjson.gz'
export const checksumsKey = 'SHA256SUMS'
export const signatureKey = 'SHA256SUMS.sig'
/** Public keys of the signature; `/.well-known/fundpress-signing-key` leads to it. */
export const signingKeyKey = 'signing-key.txt'
export const manifestFormat = 1

/** The first line. */
export interface ManifestHead {
  readonly format: number
  /** As-of date and the first 12 hex digits of the SHA-256 of the lines without their `from`. */
  readonly snapshot: string
  readonly asOf: string
  readonly funds: number
  readonly objects: number
  readonly bytes: number
  /** ISO 8601 day of the newest published price, or null without one. */
  readonly newestPrice: string | null
  /** SHA-256 of the database file, in hex. */
  readonly source: string
  /** Absolute base of the errors' `type`: an edge uses it for the errors that have no file. */
  readonly docsUrl: string
  /** `settingsDigest` of the build. */
  readonly settings: string
  /** For the guards of the next publish. */
  readonly published?: PublishedSettings
  readonly freshness: SnapshotFreshness
  /** Funds with something that may not be published; absent if there is none. */
  readonly restricted?: RestrictedFunds | undefined
  /** The successor of each fund that is gone because it merged within a year, by ISIN; absent if there is none. */
  readonly merged?: Readonly<Record<string, string>>
  /** ISINs of funds into which others merge; absent if there is none. */
  readonly successors?: readonly string[]
  /** Funds whose implausible prices were replaced by the live ones; absent if there is none. */
  readonly withheld?: readonly WithheldFund[]
  /** For the guards of a publish. Absent in shards. */
  readonly counts?: SnapshotCounts | undefined
  /** Objections that an operator has allowed in the build; absent if there is none. */
  readonly allowed?: readonly AllowedObjection[]
  /** For the pages that a publish makes (`changes/`); null without pages. */
  readonly site: { readonly publisher: Publisher | null; readonly parts: SiteParts } | null
  /**
   * Files beside the objects that name the snapshot, sorted by key. Its id is the digest of the lines, so these files
   * cannot be among them.
   */
  readonly files: readonly ManifestLine[]
}

/** Funds by age of their newest price; `guards/assess.ts` defines the marks. */
interface SnapshotFreshness extends FreshnessCounts {
  /** The first ten stale funds, oldest price first. */
  readonly stalest: readonly { readonly isin: string; readonly newestPrice: string | null }[]
}

/** The form of an object's line. */
const lineForm = z.object(
  {
    key: form.objectKey,
    sha256: form.sha256,
    bytes: form.count,
    type: form.textThat((value) => /^[\w/.+-]+(; ?[\w=-]+)*$/.test(value), 'a content type'),
    from: form.textThat((value) => /^[\w-]*$/.test(value), 'a digest').exactOptional(),
    months: form.listOf(form.count).exactOptional(),
  },
  'a line of a manifest',
) satisfies z.ZodType<ManifestLine>

/** Names of endpoints, tables and columns become subjects of guards, which an operator is told to allow. */
const countsByName = z.record(
  form.textThat((name) => /^[\w.-]{1,80}$/.test(name), 'counts by name'),
  form.count,
  'counts by name',
)
const figure = z.union([z.string(), z.number()], 'a figure')

const isLikeGuard = (value: unknown) => typeof value === 'string' && /^[a-z-]{1,40}$/.test(value)

const textOrNull = z.nullable(z.string('a text or null'))
const pictureForm = z.nullable(
  z.object(
    {
      key: form.objectKey,
      width: z.number('a number'),
      height: z.number('a number'),
      content: form.aText,
    },
    'a picture or null',
  ),
)
const publisherForm = z.object(
  {
    name: textOrNull,
    country: textOrNull,
    publishedBy: textOrNull,
    imprint: textOrNull,
    privacy: textOrNull,
    terms: textOrNull,
    homePage: textOrNull,
    contact: textOrNull,
    fundNames: z.nullable(z.enum(languages, 'a language or null')),
    security: textOrNull,
    licence: z.nullable(z.object({ name: form.aText, url: textOrNull }, 'a licence or null')),
    logo: pictureForm,
    icon: pictureForm,
    preview: pictureForm,
    accent: z.object({ light: textOrNull, dark: textOrNull }, 'colours'),
    credit: z.boolean('true or false'),
    start: z.object({ en: textOrNull, de: textOrNull }, 'texts'),
  },
  'a publisher or null',
) satisfies z.ZodType<Publisher>

/** The form of the first line. A later version may add fields; they are left out. */
const headForm = z.object(
  {
    format: z.literal(manifestFormat, String(manifestFormat)),
    snapshot: form.aSnapshotId,
    asOf: form.aDay,
    funds: form.count,
    objects: form.count,
    bytes: form.count,
    newestPrice: form.dayOrNull,
    source: form.aText,
    docsUrl: form.address,
    settings: form.aText,
    published: z
      .object(
        {
          baseUrl: form.address,
          docsUrl: form.address,
          siteName: textOrNull,
          licence: textOrNull,
          publicKeys: textOrNull,
        },
        'settings',
      )
      .exactOptional(),
    freshness: form.freshness.extend({
      stalest: form.listOf(
        z.object({ isin: form.isin, newestPrice: form.dayOrNull }, 'a fund') satisfies z.ZodType<
          SnapshotFreshness['stalest'][number]
        >,
      ),
    }),
    restricted: z
      .object(
        {
          data: form.listOf(form.isin).exactOptional(),
          prices: form.listOf(form.isin).exactOptional(),
          performance: form.listOf(form.isin).exactOptional(),
        },
        'lists of ISINs',
      )
      .optional(),
    merged: z.record(form.isin, form.isin, 'successors by ISIN').exactOptional(),
    successors: form.listOf(form.isin).exactOptional(),
    withheld: form
      .listOf(z.object({ isin: form.isin, message: form.aText }, 'a fund and why'))
      .exactOptional(),
    counts: z
      .object(
        { documents: countsByName, rows: countsByName, values: countsByName },
        'counts of documents and rows',
      )
      .optional(),
    allowed: form
      .listOf(
        z.object(
          {
            // A later version may have more of them.
            guard: z.custom<GuardName>(isLikeGuard, 'the name of a guard'),
            subject: textOrNull,
            message: form.aText,
            who: form.aText,
            reason: form.aText,
            figures: z.object({ before: figure, after: figure, limit: figure }, 'figures').exactOptional(),
          },
          'what was allowed',
        ),
      )
      .exactOptional(),
    site: z.nullable(
      z.object(
        { publisher: z.nullable(publisherForm), parts: form.listOf(z.enum(siteParts, 'a part of the site')) },
        'a site or null',
      ),
    ),
    files: form.listOf(lineForm),
  },
  'the first line of a manifest',
) satisfies z.ZodType<ManifestHead>

/** Number of files beside the lists: objects, and the files that the first line names. */
export const countFiles = ({ objects, files }: Pick<ManifestHead, 'objects' | 'files'>): number =>
  objects + files.length

export interface ManifestLine {
  readonly key: string
  /** In hex. */
  readonly sha256: string
  readonly bytes: number
  /** Content-Type */
  readonly type: string
  /** Digest of the inputs (`inputs.ts`); absent for files that the first line names. */
  readonly from?: string
  /** For a window: the offsets of its months, as in its window list ({@link WindowEntry.months}). */
  readonly months?: readonly number[]
}

export type RenderedLine = ManifestLine & Required<Pick<ManifestLine, 'from'>>

/** An object's line with its line feed. Keys are ASCII and need no escapes. */
export function manifestLine({ key, sha256, bytes, type, from, months }: RenderedLine): string {
  const more = months === undefined ? '' : `,"months":[${months.join()}]`
  return `{"key":"${key}","sha256":"${sha256}","bytes":${bytes},"type":"${type}","from":"${from}"${more}}\n`
}

export interface ParsedLine extends RenderedLine {
  readonly name: string
}

export const byKey = (one: { readonly key: string }, other: { readonly key: string }) =>
  one.key < other.key ? -1 : 1

/** Lines of `manifestLine`. A name has no slash: it could lead out of the folder. */
const everyLine =
  /^\{"key":"((?:[\w.-]+\/)*)([\w.-]+)","sha256":"([0-9a-f]{64})","bytes":(\d+),"type":"([^"\\]+)","from":"([\w-]*)"(?:,"months":\[([\d,]+)\])?\}$/gm

/** @returns null if the text holds anything but lines of objects, or a key that leads out of its folder */
export function parseLines(text: string): ParsedLine[] | null {
  const found: ParsedLine[] = []
  let length = 0
  for (const match of text.matchAll(everyLine)) {
    const [line, folder = '', name = '', sha256 = '', bytes = '', type = '', from = '', months] = match
    const more = months === undefined ? {} : { months: months.split(',').map(Number) }
    found.push({ key: folder + name, name, sha256, bytes: Number(bytes), type, from, ...more })
    length += line.length + 1
  }
  return length === text.length && !found.some(({ key }) => form.hasDotSegment(key)) ? found : null
}

/** @param folder ends with a slash @returns lines by name; none if the text holds anything but lines of this folder */
export function linesByName(text: string, folder: string): ReadonlyMap<string, ParsedLine> {
  const found = parseLines(text) ?? []
  const isInFolder = ({ key, name }: ParsedLine, index: number) =>
    key === folder + name && name > (found[index - 1]?.name ?? '')
  return new Map(found.every(isInFolder) ? found.map((line) => [line.name, line]) : [])
}

/**
 * If all lines are unchanged, `text` is null, and the main thread takes them from the previous manifest.
 * @param lines in the order of keys @param reused number of unchanged lines
 */
export function linesOf(lines: readonly RenderedLine[], reused: number) {
  const bytes = lines.reduce((sum, line) => sum + line.bytes, 0)
  const isPrevious = reused > 0 && reused === lines.length
  return { text: isPrevious ? null : lines.map(manifestLine).join(''), objects: lines.length, bytes, reused }
}

const keyStart = '{"key":"'

/** The key of the line at `start`; '' for the manifest's first line, which has none, and at the end. */
export function keyAt(text: string, start: number): string {
  if (!text.startsWith(keyStart, start)) return ''
  const from = start + keyStart.length
  return text.slice(from, text.indexOf('"', from))
}

/** Lines as the snapshot's id counts them, without `from` and `months`: the id is that of the objects. */
export const withoutFrom = (lines: string): string =>
  lines.replace(/,"from":"[^"]*"(?:,"months":[^\]]*\])?\}\n/g, '}\n')

/** @param linesDigest SHA-256 of all lines as {@link withoutFrom} returns them, in hex */
export const snapshotId = (asOf: string, linesDigest: string) => `${asOf}-${linesDigest.slice(0, 12)}`

/** The first line of a snapshot's manifest. @throws {Error} if the folder holds no snapshot, or a shard */
export async function readManifestHead(folder: string): Promise<ManifestHead> {
  refuseShard(folder)
  const head = await readHeadOf(join(folder, manifestKey))
  if (head !== null) return head
  throw new Error(`${folder} holds no snapshot: make one with \`fundpress build --out ${shellWord(folder)}\``)
}

/** The first line of a manifest, or null if there is no such file. @throws {Error} if it is none, or has another format */
export async function readHeadOf(file: string): Promise<ManifestHead | null> {
  try {
    assertFile(file)
    const handle = await open(file)
    return parseHead(await firstLine(handle).finally(() => handle.close()))
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    throw new Error(`${file} cannot be read: ${messageOf(error)}`, { cause: error })
  }
}

/** @param line the first one of a manifest @throws {WrongForm} that names the first wrong field */
export const parseHead = (line: string): ManifestHead => form.parseStrictly(headForm, line)

/** @param line any other one @throws {WrongForm} that names the first wrong field */
export const parseLine = (line: string): ManifestLine => form.parseStrictly(lineForm, line)

async function firstLine(handle: FileHandle): Promise<string> {
  // Unpacks the part of the file that was read.
  const options = { finishFlush: constants.Z_SYNC_FLUSH }
  // Long enough, unless the line names thousands of funds.
  for (let bytes = 1 << 16; ; bytes *= 4) {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(bytes), { position: 0 })
    const text = gunzipSync(buffer.subarray(0, bytesRead), options).toString()
    const end = text.indexOf('\n')
    if (end !== -1 || bytesRead < bytes) return text.slice(0, end === -1 ? undefined : end)
  }
}

/** A key's part up to its last slash, inclusive. */
export const folderOf = (key: string): string => key.slice(0, key.lastIndexOf('/') + 1)

/** Marks a folder with a whole manifest, but only the files that another snapshot lacks. */
export const sparseKey = 'sparse.json'

interface Sparse {
  /** The id of the snapshot that has all the other files. */
  readonly since: string
}

export function writeSparse(folder: string, sparse: Sparse): void {
  writeFileSync(join(folder, sparseKey), `${JSON.stringify(sparse)}\n`)
}

/** @returns null for a folder that holds all its files @throws {Error} if the file is damaged */
export function readSparse(folder: string): Sparse | null {
  try {
    return JSON.parse(readFileSync(join(folder, sparseKey), 'utf8')) as Sparse
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null
    const message = `${join(folder, sparseKey)} is damaged: remove ${folder} and build it again`
    throw new Error(message, { cause: error })
  }
}
