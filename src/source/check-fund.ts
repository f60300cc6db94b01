/** The checks of one fund's rows: every problem, each with the row that has it. Pure. */

import { differenceInBusinessDays } from 'date-fns/differenceInBusinessDays'
import { parseISO } from 'date-fns/parseISO'
import type { PriceRow } from '../contract/rows.ts'
import { structureTypes } from '../contract/structure-types.ts'
import { isDay, isIsin } from '../routes/values.ts'
import type { Finding } from './finding.ts'
import { tableOf, type Fund } from './fund-reader.ts'

/** Business days after which a newest price is worth a warning. */
export const staleAfterBusinessDays = 5

/** @param asOf the snapshot's date, ISO 8601: no price may be newer */
export function checkFund(fund: Fund, asOf: string): Finding[] {
  const { isin } = fund.fund
  const findings: Finding[] = []
  const add = (severity: Finding['severity'], table: string, message: string) => {
    findings.push({ severity, isin, table, message })
  }
  const check = rowChecks((table, message) => add('error', table, message))

  if (!isIsin(isin)) add('error', 'fund', 'isin is not an ISIN: wrong form or check digit')
  check.texts('fund', '', fund.fund)
  check.day('fund', 'fund_inception_date', fund.fund.inceptionDate)
  if (fund.fund.statusDate !== null) check.day('fund', 'status_date', fund.fund.statusDate)
  if (!/^[A-Z]{3}$/.test(fund.fund.currency)) {
    add('error', 'fund', `currency ${fund.fund.currency} is not an ISO 4217 code`)
  }

  for (const row of fund.prices) checkPrice(row, check)
  checkPriceDates(fund, asOf, add)

  for (const { year, percent } of fund.performanceYears) {
    if (year < 1000 || year > 9999) add('error', 'performance_year', `year ${year} does not have four digits`)
    check.number('performance_year', `percent of ${year}`, percent)
  }
  for (const row of fund.structureItems) {
    const place = `item ${row.position} of type ${row.type}`
    if (!knownTypes.has(row.type)) add('error', 'structure_item', `${place}: there is no such structure type`)
    check.texts('structure_item', `${place}: `, row)
    check.number('structure_item', `${place}: percent`, row.percent)
  }
  for (const row of fund.keyFigures) check.texts('key_figure', `figure ${row.position}: `, row)
  for (const row of fund.legalPeriods) {
    const place = `period ${row.label}: `
    check.texts('legal_period', place, row)
    const days = [row.dateFrom, row.dateRealfrom, row.dateTo] as const
    const areDays = [
      check.day('legal_period', `${place}date_from`, days[0]),
      check.day('legal_period', `${place}date_realfrom`, days[1]),
      check.day('legal_period', `${place}date_to`, days[2]),
    ].every(Boolean)
    if (areDays && (days[0] > days[2] || days[1] > days[2])) {
      add('error', 'legal_period', `${place}dates out of order, it ends on ${days[2]}, before it starts`)
    }
    if (row.gross !== null) check.number('legal_period', `${place}gross`, row.gross)
    if (row.net !== null) check.number('legal_period', `${place}net`, row.net)
  }
  for (const group of ['legalPoints', 'launchPoints'] as const) {
    for (const { date, value } of fund[group]) {
      check.day(tableOf[group], 'date', date)
      check.number(tableOf[group], `value of ${date}`, value)
    }
  }
  checkProfile(fund, check, add)
  checkAllocations(fund, check, add)
  for (const row of fund.emt) {
    check.texts('emt', '', row)
    check.numbers('emt', row)
    const days = {
      ongoing: row.ongoingCostsDate,
      transaction: row.transactionCostsDate,
      incidental: row.incidentalCostsDate,
    }
    for (const [costs, value] of Object.entries(days))
      if (value !== null) check.day('emt', `${costs}_costs_date`, value)
  }
  return findings
}

const knownTypes = new Set(structureTypes)

type Add = (severity: Finding['severity'], table: string, message: string) => void
type RowChecks = ReturnType<typeof rowChecks>

