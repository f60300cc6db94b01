/** What a night changed, in sentences for people. Plain text: whoever shows it escapes it. */

import type { DocumentCounts, NamedFund, NightChanges } from './night-changes.ts'

export interface Description {
  readonly title: string
  /** A sentence or a short list each. */
  readonly lines: readonly string[]
}

/** More than this are counted: a line is to be read. */
const shown = 20

export function describeNight(changes: NightChanges): Description {
  const { asOf, before, funds, documents, notCompared } = changes
  const unknown = notCompared.length === 0 ? [] : [`not compared: ${shortList(notCompared)}`]
  if (before === null) {
    const what = `first snapshot: ${count(funds.total, 'fund')}, ${count(documents.added, 'document')}`
    return { title: `${asOf}: ${what}`, lines: [what] }
  }
  const lines = [...fundLines(changes), ...priceLines(changes), documentLine(changes), ...unknown]
  return { title: `${asOf}: ${headline(changes)}`, lines }
}

function headline({ funds, prices, documents, notCompared }: NightChanges): string {
  const parts = [
    some(funds.added.length, 'fund', 'added'),
    some(funds.removed.length, 'fund', 'removed'),
    some(funds.renamed.length, 'fund', 'renamed'),
    some(prices.counts.corrected, 'price', 'corrected'),
    some(prices.counts.added, 'past day', 'added'),
    some(prices.counts.removed, 'past day', 'removed'),
  ].filter((part) => part !== '')
  if (parts.length > 0) return parts.join(', ')
  if (sum(documents) === 0 && notCompared.length > 0) return 'not known what changed'
  return sum(documents) === 0 ? 'nothing changed' : `${count(sum(documents), 'document')} changed`
}

function fundLines({ funds }: NightChanges): string[] {
  const renamed = funds.renamed.map(({ isin, before, after }) => `${before} is now ${after} (${isin})`)
  return [
    listed(some(funds.added.length, 'fund', 'added'), funds.added.map(nameOf)),
    listed(some(funds.removed.length, 'fund', 'removed'), funds.removed.map(nameOf)),
    listed(some(funds.renamed.length, 'fund', 'renamed'), renamed),
  ].flat()
}

function priceLines({ prices }: NightChanges): string[] {
  const { counts, corrected, added, removed } = prices
  const values = corrected.map(
    ({ date, item, before, after, ...fund }) =>
      `${nameOf(fund)} ${date} ${item} ${before ?? 'none'} → ${after ?? 'none'}`,
  )
  const dayOf = ({ date, ...fund }: NightChanges['prices']['added'][number]) => `${nameOf(fund)} ${date}`
  return [
    listed(some(counts.corrected, 'price', 'corrected'), values, counts.corrected),
    listed(some(counts.added, 'past day', 'added'), added.map(dayOf), counts.added),
    listed(some(counts.removed, 'past day', 'removed'), removed.map(dayOf), counts.removed),
  ].flat()
}

function documentLine({ documents, endpoints }: NightChanges): string {
  if (sum(documents) === 0) return 'no document changed'
  const byEndpoint = endpoints.map((one) => `${one.endpoint} ${number(sum(one))}`)
  return `documents: ${describeCounts(documents)}: ${byEndpoint.join(', ')}`
}

const describeCounts = (counts: DocumentCounts) =>
  (['changed', 'added', 'removed'] as const)
    .filter((what) => counts[what] > 0)
    .map((what) => `${number(counts[what])} ${what}`)
    .join(', ')

const nameOf = ({ isin, name }: NamedFund) => (name === null ? isin : `${name} (${isin})`)

const sum = ({ added, removed, changed }: DocumentCounts) => added + removed + changed

/** Nothing where there is nothing to say. */
const listed = (heading: string, items: readonly string[], total = items.length): string[] =>
  heading === '' ? [] : [`${heading}: ${shortList(items, total)}`]

function shortList(items: readonly string[], total = items.length): string {
  const left = total - Math.min(items.length, shown)
  return items.slice(0, shown).join('; ') + (left > 0 ? ` and ${number(left)} more` : '')
}

const some = (total: number, noun: string, what: string) =>
  total === 0 ? '' : `${count(total, noun)} ${what}`
const count = (total: number, noun: string) => `${number(total)} ${noun}${total === 1 ? '' : 's'}`

/** `101,204`, on any machine. */
// eslint-disable-next-line regexp/no-super-linear-move -- A number has a few digits.
const number = (value: number) => String(value).replace(/\B(?=(\d{3})+$)/g, ',')
