/** Documents that belong to no single fund: those over all funds, and the errors whose text is always the same. */

import { endpoints } from '../endpoints/index.ts'
import { sharedErrorKey } from '../routes/keys.ts'
import { problemDocument } from '../routes/problems.ts'
import { formats, type RouteTable } from '../routes/table.ts'
import { allFundsPlans, openAllFundsDocument, type AllFundsDocument } from './all-funds-document.ts'
import { documentFiles, type Content } from './document-files.ts'
import { fromOf } from './inputs.ts'
import type { RenderedLine } from './manifest.ts'
import type { Plan } from './plans.ts'
import type { PreviousManifest } from './previous-manifest.ts'
import type { RenderPool } from './render-pool.ts'
import type { RenderSettings } from './render-worker.ts'

interface Shared {
  readonly settings: RenderSettings
  readonly table: RouteTable
  readonly plans: readonly Plan[]
  readonly previous: PreviousManifest | null
  readonly pool: RenderPool
  readonly isins: readonly string[]
  /** What each fund's documents of an endpoint were made from. */
  readonly from: (endpoint: string) => readonly string[]
}

/** An object that belongs to no single fund. */
export interface SharedObject {
  readonly line: RenderedLine
  readonly isKept: boolean
}

/** Puts all of them. @returns them in the order of their keys */
export async function putSharedDocuments(shared: Shared): Promise<SharedObject[]> {
  const { settings, table, previous, plans } = shared
  const files = documentFiles(settings.root, settings.reuse)
  /** @returns null if they do not all stand, made from just this */
  const keep = (keys: readonly string[], from: string): SharedObject[] | null => {
    const standing = keys.flatMap((key) => previous?.line(key) ?? [])
    const stands = standing.length === keys.length && standing.every((line) => line.from === from)
    if (!stands || !files.keep(standing)) return null
    return standing.map((line) => ({ line, isKept: true }))
  }

  const done: SharedObject[] = []
  const missing: Missing[] = []
  for (const plan of allFundsPlans(endpoints, table, plans)) {
    const from = fromOf('all', shared.from(plan.of.endpoint.id))
    const kept = keep(Object.values(plan.keys), from)
    const open = (format: (typeof formats)[number]) =>
      openAllFundsDocument(plan, format, settings.root, settings.reuse)
    if (kept === null) missing.push({ of: plan.of, from, documents: formats.map(open) })
    else done.push(...kept)
  }
  await addMembers(missing, shared)
  for (const { from, documents } of missing) {
    for (const document of documents) {
      const line = document.end(from, previous?.line(document.key))
      done.push({ line, isKept: false })
    }
  }
  for (const document of sharedErrors(table)) {
    const from = fromOf('error', settings.renderer)
    const put = () => {
      const standing = previous?.line(document.key)
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

/** The errors whose text does not depend on the request. Source: keys.md, `errors/<group>/<status>-<slug>.{x}`. */
function sharedErrors(table: RouteTable): Content[] {
  return table.problems
    .filter(({ title }) => !title.includes('{'))
    .flatMap((problem) =>
      formats.map((format) => ({
        key: sharedErrorKey(problem, format),
        content: problemDocument(table.docsUrl, problem, {}, format),
      })),
    )
}
