/** What a publish changed, in sentences for people. Pure, plain text: the caller escapes it. */

import type { Counts } from '../manifest/compare.ts'
import type { NamedFund, PastDay, SnapshotChanges } from './day.ts'

export interface Description {
  readonly title: string
  /** A sentence or a short list each. */
  readonly lines: readonly string[]
}

/** A line names no more than this, and counts the rest. */
const shown = 20

export function describeChanges(changes: SnapshotChanges): Description {
  const { asOf, before, funds, documents, notCompared } = changes
  if (before === null) {
    const what = `first snapshot: ${count(funds.total, 'fund')}, ${count(documents.added, 'document')}`
    return { title: `${asOf}: ${what}`, lines: [what] }
  }
  const lists = listsOf(changes).filter(({ total }) => total > 0)
  const title = lists.map(({ heading }) => heading).join(', ') || documentTitle(changes)
  return {
    title: `${asOf}: ${title}`,
    lines: [
      ...lists.map(({ heading, items, total }) => `${heading}: ${shortList(items, total)}`),
      documentLine(changes),
      ...(notCompared.length === 0 ? [] : [`not compared: ${shortList(notCompared, notCompared.length)}`]),
    ],
  }
}

function listsOf({ funds, prices }: SnapshotChanges) {
  const { counts, corrected } = prices
  const list = (noun: string, what: string, items: readonly string[], total = items.length) => {
    return { total, items, heading: `${count(total, noun)} ${what}` }
  }
  const dayOf = ({ date, ...fund }: PastDay) => `${nameOf(fund)} ${date}`
  const renamed = funds.renamed.map(({ isin, before, after }) => `${before} is now ${after} (${isin})`)
  const values = corrected.map(
    ({ item, before, after, ...day }) => `${dayOf(day)} ${item} ${before ?? 'none'} → ${after ?? 'none'}`,
  )
  return [
    list('fund', 'added', funds.added.map(nameOf)),
    list('fund', 'removed', funds.removed.map(nameOf)),
    list('fund', 'renamed', renamed),
    list('price', 'corrected', values, counts.corrected),
    list('past day', 'added', prices.added.map(dayOf), counts.added),
    list('past day', 'removed', prices.removed.map(dayOf), counts.removed),
  ]
}

function documentTitle({ documents, notCompared }: SnapshotChanges): string {
  if (sum(documents) > 0) return `${count(sum(documents), 'document')} changed`
  return notCompared.length > 0 ? 'not known what changed' : 'nothing changed'
}

function documentLine({ documents, endpoints }: SnapshotChanges): string {
  if (sum(documents) === 0) return 'no document changed'
  const counts = (['changed', 'added', 'removed'] as const)
    .filter((what) => documents[what] > 0)
    .map((what) => `${number(documents[what])} ${what}`)
  const byEndpoint = endpoints.map((one) => `${one.endpoint} ${number(sum(one))}`)
  return `documents: ${counts.join(', ')}: ${byEndpoint.join(', ')}`
}

const nameOf = ({ isin, name }: NamedFund) => (name === null ? isin : `${name} (${isin})`)
const sum = ({ added, removed, changed }: Counts) => added + removed + changed
function shortList(items: readonly string[], total: number): string {
  const left = total - Math.min(items.length, shown)
  return items.slice(0, shown).join('; ') + (left > 0 ? ` and ${number(left)} more` : '')
}

const count = (total: number, noun: string) => `${number(total)} ${noun}${total === 1 ? '' : 's'}`
const number = (value: number) => value.toLocaleString('en-US')
