/** An empty database, made whole or not at all. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { initDatabase } from '../../src/data/model/new-database.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fundpress-init-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('init', () => {
  it('makes a database with all tables of the schema and no rows, and its folder', () => {
    const file = join(folder, 'new/funds.sqlite')
    initDatabase(file)
    const db = new Database(file, { readonly: true })
    const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1").pluck().all()
    expect(tables).toEqual(
      'asset_allocation emt fund key_figure launch_point legal_period legal_point performance_year price profile structure_item'.split(
        ' ',
      ),
    )
    expect(db.prepare('SELECT count(*) FROM fund').pluck().get()).toBe(0)
    expect(db.pragma('user_version', { simple: true })).toBe(1)
    expect(db.pragma('application_id', { simple: true })).toBe(0)
    db.close()
    expect(readdirSync(join(folder, 'new'))).toEqual(['funds.sqlite'])
  })

  it('leaves a file alone that exists', () => {
    const file = join(folder, 'funds.sqlite')
    writeFileSync(file, 'precious')
    expect(() => initDatabase(file)).toThrow(`${file} exists: choose another --db, or remove it`)
    expect(readFileSync(file, 'utf8')).toBe('precious')
    expect(readdirSync(folder)).toEqual(['funds.sqlite'])
  })

  it('names the file and leaves nothing where it cannot be made', () => {
    writeFileSync(join(folder, 'a-file'), '')
    const file = join(folder, 'a-file/funds.sqlite')
    expect(() => initDatabase(file)).toThrow(/^.*a-file\/funds\.sqlite cannot be created: /)
    expect(existsSync(file)).toBe(false)
    expect(readdirSync(folder)).toEqual(['a-file'])
  })
})
