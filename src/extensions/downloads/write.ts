/**
 * Downloads: the data of a snapshot as files for analysts, in `downloads/<as-of>/`. They are no part of the API: the manifest
 * does not list them, and they have a `SHA256SUMS` of their own.
 */

import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { versions } from 'node:process'
import { copyDatabase } from '../../core/data/read/copy.ts'
import { fundReader } from '../../core/data/read/fund-reader.ts'
import { dayIn } from '../../core/layout/formats.ts'
import { html } from '../../core/layout/html.ts'
import { contentTypeOf, unknownType } from '../../core/api/routes/content-types.ts'
import { languages, type Language } from '../../core/api/routes/table.ts'
import { sha512OfFile } from '../../core/system/ssh-signature.ts'
import { moduleBeside, startThread } from '../../core/system/start-thread.ts'
import { writeComputedFigures } from './computed-figures.ts'
import { dataPackage, publisherName, type DescribedFile } from './data-package.ts'
import { writeFile, type WrittenFile } from '../../core/snapshot/file-sink.ts'
import { firstRows } from './first-rows.ts'
import { csv } from './formats/csv.ts'
import { digestsOf, type DownloadFormat, type Piece } from './formats/format.ts'
import { downloadFormats } from './formats/index.ts'
import { daysScript, indexPage, indexPages, pageStyle, pageWords } from './index-page.ts'
import type { FinishedSnapshot } from '../../core/snapshot/hooks.ts'
import { earlierParts, reuseFiles, writeMadeFiles } from '../../core/snapshot/made-files.ts'
import { partFrom } from '../../core/snapshot/parts.ts'
import { type DownloadFund, downloadFund } from './tables.ts'
import type { FormatFile, FormatsWork } from './worker.ts'

const checksums = 'SHA256SUMS'

/** Of each table on the page. */
const rowsShown = 4

/** The same rows, date and settings give the same bytes. @throws {Error} if a file cannot be written, or it is aborted */
export async function writeBeside(options: FinishedSnapshot) {
  const started = performance.now()
  const { root, asOf, hasPages, parts, publisher, licence, baseUrl, signed } = options
  const folder = join(root, 'downloads', asOf)
  mkdirSync(folder, { recursive: true })
  const { fund } = fundReader(options.db)
  const funds = options.funds.flatMap(({ isin, rows }) => {
    const row = fund(isin)
    return row === undefined ? [] : (downloadFund(row, rows, asOf) ?? [])
  })
  const made = inOrder(await makeFiles(options, folder, funds))
  const about = dataPackage(made, options)
  const described = writeFile(folder, 'datapackage.json', `${JSON.stringify(about, null, 2)}\n`)
  const signedBy = signed?.signing.publicKeys[0] ?? null
  const beginnings = new Map(
    made.flatMap(({ path, format }) =>
      format === csv ? [[path, firstRows(join(folder, path), rowsShown)] as const] : [],
    ),
  )
  const formats = downloadFormats
  const facts = { asOf, licence, hasPages, parts, publisher, baseUrl, signedBy, formats, beginnings }
  const pages = languages.map((language) =>
    writeFile(folder, indexPages[language], indexPage(made, facts, language)),
  )
  const page = [daysScript, pageStyle].map(({ name, content }) => writeFile(folder, name, content()))
  const said = signed === null ? [] : [writeFile(folder, 'snapshot.json', signed.facts)]
  const files = inOrder<WrittenFile>([...made, described, ...pages, ...page, ...said])
  const listed = files.map(({ sha256, path }) => `${sha256}  ${path}\n`).join('')
  const own = [writeFile(folder, checksums, listed)]
  if (signed !== null) {
    const signature = signed.signing.sign(await sha512OfFile(join(folder, checksums)))
    own.push(writeFile(folder, `${checksums}.sig`, signature))
  }
  writeLatest(join(root, 'downloads'), asOf)
  const reusable = made.flatMap(({ path, bytes, sha256, rows, from, parts = [] }) => {
    const more = { ...(rows !== undefined && { rows }), ...(parts.length > 0 && { parts }) }
    return from === null ? [] : { path, bytes, sha256, from, ...more }
  })
  writeMadeFiles(root, asOf, reusable)
  return {
    files: files.length + own.length,
    bytes: [...files, ...own].reduce((sum, { bytes }) => sum + bytes, 0),
    seconds: (performance.now() - started) / 1000,
  }
}

interface KnownPiece {
  readonly format: DownloadFormat
  readonly piece: Piece
  /** Digest of what its files are made from; null for files that no later build uses. */
  readonly from: string | null
}

type MadeFile = DescribedFile & KnownPiece

const pageOf = (baseUrl: string, asOf: string) => `${baseUrl}/downloads/${asOf}/`

function piecesOf(
  funds: readonly DownloadFund[],
  { asOf, snapshot, licence, publisher, baseUrl }: FinishedSnapshot,
  madeBy: string,
): KnownPiece[] {
  const digestOf = (format: DownloadFormat, { name, rows }: Piece): string | null => {
    if (rows === null) return null
    const stamp =
      format.isStamped === true
        ? [asOf, snapshot, licence, publisherName(publisher), publisher?.country, pageOf(baseUrl, asOf)]
        : []
    const sha256 = createHash('sha256').update(JSON.stringify([madeBy, format.id, name, ...stamp]))
    for (const digest of digestsOf(rows)) sha256.update(`${digest}\n`)
    return sha256.digest('base64url').slice(0, 22)
  }
  return downloadFormats.flatMap((format) =>
    format.pieces(funds).map((piece) => ({ format, piece, from: digestOf(format, piece) })),
  )
}

