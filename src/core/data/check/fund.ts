/**
 * The checks of one fund's rows: every problem, each with the row that has it. What is wrong with a value follows from its
 * column's kind; what is wrong with a row or with several rows has a check of its own. Pure.
 */

import type { CorporateActionRow } from '../../api/contract/rows.ts'
import { isWebAddress } from '../../api/contract/texts.ts'
import { isDay } from '../../api/routes/values.ts'
import {
  amountFault,
  factorFault,
  lastDay,
  textFaults,
  valueDoubts,
  valueFault,
  wknFault,
} from '../model/limits.ts'
import { quoted } from '../model/printable.ts'
import type { SchemaTable } from '../model/columns.ts'
import { groupNames, schemaTables } from '../model/schema.ts'
import type { Fund } from '../read/fund-reader.ts'
import { rowPlace, type Finding } from './finding.ts'

/** Findings of one table of one fund: a column that is wrong throughout must not fill the memory. */
const maxFindings = 1000

type Report = (severity: Finding['severity'], table: string, message: string) => void

/** @param asOf the snapshot's date, ISO 8601: no price may be newer, no inception more than a year, and no date more than 50 years */
export function checkFund(fund: Fund, asOf: string): Finding[] {
  const { report, findings } = reporter(fund.fund.isin)
  checkBasics(fund, report)
  checkRows(schemaTables.fund, [fund.fund], asOf, report)
  for (const group of groupNames) checkRows(schemaTables[group], fund[group], asOf, report)
  checkPriceDates(fund, asOf, report)
  checkLife(fund, asOf, report)
  const isCurrency = textFaults.currency(fund.fund.currency) === undefined
  checkActions(fund.corporateActions, { ...fund.fund, ...(!isCurrency && { currency: null }) }, report)
  checkLegalPeriods(fund, report)
  checkAllocations(fund, report)
  return findings()
}

/** Checks what the database says of a fund that it has no more. */
export function checkFormerFund(
  isin: string,
  actions: readonly CorporateActionRow[],
  asOf: string,
): Finding[] {
  const { report, findings } = reporter(isin)
  const rows = actions.map((action) => ({ isin, ...action }))
  checkRows(schemaTables.corporateActions, rows, asOf, report)
  checkActions(actions, { isin, currency: null }, report)
  return findings()
}

function reporter(isin: string) {
  const listed: Finding[] = []
  const unlisted = new Map<string, { readonly finding: Finding; readonly count: number }>()
  const counts = new Map<string, number>()
  const report: Report = (severity, table, message) => {
    const kind = `${severity} ${table}`
    const count = (counts.get(kind) ?? 0) + 1
    counts.set(kind, count)
    const finding = { severity, isin, table, message }
    if (count <= maxFindings) listed.push(finding)
    else unlisted.set(kind, { finding, count: count - maxFindings })
  }
  const counted = () =>
    [...unlisted.values()].map(({ finding, count }) => ({
      ...finding,
      message: `${count} more of this fund, the last of them: ${finding.message}`,
      identity: 'more of this fund',
    }))
  return { report, findings: () => [...listed, ...counted()] }
}

type Row = Readonly<Record<string, unknown>>

function checkRows(table: SchemaTable, rows: readonly object[], asOf: string, report: Report): void {
  const { name, key, columns } = table
  const last = lastDay(asOf)
  for (const row of rows as readonly Row[]) {
    for (const column of columns) {
      const value = row[column.field]
      if (typeof value !== 'string' && typeof value !== 'number') continue
      const error = valueFault(column, value, last)
      const warnings = error === undefined ? valueDoubts(column, value) : []
      if (error === undefined && warnings.length === 0) continue
      // A value that names its row is not named twice.
      const place = column.isKey && key.length === 2 ? `${name} ` : placeIn(table, row)
      if (error !== undefined) report('error', name, `${place}${column.name} ${error}`)
      for (const warning of warnings) report('warning', name, `${place}${column.name} ${warning}`)
    }
  }
}

function placeIn({ columns }: SchemaTable, row: Row): string {
  const named = columns.filter(({ isKey, kind }) => isKey && kind !== 'isin')
  return rowPlace(
    named.map(({ name }) => name),
    named.map(({ field }) => row[field]),
  )
}

function checkBasics({ fund: { isin, wkn, name, url } }: Fund, report: Report): void {
  const notWeb = `url ${quoted(url)} does not begin with http:// or https://: it is not given out`
  if (url !== '' && !isWebAddress(url)) report('warning', 'fund', notWeb)
  if (name.trim() === '') report('warning', 'fund', 'name is blank: nobody can click on it in a list')
  const notWkn = wkn === null ? undefined : wknFault(wkn, isin)
  if (notWkn !== undefined) report('warning', 'fund', `wkn ${notWkn}`)
}

