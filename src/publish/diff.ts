/** `fundpress diff`: what changed between two snapshots, by fund and endpoint. Two manifests in, groups out. */

import { parseKey, type KeyMeaning } from '../routes/parse-key.ts'
import type { RouteTable } from '../routes/table.ts'
import type { ManifestHead, ManifestLine } from '../snapshot/manifest.ts'
import type { Manifest } from './manifest-reader.ts'
import { mergeSorted } from './sorted.ts'

/** Documents that only the second snapshot has, that only the first one has, and that differ. */
export interface Counts {
  readonly added: number
  readonly removed: number
  readonly changed: number
}

/**
 * A structure type, a year, `window list`, `refusal` in their place, `document` where an endpoint has one answer, or an error's name.
 * `refused`: where an answer was there is a refusal now, or a new fund is refused; `answered`: the other way round.
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

type Change = keyof Counts
type Tally = Record<Change, number>
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

const noCounts = (): Tally => ({ added: 0, removed: 0, changed: 0 })

/** Memory grows with the number of funds and of groups that differ, not with that of objects. */
export async function diffManifests(from: Manifest, to: Manifest, table: RouteTable): Promise<SnapshotDiff> {
  const documents = noCounts()
  const presence = fundPresence(table)
  const groups = new Map<string, Map<string, PartTally>>()
  const rows = mergeSorted<readonly [ManifestLine, ManifestLine]>(from.objects(), to.objects())
  for await (const { key, values } of rows) {
    const [before, after] = values
    presence.note(key, before !== undefined, after !== undefined)
    const change = changeBetween(before, after)
    if (change === null) continue
    documents[change]++
    const { isin, endpoint, part, isRefusal } = placeOf(parseKey(table, key), key)
    const parts = entry(groups, JSON.stringify([isin ?? '', endpoint]), () => new Map<string, PartTally>())
    const tally = entry(parts, part, () => ({ answers: noCounts(), refusals: noCounts() }))
    tally[isRefusal ? 'refusals' : 'answers'][change]++
  }
  const ids = [...groups.keys()].sort()
  return {
    from: from.head,
    to: to.head,
    funds: presence.differences(),
    documents,
    groups: ids.map((id) => groupOf(id, groups.get(id) ?? new Map<string, PartTally>())),
  }
}

function changeBetween(before: ManifestLine | undefined, after: ManifestLine | undefined): Change | null {
  if (before === undefined) return 'added'
  if (after === undefined) return 'removed'
  return before.sha256 === after.sha256 && before.type === after.type ? null : 'changed'
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

function groupOf(id: string, parts: ReadonlyMap<string, PartTally>): DiffGroup {
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

/** Which funds each snapshot has: an entry a fund. */
function fundPresence(table: RouteTable) {
  const seen = new Map<string, { isBefore: boolean; isAfter: boolean }>()
  let folder = ''
  let fund: { isBefore: boolean; isAfter: boolean } | null = null
  return {
    note: (key: string, isBefore: boolean, isAfter: boolean) => {
      // Keys come in order: those of one folder belong to one fund.
      if (folder === '' || key.lastIndexOf('/') !== folder.length - 1 || !key.startsWith(folder)) {
        folder = key.slice(0, key.lastIndexOf('/') + 1)
        const { isin } = placeOf(parseKey(table, key), key)
        fund = isin === null ? null : entry(seen, isin, () => ({ isBefore: false, isAfter: false }))
      }
      if (fund === null) return
      fund.isBefore ||= isBefore
      fund.isAfter ||= isAfter
    },
    differences: () => {
      const isins = (only: (fund: { isBefore: boolean; isAfter: boolean }) => boolean) =>
        [...seen].filter(([, one]) => only(one)).map(([isin]) => isin)
      return {
        added: isins(({ isBefore }) => !isBefore).sort(),
        removed: isins(({ isAfter }) => !isAfter).sort(),
      }
    },
  }
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}
