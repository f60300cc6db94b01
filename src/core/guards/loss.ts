/** Compares a snapshot with the live one, and objects to losses beyond the limits. Pure. */

import { areTooManyStale, describeStale, type FreshnessCounts, mostStale } from './assess.ts'
import type { GuardName, Objection } from './guards.ts'

/**
 * What a publish may lose or change, by guard: shares of what is live, from 0 to 1. They are divided by the strictness of the
 * settings. `npm run generate` lists them in the README of this room.
 */
export const limits = {
  /** Of the funds; one may always be lost. Of those with a price, too. */
  'lost-funds': 0.1,
  /** Of the documents of each endpoint. */
  'lost-documents': 0.1,
  /** Of the rows of each table. */
  'lost-rows': 0.2,
  /** A history does not change. */
  'lost-rows:price': 0.01,
  /** Of the values of each column that may be empty; one may always be lost. */
  'column:lost': 0.2,
  /** Of the prices of a fund, and of all. */
  'changed-prices': 0.01,
  /** Of the funds with a price, on a day before their newest one. */
  'changed-prices:day': 1 / 3,
  'renamed-funds': 0.1,
  'new-funds': 0.1,
  /** Of the watched funds. */
  'stale-prices': 0.1,
  /** Of the objects. */
  deletes: 0.1,
} as const satisfies Partial<Record<GuardName | `${GuardName}:${string}`, number>>

/** The share that a guard lets pass, from 0 to 1. */
export const shareOf = (guard: keyof typeof limits, strictness: number) =>
  Math.min(1, limits[guard] / strictness)

const namedFunds = 3

/** `A, B, C and 4 more` */
export function listed(names: readonly string[], most = namedFunds): string {
  const others = names.length - most
  return names.slice(0, most).join(', ') + (others > 0 ? ` and ${others} more` : '')
}

/** The figures in `live.json` and in the first line of a manifest. */
export interface SnapshotFigures {
  readonly asOf: string
  readonly funds: number
  readonly objects: number
  readonly newestPrice: string | null
  readonly freshness: FreshnessCounts & { readonly stalest?: readonly StaleFund[] }
  readonly counts?: SnapshotCounts | undefined
  /** The successor of each fund that is gone because it merged with another one, by ISIN. */
  readonly merged?: Readonly<Record<string, string>> | undefined
  /** ISINs of funds into which others merge. */
  readonly successors?: readonly string[] | undefined
}

export interface SnapshotCounts {
  /** By endpoint, without error documents. */
  readonly documents: Counts
  readonly rows: Counts
  /** Rows with a value, by column that may be empty (`profile.benchmark`). */
  readonly values: Counts
}
type Counts = Readonly<Record<string, number>>

type StaleFund = Readonly<{ isin: string; newestPrice: string | null }>

/** The difference of two snapshots. Lost funds would be live no longer: they are gone, or withheld. */
export interface Loss {
  readonly funds: number
  /** ISINs of lost funds that are published, because withheld ones are named nowhere. Empty if they are not known. */
  readonly isins: readonly string[]
  /** Live objects that would be gone, without those of lost funds. */
  readonly objects: number
  /** Without error documents; `before` lacks documents of lost funds. */
  readonly documents: readonly Readonly<{ endpoint: string; before: number; after: number }>[]
  /** Live price rows of the lost funds; null if they are not known. */
  readonly prices: number | null
  /** Changed live prices, by fund. `of`: all live prices of the fund; null if they are not known, or few. Empty if not compared. */
  readonly changed: readonly Readonly<{ isin: string; prices: number; of: number | null }>[]
  /** Funds with another price on a day before their newest live one. Empty if not compared. */
  readonly changedDays: readonly Readonly<{ day: string; funds: number; first: readonly string[] }>[]
  /** Empty if not compared. */
  readonly renamed: readonly Readonly<{ isin: string; before: string; after: string }>[]
}

/** A fund may always have the prices of a week corrected. */
export const fewPrices = 5

export function lossByCounts(live: SnapshotFigures, head: SnapshotFigures): Loss {
  const funds = Math.max(0, live.funds - head.funds)
  const kept = live.funds === 0 ? 1 : 1 - funds / live.funds
  const after = head.counts?.documents
  const before = after === undefined ? [] : Object.entries(live.counts?.documents ?? {})
  return {
    funds,
    isins: [],
    objects: Math.max(0, Math.round(live.objects * kept) - head.objects),
    documents: before.map(([endpoint, count]) => {
      return { endpoint, before: Math.round(count * kept), after: after?.[endpoint] ?? 0 }
    }),
    prices: null,
    changed: [],
    changedDays: [],
    renamed: [],
  }
}

