/**
 * Databases with one wrong bit, wherever it is: refused in one line that names the file and a way out, or read as what they
 * are. A bit of a value is not damage that anybody could see; whatever is built then has just that value.
 */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { asOf, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { times } from '../support/rounds.ts'
import { snapshotId } from '../support/tree.ts'

const folder = tempFolder()
const pageSize = 4096
let sound: Buffer
let soundRows: ReadonlyMap<string, readonly string[]>
let soundSnapshot: string

beforeAll(async () => {
  const file = folder.file('sound.sqlite')
  makeDatabase(file, (insert) => {
    for (let fund = 0; fund < 3; fund++) {
      // Guards refuse funds whose NAV stays.
      insertGood(insert, isinOf(fund), { price: { change: '-0.50', change_percent: '-0.50' } })
      for (let day = 150; day >= 1; day--) {
        const date = new Date(Date.UTC(2024, 4, 2 - day)).toISOString().slice(0, 10)
        const row = { ...goodRows['price'], date, net_asset_value: '100.50', change: `${day}.25` }
        insert('price', { isin: isinOf(fund), ...row })
      }
    }
  })
  sound = readFileSync(file)
  soundRows = rowsIn(file)
  await build('sound.sqlite')
  // Made of the digests of all documents: the same id, the same bytes.
  soundSnapshot = snapshotId(folder.file('out-sound.sqlite'))
})

const here = { cwd: folder.path }
const quick = '--no-pages --no-downloads --jobs 1 --quiet'
const build = (db: string) => run(`build --db ${db} --out out-${db} --as-of ${asOf} ${quick}`, here)
const check = (db: string, flags = '') => run(`check --db ${db} --as-of ${asOf}${flags}`, here)

/** Every row of every table, as SQLite reads it from the first to the last. */
function rowsIn(file: string): ReadonlyMap<string, readonly string[]> {
  const db = new Database(file, { readonly: true })
  try {
    const read = (table: string) => {
      const all = db.prepare<[], unknown[]>(`SELECT * FROM ${table}`).raw().all()
      return all.map((row) => row.map(String).join('\t'))
    }
    return new Map(Object.keys(goodRows).map((table) => [table, read(table)]))
  } finally {
    db.close()
  }
}

/** The rows that are not as they were: of a table with more or fewer rows, all. */
function changedRows(rows: ReadonlyMap<string, readonly string[]>): number {
  let changed = 0
  for (const [table, before] of soundRows) {
    const after = rows.get(table) ?? []
    if (after.length !== before.length) return Infinity
    changed += after.filter((row, index) => row !== before[index]).length
  }
  return changed
}

/** A bit, as likely of the first bytes of a page, where its cells are listed, as of all others. */
const bits = fc.record({
  page: fc.nat(),
  at: fc.oneof(fc.nat({ max: 40 }), fc.nat({ max: pageSize - 1 })),
  bit: fc.nat({ max: 7 }),
})

const numRuns = times(80, 20)

it('refuses one wrong bit with a clear message, or builds what SQLite reads', async () => {
  const seen = { refused: 0, same: 0, value: 0 }
  const property = fc.asyncProperty(bits, async ({ page, at, bit }) => {
    const bytes = Buffer.from(sound)
    const place = (page % (sound.length / pageSize)) * pageSize + at
    bytes.writeUInt8(bytes.readUInt8(place) ^ (1 << bit), place)
    const db = 'flipped.sqlite'
    writeFileSync(folder.file(db), bytes)
    // Guards would compare it with the bit before.
    rmSync(folder.file(`out-${db}`), { recursive: true, force: true })
    const { code, stderr } = await build(db)
    if (code !== 0) {
      const last = stderr.trimEnd().split('\n').at(-1)
      expect(last).toMatch(
        /^fundpress: flipped\.sqlite\b.*\b(damaged|mend|fix it|schema version|not a SQLite|opened|reading it failed)/,
      )
      expect(stderr).not.toMatch(/^ +at /m)
      expect((await check(db)).code).toBe(1)
      seen.refused++
      return
    }
    expect(stderr).toBe('')
    if (snapshotId(folder.file(`out-${db}`)) === soundSnapshot) seen.same++
    else {
      expect(changedRows(rowsIn(folder.file(db)))).toBe(1)
      seen.value++
    }
  })
  await fc.assert(property, { numRuns, seed: 13 })
  expect(seen.refused).toBeGreaterThan(numRuns / 6)
  expect(seen.same).toBeGreaterThan(numRuns / 16)
})

it('names the damaged file and what to do; --no-quick-check reads it nevertheless', async () => {
  const db = 'order.sqlite'
  copyFileSync(folder.file('sound.sqlite'), folder.file(db))
  const bytes = readFileSync(folder.file(db))
  // A row out of order: lookups by the key miss it, and `PRAGMA quick_check` has nothing to say of it.
  const place = bytes.indexOf('2024-03-15')
  bytes.write('2024-09', place)
  writeFileSync(folder.file(db), bytes)
  const says =
    'fundpress: order.sqlite: it is damaged: restore it from a backup, or save what is left with ' +
    '`sqlite3 DAMAGED .recover | sqlite3 NEW` (row not in PRIMARY KEY order for price)\n'
  expect(await check(db)).toMatchObject({ code: 1, stdout: '', stderr: says })
  expect(await build(db)).toMatchObject({ code: 1, stdout: '', stderr: says })
  expect((await check(db, ' --no-quick-check')).stderr).not.toContain('damaged')
})
