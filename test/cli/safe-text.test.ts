/**
 * Names from databases, files and buckets on a terminal and in the log of a workflow: no invisible character, no command for
 * GitHub's runner, no line of more than 2 KB. JSON has the whole text.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cut, safeData, safeLines } from '../../src/core/cli/safe-text.ts'
import { asOf, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { type Run, tempFolder } from '../support/product.ts'
import { buildNights } from '../support/nights.ts'
import { openPress, type Press } from '../support/press.ts'
import { run } from './run.ts'

/** What harms a terminal, a reader or the runner. It is also a valid name of a file. */
const hostile =
  'a\n::stop-commands::x\r\n \t::error::y\u0085::warning::z ##[add-mask]1 \u001b[2J\u001b]0;t\u0007\u009b31m\u007f\u202e\u2066\u200b\ufdd0'
const long = `${hostile}${'ä'.repeat(2000)}`

/** The lines that a command wrote. */
const linesOf = ({ stdout, stderr }: Run) => `${stdout}${stderr}`.split('\n')

function expectSafe(lines: readonly string[], most = 2048): void {
  for (const line of lines) {
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect(line).not.toMatch(/^\s*::|##\[/)
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(most)
  }
}

const folder = tempFolder()
const fundpress = (...args: readonly string[]) => run(args, { cwd: folder.path })
const isin = isinOf(1)

describe('a database with hostile names', () => {
  beforeAll(() => {
    makeDatabase(folder.file('names.sqlite'), (insert) => {
      insertGood(insert, isin, {
        fund: { name: long, wkn: hostile, currency: 'EUR' },
        structure_item: { name_de: hostile, name_en: long },
        profile: { category_de: hostile, benchmark: long },
        legal_period: { label: hostile },
      })
    })
    // What XML cannot hold is refused: these are the errors.
    makeDatabase(folder.file('wrong.sqlite'), (insert) => {
      insertGood(insert, hostile, { fund: { currency: long }, price: { date: long, change: hostile } })
      insertGood(insert, isin, { emt: { governanceprocess: long }, legal_point: { date: hostile } })
    })
  })

  it.each([
    ['check', '--db', 'wrong.sqlite'],
    ['check', '--db', 'names.sqlite'],
    ['build', '--db', 'wrong.sqlite', '--out', 'out-wrong'],
    ['build', '--db', 'wrong.sqlite', '--out', hostile],
    ['build', '--db', 'wrong.sqlite', '--only', hostile],
    ['check', '--db', hostile],
    ['check', '--db', long.replaceAll('/', '')],
    ['import', hostile, 'a.csv', '--db', 'names.sqlite'],
    ['serve', '--out', hostile],
    ['--config', hostile, 'check'],
    [hostile],
    [`--${long}`],
  ])('is escaped by %s %s', async (...args) => {
    const needsDay = ['check', 'build'].includes(args[0])
    expectSafe(linesOf(await fundpress(...args, ...(needsDay ? ['--as-of', asOf] : []))))
  })

  it('is complete in JSON', async () => {
    const { stdout } = await fundpress('check', '--db', 'wrong.sqlite', '--as-of', asOf, '--json')
    expectSafe(stdout.split('\n'), Infinity)
    const { findings } = JSON.parse(stdout) as { readonly findings: readonly { readonly isin: string }[] }
    expect(findings.map((finding) => finding.isin)).toContain(hostile)
  })
})

it('import escapes names of files, cells and columns', async () => {
  makeDatabase(folder.file('import.sqlite'), (insert) => insertGood(insert, isin))
  const name = `${hostile}.csv`
  const cell = `"${hostile}"`
  const rows = [`isin,date,value`, `${cell},${cell},"${long}"`, `${isin},2024-01-02,"${long}"`, '']
  writeFileSync(folder.file(name), rows.join('\n'))
  writeFileSync(folder.file('columns.csv'), `isin,${cell}\n`)
  mkdirSync(folder.file(`${hostile}-folder`))
  for (const file of [name, 'columns.csv', `${hostile}-folder`, `${hostile}-missing`]) {
    const done = await fundpress('import', 'legal_point', file, '--db', 'import.sqlite')
    expect(done.code).toBe(1)
    expectSafe(linesOf(done))
  }
  const json = await fundpress('import', 'legal_point', name, '--db', 'import.sqlite', '--json')
  expectSafe(json.stdout.split('\n'), Infinity)
  expect(JSON.parse(json.stdout)).toMatchObject({ files: [{ file: name }] })
})

describe('a bucket with hostile keys', () => {
  let press: Press
  beforeAll(async () => {
    press = await openPress(await buildNights(1, 1))
    const [out = ''] = press.nights.outs
    expect(await press.publish(out)).toMatchObject({ code: 0 })
    for (const slot of ['blue', 'green']) {
      press.bucket.put(`${slot}/api/${hostile}`, 'garbage')
      press.bucket.put(`${slot}/${'k'.repeat(900)}${hostile}`, 'garbage')
    }
  })
  afterAll(() => press.stop())

  const commands = ['prune', 'verify', 'status', 'check']
  it.each(commands)('is escaped by %s, and complete in JSON', async (command) => {
    const plain = await press.fundpress([command])
    expectSafe(linesOf(plain))
    const { stdout } = await press.fundpress([command, '--json'])
    expectSafe(stdout.split('\n'), Infinity)
    if (!['prune', 'verify'].includes(command)) return
    expect(`${plain.stdout}${plain.stderr}`).toContain('\\u202e')
    expect(JSON.stringify(JSON.parse(stdout))).toContain(JSON.stringify(hostile).slice(1, -1))
  })
})

it('a line of more than 2 KB is cut, and says how many bytes it had', () => {
  expect(cut('ä'.repeat(1024))).toBe('ä'.repeat(1024))
  const line = cut(`a${'ä'.repeat(1024)}`)
  expect(line).toMatch(/^aä+… \(2,049 bytes\)$/)
  expect(Buffer.byteLength(line)).toBeLessThanOrEqual(2048)
})

it('any text becomes safe, and any JSON keeps its meaning', () => {
  const unit = fc.constantFrom(...Array.from(`${hostile}a"\\:#[ä😀\ud800`), '::', '##[')
  const text = fc.string({ unit, maxLength: 3000 })
  fc.assert(
    fc.property(text, (some) => {
      expectSafe(safeLines(some).split('\n'))
      const json = safeData(JSON.stringify({ some }))
      expectSafe([json], Infinity)
      expect(JSON.parse(json)).toEqual({ some })
    }),
  )
})