/**
 * Objections of the guards of a publish. Lost funds are one objection, which covers their documents, rows and objects.
 * @param live null, as the loss, if nothing is live @param strictness limits are divided by it
 * @param today ISO 8601, in Europe/Berlin
 */
export function objectionsTo(
  head: SnapshotFigures,
  live: SnapshotFigures | null,
  loss: Loss | null,
  strictness: number,
  today: string,
): readonly Objection[] {
  return [
    ...futureDate(head.asOf, today),
    ...(live === null || loss === null ? [] : lossesOf(head, live, loss, strictness)),
    ...staleFunds(head, strictness, live),
  ]
}

/** @param asOf of a snapshot @param today ISO 8601, in Europe/Berlin */
export const futureDate = (asOf: string, today: string): readonly Objection[] =>
  asOf <= today
    ? []
    : [objection('future-date', `it is of ${asOf}, and today is ${today}`, [today, asOf, `until ${today}`])]

type Figures = readonly [before: string | number, after: string | number, limit: string | number]

function objection(guard: GuardName, message: string, figures: Figures, subject: string | null = null) {
  const [before, after, limit] = figures
  return { guard, subject, message, figures: { before, after, limit } } satisfies Objection
}

function lossesOf(head: SnapshotFigures, live: SnapshotFigures, loss: Loss, strictness: number) {
  return [
    ...olderThan(head, live),
    ...lostFunds(head, live, loss, strictness),
    ...loss.documents.flatMap((counts) => lostDocuments(counts, strictness)),
    ...lostRows(head, live, loss, strictness),
    ...lostValues(head, live, strictness),
    ...changedPrices(live, loss, strictness),
    ...renamedFunds(live, loss, strictness),
    ...unpricedFunds(head, live, loss, strictness),
    ...deletes(live, loss, strictness),
  ]
}

function olderThan(head: SnapshotFigures, live: SnapshotFigures): Objection[] {
  const found: Objection[] = []
  if (head.asOf < live.asOf) {
    const message = `it is of ${head.asOf}, older than the live one of ${live.asOf}`
    found.push(objection('older', message, [live.asOf, head.asOf, `from ${live.asOf}`]))
  }
  const { newestPrice: newest } = head
  const { newestPrice: before } = live
  if (before !== null && (newest === null || newest < before)) {
    const own = newest === null ? 'it has no price at all' : `its newest price is of ${newest}`
    const message = `${own}, that of the live one is of ${before}`
    found.push(objection('older', message, [before, newest ?? 'none', `from ${before}`]))
  }
  return found
}

/** Funds that merged are no loss. */
function lostFunds(
  { merged = {} }: SnapshotFigures,
  { funds: before }: SnapshotFigures,
  loss: Loss,
  strictness: number,
): Objection[] {
  const isins = loss.isins.filter((isin) => !Object.hasOwn(merged, isin))
  const funds = loss.funds - (loss.isins.length - isins.length)
  const after = before - funds
  // One fund may always be lost, unless it is the last.
  const least = Math.max(1, Math.min(before - 1, leastOf(before, shareOf('lost-funds', strictness))))
  if (funds === 0 || after >= least) return []
  const names = isins.length === 0 ? '' : ` (${listed(isins)})`
  const message = `it lacks ${funds} of ${before} funds${names}, and table corporate_action has no merger of them`
  return [objection('lost-funds', message, [before, after, `at least ${least}`])]
}

/** Fewer funds may always be new. */
const fewestNew = 2

/**
 * Funds of another company, or of a test, are most likely many at once.
 * @param isins of funds that are not live @param strictness limits are divided by it
 */
export function newFunds(
  { successors = [] }: Pick<SnapshotFigures, 'successors'>,
  { funds: before }: Pick<SnapshotFigures, 'funds'>,
  isins: readonly string[],
  strictness: number,
): Objection[] {
  const added = isins.filter((isin) => !successors.includes(isin))
  const most = Math.max(fewestNew - 1, mostOf(before, shareOf('new-funds', strictness)))
  if (added.length <= most) return []
  const message = `it has ${added.length} new funds beside ${before} (${listed(added)}), and table corporate_action has no merger into them`
  return [objection('new-funds', message, [before, before + added.length, `at most ${before + most}`])]
}

