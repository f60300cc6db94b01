/** The checks of one fund's rows: every problem, each with the row that has it. Pure. */

import type { Group, PriceRow } from '../contract/rows.ts'
import { isWebAddress } from '../contract/texts.ts'
import { structureTypes } from '../contract/structure-types.ts'
import { isDay, isIsin } from '../routes/values.ts'
import type { Finding } from './finding.ts'
import { tableOf, type Fund } from './fund-reader.ts'
import { firstDay, lastDay } from './limits.ts'
import { printable, quoted } from './printable.ts'
import { columnName, rowChecks, type RowChecks } from './row-checks.ts'

/** The place of a row in a table that has one row a fund. */
const onlyRow = () => ''

/** @param asOf the snapshot's date, ISO 8601: no price may be newer, and no date more than 50 years */
export function checkFund(fund: Fund, asOf: string): Finding[] {
  const check = rowChecks(fund.fund.isin, asOf)
  checkBasics(fund, check)
  for (const row of fund.prices) checkPrice(row, check)
  checkPriceDates(fund, asOf, check)
  checkPerformance(fund, asOf, check)
  checkLegalPeriods(fund, check)
  checkStructure(fund, check)
  checkKeyFigures(fund, check)
  checkProfile(fund, check)
  checkAllocations(fund, check)
  checkEmt(fund, check)
  return check.findings()
}

