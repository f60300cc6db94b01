/**
 * Compares what the tables of a new snapshot hold with what is live, column by column and across funds. It knows no column by
 * name: a new one is compared without a line here. Pure.
 */

import type { GuardName } from './guards.ts'
import { listed } from './loss.ts'
import {
  type Contradiction,
  parseTable,
  type Statistics,
  type Summary,
  type TableStatistics,
} from './statistics.ts'

/** What the comparison has found: an objection if a guard is named, else a warning. */
export interface ColumnDoubt {
  readonly guard: GuardName | null
  /** Of `--allow`; null for a warning. */
  readonly subject: string | null
  /** Null for what many funds show together. */
  readonly isin: string | null
  readonly table: string
  readonly message: string
}

/** The limits of this file. A share is a share of the funds that have the value in both snapshots. */
export const columnLimits = {
  /** Fewer funds may always change alike. */
  fewestFunds: 5,
  /** More than this share is most. */
  mostShare: 0.5,
  /** So many have one value: all do, but for the odd one. */
  allShare: 0.9,
  /** The least power of ten that tells another unit: a market may make most returns ten times as large. */
  leastPower: 2,
  /** In powers of ten: values that grew by less than 41 % otherwise show the power. */
  powerTolerance: 0.15,
  /** Natural logarithm of a factor that funds with different values have in common: half as much again, or a third less. */
  leastFactor: 0.4,
  /** The same where all have one value: a company may cut a fee, or halve a minimum. */
  leastCommonFactor: 0.9,
  /** The same for the difference of a fund's factor from the common one. */
  factorTolerance: 0.005,
  /** Fewer values among funds are too few to tell whose they are. */
  distinctShare: 0.5,
  /** In the unit of the column: values of years that are over are settled, but for their rounding. */
  settledTolerance: 0.5,
  /** Fewer funds may always contradict their prices, or change what was settled. */
  fewestContradicting: 3,
  /** Warnings that name a fund, of each table; the rest is counted. */
  named: 10,
} as const

const { fewestFunds, mostShare, allShare, named } = columnLimits

interface Compared {
  readonly table: string
  readonly isin: string
  readonly portfolio: string
  readonly before: TableStatistics
  readonly after: TableStatistics
}

type IsMost = (count: number, of: number) => boolean

/** Nearly all are most, however low the strictness is. */
const nearlyAll = 0.95

/**
 * @param strictness the share of the funds that are most is divided by it
 * @returns nothing for a snapshot whose tables are those that are live, whatever they hold
 */
export function compareColumns(
  live: Statistics,
  next: Statistics,
  strictness: number,
): readonly ColumnDoubt[] {
  const share = Math.min(nearlyAll, mostShare / strictness)
  const isMost: IsMost = (count, of) => count > of * share + 1e-9
  const portfolioOf = portfolios(live, next)
  return Object.keys(next.columns).flatMap((table) => {
    // No change, no doubt. Most nights change few tables, and those of all funds at a time take memory.
    if (!isChanged(live, next, table)) return []
    const all = comparedTables(live, next, table, portfolioOf)
    const both = all.filter(({ before, after }) => before.rows > 0 && after.rows > 0)
    const exchanged = exchangedTable(table, both, isMost)
    const columns = (next.columns[table] ?? []).flatMap((column, after) => {
      const before = live.columns[table]?.indexOf(column) ?? -1
      const isCompared = before !== -1 && !next.passing.has(`${table}.${column}`)
      return isCompared ? [{ column, at: { before, after } }] : []
    })
    return onceEach([
      ...lostTables(table, all),
      ...exchanged,
      ...columns.flatMap(({ column, at }) =>
        doubtsAboutColumn(table, column, valuesOf(both, at), exchanged.length > 0, isMost),
      ),
      ...settledValues(table, columns, both, isMost),
      ...contradictions(table, all, isMost),
    ])
  })
}

const noRows: TableStatistics = { rows: 0, slices: [], judged: 0, contradictions: [] }

/** One permission covers a column: its first objection tells enough. */
const onceEach = (doubts: readonly ColumnDoubt[]) =>
  doubts.filter(
    ({ guard, subject }, index) =>
      guard === null || doubts.findIndex((one) => one.guard === guard && one.subject === subject) === index,
  )

const isChanged = (live: Statistics, next: Statistics, table: string): boolean =>
  [...next.funds].some(([isin, { lineOf }]) => lineOf(table) !== live.funds.get(isin)?.lineOf(table))

