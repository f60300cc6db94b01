/** Databases that hold anything: each command does its work, or names the rows that keep it from it. */
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { apply, edit, openToEdit } from '../build/edits.ts'
import { asOf, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { lacks } from '../support/programs.ts'
import { readXml } from '../support/read-xml.ts'
import { filesIn, hashesOf } from '../support/tree.ts'
import { run } from './run.ts'
import { times } from '../support/rounds.ts'

const folder = tempFolder()

const isins = [1, 2, 3].map(isinOf)
const env = { FUNDPRESS_PAGES: 'true', FUNDPRESS_DOWNLOADS: 'true' }
const fundpress = (line: string) => run(`${line} --quiet`, { cwd: folder.path, env })

/** What only a mistake of the program says. */
const nonsense =
  /TypeError|RangeError|Invalid time|\bundefined\b|\bNaN\b|not a function|Cannot read|object Object|\n {4}at /

it('every command does its work, or says what is wrong with the database', async () => {
  makeDatabase(folder.file('good.sqlite'), (insert) => {
    for (const isin of isins) {
      insertGood(insert, isin)
      for (const date of ['2022-12-30', '2023-06-15', '2024-01-02'])
        insert('price', { ...goodRows['price'], isin, date })
    }
  })
  await fc.assert(
    fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 12 }), async (edits) => {
      for (const name of ['any.sqlite', 'out', 'again'])
        rmSync(folder.file(name), { recursive: true, force: true })
      copyFileSync(folder.file('good.sqlite'), folder.file('any.sqlite'))
      const db = openToEdit(folder.file('any.sqlite'))
      for (const one of edits) apply(db, one)
      db.close()

      const checked = await fundpress(`check --db any.sqlite --as-of ${asOf} --json`)
      const { errors, findings } = JSON.parse(checked.stdout) as {
        readonly errors: number
        readonly findings: readonly { readonly severity: string; readonly guard?: string }[]
      }
      /** What an operator may allow has an exit code of its own. */
      const isRefusal = findings.every(({ severity, guard }) => severity === 'warning' || guard !== undefined)
      expect(checked.code).toBe(errors === 0 ? 0 : 1)
      const build = (out: string, flags: string) =>
        fundpress(`build --db any.sqlite --as-of ${asOf} --out ${out}${flags}`)
      const built = await build('out', '')
      const ran = [checked, built]
      if (errors > 0) {
        expect(built.code).toBe(isRefusal ? 3 : 1)
        expect(existsSync(folder.file('out'))).toBe(false)
      } else {
        expect({ code: built.code, stderr: built.stderr }).toEqual({ code: 0, stderr: '' })
        const files = filesIn(folder.file('out'))
        const textOf = (file: string) => readFileSync(join(folder.file('out'), file), 'utf8')
        for (const file of files.filter((name) => name.endsWith('.json'))) JSON.parse(textOf(file))
        for (const file of files.filter((name) => /^(funds|status|downloads)\b.*\.html$/.test(name)))
          expect(textOf(file)).not.toMatch(/>(undefined|NaN|Invalid Date|null)</)
        const documents = files.filter((name) => name.startsWith('api/') && name.endsWith('.xml'))
        if (!lacks('xmllint')) readXml(folder.file('out'), documents)
        const again = await build('again', ' --since out')
        ran.push(again)
        expect(hashesOf(folder.file('again'))).toEqual(hashesOf(folder.file('out')))
      }
      for (const { code, stdout, stderr } of ran) {
        expect(errors > 0 && isRefusal ? [0, 1, 3] : [0, 1]).toContain(code)
        expect(stderr + stdout).not.toMatch(nonsense)
        expect(stderr !== '' || stdout !== '' || code === 0).toBe(true)
      }
    }),
    { numRuns: times(4), endOnFailure: true },
  )
}, 1_200_000)