function checkPriceDates({ fund, prices }: Fund, asOf: string, report: Report): void {
  const oldest = prices.find(({ date }) => isDay(date))?.date
  if (oldest === undefined) return
  const future = prices.filter(({ date }) => date > asOf && isDay(date))
  if (future[0] !== undefined) {
    const count = future.length === 1 ? '1 price lies' : `${future.length} prices lie`
    report('error', 'price', `${count} after the as-of date ${asOf}, the first on ${future[0].date}`)
  }
  const message = `the first price, of ${oldest}, is older than the fund (${fund.inceptionDate})`
  if (oldest < fund.inceptionDate && isDay(fund.inceptionDate))
    report('warning', 'price', `dates out of order: ${message}`)
}

/** The schema promises the order of a suspension, unless its constraints were switched off. */
function checkLife({ fund, prices }: Fund, asOf: string, report: Report): void {
  const { inceptionDate, endDate, endReason, suspendedFrom, suspendedTo } = fund
  if (endReason !== null && endDate === null) report('error', 'fund', 'an end_reason needs an end_date')
  if (suspendedTo !== null && (suspendedFrom === null || suspendedTo < suspendedFrom))
    report('error', 'fund', `suspended_to is ${quoted(suspendedTo)}, before suspended_from or without it`)
  if (endDate === null || !isDay(endDate)) return
  if (isDay(inceptionDate) && endDate < inceptionDate)
    report('error', 'fund', `dates out of order: it ends on ${endDate}, before it begins (${inceptionDate})`)
  const newest = prices.findLast(({ date }) => date <= asOf && isDay(date))?.date
  if (newest !== undefined && newest > endDate)
    report('warning', 'fund', `end_date ${endDate}: there are prices after it, the newest of ${newest}`)
}

/** Each kind has its fields and no others: the schema promises it, unless its constraints were switched off. */
const fieldsOfKind = new Map<string, readonly string[]>([
  ['distribution', ['amount', 'currency']],
  ['split', ['factor']],
  ['merger', ['successorIsin']],
])

function checkActions(
  actions: readonly CorporateActionRow[],
  fund: Readonly<{ isin: string; currency: string | null }>,
  report: Report,
): void {
  const table = schemaTables.corporateActions
  let mergers = 0
  for (const action of actions) {
    const { kind, amount, currency, factor, successorIsin } = action
    const row: Row = { ...action }
    const faults = table.columns.flatMap(({ name, field, isNullable }) => {
      const isNeeded = fieldsOfKind.get(kind)?.includes(field)
      if (!isNullable || isNeeded === undefined || isNeeded === (row[field] !== null)) return []
      return [`a ${kind} ${isNeeded ? 'needs' : 'has no'} ${name}`]
    })
    const notAmount = amount === null ? undefined : amountFault(amount)
    const notFactor = factor === null ? undefined : factorFault(factor)
    if (notAmount !== undefined) faults.push(`amount ${notAmount}`)
    if (notFactor !== undefined) faults.push(`factor ${notFactor}`)
    if (currency !== null && fund.currency !== null && currency !== fund.currency)
      faults.push(`currency is ${quoted(currency)}, that of the fund ${fund.currency}: convert the amount`)
    if (successorIsin === fund.isin) faults.push('successor_isin is the fund itself')
    if (kind === 'merger' && ++mergers > 1) faults.push('the fund has another merger')
    for (const fault of faults) report('error', table.name, placeIn(table, row) + fault)
  }
}

function checkLegalPeriods({ legalPeriods }: Fund, report: Report): void {
  for (const { label, dateFrom, dateRealfrom, dateTo } of legalPeriods) {
    const isLate = (start: string) => isDay(start) && start > dateTo
    const message = `dates out of order, it ends on ${dateTo}, before it starts`
    if (isDay(dateTo) && [dateFrom, dateRealfrom].some(isLate))
      report('error', 'legal_period', `period ${quoted(label)}: ${message}`)
  }
}

/** Two classes of one name on one day would be one member of the document. */
function checkAllocations({ assetAllocations }: Fund, report: Report): void {
  const seen = new Set<string>()
  for (const row of assetAllocations) {
    const names = { de: row.classDe, en: row.classEn ?? row.classDe }
    for (const [language, name] of Object.entries(names)) {
      const entry = `${language} ${row.derivatives} ${row.date} ${name}`
      if (seen.has(entry)) {
        const place = placeIn(schemaTables.assetAllocations, { ...row })
        const message = `another class has the same name, ${quoted(name)} (${language})`
        report('error', 'asset_allocation', place + message)
      }
      seen.add(entry)
    }
  }
}
