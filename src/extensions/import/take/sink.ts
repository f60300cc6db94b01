/**
 * The one place that checks the rows of all readers, whatever files they come from, and stages them for the transaction. Rows come
 * in any order: whether their fund is there is known at the end.
 */

import type { Database } from 'better-sqlite3'
import { printable, quoted } from '../../../core/data/model/printable.ts'
import type { SchemaTable, TableColumn } from '../../../core/data/model/columns.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { amountFault, factorFault, textFaults, wknFault } from '../../../core/data/model/limits.ts'
import { columnsOf, deriveHint, place as position, setHint } from '../layout.ts'
import { inWholeUnits } from '../minor-units.ts'
import type { Absent, RowSink, TakeRow } from '../readers/reader.ts'
import { convert, emptyValue, isPriceOfNone, isProblem, type Value } from '../values.ts'
import { derivableColumns } from '../../../core/data/derive/figures.ts'
import { chargeOfOffer, offerColumns } from '../../../core/data/derive/offer.ts'
import { dayChecker } from './days.ts'
import { joinRows, type Contradicted, type Difference } from './join-rows.ts'
import { openLeftCharges } from './left-charges.ts'
import {
  bitsOf,
  chargeColumns,
  openKept,
  openStaging,
  stagedCurrency,
  wholeRow,
  type AsideRow,
  type Origin,
  type Place,
  type Said,
  type WholeRow,
} from './staging.ts'

/** What cannot be taken, and why. */
export interface BadRow {
  readonly file: string
  /** `line 12`, or what the reader says. */
  readonly place: string
  readonly reasons: readonly string[]
  /** How many there are for these reasons: a line may have a row for each fund. */
  readonly rows: number
}

/** Rows of one table that are ready for the transaction. */
export interface StagedTable {
  readonly table: SchemaTable
  /** Columns that all of its rows bring. */
  readonly always: readonly string[]
  /** Columns that some of its rows bring. */
  readonly sometimes: readonly string[]
  /** Columns of prices that are computed where a row does not bring them. */
  readonly derived: readonly string[]
  /** Of funds with rows that come or go. */
  readonly isins: readonly string[]
  /** Whether files take rows of the database back. */
  readonly hasGone: boolean
}

/** What a file had for the database. */
export interface FileCounts {
  /** Rows, with the bad ones. */
  readonly rows: number
  /** What the file takes back: keys of rows that go, or a list that another one replaces. They are no rows of the file. */
  readonly gone: number
  readonly bad: number
  /** Rows that say word for word what another one says. */
  readonly repeated: number
  /** Rows that are taken beside another one with their key, which lacks something that they say. */
  readonly completing: number
  /** Rows whose amounts were divided by 100. */
  readonly hundredths: number
  /** Distributions that were added to another one of their day. */
  readonly summed: number
  /** By what is left out. */
  readonly leftOut: ReadonlyMap<string, Counted>
}

interface Counted {
  readonly count: number
  /** The place of the first. */
  readonly first: string
}

export interface SinkOptions {
  /** The file of the database, for the values that its rows keep. */
  readonly database: string
  /** The names of the files, as the command line has them. */
  readonly files: readonly string[]
  readonly isDeriving: boolean
  readonly takesMinorUnits: boolean
  /** Of the funds in the database. */
  readonly currencies: ReadonlyMap<string, string>
  /** The last day that a database may name. */
  readonly lastDay: string
  readonly onBytes: (count: number) => void
  /** Hears of the WKN of each fund in a file. */
  readonly onWkn: (wkn: string, isin: string) => void
}

/** More of them tell nothing new and would fill the memory. */
const maxBad = 1000
const maxLeftOut = 1000

export type Sink = ReturnType<typeof openSink>

