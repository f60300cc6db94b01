/** Writes all rows of one fund into the demo database. */

import type Database from 'better-sqlite3'
import { allocationRows, latest, monthAllocations } from './allocations.ts'
import { dateAt, type Period } from './calendar.ts'
import { emtRow, keyFigureRows, profileRow } from './figures.ts'
import type { Instrument } from './instrument.ts'
import type { Market } from './market.ts'
import { launchPoints, legalPeriods, legalPoints, yearPerformances } from './performance.ts'
import { priceHistory, priceRows } from './prices.ts'
import { rowInserter, type DemoRow } from './rows.ts'
import { structureRows } from './structures.ts'

export interface Demo {
  readonly seed: number
  readonly period: Period
  readonly market: Market
}

/** @returns a function that inserts the rows of a fund and returns the number of prices */
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
    into.year(yearPerformances(fund, history, period))
    into.structureItem(structureRows(fund, latest(months), period))
    into.legalPeriod(legalPeriods(fund, history, period))
    into.legalPoint(legalPoints(fund, history, period))
    into.launchPoint(launchPoints(fund, history, period))
    if (place.exception === 'withoutFigures') return prices
    into.keyFigure(keyFigureRows(fund, history, latest(months), period))
    into.profile([profileRow(fund, history, period)])
    into.allocation([...allocationRows(isin, months, 0), ...allocationRows(isin, months, 1)])
    into.emt([emtRow(fund, history, period)])
    return prices
  }
}

function fundRow(fund: Instrument, { calendar, status }: Period): DemoRow {
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
