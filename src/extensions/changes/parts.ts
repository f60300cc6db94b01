/** What the page of all days and that of one day share: names of funds, and what changed as coloured words. */

import type { EndingFund, NamedFund, PublishMark } from '../../core/api/contract/changes.ts'
import type { Language } from '../../core/api/routes/table.ts'
import { searchKey } from '../../core/layout/formats.ts'
import { html, type Html } from '../../core/layout/html.ts'
import {
  type ChangeCounts,
  type ChangeKind,
  changeKinds,
  endIn,
  headingsOf,
  type LifeChanges,
  sentence,
} from './words.ts'
import { changeWords } from './wording.ts'

export interface FundNames {
  /** The address of a fund's page; null if it has none. */
  readonly pageOf: (isin: string) => string | null
  /** The language of names; null if unknown. */
  readonly names: Language | null
}

/** The place of a day on the page of all days. @param asOf ISO 8601 */
export const dayId = (asOf: string) => `day-${asOf}`

/** The place of a publish, on the page of all days and on that of its day. */
export const publishId = ({ as_of, publish }: Pick<PublishMark, 'publish'> & { readonly as_of: string }) =>
  `${dayId(as_of)}-${publish}`

/** @param id of the element; null without one */
export function fundLink(
  { isin, name }: NamedFund,
  { pageOf, names }: FundNames,
  id: Html | null = null,
): Html {
  const page = pageOf(isin)
  const language = names !== null && html` lang="${names}"`
  // `<bdi>`: a name written from right to left must not turn its neighbours round.
  const said = name === null ? html`${isin}` : html`<bdi${language}>${name}</bdi>`
  const linked = page === null ? html`<span${id}>${said}</span>` : html`<a${id} href="${page}">${said}</a>`
  return html`${linked}${name !== null && html` <small>${isin}</small>`}`
}

/** `Merger on 2 Nov 2026 into …` */
export function endOf(
  end: Omit<EndingFund, 'isin' | 'name'>,
  { language, ...names }: FundNames & { readonly language: Language },
): Html {
  const { successor } = end
  const into = successor && html` ${changeWords[language].into} ${fundLink(successor, names)}`
  return html`${endIn(end, language)}${into}`
}

const tones: Readonly<Record<ChangeKind, string>> = {
  corrected: 'corrected',
  daysAdded: 'added',
  daysRemoved: 'removed',
  removed: 'removed',
  added: 'added',
  renamed: 'renamed',
  ending: 'removed',
  suspended: 'corrected',
  data: 'renamed',
  newPrices: 'prices',
}

/** @param linkTo the address of each kind; null for words without links @returns null if nothing is to be counted */
export function chips(
  counts: ChangeCounts,
  lives: LifeChanges,
  language: Language,
  linkTo: ((kind: ChangeKind) => string) | null,
): Html | null {
  const headings = headingsOf(counts, lives, language)
  const kinds = changeKinds.flatMap((kind) => {
    const heading = headings[kind]
    return heading === null ? [] : [{ kind, text: sentence(heading) }]
  })
  if (kinds.length === 0) return null
  const chip = (kind: ChangeKind, text: string) =>
    linkTo === null
      ? html`<span class="chip ${tones[kind]}">${text}</span>`
      : html`<a class="chip ${tones[kind]}" href="${linkTo(kind)}">${text}</a>`
  return html`<ul class="chips">
    ${kinds.map(({ kind, text }) => html`<li>${chip(kind, text)}</li> `)}
  </ul> `
}

/** So many funds with the same change are one row. */
const manyAlike = 3

/** The items of each row, in the order of their first: those that say the same are one row, if they are many. @param saidOf what an item says */
export function alike<Item>(
  items: readonly Item[],
  saidOf: (item: Item) => string,
): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const said = saidOf(item)
    groups.set(said, [...(groups.get(said) ?? []), item])
  }
  return [...groups.values()].flatMap((group) =>
    group.length < manyAlike ? group.map((one) => [one]) : [group],
  )
}

/** By their names, as readers look for them. */
export function sortedByName<Fund extends NamedFund>(funds: readonly Fund[]): readonly Fund[] {
  const keyed = funds.map((fund) => ({ fund, key: searchKey(fund.name ?? fund.isin) }))
  return keyed
    .sort((one, other) => (one.key < other.key ? -1 : Number(one.key > other.key)))
    .map(({ fund }) => fund)
}

/** Each on a line of its own. */
export const linesOf = (lines: readonly (Html | string)[]): Html =>
  html`${lines.map((line) => html`<span class="line">${line}</span> `)}`