/** @param db a connection without a transaction: the staged rows are attached to it */
export function openSink(db: Database, options: SinkOptions) {
  const { database, files, isDeriving, takesMinorUnits, currencies, lastDay } = options
  const staging = openStaging(db)
  const kept = openKept(database)
  const leftCharges = openLeftCharges()
  const counts = files.map(() => fileCounts())
  /** By all that is told of them. */
  const bad = new Map<string, Origin & { readonly reasons: readonly string[]; rows: number }>()
  /** What staged rows bring, by table. */
  const brought = new Map<SchemaTable, Brought>()
  /** Tables of which rows of the database go. */
  const reduced = new Map<SchemaTable, { readonly isDeriving: boolean }>()

  /** Files of cells, to which flags may give values. */
  const plainFiles = new Set<number>()

  /** Lists with a bad row, by table and key. */
  const spoilt = new Map<string, SpoiltList>()

  const countsOf = ({ file }: Pick<Origin, 'file'>) => counts[file] ?? fileCounts()
  const refuse = (origin: Origin, reasons: readonly string[]) => {
    countsOf(origin).bad++
    // Many rows may come from one place: a portfolio, whose fund is unknown.
    const text = `${origin.file} ${origin.place} ${reasons.join('; ')}`
    const found = bad.get(text)
    if (found !== undefined) found.rows++
    else if (bad.size < maxBad) bad.set(text, { ...origin, reasons, rows: 1 })
  }

  const leaveOut = (file: number, what: string, place: Place) => {
    const { leftOut } = countsOf({ file })
    const found = leftOut.get(what) ?? { count: 0, first: '' }
    if (leftOut.size < maxLeftOut) leftOut.set(what, found)
    count(found, place)
  }

  /** Notes what a bad row spoils, if that is known: its list, and what it says of charges. */
  const spoilList = (
    table: SchemaTable,
    valueOf: (column: string) => Value | undefined,
    origin: Origin,
  ): void => {
    const isin = valueOf('isin')
    if (table === schemaTables.profile && typeof isin === 'string') leftCharges.doubt(isin)
    if (!table.key.includes(position)) return
    const columns = table.key.filter((name) => name !== position)
    const values = columns.map((name) => valueOf(name) ?? null)
    const id = [table.name, ...values].join(' ')
    if (!values.includes(null) && !spoilt.has(id)) spoilt.set(id, { table, columns, values, origin })
  }

  /** @returns a function that stages a row and gives its faults */
  const stager = (table: SchemaTable, brings: readonly string[], manner: Manner) => {
    const filled = keyColumnsToFill(table, brings)
    const columns = [...brings, ...filled.map(({ name }) => name)]
    const fillings = filled.map((column) => keyValue(column))
    const shape = shapeOf(table, columns, manner)
    const { stored, derived, lacked, mates, has } = shape
    if (shape.lacksKey) return () => [`it lacks ${lacked.join(', ')}`]
    const readKept =
      lacked.length + mates.length === 0 ? undefined : kept.reader(table, [...lacked, ...mates])
    const ownOf = (key: () => readonly Value[]) =>
      readKept === undefined ? [] : (readKept(key()) ?? noMates)
    const noMates = lacked.length === 0 ? mates.map(() => null) : undefined
    const insert = staging.inserter(table, [...stored, ...derived, ...lacked, ...mates])
    const keyAt = table.key.map((name) => columns.indexOf(name))
    const placeholders = derived.map(() => '0')
    const needs = new Map(matesOf(table).map((one) => [one.column, columns.indexOf(one.needs)]))
    /** Values that the row keeps. Without the day that a column is about, the database loses what it says of it. */
    const keptBeside = (values: readonly Value[], own: readonly Value[], origin: Origin) => {
      const gone = mates.filter((name, at) => {
        const isDayGone = values[needs.get(name) ?? values.length] === null
        return isDayGone && own[lacked.length + at] !== null
      })
      if (gone.length === 0) return { values: own, brings: has }
      for (const name of gone) {
        const day = columns[needs.get(name) ?? columns.length] ?? ''
        leaveOut(origin.file, `${name} of the database, which has no ${day} any more`, origin.place)
      }
      return {
        values: own.map((value, at) => (gone.includes(mates[at - lacked.length] ?? '') ? null : value)),
        brings: has | bitsOf(table, gone),
      }
    }
    /** Leaves the part of a row out, but the charges of a fund. */
    const leaveOutPart = (values: readonly Value[], origin: Origin): void => {
      if (table === schemaTables.profile)
        leftCharges.keep(String(values[columns.indexOf('isin')]), columns, values, origin)
      const what = `a part of a ${table.name} that is not there, as the file lacks ${lacked.join(', ')}`
      leaveOut(origin.file, what, origin.place)
    }
    const unknown = [...lacked, ...mates].map(() => null)
    const wknAt = table === schemaTables.fund ? columns.indexOf('wkn') : -1
    const tellWkn = (values: readonly Value[]) => {
      const wkn = values[wknAt] ?? null
      if (wkn !== null) options.onWkn(String(wkn), String(values[columns.indexOf('isin')]))
    }
    const check = rowCheck(table, columns)
    const declared = columns.map((name) => columnOf(table.name, name))
    const checkDays = dayChecker(declared, lastDay)
    const mayHaveHundredths = takesMinorUnits && columns.includes('currency')
    return (given: readonly Value[], origin: Origin): readonly string[] => {
      const whole = fillings.length === 0 ? given : [...given, ...fillings]
      const { values: inUnits, faults } = mayHaveHundredths
        ? inWholeUnits(declared, whole)
        : { values: whole, faults: none }
      const { values, faults: wrongDays, open } = checkDays(inUnits)
      const wrong = [...faults, ...wrongDays, ...check(values)]
      if (wrong.length > 0) return wrong
      for (const what of open) leaveOut(origin.file, what, origin.place)
      const key = () => keyAt.map((at) => values[at] ?? null)
      const own = ownOf(key)
      if (own === undefined && manner.isPart) {
        leaveOutPart(values, origin)
        return []
      }
      if (inUnits !== whole) countsOf(origin).hundredths++
      if (own === undefined) {
        if (manner.isPlain) plainFiles.add(origin.file)
        insert.aside(origin, has, [...values, ...placeholders, ...unknown])
        addTo(brought, table, shape, has)
        tellWkn(values)
        return []
      }
      const beside = keptBeside(values, own, origin)
      const row = [...values, ...placeholders, ...beside.values]
      const done = insert.row(origin, beside.brings, row)
      if (done.kind === 'refused') return [done.reason]
      if (done.kind === 'repeated') {
        countsOf(origin).repeated++
        return []
      }
      addTo(brought, table, shape, beside.brings)
      tellWkn(values)
      return []
    }
  }
  const sameAs = (table: SchemaTable, { file }: Origin, other: Origin) => {
    const place = placeText(other.place) + (other.file === file ? '' : ` of ${files[other.file] ?? ''}`)
    return `the same ${table.key.join(', ')} as in ${place}`
  }

  /** The sink of one file. @param file its number @param isDerived its prices get the figures that they lack, in any case */
  const sinkOf = (file: number, isDerived = false): RowSink => {
    const ofFile: Manner = {
      absent: 'kept',
      isPart: false,
      isPlain: false,
      isDeriving: isDeriving || isDerived,
    }
    const takerOf = (name: string, columns: readonly string[], manner: Manner): TakeRow => {
      const stage = stager(tableOf(name), columns, manner)
      return (values, place) => {
        countsOf({ file }).rows++
        const faults = stage(values, { file, place })
        if (faults.length === 0) return
        refuse({ file, place }, faults)
        spoilList(tableOf(name), (column) => values[columns.indexOf(column)], { file, place })
      }
    }
    const removerOf = (name: string, columns: readonly string[]): TakeRow => {
      const table = tableOf(name)
      const remove = staging.remover(table, columns)
      return (values) => {
        countsOf({ file }).gone++
        reduced.set(table, ofFile)
        remove(values)
      }
    }
    const badRow: RowSink['bad'] = (place, reasons) => {
      countsOf({ file }).rows++
      refuse({ file, place }, reasons)
    }
    const spoil: RowSink['spoilt'] = (name, values, place) =>
      spoilList(tableOf(name), (column) => values[column], { file, place })
    const badValues = (
      name: string,
      values: Readonly<Record<string, Value>>,
      place: string,
      reasons: readonly string[],
    ) => {
      badRow(place, reasons)
      spoil(name, values, place)
    }
    const tellDerived = (column: string, place: string) =>
      leaveOut(file, `${column} of 0, which is no price: it is derived`, place)
    return {
      spoilt: spoil,
      rowsOf: (name, columns, absent) => takerOf(name, columns, { ...ofFile, absent, isPlain: true }),
      bad: badRow,
      row: byShape(
        (name, columns) => takerOf(name, columns, ofFile),
        badValues,
        takesMinorUnits,
        ofFile.isDeriving ? tellDerived : undefined,
      ),
      part: byShape(
        (name, columns) => takerOf(name, columns, { ...ofFile, isPart: true }),
        badValues,
        takesMinorUnits,
      ),
      gone: byShape(removerOf, badValues, takesMinorUnits),
      leftOut: (what, place) => leaveOut(file, what, place),
      bytes: options.onBytes,
    }
  }

  /** @param staged the currencies of the funds of files @returns why a row of a fund is bad, whatever others say */
  const fundFaults =
    (staged: ReadonlyMap<string, string>) => (table: SchemaTable, isin: string, says: Said) => {
      if (table === schemaTables.fund) return undefined
      const own = staged.get(isin) ?? currencies.get(isin)
      const [column = '', value] = table.outlives ?? []
      if (own === undefined) return says.get(column) === value && column !== '' ? undefined : fundless(isin)
      const named = says.get(stagedCurrency) ?? own
      return named === own ? undefined : inOtherCurrency(String(named), isin, own)
    }

  /** Refuses rows of funds that are neither in the database nor in a file, and prices in another currency than their fund's. */
  const refuseByFund = (table: SchemaTable, staged: ReadonlyMap<string, string>) => {
    const rows = staging.fundless(table)
    const ofOther = brought.get(table)?.hasCurrency === true ? staging.ofOtherCurrency() : undefined
    for (const isin of staging.isinsOf(table)) {
      const own = staged.get(isin) ?? currencies.get(isin)
      if (own === undefined) {
        for (const row of rows.read(isin)) refuse(row, [fundless(isin)])
        rows.remove(isin)
      }
      for (const row of ofOther?.read(isin, own ?? '') ?? [])
        refuse(row, [inOtherCurrency(row.fund_currency ?? '', isin, own ?? '')])
      ofOther?.remove(isin, own ?? '')
    }
  }

  /** Makes one row of those that have one key, or refuses them. */
  const joinAside = (table: SchemaTable, faultOf: (isin: string, says: Said) => string | undefined) => {
    const aside = staging.asideOf(table)
    for (let found = aside.next(); found !== undefined; found = aside.next()) {
      const { key, rows } = found
      const isin = String(key[table.key.indexOf('isin')])
      const { taken, contradicted, faulty, ...counted } = joinRows(table, rows, (says) => faultOf(isin, says))
      const { origins = [], says = new Map<string, Value>() } = taken ?? {}
      const takenOrigins = new Set(origins)
      const own = rows.filter(({ origin }) => takenOrigins.has(origin))
      const whole = wholeRow(own, says)
      const lacked = taken === undefined ? [] : lackedBy(table, whole)
      const refused = aside.settle(key, taken === undefined || lacked.length > 0 ? undefined : whole)
      const reason = lacked.length === 0 ? refused : whyIncomplete(table, key, own, lacked)
      const bad = [
        ...faulty.map(({ origin, fault }) => ({ origin, reason: fault })),
        ...contradicted.map((one) => ({ origin: one.origin, reason: contradicting(table, one) })),
        ...(reason === undefined ? [] : origins.map((origin) => ({ origin, reason }))),
      ]
      for (const { origin, reason: why } of bad) {
        refuse(origin, [why])
        spoilList(table, (column) => key[table.key.indexOf(column)], origin)
      }
      if (table === schemaTables.profile && contradicted.length > 0) leftCharges.contradict(isin)
      for (const name of ['repeated', 'completing', 'summed'] as const)
        for (const origin of counted[name]) countsOf(origin)[name]++
    }
  }
  /** Why a new row cannot be taken, and what would complete it. */
  const whyIncomplete = (
    table: SchemaTable,
    key: readonly Value[],
    rows: readonly AsideRow[],
    lacked: readonly TableColumn[],
  ): string => {
    const names = lacked.map(({ name }) => name)
    const own = new Set(rows.map(({ origin }) => origin.file))
    const flags =
      deriveHint(names) + (rows.some(({ origin }) => plainFiles.has(origin.file)) ? setHint(lacked) : '')
    const file = `; a file with ${[...table.key, ...names].join(', ')} in the same import completes it`
    return (
      `${printable(key.join(', '))} is new, and the file${own.size === 1 ? ' lacks' : 's lack'} ${names.join(', ')}` +
      (flags === '' ? file : flags)
    )
  }
  const contradicting = (table: SchemaTable, { origin, other, difference }: Contradicted) => {
    const same = sameAs(table, origin, other)
    return difference === undefined
      ? `${same}, which another one contradicts`
      : `${same}, ${differing(difference)}`
  }

  /** Refuses rows that name other charges of a fund than others do, also than a whole profile. */
  const refuseContradictedCharges = () => {
    const table = schemaTables.profile
    const read = staging.rowReader(table, chargeColumns)
    const drop = staging.dropper(table)
    const wholes = new Set<Origin>()
    for (const isin of leftCharges.isins()) {
      const whole = read([isin])
      if (whole === undefined) continue
      wholes.add(whole.origin)
      leftCharges.keep(isin, chargeColumns, whole.values, whole.origin)
    }
    for (const { isin, ...one } of leftCharges.contradicted()) {
      refuse(one.origin, [contradicting(table, one)])
      if (wholes.has(one.origin)) drop([isin])
    }
  }

  /**
   * Refuses new prices whose issue or repurchase price would be derived, of funds of which bad rows or fees that differ alone say what they charge: at the NAV
   * it would be a wrong one.
   */
  const refuseInDoubt = () => {
    const table = schemaTables.prices
    if (brought.get(table)?.isDerived !== true) return
    const profileOf = staging.rowReader(schemaTables.profile, ['isin'])
    const priceOf = kept.reader(table, ['date'])
    const drop = staging.dropper(table)
    for (const isin of leftCharges.doubtful()) {
      if (profileOf([isin]) !== undefined || kept.hasCharges(isin)) continue
      const named = leftCharges.of(isin)
      const unknown = offerColumns.filter((name) => !(chargeOfOffer[name] in named))
      const rows = staging
        .uncharged(isin, unknown, leftCharges.isContradicted(isin))
        .filter(({ date }) => priceOf([isin, date]) === undefined)
      const reason = `what fund ${isin} charges is in doubt, by bad rows or fees that differ, so ${unknown.join(' and ')} cannot be derived: correct them, or bring these prices or its row of table profile`
      for (const [file, own] of Map.groupBy(rows, (row) => row.file)) {
        for (const { date } of own) {
          // One message tells them all.
          refuse({ file, place: own[0]?.place ?? '' }, [reason])
          drop([isin, date])
        }
      }
    }
  }

  return {
    sinkOf,
    counts: (file: number): FileCounts => countsOf({ file }),
    /** At most a thousand, in the order of the files and their lines. */
    badRows: (): readonly BadRow[] =>
      [...bad.values()]
        .map(({ file, place, reasons, rows }) => ({
          number: file,
          file: files[file] ?? '',
          place: placeText(place),
          reasons,
          rows,
        }))
        .sort((one, other) => one.number - other.number || byNumbers.compare(one.place, other.place))
        .map(({ file, place, reasons, rows }) => ({ file, place, reasons, rows })),
    /** To be called after the last row. @returns the tables that have any */
    end: (): readonly StagedTable[] => {
      joinAside(schemaTables.fund, () => undefined)
      const ofFunds = staging.currencies()
      const faultOf = fundFaults(ofFunds)
      for (const table of brought.keys()) {
        if (table === schemaTables.fund) continue
        joinAside(table, (isin, says) => faultOf(table, isin, says))
        refuseByFund(table, ofFunds)
      }
      for (const { table, columns, values, origin } of spoilt.values()) {
        if (staging.dropList(table, columns, values) > 0)
          leaveOut(origin.file, 'a list with a bad row: the database keeps its own', origin.place)
      }
      refuseContradictedCharges()
      refuseInDoubt()
      staging.end()
      return Object.values(schemaTables).flatMap((table) => {
        const { all, any, isDerived } =
          brought.get(table) ?? nothingBrought(table, reduced.get(table)?.isDeriving)
        const hasGone = reduced.has(table)
        const isins = [
          ...new Set([...staging.isinsOf(table), ...(hasGone ? staging.isinsGone(table) : [])]),
        ].sort()
        const names = table.columns.map(({ name }) => name)
        const isIn = (bits: number) => (name: string) => (bits & bitsOf(table, [name])) !== 0
        const derived = isDerived ? derivableColumns.filter((name) => !isIn(all)(name)) : []
        const always = names.filter(isIn(all))
        const sometimes = names.filter(
          (name) => isIn(any)(name) && !isIn(all)(name) && !derived.includes(name),
        )
        return isins.length === 0 ? [] : [{ table, always, sometimes, derived, isins, hasGone }]
      })
    },
    fileCharges: leftCharges,
    close: () => kept.close(),
  }
}

