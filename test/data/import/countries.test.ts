/** Documents for countries: two key information documents of one language and day are two, if they are for two countries. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'

const folder = importFolder()
const [isin] = isins

const header = ['isin', 'kind', 'language', 'date', 'country', 'title', 'url']
const address = (name: string) => `https://funds.example/${name}.pdf`
const line = (country: string, name = country) => [
  isin,
  'kid',
  'de',
  '2024-01-15',
  country,
  'KID',
  address(name),
]

const cellsOf = (cells: readonly string[]) => `${cells.join(';')}\n`

function withoutDocuments(): string {
  const db = folder.database()
  editDatabase(folder.file(db), 'DELETE FROM document')
  return db
}
const documentsIn = (db: string) =>
  readDatabase(folder.file(db), 'SELECT country, url FROM document ORDER BY country').map(
    ({ country, url }) => `${country ?? ''} ${url ?? ''}`,
  )

describe('import of documents for countries', () => {
  it('takes one of a language and day for each country, and one for all', async () => {
    const db = withoutDocuments()
    const lines = [header, line('DE'), line(' at ', 'AT'), line('', 'all')]
    expect(await folder.importLines(db, 'document', lines)).toMatchObject({ code: 0, stderr: '' })
    expect(documentsIn(db)).toEqual([` ${address('all')}`, `AT ${address('AT')}`, `DE ${address('DE')}`])
  })

  it('takes a file without countries, which replaces what is for all', async () => {
    const db = withoutDocuments()
    await folder.importLines(db, 'document', [header, line('DE'), line('', 'old')])
    const others = (cells: readonly string[]) => cells.filter((_, at) => at !== 4)
    const { code, stdout } = await folder.importLines(db, 'document', [
      others(header),
      others(line('', 'new')),
    ])
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('0 new, 1 changed') })
    expect(documentsIn(db)).toEqual([` ${address('new')}`, `DE ${address('DE')}`])
  })

  it('recognises a file of documents that names no country', async () => {
    const db = withoutDocuments()
    const names = header.filter((name) => name !== 'country')
    writeFileSync(
      folder.file('documents.csv'),
      [names, line('').filter((cell) => cell !== '')].map(cellsOf).join(''),
    )
    expect(await folder.import('documents.csv', '--db', db)).toMatchObject({ code: 0, stderr: '' })
    expect(documentsIn(db)).toEqual([` ${address('')}`])
  })

  it.each([
    ['UK', 'country "UK" is not a country: two capital letters, ISO 3166-1: GB is'],
    ['Germany', 'country "GERMANY" is not a country: two capital letters, ISO 3166-1'],
    ['EU', 'country "EU" is not a country'],
  ])('refuses %s', async (country, message) => {
    const { code, stdout } = await folder.importLines(withoutDocuments(), 'document', [header, line(country)])
    expect(code).toBe(1)
    expect(stdout).toContain(message)
  })

  it('still refuses two of one country that differ', async () => {
    const lines = [header, line('DE'), line('DE', 'other')]
    const { stdout } = await folder.importLines(withoutDocuments(), 'document', lines)
    expect(stdout).toContain('line 3: the same isin, kind, language, date, country as in line 2')
  })
})