function checkBasics({ fund }: Fund, check: RowChecks): void {
  const { dataPermitted, pricesPermitted, performancePermitted } = fund
  if (!isIsin(fund.isin))
    check.error('fund', `isin ${quoted(fund.isin)} is not an ISIN: wrong form or check digit`)
  const { name, wkn, url } = fund
  check.texts('fund', onlyRow, { name, wkn, url })
  if (url !== '' && !isWebAddress(url)) {
    const message = `url ${quoted(url)} does not begin with http:// or https://: it is not given out`
    check.add('warning', 'fund', message)
  }
  if (name.trim() === '') check.add('warning', 'fund', 'name is blank: nobody can click on it in a list')
  check.day('fund', onlyRow, 'fund_inception_date', fund.inceptionDate)
  if (fund.statusDate !== null) check.day('fund', onlyRow, 'status_date', fund.statusDate)
  check.oneOf('fund', onlyRow, { dataPermitted, pricesPermitted, performancePermitted }, [0, 1])
  if (!/^[A-Z]{3}$/.test(fund.currency)) {
    check.error('fund', `currency ${quoted(fund.currency)} is not an ISO 4217 code`)
  }
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

/** Named once: there are millions of prices. */
const namedPriceColumns = priceColumns.map((column) => [column, columnName(column)] as const)

function checkPrice(row: PriceRow, check: RowChecks): void {
  check.day('price', onlyRow, 'price date', row.date)
  const place = () => `${printable(row.date)}: `
  for (const [column, name] of namedPriceColumns) {
    const value = row[column]
    if (value !== null) check.decimal('price', place, name, value)
  }
}

function checkPriceDates({ fund, prices }: Fund, asOf: string, check: RowChecks): void {
  const oldest = prices.find(({ date }) => isDay(date))?.date
  if (oldest === undefined) return
  const future = prices.filter(({ date }) => date > asOf && isDay(date))
  if (future[0] !== undefined) {
    const count = future.length === 1 ? '1 price lies' : `${future.length} prices lie`
    check.error('price', `${count} after the as-of date ${asOf}, the first on ${future[0].date}`)
  }
  if (oldest < fund.inceptionDate && isDay(fund.inceptionDate)) {
    const message = `the first price, of ${oldest}, is older than the fund (${fund.inceptionDate})`
    check.add('warning', 'price', `dates out of order: ${message}`)
  }
}

function checkPerformance(fund: Fund, asOf: string, check: RowChecks): void {
  for (const row of fund.performanceYears) {
    const [first, last] = [firstDay, lastDay(asOf)].map((day) => Number(day.slice(0, 4)))
    if (row.year < (first ?? 0) || row.year > (last ?? 0)) {
      check.error('performance_year', `year ${row.year} does not lie between ${first} and ${last}`)
    }
    check.numbers('performance_year', () => `${row.year}: `, row)
  }
  for (const group of ['legalPoints', 'launchPoints'] as const) {
    for (const row of fund[group]) {
      check.day(tableOf[group], onlyRow, 'date', row.date)
      check.numbers(tableOf[group], () => `${printable(row.date)}: `, row)
    }
  }
}

function checkLegalPeriods({ legalPeriods }: Fund, check: RowChecks): void {
  for (const row of legalPeriods) {
    const place = () => `period ${quoted(row.label)}: `
    check.texts('legal_period', place, row)
    check.numbers('legal_period', place, row)
    const hasEnd = check.day('legal_period', place, 'date_to', row.dateTo)
    const starts = [
      { name: 'date_from', date: row.dateFrom },
      { name: 'date_realfrom', date: row.dateRealfrom },
    ].filter(({ name, date }) => check.day('legal_period', place, name, date))
    if (hasEnd && starts.some(({ date }) => date > row.dateTo)) {
      check.error('legal_period', `${place()}dates out of order, it ends on ${row.dateTo}, before it starts`)
    }
  }
}

const knownTypes = new Set(structureTypes)

function checkStructure({ structureItems }: Fund, check: RowChecks): void {
  for (const row of structureItems) {
    const place = () => `item ${row.position} of type ${printable(row.type)}: `
    if (!knownTypes.has(row.type)) check.error('structure_item', `${place()}there is no such structure type`)
    check.texts('structure_item', place, row)
    check.numbers('structure_item', place, row)
  }
}

function checkKeyFigures({ keyFigures }: Fund, check: RowChecks): void {
  for (const row of keyFigures) {
    const place = () => `figure ${row.position}: `
    check.texts('key_figure', place, row)
    check.oneOf('key_figure', place, { hasValue2: row.hasValue2 }, [0, 1])
  }
}

function checkProfile({ profile }: Fund, check: RowChecks): void {
  for (const row of profile) {
    check.texts('profile', onlyRow, row)
    check.numbers('profile', onlyRow, row)
    if (!isDay(`2000-${row.endOfFiscalYear}`)) {
      const found = quoted(row.endOfFiscalYear)
      check.error('profile', `end_of_fiscal_year ${found} is not a day of the year (MM-DD)`)
    }
    const amounts = {
      fund_assets: row.fundAssets,
      total_fund_assets: row.totalFundAssets,
      savings_plan_minimum: row.savingsPlanMinimum,
      one_time_investment_minimum: row.oneTimeInvestmentMinimum,
      capital_forming_payments_minimum: row.capitalFormingPaymentsMinimum,
    }
    for (const [name, value] of Object.entries(amounts)) {
      if (value !== null) check.decimal('profile', onlyRow, name, value)
    }
    const { accumulating, conformity, performanceFee } = row
    const { savingsPlan, oneTimeInvestment, capitalFormingPayments } = row
    const flags = { accumulating, conformity, performanceFee }
    check.oneOf(
      'profile',
      onlyRow,
      { ...flags, savingsPlan, oneTimeInvestment, capitalFormingPayments },
      [0, 1],
    )
  }
}

function checkAllocations({ assetAllocations }: Fund, check: RowChecks): void {
  const seen = { de: new Set<string>(), en: new Set<string>() }
  for (const row of assetAllocations) {
    const derivatives = row.derivatives === 1 ? ', with derivatives' : ''
    const place = () => `class ${row.position} of ${printable(row.date)}${derivatives}: `
    check.day('asset_allocation', () => `class ${row.position}${derivatives}: `, 'date', row.date)
    check.texts('asset_allocation', place, row)
    check.numbers('asset_allocation', place, row)
    check.oneOf('asset_allocation', place, { derivatives: row.derivatives }, [0, 1])
    for (const language of ['de', 'en'] as const) {
      const name = language === 'de' ? row.classDe : (row.classEn ?? row.classDe)
      const entry = `${row.derivatives} ${row.date} ${name}`
      if (seen[language].has(entry)) {
        check.error(
          'asset_allocation',
          `${place()}another class has the same name, ${quoted(name)} (${language})`,
        )
      }
      seen[language].add(entry)
    }
  }
}

/**
 * Groups that are warned of for the values of their rows. (Any group is for doubtful texts, and prices for the days of
 * the first and the last of them.)
 */
export const groupsWithWarnings: readonly Group[] = ['emt']

/** Costs from here on, 20 %, are most likely percent in a column of fractions. */
const highCosts = 0.2

function checkEmt({ emt }: Fund, check: RowChecks): void {
  for (const row of emt) {
    const { ongoingCosts, transactionCosts, incidentalCosts, entryCosts } = row
    for (const [name, value] of Object.entries({
      ongoingCosts,
      transactionCosts,
      incidentalCosts,
      entryCosts,
    })) {
      if (value === null || value < highCosts || !Number.isFinite(value)) continue
      const message = `${columnName(name)} is ${value}, that is ${percent(value)}: costs are fractions, 0.0158 is 1.58 %`
      check.add('warning', 'emt', message)
    }
    const { srri, governanceprocess, otherSpecificInvestmentNeed } = row
    check.texts('emt', onlyRow, row)
    check.numbers('emt', onlyRow, row)
    check.oneOf('emt', onlyRow, { srri }, [1, 2, 3, 4, 5, 6, 7])
    check.oneOf('emt', onlyRow, { governanceprocess }, ['A', 'B', 'C', 'D'])
    check.oneOf('emt', onlyRow, { otherSpecificInvestmentNeed }, ['N', 'I', 'O'])
    const days = {
      ongoing_costs_date: row.ongoingCostsDate,
      transaction_costs_date: row.transactionCostsDate,
      incidental_costs_date: row.incidentalCostsDate,
    }
    for (const [name, value] of Object.entries(days))
      if (value !== null) check.day('emt', onlyRow, name, value)
  }
}

/** With two digits at most: `158 %`. */
const percent = (fraction: number) => `${Number((fraction * 100).toFixed(2))} %`
