/** `fundpress diff`: what changed between two snapshots, by fund and endpoint. Two manifests in, groups out. */

import { parseKey, type KeyMeaning } from '../../api/routes/parse-key.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import type { ManifestHead } from '../../build/manifest.ts'
import { compareManifests, entry, isSameObject, noCounts, type Counts, type Tally } from './compare.ts'
import { endpointOf, type FundSides, fundsOfOneSide, sortedEntries } from './documents.ts'
import type { Manifest } from './manifest.ts'

/**
 * The name is a structure type, a year, `window list`, `refusal` in their place, `document` for an endpoint with one answer,
 * or an error's name. `refused`: a refusal replaces an answer, or refuses a new fund; `answered`: the other way round.
 */
export interface PartDifference {
  readonly name: string
  readonly what: 'added' | 'removed' | 'changed' | 'refused' | 'answered'
}

export interface DiffGroup {
  /** Null for what belongs to no single fund. */
  readonly isin: string | null
  /** The route's id; `errors` for those of no endpoint, `pages` for what is for people, `other` for keys that this version does not know. */
  readonly endpoint: string
  readonly documents: Counts
  readonly parts: readonly PartDifference[]
}

export interface SnapshotDiff {
  readonly from: ManifestHead
  readonly to: ManifestHead
  /** Funds that have any object, refusals included. */
  readonly funds: { readonly added: readonly string[]; readonly removed: readonly string[] }
  readonly documents: Counts
  /** By fund, what belongs to none first, then by endpoint. */
  readonly groups: readonly DiffGroup[]
}

/** The changes of a part, of its answers and of its refusals. */
interface PartChanges {
  readonly answers: Set<keyof Counts>
  readonly refusals: Set<keyof Counts>
}

/** Memory grows with the number of funds and of groups that differ, not with that of objects. */
export async function diffManifests(from: Manifest, to: Manifest, table: RouteTable): Promise<SnapshotDiff> {
  const documents = noCounts()
  const funds = new Map<string, FundSides>()
  const groups = new Map<string, { readonly documents: Tally; readonly parts: Map<string, PartChanges> }>()
  for await (const { key, before, after, change } of compareManifests(
    from.objects(),
    to.objects(),
    isSameObject,
  )) {
    const meaning = parseKey(table, key)
    const { isin, part, isRefusal } = placeOf(meaning, key)
    if (isin !== null) {
      const fund = entry(funds, isin, () => ({ isBefore: false, isAfter: false }))
      fund.isBefore ||= before !== undefined
      fund.isAfter ||= after !== undefined
    }
    if (change === null) continue
    documents[change]++
    const id = JSON.stringify([isin ?? '', endpointOf(meaning, key)])
    const group = entry(groups, id, () => ({ documents: noCounts(), parts: new Map<string, PartChanges>() }))
    group.documents[change]++
    const changes = entry(group.parts, part, () => ({ answers: new Set(), refusals: new Set() }))
    changes[isRefusal ? 'refusals' : 'answers'].add(change)
  }
  return {
    from: from.head,
    to: to.head,
    funds: fundsOfOneSide(funds),
    documents,
    groups: sortedEntries(groups).map(([id, group]) => {
      const [isin = '', endpoint = ''] = JSON.parse(id) as string[]
      const parts = [...group.parts].map(([name, changes]) => ({ name, what: whatOf(changes) }))
      return { isin: isin === '' ? null : isin, endpoint, documents: group.documents, parts }
    }),
  }
}

/** The fund that an object belongs to, and its part of the endpoint's documents. */
function placeOf(
  meaning: KeyMeaning,
  key: string,
): { readonly isin: string | null; readonly part: string; readonly isRefusal: boolean } {
  switch (meaning.kind) {
    case 'sharedError': {
      const { group, status, slug } = meaning
      return { isin: null, part: `${group}/${status}-${slug}`, isRefusal: false }
    }
    case 'page':
      return { isin: meaning.isin, part: meaning.name, isRefusal: false }
    case 'unknown':
      return { isin: null, part: key, isRefusal: false }
    default: {
      const { route, values, kind } = meaning
      const isin = values['isin'] ?? null
      if (kind === 'window') return { isin, part: meaning.year, isRefusal: false }
      if (kind === 'windowList') return { isin, part: 'window list', isRefusal: false }
      const isRefusal = kind === 'refusal'
      // An answer in windows has no single document that the refusal stands for.
      if (isRefusal && route.series !== undefined) return { isin, part: 'refusal', isRefusal: false }
      const choice = route.parameters.find((parameter) => parameter.kind === 'choice')?.name
      return { isin, part: choice === undefined ? 'document' : (values[choice] ?? ''), isRefusal }
    }
  }
}

function whatOf({ answers, refusals }: PartChanges): PartDifference['what'] {
  if (refusals.has('added') && isOnly(answers, 'removed')) return 'refused'
  if (refusals.has('removed') && answers.size > 0 && isOnly(answers, 'added')) return 'answered'
  const all = [...answers, ...refusals]
  return isOnly(all, 'added') ? 'added' : isOnly(all, 'removed') ? 'removed' : 'changed'
}

const isOnly = (changes: Iterable<keyof Counts>, change: keyof Counts) =>
  [...changes].every((one) => one === change)