interface SpoiltList {
  readonly table: SchemaTable
  /** Of its key, without the position. */
  readonly columns: readonly string[]
  readonly values: readonly Value[]
  /** Of its first bad row. */
  readonly origin: Origin
}

const byNumbers = new Intl.Collator('en', { numeric: true })

/** How rows are taken. */
interface Manner {
  readonly absent: Absent
  /** A row that is new and lacks something is left out. */
  readonly isPart: boolean
  /** Rows of a plain table: flags may complete them. */
  readonly isPlain: boolean
  /** The columns of prices that can be computed are, where rows lack them. */
  readonly isDeriving: boolean
}

interface Brought {
  /** The bits of the columns that all of the rows bring, and those that any does. */
  all: number
  any: number
  isDerived: boolean
  hasCurrency: boolean
}

function addTo(
  brought: Map<SchemaTable, Brought>,
  table: SchemaTable,
  { derived, stored }: Shape,
  has: number,
): void {
  const found = brought.get(table) ?? { all: has, any: 0, isDerived: false, hasCurrency: false }
  brought.set(table, found)
  found.all &= has
  found.any |= has
  found.isDerived ||= derived.length > 0
  found.hasCurrency ||= stored.includes(stagedCurrency)
}

/** Of a table of which rows only go. Later prices are derived again. */
const nothingBrought = (table: SchemaTable, isDeriving = false): Brought => ({
  all: 0,
  any: 0,
  isDerived: isDeriving && table === schemaTables.prices,
  hasCurrency: false,
})

