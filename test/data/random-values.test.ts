/** Property: whatever the cells of a database hold, `check` ends with findings, each with its place, and `build` says the same. */
import { copyFileSync, rmSync } from 'node:fs'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { checkDatabase } from '../../src/core/data/check/check.ts'
import { describeAge } from '../../src/core/guards/assess.ts'
import { defaultExpectations } from '../../src/core/guards/plausibility.ts'
import { defaultFreshness, openRules } from '../../src/core/guards/rules.ts'
import { run } from '../cli/run.ts'
import { asOf, goodRows, insertGood, isinOf, makeDatabase, type Value } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { times } from '../support/rounds.ts'

const folder = tempFolder()
const good = folder.file('good.sqlite')
const tables = Object.keys(goodRows)

interface Column {
  readonly table: string
  readonly name: string
  readonly type: 'TEXT' | 'INTEGER' | 'REAL'
}
/** Every column of the schema. */
let columns: readonly Column[] = []

/** Three funds whose rows have neighbours: a wrong day may be the first, the last, or any other. */
beforeAll(() => {
  makeDatabase(good, (insert, db) => {
    for (const isin of [1, 2, 3].map(isinOf)) {
      insertGood(insert, isin)
      for (let number = 1; number <= 40; number++) {
        const date = new Date(Date.UTC(2023, 11, number)).toISOString().slice(0, 10)
        for (const table of ['price', 'launch_point', 'legal_point', 'asset_allocation'])
          if (date !== goodRows[table]?.['date']) insert(table, { isin, ...goodRows[table], date })
      }
      for (let number = 10; number <= 13; number++) {
        insert('performance_year', { isin, ...goodRows['performance_year'], year: 2000 + number })
        for (const table of ['structure_item', 'key_figure'])
          insert(table, { isin, ...goodRows[table], position: number })
      }
    }
    const ofTable = db.prepare<[string], Omit<Column, 'table'>>('SELECT name, type FROM pragma_table_info(?)')
    columns = tables.flatMap((table) => ofTable.all(table).map((column) => ({ table, ...column })))
  })
})

// Some sort before all days, some between two of them, some after all.
const noDays =
  '0000-00-00 20231231 2023-12-32 2023-12-1１ 2024-01-05T00:00 2024-02-30 2024-13-45 99999-01-01'.split(' ')
const oddTexts = ['', ' ', '\u0000', '\u202e', '#REF!', 'NaN', '-', '1e999', '9'.repeat(40), '../x', '\n']
const values: Readonly<Record<Column['type'], fc.Arbitrary<Value>>> = {
  TEXT: fc.oneof(
    fc.constantFrom(...noDays, ...oddTexts),
    fc.string({ unit: 'binary' }),
    fc.double().map(String),
  ),
  INTEGER: fc.oneof(fc.integer(), fc.constantFrom(-1, 0, 1, 1900, 99999, Number.MAX_SAFE_INTEGER)),
  REAL: fc.double({ noNaN: true }),
}

interface Edit extends Pick<Column, 'table' | 'name'> {
  /** The place of the row in its table. */
  readonly row: number
  readonly value: Value
}

/** Some cells, those with days more often than by chance, and what they are to hold. */
function editsOf(most: number): fc.Arbitrary<readonly Edit[]> {
  const cellOf = ({ table, name }: Column, value: fc.Arbitrary<Value>) =>
    fc.record({ table: fc.constant(table), name: fc.constant(name), row: fc.nat(200), value })
  const any = fc.constantFrom(...columns).chain((column) => cellOf(column, values[column.type]))
  const days = columns.filter(({ name }) => name.includes('date'))
  const day = fc.constantFrom(...days).chain((column) => cellOf(column, fc.constantFrom(...noDays)))
  return fc.array(fc.oneof(any, day), { minLength: 1, maxLength: most })
}

/** Makes a copy of the database with these values. What its keys refuse is left out. */
function change(file: string, edits: readonly Edit[]): void {
  copyFileSync(good, file)
  const db = new Database(file)
  db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF')
  for (const { table, name, row, value } of edits) {
    const key = db.prepare<[string], string>('SELECT name FROM pragma_table_info(?) WHERE pk > 0').pluck()
    const names = key.all(table).join(', ')
    const count = db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 1
    const one = `SELECT ${names} FROM ${table} LIMIT 1 OFFSET ${row % count}`
    db.prepare(`UPDATE OR IGNORE ${table} SET ${name} = ? WHERE (${names}) = (${one})`).run(value)
  }
  db.close()
}

const file = folder.file('changed.sqlite')
/** What no operator should read: a stack, or what JavaScript says when nobody has thought of something. */
const raw = /Invalid time|TypeError|RangeError|undefined|\[object|\bat .*:\d+:\d+/

it('check of random values in random cells of every table ends with findings that name their place', async () => {
  const rules = await openRules(defaultFreshness)
  const prices = { expectations: defaultExpectations, rules, live: null }
  const ageProblem = (fund: Parameters<typeof describeAge>[0]) => describeAge(fund, rules, asOf)
  const property = fc.asyncProperty(editsOf(8), async (edits) => {
    change(file, edits)
    const findings = await checkDatabase({ db: file, asOf, ageProblem, prices, hasQuickCheck: false })
    for (const { table, message, isin, severity, guard } of findings) {
      expect(tables).toContain(table)
      expect(message).not.toMatch(raw)
      // A guard may refuse the prices of many funds together.
      if (severity === 'error' && guard === undefined) expect(isin).toEqual(expect.any(String))
    }
  })
  await fc.assert(property, { numRuns: times(800) })
})

it('build refuses what check finds wrong in random cells, in the same words', async () => {
  const property = fc.asyncProperty(editsOf(3), async (edits) => {
    change(file, edits)
    const at = ['--db', file, '--as-of', asOf]
    const checked = await run(['check', ...at], { cwd: folder.path })
    // What a folder holds counts as live.
    rmSync(folder.file('out'), { recursive: true, force: true })
    const built = await run(['build', ...at, '--out', 'out'], { cwd: folder.path })
    expect(checked.stdout + checked.stderr + built.stdout + built.stderr).not.toMatch(raw)
    const errors = checked.stdout.split('\n').filter((line) => line.startsWith('  error'))
    if (checked.code === 0) expect(built).toMatchObject({ code: 0 })
    for (const line of errors) expect(built.stderr).toContain(line)
  })
  await fc.assert(property, { numRuns: times(64) })
})
