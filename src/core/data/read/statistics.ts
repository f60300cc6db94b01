/**
 * Statistics of a fund's rows, for `guards/columns.ts`: what each column holds, in few bytes. A snapshot keeps them beside its
 * documents (`src/core/bucket/keys.md`), so that the next night is compared with what is live without reading its documents.
 */

import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import { isYoungerThanOneYear, mayGiveOutPrices, mayShowPerformance } from '../../api/contract/fund.ts'
import type { FundRow, FundRows, Group } from '../../api/contract/rows.ts'
import { isDay, isIsin } from '../../api/routes/values.ts'
import type { PriceTexts } from '../../guards/figures.ts'
import { endOf } from '../../guards/life.ts'
import { judgeReturns, type ReturnsTable } from '../../guards/returns.ts'
import {
  type Contradiction,
  statisticsFormat,
  type Summary,
  type TableStatistics,
} from '../../guards/statistics.ts'
import type { Permission, SchemaTable, TableColumn } from '../model/columns.ts'
import { schemaTables } from '../model/schema.ts'
import { fundReader, lifeReader } from './fund-reader.ts'

type Row = Readonly<Record<string, unknown>>

/** The values of prices have guards of their own (`guards/plausibility.ts`). The name of a fund begins its line. */
const comparedColumns = ({ name: table, columns }: SchemaTable) =>
  table === schemaTables.prices.name
    ? []
    : columns.filter(({ name, isKey }) => !isKey && !(table === schemaTables.fund.name && name === 'name'))

const tables = Object.entries(schemaTables).map(([group, table]) => {
  const keys = table.columns.filter(({ isKey, name }) => isKey && name !== 'isin')
  const key = keys.find(({ kind }) => kind !== 'day')
  // A key figure that is added moves others to another position: they are known by their name.
  const isPosition = key?.kind === 'integer'
  return {
    group: group as 'fund' | Group,
    name: table.name,
    needs: table.download.needs,
    columns: comparedColumns(table),
    /** Of a table with days, the rows of the newest day count: a month that is added changes no earlier one. */
    day: keys.find(({ kind }) => kind === 'day'),
    slice: isPosition ? table.columns.find(({ kind }) => kind === 'text') : key,
    /** A document is known by its kind, language and country. */
    further: keys.filter((one) => one !== key && one.kind !== 'day' && one.kind !== 'integer'),
  }
})

/** The first line of the file: the columns of each table, in the order of the summaries. */
const headLine = () => {
  const columns = Object.fromEntries(
    tables.map(({ name, columns }) => [name, columns.map((one) => one.name)]),
  )
  const passing = tables.flatMap(({ name: table, columns }) =>
    columns.flatMap(({ name, isPassing }) => (isPassing === true ? [`${table}.${name}`] : [])),
  )
  return `${JSON.stringify({ format: statisticsFormat, columns, passing })}\n`
}

/** Characters of a part: many small ones would lie scattered over memory that threads use meanwhile, and keep twice as much of it. */
const partLength = 1 << 20

/** Gathers the file from the lines of {@link statisticsReader}, by ISIN. */
export function gatherStatistics() {
  const parts: Buffer[] = []
  let text = headLine()
  const flush = () => {
    parts.push(Buffer.from(text))
    text = ''
  }
  return {
    add: (lines: string): void => {
      text += lines
      if (text.length > partLength) flush()
    },
    /** @returns the parts of the file: as a whole, it would take as much again */
    end: (): readonly Buffer[] => {
      if (text !== '') flush()
      return parts
    },
  }
}

/** @param files of shards, in the order of their funds @returns the parts of the file of all of them */
export const mergedStatistics = (files: readonly Buffer[]): readonly Buffer[] => [
  Buffer.from(headLine()),
  ...files.map((file) => file.subarray(file.indexOf('\n') + 1)),
]

/**
 * @param asOf of the snapshot: the performance of younger funds is not given out
 * @param pricesOf reads a fund's prices by day
 * @returns the lines of a fund: who it is, then its tables; '' for a fund whose data may not be given out, or whose ISIN is none
 */
