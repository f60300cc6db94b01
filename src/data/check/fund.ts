/**
 * The checks of one fund's rows: every problem, each with the row that has it. What is wrong with a value follows from its
 * column's kind; what is wrong with a row or with several rows has a check of its own. Pure.
 */

import type { FundRow, Group } from '../../api/contract/rows.ts'
import { structureTypes } from '../../api/contract/structure-types.ts'
import { invisibleIn, isFormula, isSuspect, isWebAddress, unfitForXml } from '../../api/contract/texts.ts'
import { isDay, isIsin } from '../../api/routes/values.ts'
import {
  firstDay,
  isWithinDigits,
  lastDay,
  maxNumber,
  maxTextBytes,
  minNumber,
  mostDigits,
} from '../model/limits.ts'
import { printable, quoted } from '../model/printable.ts'
import { groupNames, schemaTables, type SchemaTable, type TableColumn } from '../model/schema.ts'
import type { Fund } from '../read/fund-reader.ts'
import type { Finding } from './finding.ts'

/** Findings of one table of one fund: a column that is wrong throughout must not fill the memory. */
const maxFindings = 1000

/** Costs from here on, 20 %, are most likely percent in a column of fractions. */
const highFraction = 0.2

/** @param asOf the snapshot's date, ISO 8601: no price may be newer, and no date more than 50 years */
export function checkFund(fund: Fund, asOf: string): Finding[] {
  const check = new FundCheck(fund.fund.isin, asOf)
  checkBasics(fund.fund, check)
  check.row(schemaTables.fund, fund.fund, () => '')
  for (const group of groupNames) {
    const table = schemaTables[group]
    const placeOf = places[group] as ((row: object) => string) | undefined
    for (const row of fund[group]) check.row(table, row, () => placeOf?.(row) ?? '')
  }
  checkPriceDates(fund, check)
  checkLegalPeriods(fund, check)
  checkAllocations(fund, check)
  return check.findings()
}

/** What messages call a row, in tables that have several of them for one fund. */
const places: { readonly [G in Group]?: (row: Fund[G][number]) => string } = {
  prices: ({ date }) => `${printable(date)}: `,
  performanceYears: ({ year }) => `${year}: `,
  legalPeriods: ({ label }) => `period ${quoted(label)}: `,
  legalPoints: ({ date }) => `${printable(date)}: `,
  launchPoints: ({ date }) => `${printable(date)}: `,
  structureItems: ({ position, type }) => `item ${position} of type ${printable(type)}: `,
  assetAllocations: ({ position, date, derivatives }) =>
    `class ${position} of ${printable(date)}${derivatives === 1 ? ', with derivatives' : ''}: `,
  keyFigures: ({ position }) => `figure ${position}: `,
}

/**
 * Groups that are warned of for the values of their rows. (Any group is for doubtful texts, and prices for the days of
 * the first and the last of them.)
 */
export const groupsWithWarnings: readonly Group[] = groupNames.filter((group) =>
  schemaTables[group].columns.some(({ kind }) => kind === 'fraction'),
)

const knownTypes = new Set(structureTypes)
const decimalText = /^-?[0-9]+(?:\.[0-9]+)?$/

/** Collects the findings of one fund. */
class FundCheck {
  readonly #isin: string
  readonly asOf: string
  readonly #lastDay: string
  readonly #listed: Finding[] = []
  readonly #unlisted = new Map<string, { readonly finding: Finding; readonly count: number }>()
  readonly #counts = new Map<string, number>()

  constructor(isin: string, asOf: string) {
    this.#isin = isin
    this.asOf = asOf
    this.#lastDay = lastDay(asOf)
  }

  /** A place names the row, with what divides it from the column: `item 3: `. It is made only if something is wrong. */
  row(table: SchemaTable, row: object, place: () => string): void {
    for (const column of table.columns) {
      const value = (row as Readonly<Record<string, unknown>>)[column.field]
      if (typeof value === 'string') this.#text(table, column, value, place)
      else if (typeof value === 'number') this.#number(table, column, value, place)
    }
  }

