/** Checks of whole tables: across funds, or faster in SQL than row by row. */

import type { Database } from 'better-sqlite3'
import type { Group } from '../../api/contract/rows.ts'
import { addYears } from '../../system/days.ts'
import { printable, printableNumber } from '../model/printable.ts'
import { outlivingRows } from '../model/columns.ts'
import { groupNames, schemaTables } from '../model/schema.ts'
import { distinctIsins, fundReader } from '../read/fund-reader.ts'
import { checkDays } from './days.ts'
import { checkFormerFund } from './fund.ts'
import { generalWarning, rowPlace, type Finding } from './finding.ts'

/** @param asOf the snapshot's date, ISO 8601. Corporate actions that are older than a year are hardly warned of. */
export function checkTables(db: Database, asOf: string): Finding[] {
  return [
    ...noFunds(db),
    ...orphans(db),
    ...formerFunds(db, asOf),
    ...doubtfulActions(db, addYears(asOf, -1)),
    ...groupNames.flatMap((group) => beyond(db, group)),
    ...checkDays(db, asOf),
    ...wrongSums(db, 'structureItems', ['type'], plainTypes, `type IN (${wholeTypes})`),
    ...wrongSums(db, 'assetAllocations', ['derivatives', 'date'], 'derivatives = 0', 'true'),
    ...vanishedTaxFigures(db),
  ]
}

function noFunds(db: Database): Finding[] {
  if (db.prepare('SELECT 1 FROM fund LIMIT 1').get() !== undefined) return []
  const message = 'there is not a single fund: fill the database with `fundpress import`'
  return [{ severity: 'error', isin: null, table: 'fund', message }]
}

function orphans(db: Database): Finding[] {
  return groupNames.flatMap((group) => {
    const table = schemaTables[group].name
    const found = db.prepare<[], string>(
      `${distinctIsins(table)} AND isin NOT IN (SELECT isin FROM fund) AND EXISTS
        (SELECT 1 FROM ${table} AS own WHERE own.isin = held.isin AND NOT (${outlivingRows(schemaTables[group], 'own')}))`,
    )
    const message = (isin: string) => `orphan rows: there is no fund ${printable(isin)}`
    return found
      .pluck()
      .all()
      .map((isin): Finding => ({ severity: 'error', isin, table, message: message(isin) }))
  })
}

function formerFunds(db: Database, asOf: string): Finding[] {
  const { rows } = fundReader(db)
  const isins = db.prepare<[], string>(
    `${distinctIsins('corporate_action')} AND isin NOT IN (SELECT isin FROM fund)`,
  )
  return isins
    .pluck()
    .all()
    .flatMap((isin) => checkFormerFund(isin, rows('corporateActions', isin), asOf))
}

/** Warnings of ex-days without a price, of prices after a merger, of successors that nobody knows, and of other ends. */
function doubtfulActions(db: Database, since: string): Finding[] {
  const table = 'corporate_action'
  const keys = ['ex_date', 'kind']
  const find = (query: string) => db.prepare<[string], Found>(query).all(since)
  const price = (comparison: string) =>
    `EXISTS (SELECT 1 FROM price WHERE price.isin = own.isin AND date ${comparison} own.ex_date)`
  const own = `FROM corporate_action AS own WHERE own.ex_date > ? AND own.kind`
  const unpriced = find(
    `SELECT isin, count(*) AS found, max(ex_date) AS ex_date, kind ${own} <> 'merger'
      AND ${price('<')} AND NOT ${price('=')} AND ${price('>')} GROUP BY isin ORDER BY isin`,
  ).map((row) => warningOf(table, keys, row, 'there is no price of this day, so the next price shows it'))
  const late = find(
    `SELECT isin, 1 AS found, ex_date, kind ${own} = 'merger' AND ${price('>')} ORDER BY isin`,
  ).map((row) => warningOf(table, keys, row, 'there are prices after it'))
  const unknown = find(
    `SELECT isin, 1 AS found, successor_isin ${own} = 'merger' AND successor_isin NOT IN (SELECT isin FROM fund)
      AND NOT EXISTS (SELECT 1 FROM corporate_action AS later WHERE later.isin = own.successor_isin
        AND later.kind = 'merger' AND later.ex_date > own.ex_date) ORDER BY isin`,
  ).map(({ isin, successor_isin: successor = '' }) => {
    const message = `the fund ${isin} merges into ${successor}, and there is no such fund: is it of another company?`
    return generalWarning(message, table)
  })
  const contradicted = find(
    `SELECT isin, 1 AS found, ex_date, kind ${own} = 'merger' AND EXISTS (SELECT 1 FROM fund WHERE fund.isin = own.isin
      AND (end_date < own.ex_date OR (end_date = own.ex_date) <> (end_reason IS 'merged'))) ORDER BY isin`,
  ).map((row) =>
    warningOf(table, keys, row, 'table fund has another end_date or end_reason: the earlier day counts'),
  )
  return [...unpriced, ...late, ...unknown, ...contradicted]
}

/** What derivatives add to a fund can be negative, and more than the fund. */
const plainTypes = "type <> 'correlation' AND type NOT LIKE '%derivatives%' AND type NOT LIKE 'exposure%'"
/** Structures of the whole fund. Others show its largest holdings, or a part of it. */
const wholeTypes = (
  'asset_structure asset_structure_classes business_sectors countries currencies terms funds_categories securities lease_terms ' +
  'industrial_sectors industrial_sectors_stoxx_sector industrial_sectors_stoxx age_groups market_capitalization'
)
  .split(' ')
  .map((type) => `'${type}'`)
  .join(', ')