/** Reuses the files of pieces that did not change, and has threads make the others. */
async function makeFiles(
  options: FinishedSnapshot,
  folder: string,
  funds: readonly DownloadFund[],
): Promise<MadeFile[]> {
  const { db, root, asOf, snapshot, licence, code, isRawCsv } = options
  // Another zlib packs the pages of Parquet to other bytes.
  const madeBy = partFrom(code, versions.zlib, String(isRawCsv))
  const pieces = piecesOf(funds, options, madeBy)
  const reuse = reuseFiles(options.earlier, folder)
  const files: MadeFile[] = []
  const wanted = pieces.filter((known) => {
    const found = known.from === null ? null : reuse(known.from)
    for (const file of found ?? []) files.push({ ...file, ...known })
    return found === null
  })
  const temporary = join(root, '.downloads')
  mkdirSync(temporary)
  try {
    const earlierFiles = earlierParts(options.earlier)
    const copy = join(temporary, 'funds.sqlite')
    const copied = copyDatabase(copy, db).then(() => {
      writeComputedFigures(copy, funds)
    })
    const work = async (formats: readonly DownloadFormat[]): Promise<FormatsWork> => {
      await copied
      const named = formats.map(({ id }) => {
        const some = wanted.filter(({ format }) => format.id === id)
        return [id, new Set(some.map(({ piece }) => piece.name))] as const
      })
      const place = { folder, copy, earlierFiles }
      const page = pageOf(options.baseUrl, asOf)
      const country = options.publisher?.country ?? null
      const said = { asOf, snapshot, licence, publisher: publisherName(options.publisher), country, page }
      return { wanted: new Map(named), isRawCsv, funds, madeBy, ...said, ...place }
    }
    const made = await runWork(jobsOf(wanted).map(work), options)
    const nameOf = (format: string, piece: string) => `${format} ${piece}`
    const byName = new Map(wanted.map((known) => [nameOf(known.format.id, known.piece.name), known]))
    for (const { format, piece, ...file } of made) {
      const known = byName.get(nameOf(format, piece))
      if (known === undefined) throw new Error(`${file.path} is of no piece of the format ${format}`)
      if (contentTypeOf(file.path) === unknownType)
        throw new Error(
          `the ending of ${file.path} has no content type: add it to api/routes/content-types.ts`,
        )
      files.push({ ...file, ...known })
    }
    return files
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
}

/** Formats that one thread writes together: those that share one reading of the rows, and each other one alone. */
function jobsOf(wanted: readonly KnownPiece[]): readonly (readonly DownloadFormat[])[] {
  const formats = new Set(wanted.map(({ format }) => format))
  const isShared = (format: DownloadFormat) => format.kind === 'rows' && format.isSlow !== true
  return [...Map.groupBy(formats, (format) => (isShared(format) ? 'rows' : format.id)).values()]
}

const inOrder = <File extends WrittenFile>(files: readonly File[]) =>
  files.toSorted((one, other) => (one.path < other.path ? -1 : 1))

/**
 * @param works in the order in which they begin, each when it is ready: the threads start meanwhile
 * @throws {Error} the first error of a thread, or the signal's reason: then all threads have stopped
 */
async function runWork(
  works: readonly Promise<FormatsWork>[],
  { jobs, startThread: start = startThread, signal }: FinishedSnapshot,
): Promise<readonly FormatFile[]> {
  const files: FormatFile[] = []
  const waiting = [...works]
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  either.throwIfAborted()
  const lane = async () => {
    const thread = start<(work: FormatsWork) => Promise<readonly FormatFile[]>>(
      moduleBeside(import.meta.url, './worker'),
      'a thread of the downloads',
    )
    either.addEventListener('abort', () => void thread.stop())
    try {
      for (let work = waiting.shift(); work !== undefined; work = waiting.shift()) {
        const ready = await work
        either.throwIfAborted()
        // One by one: there are some for each fund, and the number of arguments of a call is limited.
        for (const file of await thread.ask(ready)) files.push(file)
      }
    } catch (error) {
      stop.abort(error)
    } finally {
      await thread.stop()
    }
  }
  const lanes = Array.from({ length: Math.min(jobs, works.length) }, lane)
  // All have ended, the copy of the database too.
  await Promise.allSettled([...works, ...lanes])
  either.throwIfAborted()
  return files
}

/**
 * What a browser finds that opens the folder without an edge (`file://`): pages link to `downloads/latest/`, which an edge
 * resolves to the day.
 */
function writeLatest(folder: string, asOf: string): void {
  for (const language of languages)
    writeFile(folder, `latest/${indexPages[language]}`, latestPage(asOf, language))
  writeFile(folder, 'latest/as-of.js', `document.documentElement.dataset.downloads = '${asOf}'\n`)
}

const latestPage = (asOf: string, language: Language) =>
  html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="refresh" content="0; url=../${asOf}/${indexPages[language]}" />
        <title>${pageWords[language].heading}</title>
      </head>
      <body>
        <p>
          <a href="../${asOf}/${indexPages[language]}">${pageWords[language].title(dayIn(language, asOf))}</a>
        </p>
      </body>
    </html> `.markup
