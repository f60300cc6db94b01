/** Several distributions of a fund on one day, as deliveries list an ordinary and a special one: an import takes their sum. */
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'
import { writeCsv } from './dialects.ts'

const folder = importFolder()
const [isin] = isins

const header = ['isin', 'ex_date', 'kind', 'amount', 'currency']
const line = (amount: string, more: { readonly currency?: string; readonly day?: string } = {}) => [
  isin,
  more.day ?? '2024-03-18',
  'distribution',
  amount,
  more.currency ?? 'EUR',
]

function emptyDatabase(): string {
  const db = folder.database()
  editDatabase(folder.file(db), 'DELETE FROM corporate_action')
  return db
}
const amountsIn = (db: string) =>
  readDatabase(folder.file(db), 'SELECT ex_date, amount FROM corporate_action ORDER BY ex_date').map(
    ({ ex_date: day, amount }) => `${day ?? ''} ${amount ?? ''}`,
  )
const said = '; distributions that were added to another one of the same day: '

describe('import of several distributions of a day', () => {
  it.each([
    ['two', ['1.25', '0.50'], '1.75', `${said}1\n`],
    ['three, digit for digit', ['1.25', '0.5', '0.0000000000001'], '1.7500000000001', `${said}2\n`],
    [
      'one that another line repeats',
      ['1.25', '0.50', '1.25'],
      '1.75',
      `; 1 row repeats another one${said}1\n`,
    ],
    ['one that is repeated with another digit', ['1.25', '1.250'], '1.250', '; 1 row repeats another one\n'],
  ])('takes %s', async (_, amounts, sum, expected) => {
    const db = emptyDatabase()
    const lines = [header, ...amounts.map((amount) => line(amount)), line('3.00', { day: '2023-03-20' })]
    const ended = await folder.importLines(db, 'corporate_action', lines, ['--decimal', 'point'])
    expect(ended).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(expected) })
    expect(amountsIn(db)).toEqual(['2023-03-20 3.00', `2024-03-18 ${sum}`])
    // The next delivery has all of them again.
    const again = await folder.importLines(db, 'corporate_action', lines, ['--decimal', 'point'])
    expect(again.stdout).toContain('0 new, 0 changed, 2 unchanged')
  })

  it('refuses two that differ in more than their amount', async () => {
    const lines = [header, line('1.25'), line('0.50', { currency: 'USD' })]
    const { code, stdout } = await folder.importLines(emptyDatabase(), 'corporate_action', lines)
    expect(code).toBe(1)
    expect(stdout).toContain(
      'line 3: the same isin, ex_date, kind as in line 2, where amount is "1.25", not "0.50"',
    )
  })

  it('refuses those of two files: each may have the whole of the day', async () => {
    const db = emptyDatabase()
    for (const amount of ['1.25', '0.50']) writeCsv(folder.file(`${amount}.csv`), [header, line(amount)])
    const { code, stdout } = await folder.import('corporate_action', '1.25.csv', '0.50.csv', '--db', db)
    expect(code).toBe(1)
    expect(stdout).toContain('where amount is "1.25", not "0.50"')
    expect(amountsIn(db)).toEqual([])
  })
})
