/**
 * Downloads: a night's data as files for analysts, in `downloads/<as-of>/`. They are no part of the API: the manifest does
 * not list them, they have a `SHA256SUMS` of their own.
 */

import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { fundReader } from '../source/fund-reader.ts'
import { html } from '../pages/html.ts'
import { languages, type Language } from '../routes/table.ts'
import type { FundDatabase } from '../source/open.ts'
import { dataPackage, type Licence } from './data-package.ts'
import type { Work } from './downloads-worker.ts'
import { writeFile, type WrittenFile } from './file-sink.ts'
import { indexPage, indexPages } from './index-page.ts'
import { pageWords } from './page-words.ts'
import { runWork } from './run-work.ts'
import { scopeOf } from './scope.ts'

export type { Licence } from './data-package.ts'

export interface DownloadsOptions {
  /** In a read transaction: the downloads are of what it sees. */
  readonly db: FundDatabase
  /** The snapshot's folder, with its documents in it. */
  readonly root: string
  /** ISO 8601 */
  readonly asOf: string
  /** The funds of the snapshot. */
  readonly isins: readonly string[]
  /** Whether there are pages for people beside them. */
  readonly hasPages: boolean
  /** Whether documents are missing because they stand elsewhere. */
  readonly isSparse: boolean
  /** What may be done with the data; null: nothing is said. */
  readonly licence: Licence | null
  /** How many threads at a time. */
  readonly jobs: number
  readonly signal: AbortSignal
}

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
  const { db, root, asOf, isins, hasPages, isSparse, licence, jobs, signal } = options
  const folder = join(root, downloadsFolder(asOf))
  mkdirSync(folder, { recursive: true })
  const { fund } = fundReader(db)
  const scopes = isins.flatMap((isin) => {
    const row = fund(isin)
    return (row === undefined ? null : scopeOf(row, asOf)) ?? []
  })
  const temporary = join(root, '.downloads')
  mkdirSync(temporary)
  try {
    const copy = await copyOf(db, temporary)
    const work = (part: Work['part']): Work => ({ part, root, folder, copy, asOf, scopes })
    const works = [work('tables'), ...(isSparse ? [] : [work('documents')]), work('database')]
    const made = inOrder(await runWork(works, jobs, signal))
    const described = writeFile(
      folder,
      'datapackage.json',
      `${JSON.stringify(dataPackage(made, { asOf, licence }), null, 2)}\n`,
    )
    const facts = { asOf, licence, hasPages, isSparse }
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
      leftOut: isSparse ? ['documents.zip: not all documents are in a sparse snapshot'] : [],
    }
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
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

/**
 * A copy of what the transaction sees: other connections can read it without seeing what is committed meanwhile.
 * @returns its file
 */
async function copyOf(db: FundDatabase, temporary: string): Promise<string> {
  const file = join(temporary, 'funds.sqlite')
  await db.backup(file, { progress: () => 1 << 14 })
  // A copy of a database in WAL mode is in it, too: readers would write beside it.
  const copy = new Database(file)
  copy.pragma('journal_mode = DELETE')
  copy.close()
  return file
}