/** A table of the funds of the next snapshot that may be given out; a fund that is new had no rows. */
function comparedTables(
  live: Statistics,
  next: Statistics,
  table: string,
  portfolioOf: ReadonlyMap<string, string>,
): readonly Compared[] {
  return [...next.funds].flatMap(([isin, { lineOf }]): Compared[] => {
    const line = lineOf(table)
    const after = parseTable(line)
    if (after === undefined) return []
    const old = live.funds.get(isin)?.lineOf(table)
    const before = old === line ? after : (parseTable(old) ?? noRows)
    // Rows of a new fund are compared with nothing: on a first night, those of all funds would stay in memory.
    const kept = before === noRows ? { ...after, slices: [] } : after
    return [{ table, isin, portfolio: portfolioOf.get(isin) ?? isin, before, after: kept }]
  })
}

/** Share classes of one portfolio have its assets in common. @returns the assets of each fund that has any, by ISIN */
function portfolios({ columns, funds }: Statistics, next: Statistics): ReadonlyMap<string, string> {
  const at = columns['profile']?.indexOf('total_fund_assets') ?? -1
  const found = [...next.funds.keys()].flatMap((isin) => {
    const assets = parseTable(funds.get(isin)?.lineOf('profile'))?.slices[0]?.summaries[at]
    return assets === undefined || !(sumOf(assets) > 0) ? [] : [[isin, assets] as const]
  })
  return new Map(found)
}

/** The last rows of a table are counted by `lost-rows`, and the documents that many funds lose by `lost-documents`. */
function lostTables(table: string, all: readonly Compared[]): ColumnDoubt[] {
  const lost = all.filter(({ before, after }) => before.rows > 0 && after.rows === 0)
  if (all.every(({ after }) => after.rows === 0)) return []
  return warningsOf(
    table,
    lost.map(({ isin, before }) => ({
      isin,
      message: `its ${before.rows === 1 ? 'row is' : `${before.rows} rows are`} gone, and the fund has no other`,
    })),
  )
}

/** The summaries of a slice of a column, of each fund that has the slice in both snapshots. */
interface Value {
  readonly isin: string
  readonly portfolio: string
  readonly slice: string
  readonly before: Summary
  readonly after: Summary
}

function valuesOf(both: readonly Compared[], at: Readonly<Record<'before' | 'after', number>>) {
  return both.flatMap(({ isin, portfolio, before, after }) => {
    const old = new Map(before.slices.map(({ name, summaries }) => [name, summaries[at.before]]))
    return after.slices.flatMap(({ name, summaries }): Value[] => {
      const was = old.get(name)
      const is = summaries[at.after]
      return was === undefined || is === undefined
        ? []
        : [{ isin, portfolio, slice: name, before: was, after: is }]
    })
  })
}

/** One doubt for a column: that of the first slice which has one, with the number of the others. */
function doubtsAboutColumn(
  table: string,
  column: string,
  values: readonly Value[],
  isExchanged: boolean,
  isMost: IsMost,
): ColumnDoubt[] {
  const slices = [...Map.groupBy(values, ({ slice }) => slice)].filter(
    ([, some]) => some.length >= fewestFunds && some.some(({ before, after }) => before !== after),
  )
  const found = slices.flatMap(([slice, some]) => {
    const doubt =
      lostValues(some, isMost) ??
      equalForAll(some, isMost) ??
      emptied(some, isMost) ??
      scaled(some, isMost) ??
      otherHost(some, isMost) ??
      (isExchanged ? null : exchangedValues(some, isMost))
    return doubt === null ? [] : [{ slice, ...doubt }]
  })
  const [first] = found
  if (first === undefined) return isExchanged ? [] : mixedUp(table, column, values, isMost)
  const of = first.slice === '' ? '' : ` of ${first.slice}`
  const more = found.length === 1 ? '' : `, and ${found.length - 1} more of this column alike`
  const subject = `${table}.${column}`
  const message = `${table}.${column}${of}: ${first.message}${more}`
  return [{ guard: 'column', subject, isin: null, table, message }]
}

interface Doubt {
  readonly message: string
}

/** Covered by the same permission as the values that a publish counts. */
function lostValues(some: readonly Value[], isMost: IsMost): Doubt | null {
  const had = some.filter(({ before }) => countOf(before) > 0)
  const lost = had.filter(({ after }) => countOf(after) === 0)
  if (had.length < fewestFunds || !isMost(lost.length, had.length)) return null
  return { message: `${shareOf(lost, had)} have no value any more${examples(lost)}` }
}