/** Whether a row lacks its issue or its repurchase price, which can be derived. */
const isNoOffer = (column: string, value: Value) =>
  offerColumns.some((offer) => offer === column) && isPriceOfNone(column, value)

/**
 * Takes rows with names of columns. @param takerOf makes what takes the values of rows with the same columns, once
 * @returns a function that converts the values of a row, and refuses those that are wrong
 */
function byShape(
  takerOf: (table: string, columns: readonly string[]) => TakeRow,
  refuse: (
    name: string,
    values: Parameters<RowSink['row']>[1],
    place: string,
    reasons: readonly string[],
  ) => void,
  takesMinorUnits: boolean,
  tellDerived?: (column: string, place: string) => void,
): RowSink['row'] {
  const shapes = new Map<string, { readonly columns: readonly TableColumn[]; readonly take: TakeRow }>()
  return (name, values, place) => {
    const names = Object.keys(values).filter((column) => {
      const isNone = tellDerived !== undefined && isNoOffer(column, values[column] ?? null)
      if (isNone) tellDerived(column, place)
      return !isNone
    })
    const id = `${name} ${names.join()}`
    const shape = shapes.get(id) ?? {
      columns: names.map((column) => columnOf(name, column)),
      take: takerOf(name, names),
    }
    shapes.set(id, shape)
    const converted: Value[] = []
    const faults: string[] = []
    for (const column of shape.columns) {
      const value = convertValue(values[column.name] ?? null, column, takesMinorUnits)
      if (isProblem(value)) faults.push(`${column.name} ${value.reason}`)
      else converted.push(value)
    }
    if (faults.length > 0) refuse(name, values, place, faults)
    else shape.take(converted, place)
  }
}

