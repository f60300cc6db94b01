/** The file that a demo database is: its bytes, what it replaces, what an interrupted run leaves. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeDemo } from '../../src/demo/demo.ts'
import { makeDemo, temporaryFolder, usual, type TemporaryFolder } from './demo-database.ts'

const small = { funds: 12, years: 1, until: '2026-11-20', seed: 1 } as const
let folder: TemporaryFolder

beforeEach(() => {
  folder = temporaryFolder()
})
afterEach(() => folder.remove())

describe('the bytes of a demo database', () => {
  it('are the same for the same arguments', async () => {
    await writeDemo({ ...usual, file: folder.file('a.sqlite') })
    await writeDemo({ ...usual, file: folder.file('b.sqlite') })
    expect(readFileSync(folder.file('a.sqlite')).equals(readFileSync(folder.file('b.sqlite')))).toBe(true)
  })

  it('are others for another seed', async () => {
    await writeDemo({ ...small, file: folder.file('a.sqlite') })
    await writeDemo({ ...small, file: folder.file('b.sqlite'), seed: 2 })
    expect(readFileSync(folder.file('a.sqlite')).equals(readFileSync(folder.file('b.sqlite')))).toBe(false)
  })

  it('are those of a database of the schema, marked as a demo', async () => {
    await writeDemo({ ...small, file: folder.file('demo.sqlite') })
    const db = new Database(folder.file('demo.sqlite'), { readonly: true })
    expect(db.pragma('user_version', { simple: true })).toBe(1)
    expect(db.pragma('application_id', { simple: true })).toBe(Buffer.from('FPdm').readUInt32BE())
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(db.pragma('foreign_key_check')).toEqual([])
    db.close()
  })
})

describe('the summary', () => {
  it('counts funds, prices and bytes, and progress is told fund by fund', async () => {
    const told: (readonly number[])[] = []
    const file = folder.file('demo.sqlite')
    const onFund = (done: number, of: number) => void told.push([done, of])
    const summary = await writeDemo({ ...small, funds: 3, file, onFund })
    const db = new Database(file, { readonly: true })
    expect(summary).toEqual({
      funds: 3,
      prices: db.prepare('SELECT count(*) FROM price').pluck().get(),
      until: db.prepare('SELECT max(date) FROM price').pluck().get(),
      bytes: readFileSync(file).length,
    })
    db.close()
    expect(told).toEqual([
      [1, 3],
      [2, 3],
      [3, 3],
    ])
  })
})

describe('a file that is there already', () => {
  it('is replaced if it is a demo database', async () => {
    const file = folder.file('demo.sqlite')
    await writeDemo({ ...small, file })
    await writeDemo({ ...small, file, funds: 2 })
    const db = new Database(file, { readonly: true })
    expect(db.prepare('SELECT count(*) FROM fund').pluck().get()).toBe(2)
    db.close()
    expect(readdirSync(folder.path)).toEqual(['demo.sqlite'])
  })

  it.each([
    ['a text', (file: string) => writeFileSync(file, 'FPdm, but not a database')],
    ['an empty file', (file: string) => writeFileSync(file, '')],
    ['a folder', (file: string) => mkdirSync(file)],
    ['a link', (file: string) => symlinkSync('/nowhere', file)],
    [
      "another program's database",
      (file: string) => void new Database(file).exec('CREATE TABLE a (b)').close(),
    ],
  ])('is refused if it is %s', async (_, make) => {
    const file = folder.file('precious.sqlite')
    make(file)
    const refusal = `${file} exists and is not a demo database: choose another --db, or remove it`
    await expect(writeDemo({ ...small, file })).rejects.toThrow(refusal)
    expect(readdirSync(folder.path)).toEqual(['precious.sqlite'])
  })

  it('takes with it the log that another program left of it', async () => {
    const file = folder.file('demo.sqlite')
    await writeDemo({ ...small, file })
    writeFileSync(`${file}-wal`, 'of the old file')
    await writeDemo({ ...small, file })
    expect(readdirSync(folder.path)).toEqual(['demo.sqlite'])
  })
})

describe('a run that is interrupted', () => {
  function abortedAfter(funds: number) {
    const controller = new AbortController()
    const onFund = (done: number) => {
      if (done === funds) controller.abort(new Error('stopped by the user'))
    }
    return { signal: controller.signal, onFund }
  }

  it('leaves nothing, not even the folder it made', async () => {
    const file = folder.file('deep/er/demo.sqlite')
    await expect(writeDemo({ ...small, file, ...abortedAfter(3) })).rejects.toThrow('stopped by the user')
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('leaves an older demo as it was', async () => {
    const file = folder.file('demo.sqlite')
    await writeDemo({ ...small, file })
    const before = readFileSync(file)
    await expect(writeDemo({ ...small, file, seed: 2, ...abortedAfter(12) })).rejects.toThrow('stopped')
    expect(readFileSync(file).equals(before)).toBe(true)
    expect(readdirSync(folder.path)).toEqual(['demo.sqlite'])
  })

  it('writes nothing at all if it was interrupted before it began', async () => {
    const file = folder.file('deep/demo.sqlite')
    await expect(writeDemo({ ...small, file, signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow(
      'no',
    )
    expect(readdirSync(folder.path)).toEqual([])
  })

  it('is cleaned up after by the next one if it was killed', async () => {
    // No process has this number: it is above what Linux gives out.
    writeFileSync(folder.file('.demo.sqlite.fundpress-4194999.tmp'), 'half a database')
    writeFileSync(folder.file('.other.sqlite.fundpress-4194999.tmp'), 'of another one')
    await writeDemo({ ...small, file: folder.file('demo.sqlite') })
    expect(readdirSync(folder.path).sort()).toEqual(['.other.sqlite.fundpress-4194999.tmp', 'demo.sqlite'])
  })
})

describe('options that make no database', () => {
  it.each([
    [{ funds: 0 }, 'not a number of funds from 1 to 1336336: 0'],
    [{ funds: 1.5 }, 'not a number of funds'],
    [{ years: 0 }, 'not a number of years: 0'],
    [{ until: '2026-02-30' }, 'not a date: 2026-02-30'],
    [{ until: '1950-01-01', years: 60 }, 'prices would start before 1900'],
    [{ seed: 0.5 }, 'not a seed: 0.5'],
  ])('are refused: %j', async (options, message) => {
    await expect(writeDemo({ ...small, file: folder.file('x.sqlite'), ...options })).rejects.toThrow(message)
    expect(readdirSync(folder.path)).toEqual([])
  })
})

describe('more of the same', () => {
  it('leaves a fund as it is when there are more funds beside it', async () => {
    const few = await makeDemo(folder.file('few.sqlite'), { funds: 5, years: 1 })
    const many = await makeDemo(folder.file('many.sqlite'), { funds: 30, years: 1 })
    for (const isin of few.values('SELECT isin FROM fund')) {
      for (const table of [
        'fund',
        'price',
        'structure_item',
        'key_figure',
        'profile',
        'emt',
        'asset_allocation',
      ]) {
        const sql = `SELECT * FROM ${table} WHERE isin = ?`
        expect(few.rows(sql, isin)).toEqual(many.rows(sql, isin))
      }
    }
    few.close()
    many.close()
  })

  it('leaves the prices of a day as they are when the night after has been added', async () => {
    const before = await makeDemo(folder.file('before.sqlite'), { until: '2026-11-19', funds: 30 })
    const after = await makeDemo(folder.file('after.sqlite'), { until: '2026-11-20', funds: 30 })
    const common = "SELECT * FROM price WHERE date BETWEEN '2016-12-01' AND '2026-11-19'"
    expect(before.rows(common).length).toBeGreaterThan(60_000)
    expect(before.rows(common)).toEqual(after.rows(common))
    expect(before.rows('SELECT * FROM fund')).toEqual(after.rows('SELECT * FROM fund'))
    before.close()
    after.close()
  })
})
