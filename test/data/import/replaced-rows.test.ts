/** Rows that others replace are not removed: documents of each year have other days, and the day is a part of their key. */
import { describe, expect, it } from 'vitest'
import { editDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'

const folder = importFolder()
const [first, second] = isins

const emptied = (...tables: readonly string[]) => {
  const db = folder.database()
  editDatabase(folder.file(db), tables.map((table) => `DELETE FROM ${table};`).join(''))
  return db
}
type Lines = readonly (readonly string[])[]
const documents = (day: string, kinds: readonly string[] = ['kid', 'prospectus']): Lines =>
  [first, second].flatMap((isin) =>
    kinds.flatMap((kind) =>
      ['de', 'en'].map((language) => [isin, kind, language, day, 'KID', 'https://a.example/x.pdf']),
    ),
  )
const documentHeader = ['isin', 'kind', 'language', 'date', 'title', 'url']
const years = (from: number, count = 5): Lines =>
  Array.from({ length: count }, (_, index) => [first, String(from + index), '1.5'])
const yearHeader = ['isin', 'year', 'percent']

describe('import --replace', () => {
  it.each<[string, string, readonly string[], Lines, Lines]>([
    [
      'documents of the next year',
      'document',
      documentHeader,
      documents('2023-02-01'),
      documents('2024-02-01'),
    ],
    ['years that go on by one', 'performance_year', yearHeader, years(2015), years(2016)],
    ['more documents', 'document', documentHeader, documents('2023-02-01', ['kid']), documents('2024-02-01')],
  ])('takes %s', async (_, table, header, before, after) => {
    const db = emptied(table)
    expect((await folder.importLines(db, table, [header, ...before])).code).toBe(0)
    const { code, stdout } = await folder.importLines(db, table, [header, ...after], ['--replace'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/ removed\n/) })
  })

  it.each<[string, string, readonly string[], Lines, Lines, string]>([
    [
      'documents of a kind',
      'document',
      documentHeader,
      documents('2023-02-01'),
      documents('2024-02-01', ['kid']),
      '4 of 8',
    ],
    [
      'documents that become those of another kind',
      'document',
      documentHeader,
      documents('2023-02-01', ['kid']),
      documents('2023-02-01', ['prospectus']),
      '4 of 4',
    ],
    ['years', 'performance_year', yearHeader, years(2015), years(2018, 2), '3 of 5'],
  ])('refuses to remove %s', async (_, table, header, before, after, counted) => {
    const db = emptied(table)
    await folder.importLines(db, table, [header, ...before])
    const { code, stderr } = await folder.importLines(db, table, [header, ...after], ['--replace'])
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining(`it would remove ${counted} rows of table ${table}`),
    })
  })

  it('refuses prices of other days in the place of those that are there', async () => {
    const db = emptied('price')
    const header = ['isin', 'date', 'issue_price', 'repurchase_price', 'net_asset_value']
    const prices = (month: string) =>
      ['02', '03', '04'].map((day) => [first, `2024-${month}-${day}`, '10', '10', '10'])
    await folder.importLines(db, 'price', [header, ...prices('01')], ['--derive'])
    const { code } = await folder.importLines(
      db,
      'price',
      [header, ...prices('04')],
      ['--derive', '--replace'],
    )
    expect(code).toBe(3)
  })
})