/** @returns the columns that a row needs and that none of the rows with its key brings */
const lackedBy = (table: SchemaTable, { says, values }: WholeRow): readonly TableColumn[] =>
  table.columns.filter(({ name, isNullable, hasDefault }) => {
    const isNeeded = !isNullable && hasDefault !== true
    return isNeeded && !says.has(name) && (values[name] ?? null) === null
  })

const fileCounts = () => ({
  rows: 0,
  gone: 0,
  bad: 0,
  repeated: 0,
  completing: 0,
  hundredths: 0,
  summed: 0,
  leftOut: new Map<string, { count: number; first: string }>(),
})

function count(counted: { count: number; first: string }, place: Place): void {
  if (counted.count++ === 0) counted.first = placeText(place)
}

const placeText = (place: Place): string => (typeof place === 'number' ? `line ${place}` : place)

const none: readonly string[] = []

const shownValue = (value: Value) => (value === null ? 'empty' : quoted(String(value)))

const differing = ({ column, there, here }: Difference) =>
  `where ${column === stagedCurrency ? 'currency' : column} is ${shownValue(there)}, not ${shownValue(here)}`

const fundless = (isin: string) => `there is no fund ${printable(isin)}`

const inOtherCurrency = (currency: string, isin: string, own: string) =>
  `currency is ${quoted(currency)}, but fund ${isin} is in ${own}`

