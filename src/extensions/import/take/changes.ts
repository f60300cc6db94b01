/** What the staged rows of a table change in the database, fund by fund, within its transaction. */

import type { Database } from 'better-sqlite3'
import { outlivingRows, type SchemaTable, type TableColumn } from '../../../core/data/model/columns.ts'
import { schemaTables } from '../../../core/data/model/schema.ts'
import { distinctIsins } from '../../../core/data/read/fund-reader.ts'
import type { pricingActions } from '../../../core/data/derive/derived.ts'
import type { FundCharges } from '../../../core/data/derive/charges.ts'
import type { Objection } from '../../../core/guards/guards.ts'
import { inTurn } from '../../../core/system/in-turn.ts'
import type { Scope } from '../readers/reader.ts'
import { nothingDerived, priceDeriver, type History } from './derive.ts'
import { isGone, valueAfter } from './foreseen.ts'
import type { FileCharges } from './left-charges.ts'
import type { StagedTable } from './sink.ts'
import { bitsOf, sameKey, stagedName } from './staging.ts'

export interface ChangeOptions {
  readonly scope: Scope
  readonly isDryRun: boolean
  /** How the NAVs of the files are, if a fund has a split; undefined: it is asked for where it is in doubt. */
  readonly history?: History | undefined
  readonly onFund: (done: number, of: number) => void
  readonly signal: AbortSignal
}

/** Rows of a table. */
export interface Changes {
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  /** Rows that are gone; with a fund also those of other tables. */
  readonly removed: number
}

/** What prices are derived by, as the import leaves it. */
export interface DeriveSources {
  readonly actionsOf: ReturnType<typeof pricingActions>
  readonly chargesOf: (isin: string) => FundCharges
  readonly fileCharges: FileCharges
}

/** @returns what changed and for which funds, what a guard has against it, and what is to be told of derived prices */
export async function changeFunds(
  db: Database,
  { table, always, sometimes, derived, isins, hasGone }: StagedTable,
  { scope, isDryRun, history, onFund, signal }: ChangeOptions,
  sources: DeriveSources,
) {
  const { count, upsert } = prepare(db, table, { always: [...always, ...derived], sometimes })
  const removals = scope !== 'upsert' || hasGone ? removalsOf(db, table, scope) : []
  const deriver =
    derived.length === 0
      ? undefined
      : priceDeriver(db, { columns: derived, scope, isDryRun, history, ...sources })
  const changes = { added: 0, changed: 0, unchanged: 0, removed: 0 }
  const changedFunds: string[] = []
  const all = [...(scope === 'table' ? isinsOutsideOf(db, table) : []), ...isins]
  for await (const isin of inTurn(all, onFund, signal)) {
    deriver?.derive(isin)
    const { added, changed, lines } = count.get({ isin }) ?? { added: 0, changed: 0, lines: 0 }
    changes.added += added
    changes.changed += changed
    changes.unchanged += lines - added - changed
    for (const removal of removals) removeRows(removal, isin, isDryRun)
    if (added + changed === 0) continue
    changedFunds.push(isin)
    if (!isDryRun) upsert.run({ isin })
  }
  deriver?.assertClear()
  for (const { rows } of removals) changes.removed += rows
  const counted = (name: string): number =>
    Number(db.prepare(`SELECT count(*) FROM main.${name}`).pluck().get())
  const before = ({ name, rows }: Removal): number =>
    isDryRun ? counted(name) : counted(name) + rows - (name === table.name ? changes.added : 0)
  return {
    changes,
    // The table of the rows first.
    objections: removals.toReversed().flatMap((removal) => objectionTo(removal, before(removal))),
    derived: deriver?.derived ?? nothingDerived,
    changedFunds,
  }
}

function removeRows(removal: Removal, isin: string, isDryRun: boolean): void {
  const rows = removal.count.get({ isin }) ?? 0
  // As in a first load: what is lost takes longer to count.
  if (rows === 0) return
  removal.rows += rows
  removal.lost += removal.countLost.get({ isin }) ?? 0
  if (!isDryRun) removal.remove.run({ isin })
}

/** An import removes a tenth of a table's rows without being asked, and no fund. */
function objectionTo({ name, lost }: Removal, before: number): Objection[] {
  const limit = name === 'fund' ? 0 : Math.floor(before / 10)
  if (lost <= limit) return []
  const message = `it would remove ${lost} of ${before} rows of table ${name}, more than ${limit}`
  const figures = { before, after: before - lost, limit: before - limit }
  return [{ guard: 'removed-rows', subject: name, message, figures }]
}

const isinsOutsideOf = (db: Database, table: SchemaTable): string[] =>
  db
    .prepare<[], string>(
      `SELECT isin FROM (${distinctIsins(`main.${table.name}`)}) EXCEPT SELECT isin FROM (${distinctIsins(stagedName(table))})`,
    )
    .pluck()
    .all()

