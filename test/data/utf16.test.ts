/** Databases in UTF-16, as programs for Windows make them: checks, imports and builds say and give the same as of one in UTF-8. */
import { writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { describe, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { asOf, insertGood, isinOf, makeDatabase, readDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { hashesOf } from '../support/tree.ts'

const folder = tempFolder()
const press = (line: string) =>
  run(line.split(' '), { cwd: folder.path, env: { FUNDPRESS_DOWNLOADS: 'true' } })

function make(name: string, encoding: 'UTF-8' | 'UTF-16le' | 'UTF-16be') {
  makeDatabase(
    folder.file(`${name}.sqlite`),
    (insert) => {
      insertGood(insert, isinOf(1), {
        fund: { name: 'Größe 日本 𝄞' },
        structure_item: { name_de: 'Österreich' },
      })
      insertGood(insert, isinOf(2), { key_figure: { name_de: 'VermÃ¶gen' }, profile: { benchmark: '=A1' } })
    },
    encoding,
  )
}
make('utf8', 'UTF-8')

describe.each(['UTF-16le', 'UTF-16be'] as const)('a database in %s', (encoding) => {
  make(encoding, encoding)

  it('is checked, and built, with the same findings and the same answers, twice', async () => {
    const checked = await press(`check --db ${encoding}.sqlite --as-of ${asOf} --json`)
    expect(checked).toEqual(await press(`check --db utf8.sqlite --as-of ${asOf} --json`))
    for (const isFirst of [true, false]) {
      const built = ['utf8', encoding].map((name) =>
        press(`build --db ${name}.sqlite --as-of ${asOf} --out ${name} --json`),
      )
      const warnings = (await Promise.all(built)).map(
        ({ code, stdout }) => [code, (JSON.parse(stdout) as { warnings: unknown }).warnings] as const,
      )
      expect({ isFirst, warnings }).toEqual({ isFirst, warnings: [warnings[0], warnings[0]] })
      expect(warnings[0]?.[0]).toBe(0)
    }
    const answers = (name: string) => hashesOf(folder.file(`${name}/api`))
    expect(answers(encoding)).toEqual(answers('utf8'))
  })

  it('has the same rows in the download for SQLite', () => {
    const rows = (name: string) => {
      const db = new Database(folder.file(`${name}/downloads/${asOf}/fund-data.sqlite`), { readonly: true })
      try {
        return ['funds', 'structures', 'key_figures'].map((table) =>
          db.prepare(`SELECT * FROM ${table}`).all(),
        )
      } finally {
        db.close()
      }
    }
    expect(rows(encoding)).toEqual(rows('utf8'))
  })

  it('takes an import', async () => {
    writeFileSync(folder.file('names.csv'), `isin;name\n${isinOf(1)};Größter Fonds\n`)
    expect(await press(`import fund names.csv --db ${encoding}.sqlite --no-backup`)).toMatchObject({
      code: 0,
    })
    const [row] = readDatabase(
      folder.file(`${encoding}.sqlite`),
      'SELECT name FROM fund WHERE isin = ?',
      isinOf(1),
    )
    expect(row).toEqual({ name: 'Größter Fonds' })
  })
})