/** The least count that no guard refuses. @param share that may be lost */
const leastOf = (expected: number, share: number) => Math.ceil(expected * (1 - share) - 1e-9)

/** The largest count that no guard refuses. @param share that may be affected */
const mostOf = (all: number, share: number) => Math.floor(all * share + 1e-9)

function lostDocuments(
  { endpoint, before, after }: Loss['documents'][number],
  strictness: number,
): Objection[] {
  const least = Math.max(before > 0 ? 1 : 0, leastOf(before, shareOf('lost-documents', strictness)))
  if (after >= least) return []
  const message =
    after === 0
      ? `${endpoint} has no document, the live one has ${before}`
      : `${endpoint} has ${after} documents, the live one ${before}`
  return [objection('lost-documents', message, [before, after, `at least ${least}`], endpoint)]
}

/** A lost fund may have had twice as many rows as the average. */
const rowsOfLostFund = 2

function lostRows(head: SnapshotFigures, live: SnapshotFigures, loss: Loss, strictness: number): Objection[] {
  const after = head.counts?.rows
  if (after === undefined) return []
  const lostShare = loss.funds === 0 ? 0 : Math.min(1, (rowsOfLostFund * loss.funds) / live.funds)
  return Object.entries(live.counts?.rows ?? {}).flatMap(([table, rows]) => {
    const isPrice = table === 'price'
    const explained = isPrice && loss.prices !== null ? loss.prices : rows * lostShare
    const share = shareOf(isPrice ? 'lost-rows:price' : 'lost-rows', strictness)
    const least = Math.max(1, leastOf(rows - explained, share))
    const left = after[table] ?? 0
    // `lostFunds` counts these.
    if (table === 'fund' || rows === 0 || left >= least) return []
    const message =
      left === 0
        ? `the table ${table} is empty, that of the live one has ${rows} rows`
        : `the table ${table} has ${left} rows, that of the live one ${rows}`
    return [objection('lost-rows', message, [rows, left, `at least ${least}`], table)]
  })
}

/** One value of a column may always be lost, and one for each lost row, because `lostRows` counts these. */
function lostValues(head: SnapshotFigures, live: SnapshotFigures, strictness: number): Objection[] {
  const before = live.counts
  const after = head.counts
  return Object.entries(before?.values ?? {}).flatMap(([column, values]) => {
    const [table = ''] = column.split('.')
    const rows = Math.max(0, (before?.rows[table] ?? 0) - (after?.rows[table] ?? 0))
    const least = Math.min(values - 1, leastOf(values, shareOf('column:lost', strictness))) - rows
    // Another version may count other columns.
    const left = after?.values[column] ?? values
    if (left >= least) return []
    const message = `${column} has ${left} values, that of the live one ${values}`
    return [objection('column', message, [values, left, `at least ${least}`], column)]
  })
}

/** One price of each fund may always be corrected, and with it the change of the next price. */
const fewOfEach = 2

function changedPrices(live: SnapshotFigures, loss: Loss, strictness: number): Objection[] {
  const { changed } = loss
  const rows = live.counts?.rows['price']
  const mostChanged = (prices: number) =>
    Math.max(fewPrices, mostOf(prices, shareOf('changed-prices', strictness)))
  const most = rows === undefined ? Infinity : Math.max(fewOfEach * live.funds, mostChanged(rows))
  const sum = changed.reduce((total, { prices }) => total + prices, 0)
  const funds = changed.filter(({ prices, of }) => of !== null && prices > mostChanged(of))
  if (funds.length === 0 && sum <= most) return changedDays(live, loss, strictness)
  const named = (funds.length === 0 ? changed : funds)
    .toSorted((one, other) => other.prices - one.prices)
    .map(({ isin, prices, of }) => `${isin}: ${prices}${of === null ? '' : ` of ${of}`}`)
  const message = `${sum} prices that are live have other values (${listed(named)})`
  const limit = `at most ${Math.max(...funds.map(({ of }) => mostChanged(of ?? 0)))} of a fund`
  const figures: Figures = [rows ?? 'unknown', `${sum} changed`, funds.length > 0 ? limit : `at most ${most}`]
  return [objection('changed-prices', message, figures)]
}

/** Fewer funds may always be corrected on one day. */
const fewestChanged = 3

