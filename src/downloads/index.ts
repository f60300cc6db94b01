/**
 * Downloads: a night's data as files for analysts, in `downloads/<as-of>/`. They are no part of the API: the manifest does
 * not list them, they have a `SHA256SUMS` of their own.
 */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { versions } from 'node:process'
import Database from 'better-sqlite3'
import { fundReader } from '../source/fund-reader.ts'
import { html } from '../pages/html.ts'
import { documentsName } from '../routes/pages.ts'
import { languages, type Language } from '../routes/table.ts'
import type { RowDigests } from '../source/fund-digests.ts'
import type { FundDatabase } from '../source/open.ts'
import { dataPackage, type Licence } from './data-package.ts'
import { documentsFrom, type EarlierDocuments } from './documents-zip.ts'
import type { Work } from './downloads-worker.ts'
import { writeFile, type WrittenFile } from './file-sink.ts'
import { indexPage, indexPages } from './index-page.ts'
import {
  documentsBeside,
  nothingStands,
  standingFiles,
  writeMadeFiles,
  type EarlierDownloads,
  type MadeFile,
  type StandingFiles,
} from './made-files.ts'
import { pageWords } from './page-words.ts'
import { pieceNameOf, piecesOf, type Piece } from './pieces.ts'
import { runWork } from './run-work.ts'
import { scopeOf } from './scope.ts'

export type { Licence } from './data-package.ts'

export interface DownloadsOptions {
  /** In a read transaction: the downloads are of what it sees. */
  readonly db: FundDatabase
  /** The snapshot's folder, with its documents in it. */
  readonly root: string
  /** Its manifest. */
  readonly manifest: string
  /** Its id. */
  readonly snapshot: string
  /** ISO 8601 */
  readonly asOf: string
  /** The funds of the snapshot, ascending. */
  readonly funds: readonly { readonly isin: string; readonly rows: RowDigests }[]
  /** Digest of the code that makes them. */
  readonly code: string
  /** The snapshot that this one goes on from, with its files, or null. */
  readonly earlier: EarlierDownloads | null
  /** Whether there are pages for people beside them. */
  readonly hasPages: boolean
  /** Where the documents are that the snapshot lacks; null where it lacks none. */
  readonly packed: Packed | null
  /** What to do where they cannot be had, said of the ZIP that is left out then. */
  readonly advice: string
  /** What may be done with the data; null: nothing is said. */
  readonly licence: Licence | null
  /** Whether texts in plain CSV stay as they are, formulas too. */
  readonly isRawCsv: boolean
  /** How many threads at a time. */
  readonly jobs: number
  readonly signal: AbortSignal
}

/** Where those documents are packed that a snapshot lacks. */
export type Packed =
  /** In a ZIP that has just this digest, in hex. */
  | { readonly kind: 'zip'; readonly path: string; readonly sha256: string }
  /** Beside the manifest of that snapshot, if they are. */
  | { readonly kind: 'beside'; readonly root: string; readonly snapshot: string }
  | { readonly kind: 'nowhere' }

export interface DownloadsSummary {
  readonly files: number
  readonly bytes: number
  readonly seconds: number
  /** Files that could not be made, each with the reason. */
  readonly leftOut: readonly string[]
}

export const downloadsFolder = (asOf: string) => `downloads/${asOf}`

const checksums = 'SHA256SUMS'

