/** The news of a run for operators: a few words for a title, a line for each item, and tables. Pure. */

import type { Move, News, PermittedFund } from '../../bucket/changes/news.ts'
import type { NamedFund } from '../../api/contract/changes.ts'
import { printable } from '../../data/model/printable.ts'
import { alignedTable, countOf, formatCount, shorten } from '../format.ts'
import type { RunFacts } from '../facts.ts'

const namedInList = 10
/** Funds that are gone, new, or public now: as many as a message can hold. */
const namedAlways = 60
/** At most this many funds are listed with their names. */
const namedInFull = 3
/** In characters. */
const maxWarning = 250

type Told = Pick<RunFacts, 'news' | 'warnings'>

interface Item {
  readonly words: string
  readonly names: string
  /** Reported even if nothing else is new. */
  readonly isAlarm: boolean
}

/** `1 fund gone, 4 prices of 2 funds corrected`; null if nothing has to be reported. */
export function titleOfNews({ news, warnings }: Told): string | null {
  const words = itemsOf(news).flatMap((item) => (item.isAlarm ? [item.words] : []))
  if (warnings.length > 0) words.push(countOf(warnings.length, 'new warning'))
  return words.length === 0 ? null : words.join(', ')
}

/** All items but the warnings. */
export const linesOfNews = (news: News | null): readonly string[] =>
  itemsOf(news).map(({ words, names }) => (names === '' ? words : `${words}: ${names}`))

/** The lines and a table of the largest moves, after an empty line; empty if nothing is new. */
export function describeNews(news: News | null): string {
  const moves = news?.moves ?? []
  const lines = [...linesOfNews(news), ...(moves.length === 0 ? [] : alignedTable(tableOfMoves(moves)))]
  return lines.length === 0 ? '' : `\n${lines.join('\n')}\n`
}

export const linesOfRun = ({ news, warnings }: Told): readonly string[] => [
  ...linesOfNews(news),
  ...firstOf(warnings.map((warning) => `warning: ${shorten(warning, maxWarning)}`)),
]

export function firstOf(lines: readonly string[], most = namedInList): readonly string[] {
  const rest = lines.length - most
  return rest > 0 ? [...lines.slice(0, most), `and ${formatCount(rest)} more`] : lines
}

function itemsOf(news: News | null): readonly Item[] {
  if (news === null) return []
  const { corrected, correctedFunds, correctedIn, removed, added } = news.prices
  const { emptied } = news
  const values = emptied.reduce((sum, one) => sum + one.values, 0)
  const ofFunds = (funds: readonly NamedFund[], words: string, most = namedInList, isAlarm = true) =>
    item(countOf(funds.length, 'fund'), words, funds.length, namesOf(funds, most), isAlarm)
  const items = [
    ofFunds(news.gone, 'gone', namedAlways),
    ofFunds(byFund(news.opened), 'public now', namedAlways),
    ofFunds(byFund(news.restricted), 'restricted now'),
    ofFunds(news.added, 'new', namedAlways),
    item(countOf(values, 'value'), 'gone', values, emptied.map(({ what }) => what).join(', '), true),
    item(
      `${countOf(corrected, 'price')} of ${countOf(correctedFunds, 'fund')}`,
      'corrected',
      corrected,
      [...correctedIn, ...more(correctedFunds - correctedIn.length)].join(', '),
      true,
    ),
    item(countOf(removed, 'price'), 'removed for earlier days', removed, '', true),
    item(countOf(added, 'price'), 'added for earlier days', added, '', false),
  ]
  return items.flat()
}

const item = (counted: string, words: string, count: number, names: string, isAlarm: boolean): Item[] =>
  count === 0 ? [] : [{ words: `${counted} ${words}`, names, isAlarm }]

const more = (count: number) => (count > 0 ? [`and ${formatCount(count)} more`] : [])

function namesOf(funds: readonly NamedFund[], most: number): string {
  const isShort = funds.length <= namedInFull
  const names = funds
    .slice(0, most)
    .map(({ isin, name }) => (isShort && name !== null ? `${isin} ${printable(name)}` : isin))
  return [...names, ...more(funds.length - names.length)].join(', ')
}

/** A fund may be restricted in several ways. Restricted data stand for all of them. */
const byFund = (funds: readonly PermittedFund[]): NamedFund[] =>
  [...Map.groupBy(funds, ({ isin }) => isin)].map(([isin, all]) => {
    const kinds = all.flatMap(({ what }) => (what === 'data' ? [] : [what]))
    const name = all[0]?.name ?? null
    return kinds.length === 0 ? { isin, name } : { isin: `${isin} (${kinds.join(', ')})`, name }
  })

export const tableOfMoves = (moves: readonly Move[]): readonly (readonly string[])[] => [
  ['fund', 'name', 'NAV before', 'NAV now', 'percent'],
  ...moves.map(({ isin, name, before, after, percent }) => [
    isin,
    printable(name ?? ''),
    `${before.nav} (${before.date})`,
    `${after.nav} (${after.date})`,
    `${percent > 0 ? '+' : ''}${percent.toFixed(2)} %`,
  ]),
]

export const tableOfCorrected = ({ examples, corrected }: News['prices']): readonly (readonly string[])[] => [
  ['fund', 'day', 'value', 'before', 'now'],
  ...examples.map(({ isin, date, item: value, before, after }) => [
    isin,
    date,
    value,
    before ?? 'none',
    after ?? 'none',
  ]),
  ...(corrected > examples.length
    ? [[`and ${formatCount(corrected - examples.length)} more`, '', '', '', '']]
    : []),
]
