/** An empty database, made whole or not at all. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { initDatabase } from '../../src/data/model/new-database.ts'
import { schemaTableNames } from '../../src/data/model/schema.ts'
import { makeTempFolder } from '../support/folders.ts'

let folder: ReturnType<typeof makeTempFolder>
beforeEach(() => {
  folder = makeTempFolder()
  return folder.remove
})

describe('init', () => {
  it('makes a database with all tables of the schema and no rows, and its folder', () => {
    initDatabase(folder.file('new/funds.sqlite'))
    const db = new Database(folder.file('new/funds.sqlite'), { readonly: true })
    const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
    expect(tables.sort()).toEqual([...schemaTableNames].sort())
    expect(tables).toHaveLength(13)
    expect(db.prepare('SELECT count(*) FROM fund').pluck().get()).toBe(0)
    expect(db.pragma('user_version', { simple: true })).toBe(1)
    expect(db.pragma('application_id', { simple: true })).toBe(0)
    db.close()
    expect(readdirSync(folder.file('new'))).toEqual(['funds.sqlite'])
  })

  it('refuses to overwrite a file', () => {
    const file = folder.file('funds.sqlite')
    writeFileSync(file, 'precious')
    expect(() => initDatabase(file)).toThrow(`${file} exists: choose another --db, or remove it`)
    expect(readFileSync(file, 'utf8')).toBe('precious')
    expect(readdirSync(folder.path)).toEqual(['funds.sqlite'])
  })

  it('names the file that it cannot make, and leaves nothing behind', () => {
    writeFileSync(folder.file('a-file'), '')
    const file = folder.file('a-file/funds.sqlite')
    expect(() => initDatabase(file)).toThrow(/a-file, which is not a folder: name another place$/)
    expect(existsSync(file)).toBe(false)
    expect(readdirSync(folder.path)).toEqual(['a-file'])
  })
})
