/** A whole database, written as CSV and imported into an empty one, is the same database: in every dialect. */
import { copyFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { run } from '../../cli/run.ts'
import { isinOf } from '../../support/database.ts'
import { tempFolder } from '../../support/product.ts'
import { dump, dumpAll, exportTables, tableNames, type Dialect } from './dialects.ts'

const folder = tempFolder()
const fundpress = (line: string) => run(line, { cwd: folder.path })

beforeAll(async () => {
  await fundpress('init --demo --db demo.sqlite --funds 3 --years 1 --until 2026-11-19 --quiet')
})

async function importAll(db: string, from: string, flags = ''): Promise<void> {
  for (const table of tableNames) {
    const ended = await fundpress(`import ${table} ${from}/${table}.csv --db ${db} --quiet${flags}`)
    expect({ table, ...ended }).toMatchObject({ table, code: 0, stdout: '', stderr: '' })
  }
}

/** Each value of a dialect at least once. */
const dialects: readonly Dialect[] = [
  { encoding: 'utf-8', delimiter: ';', decimal: ',', dates: 'german', lineEnd: '\r\n' },
  { encoding: 'utf-8 with BOM', delimiter: '\t', decimal: '.', dates: 'iso', lineEnd: '\n' },
  { encoding: 'windows-1252', delimiter: ',', decimal: ',', dates: 'german', lineEnd: '\r\n' },
]

const named = dialects.map((dialect, index) => [JSON.stringify(dialect), dialect, index] as const)
describe.concurrent('import gives the same demo database', () => {
  it.for(named)('from %s', async ([, dialect, index]) => {
    const db = `demo-${index}.sqlite`
    await fundpress(`init --db ${db} --quiet`)
    exportTables(folder.file('demo.sqlite'), folder.file(`demo-${index}`), dialect)
    // Some words of the demo are words in other encodings, too: the import asks.
    await importAll(
      db,
      `demo-${index}`,
      dialect.encoding === 'windows-1252' ? ' --encoding windows-1252' : '',
    )
    expect(dumpAll(folder.file(db))).toEqual(dumpAll(folder.file('demo.sqlite')))
    if (index > 0) return
    // Once more: everything is there.
    await importAll(db, `demo-${index}`, ' --replace-all')
    expect(dumpAll(folder.file(db))).toEqual(dumpAll(folder.file('demo.sqlite')))
  })
})

it('import reads profiles from our own downloads, also those for Excel', async () => {
  const db = folder.file('demo-again.sqlite')
  copyFileSync(folder.file('demo.sqlite'), db)
  const build = 'build --db demo.sqlite --out out --as-of 2026-11-20 --no-pages --quiet'
  const env = { FUNDPRESS_DOWNLOADS: 'true' }
  expect(await run(build, { cwd: folder.path, env })).toMatchObject({ code: 0 })
  for (const [file, form] of [
    ['profiles.csv', 'UTF-8, delimiter ,'],
    ['csv-excel/profiles-excel.csv', 'UTF-8, delimiter ;'],
  ] as const) {
    const line = `import profile out/downloads/2026-11-20/${file} --db demo-again.sqlite --replace-all`
    const ended = await fundpress(line)
    expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(form) })
    expect(ended.stdout).toContain('0 new, 0 changed, 3 unchanged, 0 removed')
  }
})

it('import reads flags as our downloads, spreadsheets and people write them', async () => {
  const cells = ['true', 'TRUE', 'WAHR', 'yes', 'ja', '1', 'false', 'FALSE', 'FALSCH', 'No', ' nein ', '0']
  await fundpress('init --db flags.sqlite --quiet')
  const rows = cells.map((cell, at) => `${isinOf(at)};${at};2020-01-02;https://x.example;EUR;${cell}`)
  const columns = 'isin;name;fund_inception_date;url;currency;data_permitted'
  writeFileSync(folder.file('flags.csv'), [columns, ...rows].join('\n'))
  expect(await fundpress('import fund flags.csv --db flags.sqlite')).toMatchObject({ code: 0, stderr: '' })
  const order = 'fund ORDER BY CAST(name AS INTEGER)'
  const { rows: found } = dump(folder.file('flags.sqlite'), order, 'data_permitted')
  expect(found.flat()).toEqual([1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0])
})
