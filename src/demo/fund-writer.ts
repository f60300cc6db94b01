/** Writes all rows of one fund into the demo database. */

import type Database from 'better-sqlite3'
import { monthAllocations, type MonthAllocation } from './allocations.ts'
import { dateAt } from './calendar.ts'
import { emt } from './emt.ts'
import type { Instrument } from './instrument.ts'
import { keyFigures } from './key-figures.ts'
import type { Market } from './market.ts'
import { launchPoints, legalPeriods, legalPoints, yearPerformances } from './performance.ts'
import type { Period } from './period.ts'
import { priceHistory, type PriceHistory } from './price-history.ts'
import { priceRows } from './price-rows.ts'
import { profile } from './profile.ts'
import { rowInserter, type Row } from './row-inserter.ts'
import { structureItems } from './structures/structures.ts'

export interface Demo {
  readonly seed: number
  readonly period: Period
  readonly market: Market
}

/** @returns a function that inserts a fund's rows and says how many prices there were */
export function fundWriter(db: Database.Database, demo: Demo): (fund: Instrument) => number {
  const into = {
    fund: rowInserter(db, 'fund', 10),
    price: rowInserter(db, 'price', 12),
    year: rowInserter(db, 'performance_year', 3),
    structureItem: rowInserter(db, 'structure_item', 6),
    keyFigure: rowInserter(db, 'key_figure', 7),
    legalPeriod: rowInserter(db, 'legal_period', 7),
    legalPoint: rowInserter(db, 'legal_point', 3),
    launchPoint: rowInserter(db, 'launch_point', 3),
    profile: rowInserter(db, 'profile', 21),
    allocation: rowInserter(db, 'asset_allocation', 7),
    emt: rowInserter(db, 'emt', 12),
  }
  const { seed, period, market } = demo

  return (fund) => {
    const { isin, place } = fund
    into.fund([fundRow(fund, period)])
    if (place.exception === 'fundRowOnly') return 0
    const history = priceHistory(fund, market, period)
    const months = monthAllocations(seed, fund, period)
    const prices = into.price(priceRows(fund, history, period))
    into.year(yearPerformances(fund, history, period).map(({ year, percent }) => [isin, year, percent]))
    into.structureItem(structureRows(fund, latest(months), period))
    into.legalPeriod(
      legalPeriods(fund, history, period).map((row) => [
        isin,
        row.label,
        row.from,
        row.realFrom,
        row.to,
        row.gross,
        row.net,
      ]),
    )
    into.legalPoint(legalPoints(fund, history, period).map(({ date, value }) => [isin, date, value]))
    into.launchPoint(launchPoints(fund, history, period).map(({ date, value }) => [isin, date, value]))
    if (place.exception === 'withoutFigures') return prices
    into.keyFigure(keyFigureRows(fund, history, latest(months), period))
    into.profile([profileRow(fund, history, period)])
    into.allocation([...allocationRows(isin, months, 0), ...allocationRows(isin, months, 1)])
    into.emt([emtRow(fund, history, period)])
    return prices
  }
}

function fundRow(fund: Instrument, { calendar, status }: Period): Row {
  const { exception, currency } = fund.place
  return [
    fund.isin,
    fund.wkn,
    fund.name,
    dateAt(calendar, fund.inception),
    exception === 'undated' ? null : dateAt(calendar, status),
    `https://www.moewenstein.example/fonds/${fund.isin}`,
    currency,
    exception === 'dataDenied' ? 0 : 1,
    exception === 'pricesDenied' ? 0 : 1,
    exception === 'performanceDenied' ? 0 : 1,
  ]
}

function structureRows(fund: Instrument, assets: MonthAllocation, { calendar, status }: Period): Row[] {
  const year = Number(dateAt(calendar, status).slice(0, 4))
  const randomOf = (topic: string) => fund.randomOf(`structure ${topic}`)
  return structureItems({ fund, assets, year, randomOf }).map(({ type, position, name, percent }) => [
    fund.isin,
    type,
    position,
    name[0],
    name[1] ?? null,
    percent,
  ])
}

function keyFigureRows(
  fund: Instrument,
  history: PriceHistory,
  assets: MonthAllocation,
  period: Period,
): Row[] {
  return keyFigures(fund, history, assets, period).map(({ name, value, value2 }, position) => [
    fund.isin,
    position,
    name[0],
    name[1] ?? null,
    value,
    value2 ?? null,
    value2 === undefined ? 0 : 1,
  ])
}

function profileRow(fund: Instrument, history: PriceHistory, period: Period): Row {
  const row = profile(fund, history, period)
  const purchases = [row.savingsPlan, row.oneTimeInvestment, row.capitalFormingPayments]
  return [
    fund.isin,
    row.categoryDe,
    row.categoryEn,
    row.benchmark,
    row.fundAssets,
    row.totalFundAssets,
    fund.endOfFiscalYear,
    fund.accumulating ? 1 : 0,
    fund.traits.conformity,
    fund.surcharge / 100,
    fund.redemptionFee / 100,
    row.fees.totalExpenseRatio,
    row.fees.managementFee,
    row.fees.custodianBankFee,
    row.performanceFee,
    ...purchases.flatMap(({ possible, minimum }) => [possible, minimum]),
  ]
}

function allocationRows(isin: string, months: readonly MonthAllocation[], derivatives: 0 | 1): Row[] {
  const sharesIn = (month: MonthAllocation) =>
    derivatives === 0 ? month.withoutDerivatives : month.withDerivatives
  return sharesIn(latest(months)).flatMap(({ name }, position) =>
    months.map((month): Row => {
      const hundredths = sharesIn(month)[position]?.hundredths ?? 0
      return [isin, derivatives, position, name[0], name[1] ?? null, month.date, (hundredths || 0) / 100]
    }),
  )
}

function emtRow(fund: Instrument, history: PriceHistory, period: Period): Row {
  const row = emt(fund, history, period)
  const dated = [row.ongoingCosts, row.transactionCosts, row.incidentalCosts]
  return [
    fund.isin,
    row.srri,
    ...dated.flatMap(({ date, costs }) => [date, costs]),
    row.entryCosts,
    row.governanceProcess,
    row.esgPreferences,
    row.otherInvestmentNeed,
  ]
}

function latest(months: readonly MonthAllocation[]): MonthAllocation {
  const month = months.at(-1)
  if (month === undefined) throw new RangeError('no month has ended since the launch')
  return month
}