export function statisticsReader(
  db: Database,
  asOf: string,
  pricesOf: (isin: string) => readonly PriceTexts[],
) {
  const reader = fundReader(db)
  const readLife = lifeReader(db)
  const hasPrice = db.prepare<[string], number>('SELECT 1 FROM price WHERE isin = ? LIMIT 1').pluck()
  return (isin: string): string => {
    const fund = reader.fund(isin)
    if (fund?.dataPermitted !== 1 || !isIsin(isin)) return ''
    const mayGiveOut: Readonly<Record<Permission, boolean>> = {
      data: true,
      prices: mayGiveOutPrices(fund),
      performance: mayShowPerformance(fund) && isDay(fund.inceptionDate) && !isYoungerThanOneYear(fund, asOf),
    }
    const given = tables.filter(({ needs }) => mayGiveOut[needs])
    const rows = Object.fromEntries(
      given.map(({ group }) => [
        group,
        group === 'fund' ? [fund] : group === 'prices' ? [] : reader.rows(group, isin),
      ]),
    ) as Partial<FundRows> & { readonly fund?: readonly FundRow[] }
    const returns = mayGiveOut.prices && mayGiveOut.performance ? returnsOf(rows, pricesOf, isin, asOf) : null
    const lines = given.map(({ group, name, columns, day, slice, further }) => {
      // Their number changes each night.
      const own =
        group === 'prices' ? (hasPrice.all(isin) as unknown[]) : ((rows[group] ?? []) as readonly unknown[])
      const { judged, contradictions } =
        (group === 'profile'
          ? judgeAssets(rows.profile ?? [], fund.currency)
          : returns?.[group as ReturnsTable]) ?? notJudged
      const slices =
        columns.length === 0 ? [] : slicesOf(own as readonly Row[], columns, day, { slice, further })
      return [name, own.length, slices, judged, contradictions.map(textsOf)]
    })
    const life = readLife(isin)
    const end = life === undefined ? null : endOf(life)
    return [{ isin, name: fund.name, ...(end !== null && { end }) }, ...lines]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join('')
  }
}

const notJudged = { judged: 0, contradictions: [] }

const textsOf = ({ column, row, came, expected }: Contradiction) => [column, row, came, expected]

function returnsOf(
  rows: Partial<FundRows>,
  pricesOf: (isin: string) => readonly PriceTexts[],
  isin: string,
  asOf: string,
) {
  const { performanceYears = [], legalPeriods = [], legalPoints = [], launchPoints = [] } = rows
  if ([performanceYears, legalPeriods, legalPoints, launchPoints].every(({ length }) => length === 0))
    return null
  const prices = pricesOf(isin).map(([day, , , nav]) => ({ day, nav: Number(nav) }))
  const { corporateActions = [], profile = [] } = rows
  const isAccumulating = profile[0]?.accumulating === 1
  return judgeReturns(
    prices,
    { corporateActions, performanceYears, legalPeriods, legalPoints, launchPoints, isAccumulating },
    asOf,
  )
}

/** All share classes hold at least what one of them holds, in the same currency. */
const assetsTolerance = 1.001

function judgeAssets(
  profiles: FundRows['profile'],
  currency: string,
): Pick<TableStatistics, 'judged' | 'contradictions'> {
  const comparable = profiles.filter(
    ({ totalFundAssetsCurrency }) => (totalFundAssetsCurrency ?? currency) === currency,
  )
  const contradictions = comparable.flatMap(({ fundAssets, totalFundAssets }): Contradiction[] => {
    if (fundAssets === null || !(Number(totalFundAssets) * assetsTolerance < Number(fundAssets))) return []
    const expected = `the share class alone has fund_assets ${fundAssets}`
    return [{ column: 'total_fund_assets', row: '', came: totalFundAssets, expected }]
  })
  return { judged: comparable.length, contradictions }
}