/** Checks of a row that no value alone can fail. @returns a function that gives its faults */
function rowCheck(table: SchemaTable, columns: readonly string[]) {
  const at = (name: string) => columns.indexOf(name)
  const isinAt = at('isin')
  const wknAt = at('wkn')
  if (table === schemaTables.fund && isinAt >= 0 && wknAt >= 0)
    return (values: readonly Value[]): readonly string[] => {
      const wkn = values[wknAt] ?? null
      const fault = wkn === null ? undefined : wknFault(String(wkn), String(values[isinAt]))
      return fault === undefined ? none : [`wkn ${fault}`]
    }
  if (table === schemaTables.corporateActions)
    return (values: readonly Value[]): readonly string[] =>
      actionFaults(values[at('amount')] ?? null, values[at('factor')] ?? null)
  return () => none
}

function actionFaults(amount: Value, factor: Value): readonly string[] {
  const notAmount = amount === null ? undefined : amountFault(String(amount))
  const notFactor = factor === null ? undefined : factorFault(String(factor))
  return [
    ...(notAmount === undefined ? [] : [`amount ${notAmount}`]),
    ...(notFactor === undefined ? [] : [`factor ${notFactor}`]),
  ]
}

/** Rows of one table with the same columns. */
interface Shape {
  /** The columns as staging has them. */
  readonly stored: readonly string[]
  readonly derived: readonly string[]
  /** Columns that the rows lack and a new row needs: a row that exists keeps its values. */
  readonly lacked: readonly string[]
  /** Columns that the rows lack, and that have to fit others that they bring. */
  readonly mates: readonly string[]
  readonly lacksKey: boolean
  readonly has: number
}

