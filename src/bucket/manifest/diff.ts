/** `fundpress diff`: what changed between two snapshots, by fund and endpoint. Two manifests in, groups out. */

import { parseKey, type KeyMeaning } from '../../api/routes/parse-key.ts'
import type { RouteTable } from '../../api/routes/table.ts'
import type { ManifestHead } from '../../build/manifest.ts'
import { compareManifests, entry, isSameObject, noCounts, type Counts, type Tally } from './compare.ts'
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

interface PartTally {
  readonly answers: Tally
  readonly refusals: Tally
}
interface Place {
  readonly isin: string | null
  readonly endpoint: string
  readonly part: string
  readonly isRefusal: boolean
}

/** Memory grows with the number of funds and of groups that differ, not with that of objects. */
export async function diffManifests(from: Manifest, to: Manifest, table: RouteTable): Promise<SnapshotDiff> {
  const documents = noCounts()
  const funds = new Map<string, { isBefore: boolean; isAfter: boolean }>()
  const groups = new Map<string, Map<string, PartTally>>()
  const rows = compareManifests(from.objects(), to.objects(), isSameObject)
  for await (const { key, before, after, change } of rows) {
    const { isin, endpoint, part, isRefusal } = placeOf(parseKey(table, key), key)
    if (isin !== null) {
      const fund = entry(funds, isin, () => ({ isBefore: false, isAfter: false }))
      fund.isBefore ||= before !== undefined
      fund.isAfter ||= after !== undefined
    }
    if (change === null) continue
    documents[change]++
    const parts = entry(groups, JSON.stringify([isin ?? '', endpoint]), () => new Map<string, PartTally>())
    const tally = entry(parts, part, () => ({ answers: noCounts(), refusals: noCounts() }))
    tally[isRefusal ? 'refusals' : 'answers'][change]++
  }
  const only = (side: 'isBefore' | 'isAfter') =>
    [...funds]
      .flatMap(([isin, fund]) => (fund.isBefore && fund.isAfter ? [] : fund[side] ? [isin] : []))
      .sort()
  return {
    from: from.head,
    to: to.head,
    funds: { added: only('isAfter'), removed: only('isBefore') },
    documents,
    groups: [...groups].sort(([one], [other]) => (one < other ? -1 : 1)).map(groupOf),
  }
}

function placeOf(meaning: KeyMeaning, key: string): Place {
  switch (meaning.kind) {
    case 'sharedError': {
      const { group, status, slug } = meaning
      return { isin: null, endpoint: 'errors', part: `${group}/${status}-${slug}`, isRefusal: false }
    }
    case 'page':
      return { isin: meaning.isin, endpoint: 'pages', part: meaning.name, isRefusal: false }
    case 'unknown':
      return { isin: null, endpoint: 'other', part: key, isRefusal: false }
    default: {
      const { route, values, kind } = meaning
      const choice = route.parameters.find((parameter) => parameter.kind === 'choice')?.name
      const whole = choice === undefined ? 'document' : (values[choice] ?? '')
      const isin = values['isin'] ?? null
      // An answer in windows has no single document that the refusal stands for.
      if (route.series !== undefined && kind === 'refusal')
        return { isin, endpoint: route.id, part: 'refusal', isRefusal: false }
      const part = kind === 'window' ? meaning.year : kind === 'windowList' ? 'window list' : whole
      return { isin, endpoint: route.id, part, isRefusal: kind === 'refusal' }
    }
  }
}

function groupOf([id, parts]: readonly [string, ReadonlyMap<string, PartTally>]): DiffGroup {
  const [isin = '', endpoint = ''] = JSON.parse(id) as string[]
  const documents = noCounts()
  for (const { answers, refusals } of parts.values()) {
    for (const change of ['added', 'removed', 'changed'] as const)
      documents[change] += answers[change] + refusals[change]
  }
  const named = [...parts].map(([name, tally]) => ({ name, what: whatOf(tally) }))
  return { isin: isin === '' ? null : isin, endpoint, documents, parts: named }
}

function whatOf({ answers, refusals }: PartTally): PartDifference['what'] {
  const sum = ({ added, removed, changed }: Counts) => added + removed + changed
  if (refusals.added > 0 && answers.removed === sum(answers)) return 'refused'
  if (refusals.removed > 0 && answers.added > 0 && answers.added === sum(answers)) return 'answered'
  const both = { added: answers.added + refusals.added, removed: answers.removed + refusals.removed }
  const total = sum(answers) + sum(refusals)
  return both.added === total ? 'added' : both.removed === total ? 'removed' : 'changed'
}