  #text(
    { name: table, key }: SchemaTable,
    { name, kind, isKey, allowed }: TableColumn,
    value: string,
    place: () => string,
  ) {
    switch (kind) {
      case 'isin':
        if (!isIsin(value))
          this.error(table, `isin ${quoted(value)} is not an ISIN: wrong form or check digit`)
        return
      case 'decimal':
        if (!decimalText.test(value))
          this.error(table, `${place()}${name} ${quoted(value)} is not a plain decimal`)
        else if (!isWithinDigits(value))
          this.error(table, `${place()}${name} ${quoted(value)} has more than ${mostDigits}`)
        return
      case 'day': {
        // The day is what would name the row.
        const label = isKey && key.length === 2 ? `${table} ${name}` : place() + name
        if (!isDay(value)) this.error(table, `${label} ${quoted(value)} is not a date (YYYY-MM-DD)`)
        else if (value < firstDay || value > this.#lastDay)
          this.error(table, `${label} ${value} does not lie between ${firstDay} and ${this.#lastDay}`)
        return
      }
      case 'currency':
        if (!/^[A-Z]{3}$/.test(value)) this.error(table, `${name} ${quoted(value)} is not an ISO 4217 code`)
        return
      case 'structureType':
        if (!knownTypes.has(value)) this.error(table, `${place()}there is no such structure type`)
        break
      case 'dayOfYear':
        if (!isDay(`2000-${value}`))
          this.error(table, `${place()}${name} ${quoted(value)} is not a day of the year (MM-DD)`)
        break
      default:
        if (allowed !== null && !allowed.includes(value))
          this.error(table, `${place()}${name} is ${quoted(value)}, not one of ${allowed.join(', ')}`)
    }
    this.#freeText(table, name, value, place)
  }

  /** No text may hold what XML 1.0 cannot, or be too long. */
  #freeText(table: string, name: string, value: string, place: () => string): void {
    // UTF-8 has up to three bytes for what is one unit here.
    if (value.length > maxTextBytes / 3 && Buffer.byteLength(value) > maxTextBytes) {
      this.error(table, `${place()}${name} has more than ${maxTextBytes} bytes`)
      return
    }
    if (!isSuspect(value)) return
    const bad = unfitForXml(value)
    if (bad !== undefined) {
      this.error(table, `${place()}${name} holds ${bad}, which XML cannot hold`)
      return
    }
    const warn = (what: string) => this.warn(table, `${place()}${name} ${what}, ${quoted(value)}`)
    const hidden = invisibleIn(value)
    if (value.includes('\ufffd')) warn('holds U+FFFD: it was not UTF-8 once')
    if (hidden !== undefined) warn(`holds ${hidden}, which cannot be seen`)
    if (isFormula(value)) warn('is a formula for a spreadsheet')
  }

  #number(
    { name: table }: SchemaTable,
    { name, kind, allowed }: TableColumn,
    value: number,
    place: () => string,
  ) {
    if (kind === 'year') {
      const [first, last] = [firstDay, this.#lastDay].map((day) => Number(day.slice(0, 4)))
      if (value < Number(first) || value > Number(last))
        this.error(table, `year ${value} does not lie between ${first} and ${last}`)
    } else if (allowed !== null) {
      // The schema's CHECK constraints promise it, unless somebody has switched them off.
      if (!allowed.includes(value))
        this.error(table, `${place()}${name} is ${value}, not one of ${allowed.join(', ')}`)
    } else if (!Number.isFinite(value)) {
      this.error(table, `${place()}${name} is infinite`)
    } else if (value !== 0 && (Math.abs(value) >= maxNumber || Math.abs(value) <= minNumber)) {
      this.error(table, `${place()}${name} ${value} is not between ${minNumber} and ${maxNumber}`)
    } else if (kind === 'fraction' && value >= highFraction) {
      const percent = `${Number((value * 100).toFixed(2))} %`
      this.warn(
        table,
        `${place()}${name} is ${value}, that is ${percent}: costs are fractions, 0.0158 is 1.58 %`,
      )
    }
  }

  error(table: string, message: string): void {
    this.#add('error', table, message)
  }

  warn(table: string, message: string): void {
    this.#add('warning', table, message)
  }

  #add(severity: Finding['severity'], table: string, message: string): void {
    const kind = `${severity} ${table}`
    const count = (this.#counts.get(kind) ?? 0) + 1
    this.#counts.set(kind, count)
    const finding = { severity, isin: this.#isin, table, message }
    if (count <= maxFindings) this.#listed.push(finding)
    else this.#unlisted.set(kind, { finding, count: count - maxFindings })
  }

  findings(): Finding[] {
    const counted = [...this.#unlisted.values()].map(({ finding, count }) => ({
      ...finding,
      message: `${count} more of this fund, the last of them: ${finding.message}`,
    }))
    return [...this.#listed, ...counted]
  }
}

function checkBasics({ name, url }: FundRow, check: FundCheck): void {
  if (url !== '' && !isWebAddress(url))
    check.warn('fund', `url ${quoted(url)} does not begin with http:// or https://: it is not given out`)
  if (name.trim() === '') check.warn('fund', 'name is blank: nobody can click on it in a list')
}

function checkPriceDates({ fund, prices }: Fund, check: FundCheck): void {
  const oldest = prices.find(({ date }) => isDay(date))?.date
  if (oldest === undefined) return
  const future = prices.filter(({ date }) => date > check.asOf && isDay(date))
  if (future[0] !== undefined) {
    const count = future.length === 1 ? '1 price lies' : `${future.length} prices lie`
    check.error('price', `${count} after the as-of date ${check.asOf}, the first on ${future[0].date}`)
  }
  if (oldest < fund.inceptionDate && isDay(fund.inceptionDate)) {
    const message = `the first price, of ${oldest}, is older than the fund (${fund.inceptionDate})`
    check.warn('price', `dates out of order: ${message}`)
  }
}

function checkLegalPeriods({ legalPeriods }: Fund, check: FundCheck): void {
  for (const { label, dateFrom, dateRealfrom, dateTo } of legalPeriods) {
    const isLate = (start: string) => isDay(start) && start > dateTo
    if (isDay(dateTo) && [dateFrom, dateRealfrom].some(isLate)) {
      const message = `dates out of order, it ends on ${dateTo}, before it starts`
      check.error('legal_period', `period ${quoted(label)}: ${message}`)
    }
  }
}

/** Two classes of one name on one day would be one member of the document. */
function checkAllocations({ assetAllocations }: Fund, check: FundCheck): void {
  const seen = { de: new Set<string>(), en: new Set<string>() }
  for (const row of assetAllocations) {
    for (const language of ['de', 'en'] as const) {
      const name = language === 'de' ? row.classDe : (row.classEn ?? row.classDe)
      const entry = `${row.derivatives} ${row.date} ${name}`
      if (seen[language].has(entry)) {
        const message = `another class has the same name, ${quoted(name)} (${language})`
        check.error('asset_allocation', `${places.assetAllocations?.(row) ?? ''}${message}`)
      }
      seen[language].add(entry)
    }
  }
}