/** The statements for one fund. The values of columns that a row does not bring stay. */
function prepare(
  db: Database,
  table: SchemaTable,
  { always, sometimes }: Readonly<Record<'always' | 'sometimes', readonly string[]>>,
) {
  const names = table.columns.map(({ name }) => name)
  const values = names.filter(
    (name) => !table.key.includes(name) && (always.includes(name) || sometimes.includes(name)),
  )
  const own = `main.${table.name}`
  const lines = `${stagedName(table)} AS line`
  const same = sameKey(table)
  const brings = (name: string) => `line.has & ${bitsOf(table, [name])}`
  const differs = values.map((name) =>
    sometimes.includes(name)
      ? `(${brings(name)} AND own.${name} IS NOT line.${name})`
      : `own.${name} IS NOT line.${name}`,
  )
  const valueOf = (name: string) => (sometimes.includes(name) ? valueAfter(table, name) : `line.${name}`)
  const joined = sometimes.length === 0 ? '' : `LEFT JOIN ${own} AS own ON ${same}`
  const excluded = values.map((name) => `${name} = excluded.${name}`).join(', ')
  const isNew = values.map((name) => `found.${name} IS NOT excluded.${name}`).join(' OR ')
  const update = values.length === 0 ? 'NOTHING' : `UPDATE SET ${excluded} WHERE ${isNew}`
  return {
    count: db.prepare<{ isin: string }, Readonly<Record<'lines' | 'added' | 'changed', number>>>(`
      SELECT count(*) AS lines, count(*) FILTER (WHERE own.isin IS NULL) AS added,
        count(*) FILTER (WHERE own.isin IS NOT NULL AND (${differs.join(' OR ') || 'false'})) AS changed
      FROM ${lines} LEFT JOIN ${own} AS own ON ${same} WHERE line.isin = :isin`),
    upsert: db.prepare(`
      INSERT INTO ${own} AS found (${names.join(', ')})
      SELECT ${names.map(valueOf).join(', ')} FROM ${lines} ${joined} WHERE line.isin = :isin
      ON CONFLICT (${table.key.join(', ')}) DO ${update}`),
  }
}

type Removal = ReturnType<typeof removalOf>

/** @param rows `FROM main.name AS own WHERE …`, of one fund @param lost a query for those among them that no new row replaces */
function removalOf(db: Database, name: string, rows: string, lost: string | null) {
  return {
    name,
    /** Removed so far. */
    rows: 0,
    /** Those among them that no new row replaces. */
    lost: 0,
    count: db.prepare<{ isin: string }, number>(`SELECT count(*) ${rows}`).pluck(),
    countLost: db.prepare<{ isin: string }, number>(lost ?? `SELECT count(*) ${rows}`).pluck(),
    remove: db.prepare(`DELETE ${rows}`),
  }
}

/**
 * Deletes the rows that files take back or replace; of a fund that they do not have any more, first the rows of the other tables, but
 * those that stay when their fund is gone.
 */
function removalsOf(db: Database, table: SchemaTable, scope: Scope): readonly Removal[] {
  const staged = stagedName(table)
  const others = Object.values(schemaTables).filter(
    (other) => scope !== 'upsert' && table.name === 'fund' && other !== table,
  )
  const isFundGone = (other: SchemaTable) =>
    `NOT EXISTS (SELECT 1 FROM ${staged} AS line WHERE line.isin = own.isin OR ${outlivingRows(other, 'own')})`
  const removal = (name: string, goes: string, replacing: string | null) =>
    removalOf(db, name, `FROM main.${name} AS own WHERE own.isin = :isin AND ${goes}`, replacing)
  const goes = isGone(table, scope)
  return [
    ...others.map((other) => removal(other.name, isFundGone(other), null)),
    removal(table.name, goes, replacedQuery(table, goes)),
  ]
}

/** Key columns with few values, which say of what sort a row is; the others say which one it is: a day, a year, a position, a label. */
const isOfSort = ({ isKey, kind, allowed }: TableColumn) =>
  isKey && (allowed !== undefined || kind === 'structureType' || kind === 'language' || kind === 'country')

/**
 * A query for the number of a fund's rows that go, beyond the new ones of the same sort: documents of this year replace those of the
 * last one, although their day is a part of the key. Of prices, a new day replaces none.
 * @param goes which of the fund's rows do, as a condition for `own`
 */
function replacedQuery(table: SchemaTable, goes: string): string | null {
  const { name, columns } = table
  const staged = stagedName(table)
  const same = sameKey(table)
  if (name === schemaTables.prices.name) return null
  const sorts = columns.filter(isOfSort).map((column) => column.name)
  const counted = (from: string, other: string, which: string) => {
    const [source = '', alias = ''] = from.split(' ')
    const groups = sorts.length === 0 ? '' : `GROUP BY ${sorts.map((sort) => `${alias}.${sort}`).join(', ')}`
    const named = ['count(*) AS rows', ...sorts.map((sort) => `${alias}.${sort} AS ${sort}`)].join(', ')
    return `(SELECT ${named} FROM ${source} AS ${alias} WHERE ${alias}.isin = :isin AND ${which} AND NOT EXISTS (SELECT 1 FROM ${other} WHERE ${same}) ${groups})`
  }
  const gone = counted(`main.${name} own`, `${staged} AS line`, goes)
  const fresh = counted(`${staged} line`, `main.${name} AS own`, 'true')
  const join = sorts.length === 0 ? 'true' : sorts.map((sort) => `gone.${sort} = fresh.${sort}`).join(' AND ')
  return `SELECT coalesce(sum(max(0, gone.rows - coalesce(fresh.rows, 0))), 0) FROM ${gone} AS gone LEFT JOIN ${fresh} AS fresh ON ${join}`
}