/** Columns that say something of a day in another column, and so are NULL without it. */
const matesOf = (table: SchemaTable) =>
  table === schemaTables.fund
    ? [
        { column: 'end_reason', needs: 'end_date' },
        { column: 'suspended_to', needs: 'suspended_from' },
      ]
    : []

/** Key columns that have a value for rows that name none: the country of a document. */
const keyColumnsToFill = ({ columns }: SchemaTable, given: readonly string[]): readonly TableColumn[] =>
  columns.filter(({ name, isKey, hasDefault }) => isKey && hasDefault === true && !given.includes(name))

function keyValue(column: TableColumn): Value {
  const value = emptyValue(column, '')
  return isProblem(value) ? null : value
}

function shapeOf(table: SchemaTable, columns: readonly string[], { absent, isDeriving }: Manner): Shape {
  const names = table.columns.map(({ name }) => name)
  const given = columns.filter((name) => names.includes(name))
  const computed = isDeriving && table === schemaTables.prices ? derivableColumns : []
  const derived = computed.filter((name) => !given.includes(name))
  const lacked = table.columns.filter(
    ({ name, isNullable, hasDefault }) =>
      !isNullable && hasDefault !== true && !given.includes(name) && !derived.includes(name),
  )
  return {
    stored: columns.map((name) => (name === 'currency' && !given.includes(name) ? stagedCurrency : name)),
    derived,
    lacked: lacked.map(({ name }) => name),
    mates:
      absent === 'emptied'
        ? []
        : matesOf(table).flatMap(({ column, needs }) => {
            const [other, ...both] = [column, needs].filter((name) => !given.includes(name))
            return other === undefined || both.length > 0 ? [] : [other]
          }),
    lacksKey: lacked.some(({ isKey }) => isKey),
    has: bitsOf(table, absent === 'emptied' ? names.filter((name) => !derived.includes(name)) : given),
  }
}