/** Checks of single values; each reports through `error` and says whether the value is good. */
function rowChecks(error: (table: string, message: string) => void) {
  const day = (table: string, what: string, value: string): boolean => {
    if (isDay(value)) return true
    error(table, `${what} ${printable(value)} is not a date (YYYY-MM-DD)`)
    return false
  }
  const decimal = (table: string, what: string, value: string) => {
    if (!plainDecimal.test(value)) error(table, `${what} ${printable(value)} is not a plain decimal`)
  }
  const number = (table: string, what: string, value: number) => {
    if (!Number.isFinite(value)) error(table, `${what} is infinite`)
  }
  /** Every text of a row: none may hold what XML 1.0 cannot. */
  const texts = (table: string, place: string, row: object) => {
    for (const [name, value] of Object.entries(row)) {
      if (typeof value !== 'string') continue
      const bad = notInXml.exec(value)
      if (bad) {
        const code = (bad[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')
        error(table, `${printable(place)}${columnName(name)} holds U+${code}, which XML cannot hold`)
      }
    }
  }
  const numbers = (table: string, row: object) => {
    for (const [name, value] of Object.entries(row)) {
      if (typeof value === 'number') number(table, columnName(name), value)
    }
  }
  return { day, decimal, number, texts, numbers }
}

const priceColumns = [
  'issuePrice',
  'repurchasePrice',
  'netAssetValue',
  'change',
  'changePercent',
  'performance',
  'intercompanyProfit',
  'shareProfit',
  'realEstateProfits',
  'shareProfit2',
] as const satisfies readonly (keyof PriceRow)[]

function checkPrice(row: PriceRow, check: RowChecks): void {
  check.day('price', 'price date', row.date)
  for (const column of priceColumns) {
    const value = row[column]
    if (value !== null && !plainDecimal.test(value)) {
      check.decimal('price', `${columnName(column)} of ${printable(row.date)}:`, value)
    }
  }
}

function checkPriceDates({ fund, prices }: Fund, asOf: string, add: Add): void {
  const newest = prices.at(-1)
  const oldest = prices[0]
  if (newest === undefined || oldest === undefined) return
  const future = prices.filter(({ date }) => date > asOf && isDay(date))
  if (future[0] !== undefined) {
    const count = future.length === 1 ? '1 price lies' : `${future.length} prices lie`
    add('error', 'price', `${count} after the as-of date ${asOf}, the first on ${future[0].date}`)
  } else if (isDay(newest.date)) {
    const age = differenceInBusinessDays(parseISO(asOf), parseISO(newest.date))
    if (age > staleAfterBusinessDays) {
      add('warning', 'price', `the newest price is of ${newest.date}, ${age} business days before ${asOf}`)
    }
  }
  if (oldest.date < fund.inceptionDate && isDay(oldest.date) && isDay(fund.inceptionDate)) {
    add(
      'warning',
      'price',
      `dates out of order: the first price, of ${oldest.date}, is older than the fund (${fund.inceptionDate})`,
    )
  }
}

function checkProfile({ profile }: Fund, check: RowChecks, add: Add): void {
  for (const row of profile) {
    check.texts('profile', '', row)
    check.numbers('profile', row)
    if (!isDay(`2000-${row.endOfFiscalYear}`)) {
      add(
        'error',
        'profile',
        `end_of_fiscal_year ${printable(row.endOfFiscalYear)} is not a day of the year (MM-DD)`,
      )
    }
    const amounts = {
      fund_assets: row.fundAssets,
      total_fund_assets: row.totalFundAssets,
      savings_plan_minimum: row.savingsPlanMinimum,
      one_time_investment_minimum: row.oneTimeInvestmentMinimum,
      capital_forming_payments_minimum: row.capitalFormingPaymentsMinimum,
    }
    for (const [name, value] of Object.entries(amounts))
      if (value !== null) check.decimal('profile', name, value)
  }
}

function checkAllocations({ assetAllocations }: Fund, check: RowChecks, add: Add): void {
  const seen = { de: new Set<string>(), en: new Set<string>() }
  for (const row of assetAllocations) {
    const place = `class ${row.position} of ${printable(row.date)}${row.derivatives === 1 ? ', with derivatives' : ''}: `
    check.day('asset_allocation', `class ${row.position}: date`, row.date)
    check.texts('asset_allocation', place, row)
    check.number('asset_allocation', `${place}percent`, row.percent)
    for (const language of ['de', 'en'] as const) {
      const name = language === 'de' ? row.classDe : (row.classEn ?? row.classDe)
      const entry = `${row.derivatives} ${row.date} ${name}`
      if (seen[language].has(entry)) {
        add(
          'error',
          'asset_allocation',
          `${place}another class has the same name, ${printable(name)} (${language})`,
        )
      }
      seen[language].add(entry)
    }
  }
}

const plainDecimal = /^-?[0-9]+(?:\.[0-9]+)?$/

const notInXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u

/** The column's name in the schema. */
const columnName = (field: string) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** Text of the database on a line of ours: control characters shown, long text cut. */
export const printable = (value: string) => {
  const shown = JSON.stringify(value).slice(1, -1)
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown
}