function equalForAll(some: readonly Value[], isMost: IsMost): Doubt | null {
  const [common, holders] = mostCommon(some, 'after')
  const [, former] = mostCommon(some, 'before')
  const changed = holders.filter(({ before }) => before !== common)
  // Zero has a rule of its own, and days of many funds are often the same.
  const isOfNoUse = countOf(common) === 0 || sumOf(common) === 0 || isDayIn(common)
  const areAll = holders.length >= allShare * some.length
  const wereAll = former.length >= allShare * some.length
  if (
    isOfNoUse ||
    !areAll ||
    wereAll ||
    !isMost(changed.length, some.length) ||
    !areMany(changed, some, isMost)
  )
    return null
  return {
    message: `${shareOf(holders, some)} have the same value, and they differed before${examples(changed)}`,
  }
}

function mostCommon(some: readonly Value[], side: 'before' | 'after'): readonly [Summary, readonly Value[]] {
  const groups = [...Map.groupBy(some, (value) => value[side])]
  return groups.reduce((one, other) => (other[1].length > one[1].length ? other : one))
}

function emptied(some: readonly Value[], isMost: IsMost): Doubt | null {
  const had = some.filter(({ before }) => sumOf(before) > 0)
  const zero = had.filter(({ after }) => sumOf(after) === 0)
  const isUsual = had.length >= fewestFunds && isMost(had.length, some.length)
  if (!isUsual || !isMost(zero.length, had.length)) return null
  return { message: `${shareOf(zero, had)} have 0${examples(zero)}` }
}

function scaled(some: readonly Value[], isMost: IsMost): Doubt | null {
  const changed = some.flatMap((value) => {
    const ratio = sumOf(value.after) / sumOf(value.before)
    return ratio > 0 && Number.isFinite(ratio) && ratio !== 1 ? [{ ...value, factor: Math.log(ratio) }] : []
  })
  if (changed.length < fewestFunds || !isMost(changed.length, some.length)) return null
  const factors = changed.map(({ factor }) => factor).sort((one, other) => one - other)
  const middle = factors[Math.floor(factors.length / 2)] ?? 0
  const power = Math.round(middle / Math.LN10)
  const ofPower = changed.filter(
    ({ factor }) =>
      Math.abs(power) >= columnLimits.leastPower &&
      Math.abs(factor / Math.LN10 - power) <= columnLimits.powerTolerance,
  )
  const near = changed.filter(({ factor }) => Math.abs(factor - middle) <= columnLimits.factorTolerance)
  const least = differ(near, isMost) ? columnLimits.leastFactor : columnLimits.leastCommonFactor
  const found = [ofPower, Math.abs(middle) < least ? [] : near].find((alike) => areMany(alike, some, isMost))
  if (found === undefined) return null
  const times = found === ofPower ? timesOf(power) : Math.exp(middle).toPrecision(3)
  return {
    message: `${shareOf(found, some)} have about ${times} times the value that is live${examples(found)}`,
  }
}

/** Share classes of one portfolio that had the same value are one witness. */
function areMany(some: readonly Value[], all: readonly Value[], isMost: IsMost): boolean {
  const witnesses = (values: readonly Value[]) =>
    new Set(values.map(({ portfolio, before }) => `${portfolio} ${before}`)).size
  return witnesses(some) >= fewestFunds && isMost(witnesses(some), witnesses(all))
}

const differ = (some: readonly Value[], isMost: IsMost) =>
  some.length > 0 && !isMost(mostCommon(some, 'before')[1].length, some.length)

const timesOf = (power: number) => (power > 0 ? String(10 ** power) : `1/${10 ** -power}`)

function otherHost(some: readonly Value[], isMost: IsMost): Doubt | null {
  const had = some.filter(({ before, after }) => hostOf(before) !== '' && hostOf(after) !== '')
  const moved = had.filter(({ before, after }) => hostOf(before) !== hostOf(after))
  if (had.length < fewestFunds || !isMost(moved.length, had.length)) return null
  return { message: `${shareOf(moved, had)} have addresses on another host${examples(moved, hostOf)}` }
}

/** The values are the same as before, but for few, and most funds have one of another fund. */
function exchangedValues(some: readonly Value[], isMost: IsMost): Doubt | null {
  const before = Map.groupBy(some, (value) => value.before)
  const after = Map.groupBy(some, (value) => value.after)
  const changed = some.filter((value) => value.before !== value.after)
  const kept = [...after].reduce((sum, [text, all]) => {
    return sum + Math.min(all.length, before.get(text)?.length ?? 0)
  }, 0)
  const isTelling = before.size >= columnLimits.distinctShare * some.length
  const areSame = kept >= allShare * some.length
  if (!isTelling || !areSame || !isMost(changed.length, some.length)) return null
  return {
    message: `${shareOf(changed, some)} have the value that another fund has live${examples(changed)}`,
  }
}

