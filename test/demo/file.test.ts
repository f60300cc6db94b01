/** The file of a demo database: its bytes, what it replaces, what an interrupted run leaves. */
import { lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeDemo, type DemoOptions } from '../../src/extensions/demo/demo.ts'
import { makeTempFolder, type TempFolder } from '../support/product.ts'
import { usual } from './demo-database.ts'

let folder: TempFolder
let file: string

beforeEach(() => {
  folder = makeTempFolder()
  file = folder.file('demo.sqlite')
})
afterEach(() => folder.remove())

const filesLeft = () => readdirSync(folder.path).sort()

/** Writes a demo with one year of prices. */
const write = (options: Partial<DemoOptions> = {}) => writeDemo({ ...usual, years: 1, file, ...options })

/** The bytes of a demo with these options. */
async function bytesOf(options: Partial<DemoOptions>): Promise<Buffer> {
  await write(options)
  return readFileSync(file)
}

/** The first column of a query. */
function read(sql: string, path = file): unknown[] {
  const db = new Database(path, { readonly: true })
  const values = db.prepare(sql).pluck().all()
  db.close()
  return values
}

it('the same options make the same bytes, and another seed makes others', async () => {
  const bytes = await bytesOf({ years: 4 })
  expect((await bytesOf({ years: 4 })).equals(bytes)).toBe(true)
  expect((await bytesOf({ years: 4, seed: 2 })).equals(bytes)).toBe(false)
})

it('the file is a sound database of the schema, marked as a demo', async () => {
  await write()
  expect(read('PRAGMA user_version')).toEqual([1])
  expect(read('PRAGMA application_id')).toEqual([Buffer.from('FPdm').readUInt32BE()])
  expect(read('PRAGMA integrity_check')).toEqual(['ok'])
  expect(read('PRAGMA foreign_key_check')).toEqual([])
})

it('the summary counts funds, prices and bytes, and progress is reported after each fund', async () => {
  const reported: string[] = []
  const summary = await write({ funds: 3, onFund: (done, of) => void reported.push(`${done}/${of}`) })
  const prices = read('SELECT count(*) FROM price')[0]
  const until = read('SELECT max(date) FROM price')[0]
  expect(summary).toEqual({ funds: 3, prices, until, bytes: readFileSync(file).length })
  expect(reported).toEqual(['1/3', '2/3', '3/3'])
})

describe('a file that exists', () => {
  it('is replaced if it is a demo database, together with the log that another program left', async () => {
    await write()
    writeFileSync(`${file}-wal`, 'log of the old file')
    await write({ funds: 2 })
    expect(read('SELECT count(*) FROM fund')).toEqual([2])
    expect(filesLeft()).toEqual(['demo.sqlite'])
  })

  it('is written where it leads to if it is a link, and stays a link', async () => {
    symlinkSync('target.sqlite', file)
    for (const funds of [1, 2]) {
      await write({ funds })
      expect(lstatSync(file).isSymbolicLink()).toBe(true)
      expect(read('SELECT count(*) FROM fund')).toEqual([funds])
    }
    expect(filesLeft()).toEqual(['demo.sqlite', 'target.sqlite'])
  })

  it.each([
    ['a text', () => writeFileSync(file, 'FPdm, but not a database')],
    ['an empty file', () => writeFileSync(file, '')],
    ['a link to another file', () => symlinkSync('/etc/passwd', file)],
    ["another program's database", () => new Database(file).exec('CREATE TABLE a (b)').close()],
  ])('is refused if it is %s', async (_, make) => {
    make()
    const refusal = `${file} exists and is not a demo database: choose another --db, or remove it`
    await expect(write()).rejects.toThrow(refusal)
    expect(filesLeft()).toEqual(['demo.sqlite'])
  })
})

describe('an interrupted run', () => {
  function abortAfter(funds: number) {
    const controller = new AbortController()
    const onFund = (done: number) => {
      if (done === funds) controller.abort(new Error('stopped by the user'))
    }
    return { signal: controller.signal, onFund }
  }

  it.each([
    ['in its middle', () => abortAfter(3)],
    ['before it began', () => ({ signal: AbortSignal.abort(new Error('stopped by the user')) })],
  ])('leaves nothing if it is interrupted %s, not even the folder that it made', async (_, options) => {
    const written = write({ file: folder.file('deep/er/demo.sqlite'), ...options() })
    await expect(written).rejects.toThrow('stopped by the user')
    expect(filesLeft()).toEqual([])
  })

  it('leaves an older demo as it was', async () => {
    const before = await bytesOf({})
    await expect(write({ seed: 2, ...abortAfter(12) })).rejects.toThrow('stopped')
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(filesLeft()).toEqual(['demo.sqlite'])
  })
})

it.each([
  [{ funds: 0 }, 'not a number of funds from 1 to 1336336: 0'],
  [{ years: 0 }, 'not a number of years: 0'],
  [{ until: '2026-02-30' }, 'not a date: 2026-02-30'],
  [{ until: '1950-01-01', years: 60 }, 'prices would start before 1900'],
  [{ seed: 0.5 }, 'not a seed: 0.5'],
])('the options %j are refused', async (options, message) => {
  await expect(write(options)).rejects.toThrow(message)
  expect(filesLeft()).toEqual([])
})

// The second demo has one day more, other funds beside those of the first, and the same dates with tax figures.
it('a fund depends neither on other funds nor on the days that follow', async () => {
  const otherFile = folder.file('other.sqlite')
  await write({ until: '2026-11-19', funds: 5, years: 3 })
  await write({ until: '2026-11-20', funds: 30, years: 3, file: otherFile })
  const db = new Database(file).exec(`ATTACH '${otherFile}' AS other`)
  const tables = ['fund', 'structure_item', 'asset_allocation', 'key_figure', 'profile', 'emt']
  const days = "SELECT * FROM price WHERE date BETWEEN '2024-06-01' AND '2026-11-19'"
  for (const sql of [...tables.map((table) => `SELECT * FROM ${table} WHERE true`), days]) {
    const common = `${sql.replace('FROM ', 'FROM other.')} AND isin IN (SELECT isin FROM main.fund)`
    expect(db.prepare(`SELECT count(*) FROM (${sql})`).pluck().get(), sql).toBeGreaterThan(0)
    expect(db.prepare(`${sql} EXCEPT ${common}`).all(), sql).toEqual([])
    expect(db.prepare(`${common} EXCEPT ${sql}`).all(), sql).toEqual([])
  }
  db.close()
})
