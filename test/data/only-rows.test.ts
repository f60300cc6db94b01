/** Databases that hold what SQLite would compute: every command refuses them by name, before it reads a row. */
import { copyFileSync, readdirSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, it } from 'vitest'
import { run } from '../cli/run.ts'
import { asOf, editDatabase, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'

const folder = tempFolder()
const inFolder = { cwd: folder.path }

/** Takes a second and 0.3 GB for a row. */
const costly = "printf('%.*c', 300000000, 'x')"

beforeAll(() => {
  makeDatabase(folder.file('good.sqlite'), (insert) => {
    for (let fund = 0; fund < 20; fund++) insertGood(insert, isinOf(fund))
  })
  writeFileSync(folder.file('points.csv'), `isin;date;value\n${isinOf(0)};2024-05-02;101.5\n`)
})

function edited(name: string, sql: string): string {
  const db = `${name.replaceAll(/\W+/g, '-')}.sqlite`
  copyFileSync(folder.file('good.sqlite'), folder.file(db))
  editDatabase(folder.file(db), sql)
  return db
}

const refused: readonly (readonly [what: string, sql: string, said: string])[] = [
  [
    'a generated column',
    `ALTER TABLE launch_point ADD COLUMN g TEXT AS (upper(date))`,
    'column g of table launch_point is generated',
  ],
  [
    'a stored generated column of another table',
    `CREATE TABLE beside (a TEXT, b TEXT AS (a || 'x') STORED)`,
    'column b of table beside is generated',
  ],
  [
    'a key of an index that is an expression',
    `CREATE INDEX i ON price (length(date))`,
    'index i of table price has a key that is an expression',
  ],
  [
    'a partial index that calls a function',
    `CREATE INDEX i ON price (date) WHERE length(date) > 1`,
    'index i of table price has a condition (WHERE) that calls a function',
  ],
  [
    'a partial index that hides the function behind a name',
    `CREATE INDEX [a'[b] ON price (date) WHERE "printf"('%s', date) > ']'`,
    "index a'[b of table price has a condition (WHERE) that calls a function",
  ],
  [
    'a partial index with a pattern',
    "CREATE INDEX i ON price (date) WHERE issue_price GLOB '*1*1*1*1*2'",
    'index i of table price has a condition (WHERE) that calls a function',
  ],
  ['a virtual table', 'CREATE VIRTUAL TABLE words USING fts5(text)', 'table words is virtual'],
  [
    'a view with the name of a module that our statements ask',
    `CREATE VIEW dbstat (name, aggregate, mx_payload) AS
      WITH RECURSIVE endless(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM endless) SELECT 'fund', 1, x FROM endless`,
    'view dbstat has the name of a module of SQLite',
  ],
]

describe.concurrent('check, build, nightly, import and conform refuse', () => {
  it.for(refused)('%s', async ([what, sql, said], { expect }) => {
    const db = edited(what, sql)
    const out = db.replace('.sqlite', '.out')
    for (const line of [
      `check --db ${db} --as-of ${asOf} --json`,
      `build --db ${db} --as-of ${asOf} --out ${out} --quiet`,
      `nightly --db ${db} --as-of ${asOf} --out ${out} --bucket file://${folder.file('bucket')}`,
      `import launch_point points.csv --db ${db} --quiet`,
      `conform --db ${db} --base http://127.0.0.1:9`,
    ]) {
      const { code, stderr } = await run(line, inFolder)
      expect({ line, code }).toEqual({ line, code: 1 })
      expect(stderr).toContain(`fundpress: ${db}: ${said}`)
    }
    expect(readdirSync(folder.path).filter((name) => name.includes(out))).toEqual([])
  })
})

describe.concurrent('check and build read a database', () => {
  const computed = `CHECK (length(${costly}) > 1)`
  const views = Array.from({ length: 40 }, (_, index) =>
    index === 0
      ? 'CREATE VIEW v0 AS SELECT isin FROM fund'
      : `CREATE VIEW v${index} AS SELECT a.isin FROM v${index - 1} AS a, v${index - 1} AS b`,
  )
  const accepted = [
    ['with indexes of columns', 'CREATE INDEX i ON price (date COLLATE NOCASE DESC, isin)'],
    [
      'with a partial index that compares',
      "CREATE INDEX i ON price (date) WHERE share_profit IS NOT NULL AND (date > '2020' OR isin IN ('printf(', 'b'))",
    ],
    [
      'with a costly CHECK of another table',
      `CREATE TABLE beside (a TEXT ${computed}); INSERT INTO beside SELECT isin FROM fund`,
    ],
    ['with a costly CHECK of a column', `ALTER TABLE price ADD COLUMN mark TEXT ${computed}`],
    ['with an endless trigger', endlessTrigger('price')],
    ['whose views multiply', views.join(';')],
  ] as const

  it.for(accepted)('%s', async ([what, sql], { expect }) => {
    const db = edited(what, `PRAGMA ignore_check_constraints = ON; ${sql}`)
    const check = await run(`check --db ${db} --as-of ${asOf}`, inFolder)
    expect(check).toMatchObject({ code: 0, stderr: '' })
    const build = await run(`build --db ${db} --as-of ${asOf} --out ${db}.out --quiet`, inFolder)
    expect(build).toMatchObject({ code: 0, stderr: '' })
  })
})

function endlessTrigger(table: string): string {
  return `CREATE TRIGGER endless AFTER DELETE ON ${table} BEGIN SELECT count(*) FROM
    (WITH RECURSIVE e(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM e) SELECT x FROM e); END`
}
