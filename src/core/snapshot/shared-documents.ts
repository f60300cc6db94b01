/** Documents that belong to no single fund: those over all funds, and the errors whose text is always the same. */

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from '../api/contract/page.ts'
import type { ByIsinText } from '../api/encode/series.ts'
import { contentTypeOf } from '../api/routes/content-types.ts'
import { sharedErrorKey } from '../api/routes/keys.ts'
import { problemDocument } from '../api/routes/problems.ts'
import { type Format, formats, type RouteTable } from '../api/routes/table.ts'
import { fileSink } from './file-sink.ts'
import { type DocumentFiles, isOfSameBytes, putShared, type SharedObject } from './document-files.ts'
import { fromOf } from './inputs.ts'
import { byKey, type ParsedLine, type RenderedLine } from './manifest.ts'
import type { RenderSettings } from './plans.ts'
import type { Build } from './prepare.ts'
import type { PreviousManifest } from './previous-manifest.ts'
import type { RenderPool } from './render-pool.ts'

/** @param fromsOf input digests of each fund's documents of an endpoint @returns in the order of keys */
export async function putSharedDocuments(
  { settings, table, allFunds }: Build,
  isins: readonly string[],
  fromsOf: (endpoint: string) => readonly string[],
  previous: PreviousManifest,
  files: DocumentFiles,
  pool: RenderPool,
): Promise<SharedObject[]> {
  const done: SharedObject[] = []
  const missing: { readonly folder: string; readonly documents: readonly AllFundsDocument[] }[] = []
  for (const { of, keyAs } of allFunds) {
    const from = fromOf('all', fromsOf(of.endpoint.id))
    const lines = [...of.encoders.keys()].flatMap((format) => previous.line(keyAs(format)) ?? [])
    const isUnchanged = lines.length === of.encoders.size && lines.every((line) => line.from === from)
    if (isUnchanged && files.reuse(lines)) done.push(...lines.map((line) => ({ line, isReused: true })))
    else {
      const documents = [...of.encoders].map(([format, { byIsin }]) =>
        openAllFundsDocument(keyAs(format), format, byIsin, from, settings),
      )
      missing.push({ folder: of.folder, documents })
    }
  }
  if (missing.length > 0) {
    const folders = missing.map(({ folder }) => folder)
    await pool.ask(
      isins,
      (some) => ({ kind: 'members', isins: some, folders }),
      (members) => {
        for (const [index, { documents }] of missing.entries())
          for (const { format, add } of documents) add(members[index]?.get(format) ?? [])
      },
    )
  }
  for (const { documents } of missing)
    done.push(...documents.map(({ key, end }) => ({ line: end(previous.line(key)), isReused: false })))
  const from = fromOf('error', settings.renderer)
  done.push(...sharedErrors(table).map((document) => putShared(document, from, previous, files)))
  return done.sort((one, other) => byKey(one.line, other.line))
}

/** The errors whose text does not depend on the request. Source: src/core/bucket/keys.md, `errors/<group>/…`. */
function sharedErrors(table: RouteTable): Page[] {
  return table.problems
    .filter(({ title }) => !title.includes('{'))
    .flatMap((problem) =>
      formats.map((format) => ({
        key: sharedErrorKey(problem, format),
        content: problemDocument(table.docsUrl, problem, {}, format),
      })),
    )
}

type AllFundsDocument = ReturnType<typeof openAllFundsDocument>

/** Writes a document over all funds, member by member in the order of ISINs. */
function openAllFundsDocument(
  key: string,
  format: Format,
  text: ByIsinText,
  from: string,
  { root, reuse }: RenderSettings,
) {
  const sink = fileSink(root, key)
  let members = 0
  return {
    key,
    format,
    add: (more: readonly string[]) => {
      for (const member of more) sink.write((members++ === 0 ? text.head : text.separator) + member)
    },
    /** @param previous its line of the previous manifest: a sparse snapshot leaves out the same bytes */
    end: (previous: ParsedLine | undefined): RenderedLine => {
      sink.write(members === 0 ? text.empty : text.tail)
      const { sha256, bytes } = sink.close()
      const line = { key, sha256, bytes, type: contentTypeOf(key), from }
      if (reuse.kind === 'sparse' && isOfSameBytes(line, previous)) rmSync(join(root, key))
      return line
    },
  }
}
