/** Documents that belong to no single fund: those over all funds, and the errors whose text is always the same. */

import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type ByIsinText, jsonByIsin, xmlByIsin } from '../api/encode/series.ts'
import { endpoints } from '../api/endpoints/index.ts'
import { contentTypeOf } from '../api/routes/content-types.ts'
import { sharedErrorKey } from '../api/routes/keys.ts'
import { problemDocument } from '../api/routes/problems.ts'
import { type Format, formats, type RouteTable } from '../api/routes/table.ts'
import { type FileContent, documentFiles, isOfSameBytes, type Reuse } from './document-files.ts'
import { fromOf } from './inputs.ts'
import type { ParsedLine, PreviousManifest, SharedObject } from './lines.ts'
import type { RenderedLine } from './manifest.ts'
import { type AllFundsPlan, allFundsPlans, type Plan } from './plans.ts'
import type { RenderPool } from './render-pool.ts'
import type { RenderSettings } from './render-worker.ts'

interface Shared {
  readonly settings: RenderSettings
  readonly table: RouteTable
  readonly plans: readonly Plan[]
  readonly previous: PreviousManifest
  readonly pool: RenderPool
  readonly isins: readonly string[]
  /** What each fund's documents of an endpoint were made from. */
  readonly from: (endpoint: string) => readonly string[]
}

/** Puts all of them. @returns them in the order of their keys */
export async function putSharedDocuments(shared: Shared): Promise<SharedObject[]> {
  const { settings, table, previous, plans } = shared
  const files = documentFiles(settings.root, settings.reuse)
  /** @returns null if not all of them are unchanged */
  const reuse = (keys: readonly string[], from: string): SharedObject[] | null => {
    const lines = keys.flatMap((key) => previous.line(key) ?? [])
    const isUnchanged = lines.length === keys.length && lines.every((line) => line.from === from)
    if (!isUnchanged || !files.reuse(lines)) return null
    return lines.map((line) => ({ line, isReused: true }))
  }

  const done: SharedObject[] = []
  const missing: Missing[] = []
  for (const plan of allFundsPlans(endpoints, table, plans)) {
    const from = fromOf('all', shared.from(plan.of.endpoint.id))
    const reused = reuse(Object.values(plan.keys), from)
    const open = (format: (typeof formats)[number]) =>
      openAllFundsDocument(plan, format, settings.root, settings.reuse)
    if (reused === null) missing.push({ of: plan.of, from, documents: formats.map(open) })
    else done.push(...reused)
  }
  await addMembers(missing, shared)
  for (const { from, documents } of missing) {
    for (const document of documents) {
      const line = document.end(from, previous.line(document.key))
      done.push({ line, isReused: false })
    }
  }
  for (const document of sharedErrors(table)) {
    const from = fromOf('error', settings.renderer)
    const put = () => [{ line: files.put(document, from, previous.line(document.key)), isReused: false }]
    done.push(...(reuse([document.key], from) ?? put()))
  }
  return done.sort((one, other) => (one.line.key < other.line.key ? -1 : 1))
}

/** Documents over all funds that have to be written. */
interface Missing {
  readonly of: Plan
  readonly from: string
  readonly documents: readonly AllFundsDocument[]
}

async function addMembers(missing: readonly Missing[], { pool, isins }: Shared): Promise<void> {
  if (missing.length === 0) return
  const folders = missing.map(({ of }) => of.folder)
  await pool.ask(
    isins,
    (some) => ({ kind: 'members', isins: some, folders }),
    (reply) => {
      if (reply.kind !== 'members') return
      for (const [index, { documents }] of missing.entries())
        for (const document of documents) document.add(reply.members[index]?.[document.format] ?? [])
    },
  )
}

/** The errors whose text does not depend on the request. Source: src/bucket/keys.md, `errors/<group>/<status>-<slug>.{x}`. */
function sharedErrors(table: RouteTable): FileContent[] {
  return table.problems
    .filter(({ title }) => !title.includes('{'))
    .flatMap((problem) =>
      formats.map((format) => ({
        key: sharedErrorKey(problem, format),
        content: problemDocument(table.docsUrl, problem, {}, format),
      })),
    )
}

/** A document over all funds that is being written, member by member in the order of ISINs. */
interface AllFundsDocument {
  readonly key: string
  readonly format: Format
  readonly add: (members: readonly string[]) => void
  /** @param previous its line of the previous manifest: a sparse snapshot leaves out what has the same bytes */
  readonly end: (from: string, previous: ParsedLine | undefined) => RenderedLine
}

function openAllFundsDocument(
  { keys }: AllFundsPlan,
  format: Format,
  root: string,
  reuse: Reuse,
): AllFundsDocument {
  const key = keys[format]
  const text: ByIsinText = format === 'json' ? jsonByIsin : xmlByIsin
  const path = join(root, key)
  mkdirSync(dirname(path), { recursive: true })
  const file = openSync(path, 'wx')
  const sha256 = createHash('sha256')
  let bytes = 0
  let members = 0
  const write = (content: string) => {
    const encoded = Buffer.from(content)
    sha256.update(encoded)
    bytes += encoded.length
    for (let done = 0; done < encoded.length;) done += writeSync(file, encoded, done)
  }
  return {
    key,
    format,
    add: (more) => {
      for (const member of more) write((members++ === 0 ? text.head : text.separator) + member)
    },
    end: (from, previous) => {
      write(members === 0 ? text.empty : text.tail)
      closeSync(file)
      const line = { key, sha256: sha256.digest('hex'), bytes, type: contentTypeOf(key), from }
      if (reuse.kind === 'sparse' && isOfSameBytes(line, previous)) rmSync(path)
      return line
    },
  }
}