/** Nobody corrects a company by one day: more funds have today's file under an old day. */
function changedDays({ freshness }: SnapshotFigures, loss: Loss, strictness: number): Objection[] {
  const priced = pricedFunds(freshness)
  const most = Math.max(fewestChanged - 1, mostOf(priced, shareOf('changed-prices:day', strictness)))
  return loss.changedDays
    .filter(({ funds }) => funds > most)
    .map(({ day, funds, first }) => {
      const message = `${funds} of ${priced} funds have other prices on ${day}, which are live (${first.slice(0, namedFunds).join(', ')}${funds > namedFunds ? ` and ${funds - namedFunds} more` : ''}): are these prices of another day?`
      const figures: Figures = [`${priced} priced`, `${funds} changed`, `at most ${most}`]
      return objection('changed-prices', message, figures, day)
    })
}

function renamedFunds({ funds }: SnapshotFigures, { renamed }: Loss, strictness: number): Objection[] {
  const ownerOf = new Map(renamed.map(({ isin, before }) => [before, isin]))
  const exchanged = renamed.flatMap(({ isin, after }) => {
    const owner = ownerOf.get(after)
    return owner === undefined ? [] : [`${isin} that of ${owner}`]
  })
  const most = Math.max(1, mostOf(funds, shareOf('renamed-funds', strictness)))
  if (exchanged.length === 0 && renamed.length <= most) return []
  const all = exchanged.length === 0 ? renamed.map(({ isin }) => isin) : exchanged
  const [message, limit] =
    exchanged.length === 0
      ? [`${all.length} of ${funds} funds have other names (${listed(all)})`, `at most ${most}`]
      : [`${all.length} funds have names that others have live (${listed(all)})`, 'names of their own']
  return [objection('renamed-funds', message, [`${funds} funds`, `${all.length} renamed`, limit])]
}

function unpricedFunds(
  head: SnapshotFigures,
  live: SnapshotFigures,
  loss: Loss,
  strictness: number,
): Objection[] {
  const priced = pricedFunds(head.freshness)
  const before = pricedFunds(live.freshness)
  const least = Math.min(before - 1, leastOf(before, shareOf('lost-funds', strictness))) - loss.funds
  if (priced >= least) return []
  const message = `it has prices of ${priced} funds, the live one of ${before}`
  return [objection('lost-funds', message, [before, priced, `at least ${least}`])]
}

/**
 * Funds with a published price: a fund that lost its price is neither late nor stale. Only an ended or suspended one counts without
 * one, too: what it loses is for the guards of documents and rows.
 */
const pricedFunds = ({ fresh, late, stale, suspended, ended, unwatched }: FreshnessCounts) =>
  fresh + late + stale + suspended + ended + unwatched

type Staleness = SnapshotFigures['freshness']

/** As far as the stalest are named: no more than in the live snapshot, and the same ones. */
function areStaleAlready({ stale, stalest = [] }: Staleness, live: Staleness | undefined): boolean {
  if (live === undefined || stale > live.stale) return false
  const known = new Map(live.stalest?.map(({ isin, newestPrice }) => [isin, newestPrice]))
  return stalest.length > 0 && stalest.every(({ isin, newestPrice }) => known.get(isin) === newestPrice)
}

function deletes({ objects }: SnapshotFigures, loss: Loss, strictness: number): Objection[] {
  const limit = mostOf(objects, shareOf('deletes', strictness))
  if (loss.objects <= limit) return []
  const message = `${loss.objects} objects that are live would be gone, more than ${limit}`
  return [objection('deletes', message, [objects, objects - loss.objects, `at least ${objects - limit}`])]
}

/** @param live its stale funds stop no further night: somebody has allowed them, and the others need their prices */
export function staleFunds(
  { freshness }: Pick<SnapshotFigures, 'freshness'>,
  strictness: number,
  live: Pick<SnapshotFigures, 'freshness'> | null = null,
): Objection[] {
  const share = shareOf('stale-prices', strictness)
  if (!areTooManyStale(freshness, share) || areStaleAlready(freshness, live?.freshness)) return []
  const { fresh, late, stale, stalest = [] } = freshness
  const watched = fresh + late + stale
  const funds = stalest.slice(0, namedFunds).map(({ isin, newestPrice }) => `${isin} of ${newestPrice}`)
  const others = stale - funds.length
  if (others > 0) funds.push(`${others} more`)
  const message = `${describeStale(freshness, share)} (newest prices: ${funds.join(', ')}): get their prices into the database and build again, or say in table fund which funds have ended or are suspended (end_date, suspended_from)`
  const limit = `at most ${mostStale(freshness, share)}`
  return [objection('stale-prices', message, [`${watched} watched`, `${stale} stale`, limit])]
}