/** @throws {Error} if there is no such table: a fault of the reader, as is the next one */
function tableOf(name: string): SchemaTable {
  const found = Object.values(schemaTables).find((table) => table.name === name)
  if (found === undefined) throw new Error(`the schema has no table ${name}`)
  return found
}

/** The charges of its day that a price may have. */
const chargesOfDay = schemaTables.profile.columns.filter(({ name }) =>
  chargeColumns.some((charge) => charge === name),
)

function columnOf(table: string, name: string): TableColumn {
  const ofDay = table === schemaTables.prices.name ? chargesOfDay : []
  const found = [...columnsOf(tableOf(table)), ...ofDay].find((column) => column.name === name)
  if (found === undefined) throw new Error(`table ${table} has no column ${name}`)
  return found
}

/** A whole number has lost nothing, so it may be an amount, a flag or a year. */
function convertValue(value: Value, column: TableColumn, takesMinorUnits: boolean) {
  const cell = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : (value ?? '')
  const converted = convert(cell, column, { mark: 'point', dates: 'iso', takesMinorUnits })
  // The flags about forms of days are for cells: they would do nothing here.
  const fault = isProblem(converted) && column.kind === 'day' ? textFaults.day(String(cell)) : undefined
  return fault === undefined ? converted : { reason: fault }
}
