/** The hooks of a build: what extensions add to a snapshot. Threads load them, too, by the address of the list. */

import type {
  FundPages,
  ListExamples,
  Licence,
  Page,
  Publisher,
  SitePages,
  SitePageSource,
  SiteParts,
} from '../api/contract/page.ts'
import type { RowDigests } from '../data/read/fund-digests.ts'
import type { FundDatabase } from '../data/read/open.ts'
import type { PageSite } from '../layout/layout.ts'
import type { Signing } from '../system/ssh-signature.ts'
import type { StartThread } from '../system/start-thread.ts'
import type { EarlierSnapshot } from './made-files.ts'
import type { StatusSource } from './status-document.ts'

export type LoadPages = () => Promise<{ readonly makers: PageMakers }>
export type LoadBeside = () => Promise<{ readonly writeBeside: WriteBeside }>

interface SnapshotHooks {
  readonly name: string
  readonly pages?: LoadPages
  readonly beside?: LoadBeside
}

/** A page maker depends on nothing but its source: no clock, no `Intl` (its texts change with Node's version). */
export interface PageMakers {
  /** Parts of the site whose first pages are among these: other pages link to them. */
  readonly parts?: SiteParts
  /** The same of `namedPages`. */
  readonly namedParts?: SiteParts
  /** Run in the rendering threads. */
  readonly fundPages?: readonly FundPages[]
  /** Run after the funds. */
  readonly sitePages?: readonly SitePages[]
  /** For the documentation. */
  readonly listExamples?: readonly ListExamples[]
  /** Run after the pages of all extensions, and get their keys. */
  readonly closingPages?: readonly ClosingPages[]
  /** Run last. A snapshot without other pages has these, too. */
  readonly namedPages?: readonly NamedPages[]
}

/** @param before keys of the pages that were made before */
type ClosingPages = (source: SitePageSource, before: readonly string[]) => Iterable<Page>

/** Pages that name the snapshot. Its id comes from its documents and its other pages. */
type NamedPages = (
  source: StatusSource,
  site: PageSite,
) => {
  /** The first line of the manifest has their digests. */
  readonly listed?: readonly Page[]
  /** No manifest lists them: a publish writes its own in their place. */
  readonly unlisted?: readonly Page[]
}

/**
 * Writes files in `downloads/<as-of>/` of the snapshot's folder. The manifest does not list them.
 * @throws {Error} if a file cannot be written, or it is aborted
 */
export type WriteBeside = (snapshot: FinishedSnapshot) => Promise<{
  readonly files: number
  readonly bytes: number
  readonly seconds: number
}>

export interface FinishedSnapshot {
  /** In a read transaction: the files are of what it sees. */
  readonly db: FundDatabase
  /** The snapshot's folder, with its documents in it. */
  readonly root: string
  readonly snapshot: string
  readonly asOf: string
  /** The funds of the snapshot, ascending. */
  readonly funds: readonly { readonly isin: string; readonly rows: RowDigests }[]
  /** Digest of the code that makes the files. */
  readonly code: string
  /** The snapshot with files to reuse, or null. */
  readonly earlier: EarlierSnapshot | null
  readonly hasPages: boolean
  readonly parts: SiteParts
  readonly publisher: Publisher | null
  /** The address that the API is published at, without a closing slash. */
  readonly baseUrl: string
  /** What may be done with the data; null: the files do not say. */
  readonly licence: Licence | null
  /** Signs the checksums, and says for which snapshot and day (`snapshot.json`); null: nobody does. */
  readonly signed: { readonly signing: Signing; readonly facts: string } | null
  /** Whether texts in plain CSV stay as they are, formulas too. */
  readonly isRawCsv: boolean
  readonly jobs: number
  /** How they are started (`startThread`, unless given). */
  readonly startThread?: StartThread | undefined
  readonly signal: AbortSignal
}

/** @param address of the module with the list, `src/extensions.ts` */
export async function readHooks(address: string): Promise<readonly SnapshotHooks[]> {
  const { extensions } = (await import(address)) as {
    readonly extensions: { readonly list: readonly SnapshotHooks[] }
  }
  return extensions.list
}

/**
 * Finds a hook that one extension may have: of two, one would do nothing, and nobody would hear of it.
 * @throws {Error} if several have it
 */
export function onlyHook<Extension extends { readonly name: string }, Hook extends keyof Extension & string>(
  extensions: readonly Extension[],
  hook: Hook,
): Extension[Hook] | undefined {
  const having = extensions.filter((extension) => extension[hook] !== undefined)
  if (having.length > 1) {
    const names = having.map(({ name }) => name).join(', ')
    throw new Error(`the hook ${hook} is for one extension, and several have it: ${names}`)
  }
  return having[0]?.[hook]
}

export const noPageMakers: Required<PageMakers> = {
  parts: [],
  namedParts: [],
  fundPages: [],
  sitePages: [],
  listExamples: [],
  closingPages: [],
  namedPages: [],
}

/** @returns the makers of all extensions, in the order of the list */
export async function loadPageMakers(hooks: readonly SnapshotHooks[]): Promise<Required<PageMakers>> {
  const loaded = await Promise.all(hooks.flatMap(({ pages }) => (pages === undefined ? [] : [pages()])))
  const all = loaded.map(({ makers }) => makers)
  return {
    parts: all.flatMap(({ parts = [] }) => parts),
    namedParts: all.flatMap(({ namedParts = [] }) => namedParts),
    fundPages: all.flatMap(({ fundPages = [] }) => fundPages),
    sitePages: all.flatMap(({ sitePages = [] }) => sitePages),
    listExamples: all.flatMap(({ listExamples = [] }) => listExamples),
    closingPages: all.flatMap(({ closingPages = [] }) => closingPages),
    namedPages: all.flatMap(({ namedPages = [] }) => namedPages),
  }
}
