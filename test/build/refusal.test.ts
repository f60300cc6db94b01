/** A build that is refused: it says what `check` says, and leaves everything as it was. */
import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { run, type Ended } from '../cli/run.ts'
import { asOf, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { faultsOf, hashesOf, snapshotId } from '../support/tree.ts'

const folder = tempFolder()
const fundpress = (line: string): Promise<Ended> => run(line.split(' '), { cwd: folder.path })
const build = (db: string, out: string): Promise<Ended> =>
  fundpress(`build --db ${db} --out ${out} --as-of ${asOf} --jobs 2 --quiet`)

beforeAll(async () => {
  makeDatabase(folder.file('good.sqlite'), (insert) => insertGood(insert, isinOf(1)))
  makeDatabase(folder.file('wrong.sqlite'), (insert) => {
    for (let fund = 0; fund < 12; fund++) insertGood(insert, isinOf(fund))
    insertGood(insert, isinOf(12), { price: { change: '1e5' }, fund: { currency: 'euro' } })
    insertGood(insert, isinOf(13), { price: { date: '2023-01-02' } })
    insertGood(insert, isinOf(14), { legal_point: { value: Infinity } })
    insert('emt', { isin: isinOf(15), ...goodRows['emt'] })
  })
  expect(await build('good.sqlite', 'out')).toMatchObject({ code: 0 })
})

/** All that lies in the folder, but for the files in the snapshot. */
const names = (): string[] => readdirSync(folder.path).sort()

it('a refused build names all errors that check names, in the same words', async () => {
  const checked = await fundpress(`check --db wrong.sqlite --as-of ${asOf}`)
  const refused = await build('wrong.sqlite', 'out')
  // A build warns of old prices only if its database has no error.
  const stale = /^XF\w+\n {2}warning {2}price: the newest price, [^\n]*\n/m
  expect(checked.stdout).toMatch(stale)
  const list = checked.stdout.slice(0, checked.stdout.indexOf('4 errors, 1 warning\n')).replace(stale, '')
  expect(list.match(/^ {2}error {2}/gm)).toHaveLength(4)
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  const [, isin = '', table = '', first = ''] = /^(\w{12})\n {2}error {4}(\w+): (.*)$/m.exec(list) ?? []
  expect(refused.stderr).toBe(
    `${list}fundpress: wrong.sqlite has 4 errors: fund ${isin}: ${first} (table ${table}), and 3 more; ` +
      'fix it, then check it with `fundpress check`\n',
  )
})

it.each([
  ['is no text that sorts among days', '~'],
  ['is to come', '9999-12-31'],
])('names the price whose day %s, though it is the newest one', async (_, date) => {
  makeDatabase(folder.file(`day-${date}.sqlite`), (insert) => {
    insertGood(insert, isinOf(1))
    insert('price', { isin: isinOf(1), ...goodRows['price'], date })
  })
  const { code, stderr } = await build(`day-${date}.sqlite`, 'out-day')
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/ {2}error {4}price: .*date/) })
  expect(stderr).toContain(date)
})

it.each(['out', 'new/deep/out'])('a refused build of %s leaves the old snapshot and no more', async (out) => {
  const before = { names: names(), files: hashesOf(folder.file('out')) }
  expect(await build('wrong.sqlite', out)).toMatchObject({ code: 1 })
  expect({ names: names(), files: hashesOf(folder.file('out')) }).toEqual(before)
})

describe('a build into a folder that is no snapshot', () => {
  it('accepts an empty folder', async () => {
    mkdirSync(folder.file('empty'))
    expect(await build('good.sqlite', 'empty')).toMatchObject({ code: 0, stderr: '' })
    expect(faultsOf(folder.file('empty'))).toEqual([])
  })

  const refused = (reason: string) => ({
    code: 1,
    stdout: '',
    stderr: `fundpress: ${reason}\n`,
  })

  it('refuses a folder that holds something else, and does not touch it', async () => {
    mkdirSync(folder.file('precious/deep'), { recursive: true })
    writeFileSync(folder.file('precious/deep/letter.txt'), 'precious')
    const before = { names: names(), files: hashesOf(folder.file('precious')) }
    const { code, stderr } = await build('good.sqlite', 'precious')
    const reason = 'fundpress: precious holds files but no snapshot: choose another --out, or empty it\n'
    expect({ code, stderr }).toEqual({ code: 1, stderr: reason })
    expect({ names: names(), files: hashesOf(folder.file('precious')) }).toEqual(before)
  })

  it('refuses a folder with a snapshot and something else, the database for example', async () => {
    expect(await build('good.sqlite', 'shared')).toMatchObject({ code: 0 })
    copyFileSync(folder.file('good.sqlite'), folder.file('shared/funds.sqlite'))
    const before = hashesOf(folder.file('shared'))
    const { code, stderr } = await build('shared/funds.sqlite', 'shared')
    const reason = 'shared holds funds.sqlite beside a snapshot: move that away, or choose another --out'
    expect({ code, stderr }).toEqual({ code: 1, stderr: `fundpress: ${reason}\n` })
    expect(hashesOf(folder.file('shared'))).toEqual(before)
    rmSync(folder.file('shared'), { recursive: true })
  })

  it('refuses a file, and a folder in a file', async () => {
    writeFileSync(folder.file('file'), 'precious')
    expect(await build('good.sqlite', 'file')).toMatchObject(refused('file is a file: name a folder'))
    const reason = `file/a/b lies in ${folder.file('file')}, which is not a folder: name another place`
    expect(await build('good.sqlite', 'file/a/b')).toMatchObject(refused(reason))
  })

  it('follows a symbolic link, and leaves it a link', async () => {
    mkdirSync(folder.file('elsewhere'))
    symlinkSync('elsewhere/snapshot', folder.file('link'))
    for (let round = 0; round < 2; round++) {
      expect(await build('good.sqlite', 'link')).toMatchObject({ code: 0, stderr: '' })
      expect(readdirSync(folder.file('elsewhere'))).toEqual(['snapshot'])
      expect(snapshotId(folder.file('link'))).toBe(snapshotId(folder.file('out')))
    }
  })
})
