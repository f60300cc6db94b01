/** `fundpress check`: every problem of a fund database. */

import { setImmediate } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import type { Group } from '../../api/contract/rows.ts'
import { checkFund } from './fund.ts'
import { checkPrices, type PriceChecks } from './prices.ts'
import { checkStructure } from './structure.ts'
import { generalWarning, rowPlace, type Finding } from './finding.ts'
import {
  distinctIsins,
  fundReader,
  readIsins,
  readPriceDays,
  type FundPriceDays,
} from '../read/fund-reader.ts'
import { damageIn, databaseError, openFunds, refuseDamage } from '../read/open.ts'
import { printable } from '../model/printable.ts'
import { groupNames, schemaTables } from '../model/schema.ts'

export interface CheckOptions {
  readonly db: string
  /** The snapshot's date, ISO 8601. */
  readonly asOf: string
  /** Whether SQLite checks the file's pages first; true unless given. */
  readonly hasQuickCheck?: boolean
  /** What is wrong with the age of a fund's newest price, or null. `guards/` decides it. */
  readonly ageProblem?: (fund: FundPriceDays) => string | null
  /** What the settings name and no fund has. `guards/` decides it. */
  readonly settingsProblems?: (funds: readonly FundPriceDays[]) => readonly string[]
  /** How to check the plausibility of prices; it is not checked unless given. */
  readonly prices?: PriceChecks
  readonly onFund?: (done: number, of: number) => void
  readonly signal?: AbortSignal
}

/**
 * All findings, by fund. Opens the database read-only, in one read transaction.
 * @throws {Error} if the database cannot be read at all (missing, damaged, another schema), or if it is aborted
 */
export async function checkDatabase(options: CheckOptions): Promise<readonly Finding[]> {
  const { db: file, asOf, ageProblem, settingsProblems, prices, onFund, signal } = options
  const db = openFunds(file)
  try {
    db.exec('BEGIN')
    if (options.hasQuickCheck !== false) refuseDamage(file, damageIn(db))
    const structureFindings = checkStructure(db)
    if (structureFindings.length > 0) return structureFindings
    const findings = checkTables(db)
    const reader = fundReader(db)
    const isins = readIsins(db)
    const funds = readPriceDays(db, isins, 1)
    for (const [index, priced] of funds.entries()) {
      const { isin } = priced
      const fund = reader.read(isin)
      if (fund !== undefined) findings.push(...checkFund(fund, asOf))
      const message = ageProblem?.(priced) ?? null
      if (message !== null) findings.push({ severity: 'warning', isin, table: 'price', message })
      onFund?.(index + 1, funds.length)
      await setImmediate()
      signal?.throwIfAborted()
    }
    if (prices !== undefined) findings.push(...(await checkPrices(db, isins, prices)))
    return [
      ...(settingsProblems?.(funds) ?? []).map((message) => generalWarning(message, 'settings')),
      ...findings,
    ]
  } catch (error) {
    throw databaseError(file, error)
  } finally {
    db.close()
  }
}

/** Finds what no single fund's rows show, or what SQL finds faster than a look at every row. */
export function checkTables(db: Database): Finding[] {
  const orphans = groupNames.flatMap((group) => {
    const table = schemaTables[group].name
    const found = db.prepare<[], string>(`${distinctIsins(table)} AND isin NOT IN (SELECT isin FROM fund)`)
    const isins = found.pluck().all()
    const message = (isin: string) => `orphan rows: there is no fund ${printable(isin)}`
    return isins.map((isin): Finding => ({ severity: 'error', isin, table, message: message(isin) }))
  })
  return [...noFunds(db), ...orphans, ...percents.flatMap((one) => implausiblePercents(db, ...one))]
}

function noFunds(db: Database): Finding[] {
  if (db.prepare('SELECT 1 FROM fund LIMIT 1').get() !== undefined) return []
  const message = 'there is not a single fund: fill the database with `fundpress import`'
  return [{ severity: 'error', isin: null, table: 'fund', message }]
}

const fees = ['issueSurcharge', 'redemptionFee', 'totalExpenseRatio', 'managementFee', 'custodianBankFee']
/** Transaction costs can be negative: they are measured against the price when the order was given. */
const costs = ['ongoingCosts', 'incidentalCosts', 'entryCosts']
/** What derivatives add to a fund can be negative, and more than the fund. */
const plainTypes = "type <> 'correlation' AND type NOT LIKE '%derivatives%' AND type NOT LIKE 'exposure%'"

/** Columns with figures from 0 to `most`, by the fields of rows, and an SQL condition for the rows that it holds for. */
type Percents = readonly [group: Group, fields: readonly string[], most: number, where: string]
const percents: readonly Percents[] = [
  ['profile', fees, 100, 'true'],
  // `checkFund` warns of a cost of 20 % or more as one that is most likely no fraction.
  ['emt', costs, Infinity, 'true'],
  ['structureItems', ['percent'], 100, plainTypes],
  ['assetAllocations', ['percent'], 100, 'derivatives = 0'],
]

/** Less than a cent of a percent is an error of rounding. */
const margin = 0.005

/** A warning for each fund and column, with the number of rows. */
function implausiblePercents(db: Database, ...[group, fields, most, where]: Percents): Finding[] {
  const { name: table, columns, key } = schemaTables[group]
  const keys = key.slice(1)
  return columns
    .filter(({ field }) => fields.includes(field))
    .flatMap(({ name }) => {
      const rows = db.prepare<[number, number], Readonly<Record<string, string | number>> & { isin: string }>(
        `SELECT isin, count(*) AS found, ${[...keys, name].join(', ')} FROM ${table}
          WHERE (${name} < ? OR ${name} > ?) AND ${where} GROUP BY isin ORDER BY isin`,
      )
      return rows.all(most === Infinity ? 0 : -margin, most + margin).map((row): Finding => {
        const place = rowPlace(
          keys,
          keys.map((each) => row[each]),
        )
        const limits = most === Infinity ? 'is negative' : `does not lie between 0 and ${most}`
        const others = Number(row['found']) - 1
        const more = others === 0 ? '' : `, as in ${others} more ${others === 1 ? 'row' : 'rows'}`
        const message = `${place}${name} ${row[name] ?? ''} ${limits}${more}`
        return { severity: 'warning', isin: row.isin, table, message }
      })
    })
}