/** Rows of many funds under the ISIN of another one. */
function exchangedTable(table: string, both: readonly Compared[], isMost: IsMost): ColumnDoubt[] {
  const whole = both.map(({ isin, before, after }) => {
    return { isin, before: JSON.stringify(before.slices), after: JSON.stringify(after.slices) }
  })
  const ownerOf = new Map(whole.map(({ isin, before }) => [before, isin]))
  const isTelling = ownerOf.size >= columnLimits.distinctShare * whole.length
  const taken = whole.filter(({ before, after }) => before !== after && ownerOf.has(after))
  if (!isTelling || taken.length < fewestFunds || !isMost(taken.length, whole.length)) return []
  const pairs = taken.map(({ isin, after }) => `${isin} those of ${ownerOf.get(after) ?? ''}`)
  const message = `${table}: ${shareOf(taken, whole)} have the rows that another fund has live (${listed(pairs)})`
  return [{ guard: 'column', subject: table, isin: null, table, message }]
}

/**
 * Most texts changed, and funds that shared a text do so no more: no rename explains that. A warning, since the texts may be
 * right, as after a new classification.
 */
function mixedUp(table: string, column: string, values: readonly Value[], isMost: IsMost): ColumnDoubt[] {
  const changed = values.filter(({ before, after }) => before !== after)
  const isText = values.every(
    ({ slice, after }) => slice === '' && sumText(after) === '' && hostOf(after) === '' && !isDayIn(after),
  )
  if (!isText || values.length < fewestFunds || !isMost(changed.length, values.length)) return []
  const torn = [...Map.groupBy(values, ({ before }) => before).values()].filter(
    (group) => new Set(group.map(({ after }) => after)).size > 1,
  )
  const funds = torn.flat()
  if (funds.length < fewestFunds) return []
  const message = `${table}.${column}: ${shareOf(changed, values)} have another value, and funds that shared one share none now${examples(changed)}`
  return [{ guard: null, subject: null, isin: null, table, message }]
}

/** Values of years before a fund's newest one: nothing that happens changes them. */
function settledValues(
  table: string,
  columns: readonly { readonly column: string; readonly at: Readonly<Record<'before' | 'after', number>> }[],
  both: readonly Compared[],
  isMost: IsMost,
): ColumnDoubt[] {
  return columns.flatMap(({ column, at }) => {
    const values = valuesOf(both, at).filter(({ slice }) => /^year \d{4}$/.test(slice))
    const funds = [...Map.groupBy(values, ({ isin }) => isin)].flatMap(([isin, some]) => {
      const newest = some.reduce((last, { slice }) => (slice > last ? slice : last), '')
      const changed = some.filter(
        ({ slice, before, after }) =>
          slice !== newest &&
          Math.abs(Number(readable(after)) - Number(readable(before))) > columnLimits.settledTolerance,
      )
      return some.length === 1 ? [] : [{ isin, changed }]
    })
    return doubtOfFunds(
      { table, column, of: funds.length, what: 'have other values of years that are over' },
      funds.flatMap(({ isin, changed: [first, ...more] }) => {
        if (first === undefined) return []
        const { slice, before, after } = first
        const message = `${column} of ${slice}: ${changeOf(readable(before), readable(after))}`
        return [{ isin, message: message + asMore(more.length) }]
      }),
      isMost,
    )
  })
}

/** How a fund has done: its prices tell, and a figure that contradicts them is refused as a price is. */
const refusedTables: readonly string[] = ['performance_year', 'legal_period', 'legal_point', 'launch_point']

/**
 * Finds figures that contradict others of the same fund, and did not before. A fund whose live figures mostly do so is computed in
 * another way, as without distributions.
 */
