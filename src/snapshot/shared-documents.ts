/** Documents that belong to no single fund: those over all funds, and the errors whose text is always the same. */

import { endpoints } from '../endpoints/index.ts'
import { sharedErrorKey } from '../routes/keys.ts'
import { problemDocument } from '../routes/problems.ts'
import { formats, type RouteTable } from '../routes/table.ts'
import { allFundsPlans, openAllFundsDocument, type AllFundsDocument } from './all-funds-document.ts'
import { documentFiles, folderOf, type FundDocument } from './document-files.ts'
import { fromOf } from './inputs.ts'
import type { RenderedLine } from './manifest.ts'
import type { Plan } from './plans.ts'
import type { PreviousManifest } from './previous-manifest.ts'
import type { RenderPool } from './render-pool.ts'
import type { RenderSettings } from './render-worker.ts'
import { standingLines, type StandingLine } from './standing-lines.ts'

interface Shared {
  readonly settings: RenderSettings
  readonly table: RouteTable
  readonly plans: readonly Plan[]
  readonly previous: PreviousManifest | null
  readonly pool: RenderPool
  readonly isins: readonly string[]
  /** By endpoint: what each fund's documents were made from. */
  readonly from: ReadonlyMap<string, readonly string[]>
}

export interface SharedDocument {
  readonly line: RenderedLine
  readonly isKept: boolean
}

/** Puts all of them. @returns them in the order of their keys */
export async function putSharedDocuments(shared: Shared): Promise<SharedDocument[]> {
  const { settings, table, previous, plans } = shared
  const files = documentFiles(settings.root, settings.reuse)
  const standingIn = standingByFolder(previous)
  /** @returns null if they do not all stand, made from just this */
  const keep = (keys: readonly string[], from: string): SharedDocument[] | null => {
    const standing = keys.flatMap((key) => standingIn(folderOf(key)).get(key) ?? [])
    const stands = standing.length === keys.length && standing.every((line) => line.from === from)
    if (!stands || !files.keep(standing)) return null
    return standing.map((line) => ({ line, isKept: true }))
  }

  const done: SharedDocument[] = []
  const missing: Missing[] = []
  for (const plan of allFundsPlans(endpoints, table, plans)) {
    const from = fromOf('all', shared.from.get(plan.of.endpoint.id) ?? [])
    const kept = keep(Object.values(plan.keys), from)
    const open = (format: (typeof formats)[number]) =>
      openAllFundsDocument(plan, format, settings.root, settings.reuse)
    if (kept === null) missing.push({ of: plan.of, from, documents: formats.map(open) })
    else done.push(...kept)
  }
  await addMembers(missing, shared)
  for (const { from, documents } of missing) {
    for (const document of documents) {
      const line = document.end(from, standingIn(folderOf(document.key)).get(document.key))
      done.push({ line, isKept: false })
    }
  }
  for (const document of sharedErrors(table)) {
    const from = fromOf('error', settings.renderer)
    const put = () => {
      const standing = standingIn(folderOf(document.key)).get(document.key)
      return [{ line: files.put(document, from, standing), isKept: false }]
    }
    done.push(...(keep([document.key], from) ?? put()))
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

/** By key. Each folder is read once. */
function standingByFolder(previous: PreviousManifest | null) {
  const folders = new Map<string, ReadonlyMap<string, StandingLine>>()
  return (folder: string): ReadonlyMap<string, StandingLine> => {
    const read = () =>
      new Map(standingLines(previous?.linesOf(folder, folder) ?? '', folder).map((line) => [line.key, line]))
    const standing = folders.get(folder) ?? read()
    folders.set(folder, standing)
    return standing
  }
}

/** The errors whose text does not depend on the request. Source: keys.md, `errors/<group>/<status>-<slug>.{x}`. */
function sharedErrors(table: RouteTable): FundDocument[] {
  return table.problems
    .filter(({ title }) => !title.includes('{'))
    .flatMap((problem) =>
      formats.map((format) => ({
        key: sharedErrorKey(problem, format),
        format,
        content: problemDocument(table.docsUrl, problem, {}, format),
      })),
    )
}
