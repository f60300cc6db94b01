/** The charges that prices were derived by: a row a change, which tells of each price what a row a price would tell. */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { offerMarks } from '../../../src/core/data/derive/offer-marks.ts'
import type { Charges } from '../../../src/core/data/derive/offer.ts'

const isin = 'DE0008471400'
const days = Array.from({ length: 12 }, (_, at) => `2026-11-${String(10 + at)}`)
const table = 'fundpress_derived_charges'

function databaseWith(prices: readonly string[]) {
  const db = new Database(':memory:')
  db.exec('CREATE TABLE price (isin TEXT, date TEXT, PRIMARY KEY (isin, date))')
  const insert = db.prepare('INSERT INTO price VALUES (?, ?)')
  for (const date of prices) insert.run(isin, date)
  return db
}

const rowsOf = (db: Database.Database) => Number(db.prepare(`SELECT count(*) FROM ${table}`).pluck().get())

describe('marks of derived prices', () => {
  it('tell of each day what was noted of it last, in whatever order, and have a row a change', () => {
    const charges = fc.record({
      issueSurcharge: fc.constantFrom(null, '3', '5'),
      redemptionFee: fc.constantFrom(null, '1'),
    })
    const note = fc.tuple(fc.constantFrom(...days), charges)
    fc.assert(
      fc.property(fc.array(note, { minLength: 1, maxLength: 30 }), (notes) => {
        const db = databaseWith(days)
        const last = new Map<string, Charges>()
        for (const [day, noted] of notes) {
          offerMarks(db)(isin).note(day, noted)
          last.set(day, noted)
        }
        const marks = offerMarks(db)(isin)
        for (const [day, noted] of last) expect(marks.at(day)).toMatchObject(noted)
        const told = days.map((day) => {
          const { issueSurcharge, redemptionFee } = marks.at(day) ?? {}
          return `${String(issueSurcharge)} ${String(redemptionFee)}`
        })
        const nothing = 'undefined undefined'
        const changes = told.filter((one, at) => one !== (told[at - 1] ?? nothing))
        expect(rowsOf(db)).toBe(changes.length)
        db.close()
      }),
      { numRuns: 300, seed: 46 },
    )
  })

  it('are one row for a history that has one charge', () => {
    const db = databaseWith([])
    const marks = offerMarks(db)(isin)
    for (const day of days) marks.note(day, { issueSurcharge: '5', redemptionFee: null })
    expect(rowsOf(db)).toBe(1)
    expect(offerMarks(db)(isin).at('2026-11-09')).toBeUndefined()
  })

  it('of the newest price are those of a price that is there', () => {
    const db = databaseWith(days.slice(0, 2))
    const marks = offerMarks(db)(isin)
    marks.note(days[0] ?? '', { issueSurcharge: '3', redemptionFee: null })
    marks.note(days[1] ?? '', { issueSurcharge: '10', redemptionFee: null })
    db.prepare('DELETE FROM price WHERE date = ?').run(days[1])
    expect(offerMarks(db)(isin).newest()).toMatchObject({ issueSurcharge: '3' })
  })

  it('are not written by a dry run, which makes no table', () => {
    const db = databaseWith(days)
    const marks = offerMarks(db, { isDryRun: true })(isin)
    marks.note(days[0] ?? '', { issueSurcharge: '3', redemptionFee: null })
    expect(marks.at(days[1] ?? '')).toMatchObject({ issueSurcharge: '3' })
    expect(db.prepare('SELECT name FROM sqlite_schema').pluck().all()).not.toContain(table)
  })
})