/** The same rows, date and settings give the same bytes. @throws {Error} if a file cannot be written, or it is aborted */
export async function writeDownloads(options: DownloadsOptions): Promise<DownloadsSummary> {
  const started = performance.now()
  const { db, root, manifest, snapshot, asOf, funds, code, hasPages, packed, advice, jobs, signal } = options
  const { licence, isRawCsv } = options
  const folder = join(root, downloadsFolder(asOf))
  mkdirSync(folder, { recursive: true })
  const { fund } = fundReader(db)
  const scopes = funds.flatMap(({ isin }) => {
    const row = fund(isin)
    return (row === undefined ? null : scopeOf(row, asOf)) ?? []
  })
  const rows = new Map(funds.map((one) => [one.isin, one.rows]))
  // Another zlib packs the pages of Parquet to other bytes.
  const pieces = piecesOf(JSON.stringify([code, versions.zlib, isRawCsv]), scopes, rows)
  const standing = options.earlier === null ? nothingStands : standingFiles(options.earlier, folder)
  const { kept, wanted } = takeStanding(pieces, standing)
  const temporary = join(root, '.downloads')
  mkdirSync(temporary)
  try {
    const isSparse = packed !== null
    const earlier = isSparse ? packedIn(packed, code) : standing.documents(documentsFrom(code))
    const copy = join(temporary, 'funds.sqlite')
    const copied = copyInto(copy, db)
    const work = async (part: Work['part']): Promise<Work> => {
      if (part !== 'documents') await copied
      return { part, root, folder, copy, asOf, scopes, wanted, manifest, isSparse, earlier, isRawCsv }
    }
    const made = inOrder([...kept, ...(await runWork(partsOf(earlier).map(work), jobs, signal))])
    const described = writeFile(
      folder,
      'datapackage.json',
      `${JSON.stringify(dataPackage(made, { asOf, licence, isRawCsv }), null, 2)}\n`,
    )
    const facts = { asOf, licence, hasPages }
    const pages = languages.map((language) =>
      writeFile(folder, indexPages[language], indexPage(made, facts, language)),
    )
    const files = inOrder([...made, described, ...pages])
    const sums = writeFile(
      folder,
      checksums,
      files.map(({ sha256, path }) => `${sha256}  ${path}\n`).join(''),
    )
    for (const language of languages)
      writeFile(join(root, 'downloads'), `latest/${indexPages[language]}`, latestPage(asOf, language))
    writeMadeFiles(root, { asOf, snapshot }, withFrom(made, pieces, documentsFrom(code)))
    // For pages of funds that are opened without an edge: they do not know the night.
    writeFile(
      join(root, 'downloads'),
      'latest/as-of.js',
      `document.documentElement.dataset.downloads = '${asOf}'\n`,
    )
    return {
      files: files.length + 1,
      bytes: [...files, sums].reduce((sum, { bytes }) => sum + bytes, 0),
      seconds: (performance.now() - started) / 1000,
      leftOut: made.some(({ path }) => path === documentsName) ? [] : [`${withoutDocuments}: ${advice}`],
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/**
 * The parts in their order: so that two threads end at the same time, and one has something to do while the database is
 * copied.
 * @param earlier documents that need not be packed again
 */
const partsOf = (earlier: EarlierDocuments | null): readonly Work['part'][] =>
  earlier === null
    ? ['documents', 'tables', 'database', 'funds']
    : ['database', 'documents', 'tables', 'funds']

const withoutDocuments = `${documentsName}: the snapshot is sparse, and there is no ZIP of the one that it goes on from, or not one that fits`

function packedIn(packed: Packed, code: string): EarlierDocuments | null {
  switch (packed.kind) {
    case 'zip':
      return { root: null, zip: packed.path, sha256: packed.sha256 }
    case 'beside':
      return documentsBeside(packed.root, packed.snapshot, documentsFrom(code))
    case 'nowhere':
      return null
    default:
      return packed satisfies never
  }
}

/** Takes over the pieces that stand. @returns their files, and the names of the others */
function takeStanding(pieces: readonly Piece[], standing: StandingFiles) {
  const kept: WrittenFile[] = []
  const wanted = new Set<string>()
  for (const { name, from } of pieces) {
    const files = standing.take(from)
    if (files === null) wanted.add(name)
    else kept.push(...files)
  }
  return { kept, wanted }
}

/** The files that can stand in the next night. */
function withFrom(files: readonly WrittenFile[], pieces: readonly Piece[], documents: string): MadeFile[] {
  const known = new Map(pieces.map(({ name, from }) => [name, from]))
  return files.flatMap(({ path, bytes, sha256, rows }) => {
    const from = path === documentsName ? documents : known.get(pieceNameOf(path) ?? '')
    return from === undefined ? [] : { path, bytes, sha256, ...(rows === undefined ? {} : { rows }), from }
  })
}

/**
 * Pages link to `downloads/latest/`, which an edge takes for the day: this is what a browser finds there that opens the
 * folder without one (`file://`).
 */
const latestPage = (asOf: string, language: Language) =>
  html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="refresh" content="0; url=../${asOf}/${indexPages[language]}" />
        <title>${pageWords[language].heading}</title>
      </head>
      <body>
        <p><a href="../${asOf}/${indexPages[language]}">${pageWords[language].title(asOf)}</a></p>
      </body>
    </html> `.markup

/** By path, in the order of its bytes. */
const inOrder = (files: readonly WrittenFile[]) =>
  files.toSorted((one, other) => (one.path < other.path ? -1 : 1))

/** Copies what the transaction sees: other connections can read it without seeing what is committed meanwhile. */
async function copyInto(file: string, db: FundDatabase): Promise<void> {
  await db.backup(file, { progress: () => 1 << 14 })
  // A copy of a database in WAL mode is in it, too: readers would write beside it.
  const copy = new Database(file)
  copy.pragma('journal_mode = DELETE')
  copy.close()
}