/** Rows whose figures are no parts of the fund, and so no percentages of it. */
const partsOfFund: Partial<Readonly<Record<Group, string>>> = {
  structureItems: plainTypes,
  assetAllocations: 'derivatives = 0',
}

/** Less than a cent of a percent is an error of rounding. */
const margin = 0.005

/** A warning for each fund and column with unusual figures, with the number of rows. */
function beyond(db: Database, group: Group): Finding[] {
  const { name: table, columns, key } = schemaTables[group]
  const keys = key.slice(1)
  return columns.flatMap(({ name, usual, isUsuallyZero }) => {
    if (usual === undefined) return []
    const [least, most] = usual
    const butZero = isUsuallyZero === true ? `AND ${name} <> 0` : ''
    const rows = db.prepare<[number, number], Found>(
      `SELECT isin, count(*) AS found, ${[...keys, name].join(', ')} FROM ${table}
        WHERE (CAST(${name} AS REAL) < ? OR CAST(${name} AS REAL) > ?) ${butZero} AND ${partsOfFund[group] ?? 'true'}
        GROUP BY isin ORDER BY isin`,
    )
    const found = rows.all(most === Infinity ? least : least - margin, most + margin)
    const what = describe(least, most) + (isUsuallyZero === true ? ' and not 0: fees are percentages' : '')
    const fault = `${name} ${what}`
    return found.map((row) =>
      warningOf(table, keys, row, `${name} ${shownValue(row[name])} ${what}`, { fault }),
    )
  })
}

const shownValue = (value: string | number | undefined) =>
  typeof value === 'number' ? printableNumber(value) : (value ?? '')

type Found = Readonly<Record<string, string | number>> & { readonly isin: string; readonly found: number }

/**
 * @param row the first of those that are found in a fund @param keys columns that name it, beside the ISIN
 * @param fault what stays the same while rows and figures change; absent: each row is a fault of its own
 */
function warningOf(
  table: string,
  keys: readonly string[],
  row: Found,
  what: string,
  { one = 'row', fault }: { readonly one?: string; readonly fault?: string } = {},
): Finding {
  const place = rowPlace(
    keys,
    keys.map((each) => row[each]),
  )
  const others = row.found - 1
  const more = others === 0 ? '' : `, as in ${others} more ${others === 1 ? one : `${one}s`}`
  const identity = fault ?? place + what
  return { severity: 'warning', isin: row.isin, table, message: place + what + more, identity }
}

function describe(least: number, most: number): string {
  if (least === -Infinity) return `is above ${most}`
  if (most === Infinity) return least === 0 ? 'is negative' : `is below ${least}`
  return `does not lie between ${least} and ${most}`
}

/** In percent: rounded shares of a whole seldom sum to 100. */
const leastSum = 95
const mostSum = 101

/**
 * A warning for each fund with lists whose items are no parts of a whole.
 * @param places columns that tell the lists of a fund apart @param where SQL condition for their rows
 * @param isWhole SQL condition for lists that leave nothing out
 */
function wrongSums(db: Database, group: Group, places: readonly string[], where: string, isWhole: string) {
  const { name: table } = schemaTables[group]
  const listed = places.join(', ')
  const rows = db.prepare<[number, number], Found>(
    `SELECT isin, count(*) AS found, ${listed}, items, total FROM (
        SELECT isin, ${listed}, count(*) AS items, sum(percent) AS total FROM ${table}
        WHERE ${where} GROUP BY isin, ${listed}
      ) WHERE total > ? OR (total < ? AND ${isWhole}) GROUP BY isin ORDER BY isin`,
  )
  return rows.all(mostSum + margin, leastSum - margin).map((row) => {
    const total = Number(row['total'])
    const limit = total > mostSum ? `more than ${mostSum} %` : `less than ${leastSum} %`
    const items = row['items'] === 1 ? '1 item has' : `${row['items'] ?? ''} items sum to`
    const found = `${items} ${Number(total.toFixed(2))} %, ${limit}`
    return warningOf(table, places, row, found, { one: 'list', fault: `items sum to ${limit}` })
  })
}

const taxFigures = schemaTables.prices.columns
  .filter(({ money }) => money === 'taxFigure')
  .map(({ name }) => name)
/** The interim profit begins anew at zero, for example after a distribution. */
const lastingFigures = taxFigures.filter((name) => name !== 'intercompany_profit')

/** A warning for each fund whose newest price has no tax figure but zeros, though the price before has another. */
function vanishedTaxFigures(db: Database): Finding[] {
  const isNotZero = (price: string) => (name: string) => `coalesce(CAST(${price}.${name} AS REAL), 0) <> 0`
  const before = (day: string) => `(SELECT max(date) FROM price WHERE isin = fund.isin AND date < ${day})`
  const rows = db.prepare<[], Readonly<Record<'isin' | 'date' | 'dateBefore', string>>>(
    `SELECT fund.isin, newest.date, previous.date AS dateBefore FROM fund
      JOIN price AS newest ON newest.isin = fund.isin AND newest.date = ${before("'~'")}
      JOIN price AS previous ON previous.isin = fund.isin AND previous.date = ${before('newest.date')}
      WHERE coalesce(${taxFigures.map((name) => `newest.${name}`).join(', ')}) IS NOT NULL
        AND NOT (${taxFigures.map(isNotZero('newest')).join(' OR ')})
        AND (${lastingFigures.map(isNotZero('previous')).join(' OR ')}) ORDER BY fund.isin`,
  )
  return rows.all().map(({ isin, date, dateBefore }) => {
    const message = `its tax figures are all zero, those of ${printable(dateBefore)} are not`
    return { severity: 'warning', isin, table: 'price', message: rowPlace(['date'], [date]) + message }
  })
}