function contradictions(table: string, all: readonly Compared[], isMost: IsMost): ColumnDoubt[] {
  const judged = all.filter(({ after }) => after.judged > 0)
  const usual = judged.filter(({ before }) => before.contradictions.length * 2 <= before.judged)
  const found = usual.flatMap(({ isin, before, after }) => {
    const known = new Set(before.contradictions.map(nameOf))
    const news = after.contradictions.filter((one) => !known.has(nameOf(one)))
    const [first] = news
    if (first === undefined) return []
    const message = described(first) + asMore(news.length - 1)
    return [
      {
        isin,
        message,
        column: first.column,
        isOfFigure: news.some(({ row }) => isOther(row, before, after)),
      },
    ]
  })
  const column = found[0]?.column ?? ''
  return doubtOfFunds(
    { table, column, of: judged.length, what: 'have values that contradict other ones' },
    found,
    isMost,
    () => {
      const isRefused = ({ isOfFigure }: (typeof found)[number]) =>
        isOfFigure && refusedTables.includes(table)
      return [
        ...found
          .filter(isRefused)
          .map(({ isin, message }) => ({ guard: 'figure', subject: isin, isin, table, message }) as const),
        ...warningsOf(
          table,
          found.filter((one) => !isRefused(one)),
        ),
      ]
    },
  )
}

/** Whether a figure is new, or another than the live one. Else its prices are: guards of prices look at them. */
function isOther(row: string, before: TableStatistics, after: TableStatistics): boolean {
  const ofRow = ({ slices }: TableStatistics) =>
    slices.find(({ name }) => name === row || name === `year ${row}`)
  const own = ofRow(after)
  if (own !== undefined) return JSON.stringify(own) !== JSON.stringify(ofRow(before))
  // Of a line only the newest point is known.
  return before.rows !== after.rows || JSON.stringify(before.slices) !== JSON.stringify(after.slices)
}

interface OfFund {
  readonly isin: string
  readonly message: string
}

interface Fault {
  readonly table: string
  readonly column: string
  /** Number of funds that may have it. */
  readonly of: number
  readonly what: string
}

/** An objection if most funds have the fault, else one doubt about each. */
function doubtOfFunds(
  { table, column, of, what }: Fault,
  funds: readonly OfFund[],
  isMost: IsMost,
  ofEach = (): ColumnDoubt[] => warningsOf(table, funds),
): ColumnDoubt[] {
  if (funds.length < columnLimits.fewestContradicting || !isMost(funds.length, of)) return ofEach()
  const named = listed(funds.map(({ isin, message }) => `${isin}: ${message}`))
  const message = `${table}.${column}: ${funds.length} of ${of} funds ${what} (${named})`
  return [{ guard: 'column', subject: `${table}.${column}`, isin: null, table, message }]
}

const asMore = (count: number) => (count === 0 ? '' : `, and ${count} more of its rows alike`)

const nameOf = ({ column, row }: Contradiction) => `${column} ${row}`

const described = ({ column, row, came, expected }: Contradiction) =>
  `${column} ${came}${row === '' ? '' : ` of ${row}`}, but ${expected}`

/** The first ones by name, and how many more there are. */
function warningsOf(table: string, warnings: readonly OfFund[]): ColumnDoubt[] {
  const more = warnings.length - named
  return warnings.slice(0, named).map(({ isin, message }, index) => {
    const counted = more > 0 && index === named - 1 ? `, as in ${more} more funds` : ''
    return { guard: null, subject: null, isin, table, message: message + counted }
  })
}

const shareOf = (some: readonly unknown[], all: readonly unknown[]) => `${some.length} of ${all.length} funds`

const examples = (some: readonly Value[], read = readable) =>
  ` (${listed(some.map(({ isin, before, after }) => `${isin}: ${changeOf(read(before), read(after))}`))})`

const changeOf = (before: string, after: string) =>
  before === after ? 'changed' : `${before} before, ${after} now`

/** Parts of a summary. */
const partsOf = (summary: Summary) => {
  const [values = '', sum = '', host = '', ...text] = summary.split('|')
  return { values, sum, host, text: text.join('|') }
}
const isDayIn = (summary: Summary) => /\|~\d{4}-\d\d-\d\d$/.test(summary)
const countOf = (summary: Summary) => Number(partsOf(summary).values)
const sumText = (summary: Summary) => partsOf(summary).sum
/** NaN if the values are no numbers. */
const sumOf = (summary: Summary) => {
  const sum = sumText(summary)
  return sum === '' ? NaN : Number(sum)
}
const hostOf = (summary: Summary) => partsOf(summary).host

/** The value, as far as a summary tells it. */
function readable(summary: Summary): string {
  const { values, sum, host, text } = partsOf(summary)
  if (values === '0') return 'nothing'
  if (text.startsWith('~')) return text.slice(1)
  if (sum !== '') return `${values} values with the sum ${sum}`
  return host === '' ? 'another' : host
}