type Packed = readonly [name: string, day: string, ...summaries: Summary[]]

function slicesOf(
  rows: readonly Row[],
  columns: readonly TableColumn[],
  day: TableColumn | undefined,
  { slice, further }: { readonly slice: TableColumn | undefined; readonly further: readonly TableColumn[] },
): readonly Packed[] {
  const nameOf = (row: Row) => {
    if (slice === undefined) return ''
    const value = String(row[slice.field])
    if (slice.kind !== 'text') return `${slice.name} ${value}`
    return [value, ...further.map(({ field }) => String(row[field]))].join(' ').trimEnd()
  }
  const groups = [...Map.groupBy(rows, nameOf)].flatMap(([name, all]) => {
    if (slice?.kind !== 'text') return [{ name, all }]
    return all.map((row, index) => ({ name: index === 0 ? name : `${name} (${index + 1})`, all: [row] }))
  })
  return groups.map(({ name, all }): Packed => {
    const days = day === undefined ? [] : all.map((row) => String(row[day.field]))
    const newest = days.reduce((one, other) => (other > one ? other : one), '')
    const some = day === undefined ? all : all.filter((_, index) => days[index] === newest)
    const valuesOf = ({ field }: TableColumn) => some.map((row) => row[field])
    const shortText = slice === undefined ? textOfRow : textInList
    return [name, newest, ...columns.map((column) => summaryOf(column.kind, valuesOf(column), shortText))]
  })
}

/** Without what no message can show. Readers are told what a fund's only row of a table had, such as its benchmark. */
const textOfRow = /^\P{C}{1,79}$/u
const textInList = /^\P{C}{1,24}$/u
/** 36 bits. */
const digestLength = 6

/** @param values in the order of the rows @returns as {@link Summary} says */
function summaryOf(kind: TableColumn['kind'], values: readonly unknown[], shortText: RegExp): Summary {
  const given = values.filter((value) => value !== null && value !== '')
  if (given.length === 0) return '0|||'
  const [value] = given
  const amount = given.reduce<number>((sum, one) => sum + Math.abs(amountOf(kind, one)), 0)
  const isNumeric = Number.isFinite(amount)
  const sum = isNumeric ? String(Number(amount.toPrecision(12))) : ''
  const host = isNumeric ? '' : hostOf(given)
  const own = values.length === 1 ? String(value) : ''
  return `${given.length}|${sum}|${host}|${shortText.test(own) ? `~${own}` : digestOf(values)}`
}

/** Also of a formatted text (`-1.234,50 %`), where the last mark is that of the decimals; NaN for what is no number. */
function amountOf(kind: TableColumn['kind'], value: unknown): number {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return NaN
  if (kind === 'decimal' || kind === 'number') return Number(value)
  const number = kind === 'text' ? value.replace(/ ?(?:[%€$£]|[A-Z]{3})$/, '') : ''
  const [, sign = '', digits = ''] = /^([-+−]?)(\d[\d.,\s'’]*)$/.exec(number) ?? []
  if (digits === '') return NaN
  const [whole = '', decimals = ''] = /[.,]\d{1,2}$|^\d{1,3}[.,]\d+$/.test(digits)
    ? digits.split(/[.,](?=\d+$)/)
    : [digits]
  const amount = Number(`${whole.replace(/\D/g, '')}.${decimals}`)
  return sign === '' || sign === '+' ? amount : -amount
}

/** Without `www.`; '' unless all are addresses of the web. */
function hostOf(values: readonly unknown[]): string {
  const hosts = values.map((value) => {
    const [, host] = /^https?:\/\/(?:www\.)?([^/?#|\s]{1,253})/i.exec(String(value)) ?? []
    return host?.toLowerCase()
  })
  return hosts.includes(undefined) ? '' : [...new Set(hosts)].sort().slice(0, 3).join()
}

const digestOf = (values: readonly unknown[]) =>
  hash('sha256', JSON.stringify(values), 'base64url').slice(0, digestLength)
