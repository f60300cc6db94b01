/** Files that lack columns of rows that exist, and files of prices with one more: their currency. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { importFolder, isins } from './database.ts'
import { dump } from './dialects.ts'

const folder = importFolder()
const [first, second, third] = isins

describe('import of a file that lacks columns', () => {
  /** As a company maps its master file. */
  const config = {
    import: {
      fund: {
        columns: { Fondsname: 'name', Auflage: 'fund_inception_date', Seite: 'url', Währung: 'currency' },
      },
      price: {
        columns: { Bewertungstag: 'date', Anteilwert: 'net_asset_value', Ausgabepreis: 'issue_price' },
      },
    },
  }
  const importWith = (db: string, table: string, lines: readonly string[][], ...flags: readonly string[]) => {
    writeFileSync(folder.file('own.json'), JSON.stringify(config))
    return folder.importLines(db, table, lines, ['--config', 'own.json', ...flags])
  }
  const header = ['isin', 'data_permitted']

  it('keeps the values of rows that exist, so that two columns withdraw a fund', async () => {
    const db = folder.database()
    const columns = 'isin, name, fund_inception_date, url, currency, prices_permitted'
    const before = dump(folder.file(db), 'fund', columns)
    const ended = await importWith(db, 'fund', [header, [first, '0'], [third, '1']])
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(ended.stdout).toContain('not in the file: wkn, name, fund_inception_date, status_date, url, ')
    expect(ended.stdout).toContain('0 new, 1 changed, 1 unchanged')
    expect(readDatabase(folder.file(db), 'SELECT isin, data_permitted FROM fund')).toEqual([
      { isin: first, data_permitted: 0 },
      { isin: second, data_permitted: 1 },
      { isin: third, data_permitted: 1 },
    ])
    expect(dump(folder.file(db), 'fund', columns)).toEqual(before)
  })

  it.each([
    [['--replace'], 'columns name, fund_inception_date, currency of table fund are missing'],
    [['--map', 'Name=name'], 'the file has no column "name"'],
  ])(
    'is refused with %j: no row keeps a value, or the command line names a column',
    async (flags, reason) => {
      const ended = await importWith(folder.database(), 'fund', [header, [first, '0']], ...flags)
      expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) })
    },
  )

  it('takes a correction of one column of prices, and points at --derive', async () => {
    const db = folder.database()
    const lines = [
      ['isin', 'Bewertungstag', 'Anteilwert'],
      [first, '2024-05-02', '101'],
    ]
    const { code, stdout } = await importWith(db, 'price', lines)
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining(
        '(--derive computes issue_price, repurchase_price, change, change_percent, performance)',
      ),
    })
    const [price] = readDatabase(folder.file(db), 'SELECT isin, issue_price, net_asset_value FROM price')
    expect(price).toEqual({ isin: first, issue_price: '105.00', net_asset_value: '101' })
    const added = await importWith(db, 'price', [lines[0] ?? [], [first, '2024-05-03', '101']])
    expect(added.stdout).toContain(
      `line 2: ${first}, 2024-05-03 is new, and the file lacks issue_price, repurchase_price, change, ` +
        'change_percent (--derive computes issue_price, repurchase_price, change, change_percent)\n',
    )
  })
})

describe('import of prices with a currency', () => {
  const lines = (...currencies: readonly string[]) => [
    ['isin', 'date', 'issue_price', 'repurchase_price', 'net_asset_value', 'Währung'],
    ...currencies.map((currency, index) => [first, `2024-06-0${index + 1}`, '1', '1', '1', currency]),
  ]
  const importLines = (db: string, all: readonly string[][], ...flags: readonly string[]) =>
    folder.importLines(db, 'price', all, ['--derive', '--map', 'Währung=currency', ...flags])

  // Bloomberg, Yahoo and the stock exchanges write hundredths like this: GBp is pence, ZAc are cents.
  it.each([
    ['GBP', ['GBp', 'GBX', 'GBx', 'gBP', 'gbX']],
    ['ZAR', ['ZAc', 'ZAC', 'ZAX', 'ZAr']],
    ['ILS', ['ILA', 'ILa', 'ILs', 'ILX']],
    ['USD', ['USd', 'USX', 'USc', 'UsD']],
    ['EUR', ['EUr', 'EUX', 'EUc', 'EUR.']],
    ['KWD', ['KWf', 'KWd']],
  ])('takes no amount in a part of %s for one of the whole', async (own, codes) => {
    const db = folder.database()
    editDatabase(folder.file(db), `UPDATE fund SET currency = '${own}' WHERE isin = '${first}'`)
    const { code, stdout } = await importLines(db, lines(own, own.toLowerCase(), ...codes))
    expect(code).toBe(1)
    const said = stdout.split('\n').slice(0, codes.length)
    expect(said.map((line) => line.replace(/ of a currency.*/, ''))).toEqual(
      codes.map((one, index) => `line ${index + 4}: Währung (currency) "${one}" is not an ISO 4217 code`),
    )
  })
})
