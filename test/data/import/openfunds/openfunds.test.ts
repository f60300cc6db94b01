/** openfunds: its fields in columns or in lines, as CSV or a workbook, into rows of several tables. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, readDatabase } from '../../../support/database.ts'
import { importFolder, isins, unknownIsin } from '../database.ts'
import { dumpAll } from '../dialects.ts'
import { workbook, type SheetCell } from '../workbook.ts'

const folder = importFolder()
const [first, second] = isins

type Cells = readonly (readonly string[])[]
const csv = (lines: Cells) => lines.map((line) => line.join(';')).join('\n') + '\n'

/** The fields of one share class, by OF-ID. */
type Fields = Readonly<Record<string, string>>
const flat = (...records: readonly Fields[]): Cells => {
  const ids = [...new Set(records.flatMap((record) => Object.keys(record)))]
  return [ids, ...records.map((record) => ids.map((id) => record[id] ?? ''))]
}
const narrow = (record: Fields): Cells =>
  Object.entries(record)
    .filter(([id]) => id !== 'OFST020000')
    .map(([id, value]) => [record['OFST020000'] ?? '', id, value])

async function importText(content: string | Buffer, ...flags: string[]) {
  const db = folder.database()
  editDatabase(folder.file(db), `DELETE FROM corporate_action; DELETE FROM price; DELETE FROM document`)
  const before = dumpAll(folder.file(db))
  writeFileSync(folder.file('data.dat'), content)
  const outcome = await folder.import('data.dat', '--db', db, ...flags)
  const query = (sql: string) => readDatabase(folder.file(db), sql)
  return {
    ...outcome,
    query,
    isUnchanged: JSON.stringify(before) === JSON.stringify(dumpAll(folder.file(db))),
  }
}

const full: Fields = {
  OFST001000: 'Elbe Group',
  OFST020000: first,
  OFST020060: 'Elbe Equity R EUR',
  OFST020540: 'EUR',
  OFST020560: '2011-04-01',
  OFST010410: 'EUR',
  OFDY000040: '101.50',
  OFDY000041: '2024-05-03',
  OFDY005010: '2024-03-01',
  OFDY005020: '1.25',
  OFDY005030: 'yes',
  OFDY005060: '2024-02-01',
  OFDY005062: '0.1666666',
  OFST350100: 'Equity',
  OFST023200: '[0.4]MSCI World|[0.6]iBoxx EUR',
  OFDY000060: '52068844.48',
  OFDY000061: '2024-05-03',
  OFDY000070: '14751316.10',
  OFST010440: '09-30',
  OFST020400: 'distributing',
  OFST160040: 'UCITS',
  OFST400230: '1000',
  OFST400240: 'EUR',
  OFST451027: 'yes',
  OFST451040: '[N/A]',
  OFST451320: '0.05',
  OFST451340: '0.0025',
  OFST451420: '0',
  OFST452000: '0.0135',
  OFST452120: '0.0158',
  OFEM040200: '5',
  OFEM080300: '0.0158',
  OFEM081000: '2023-12-31',
  OFEM051050: 'neutral',
  'OFEP000750(de)': 'https://funds.example/kid-de.pdf',
  'OFEP000750(en)': 'https://funds.example/kid-en.pdf',
  OFEP000700: '2024-01-15',
  'OFEP080600(en)': 'https://funds.example/kid-gb.pdf',
  OFEP080500: '2024-01-15',
}

const fund = `SELECT name, fund_inception_date, currency, wkn FROM fund WHERE isin = '${first}'`
const price = 'SELECT isin, date, net_asset_value, issue_price, repurchase_price FROM price'
const actions =
  'SELECT ex_date, kind, amount, currency, factor, successor_isin FROM corporate_action ORDER BY ex_date'
const profile = `SELECT category_de, category_en, benchmark, fund_assets, total_fund_assets, end_of_fiscal_year, accumulating, conformity,
  issue_surcharge, redemption_fee, total_expense_ratio, management_fee, performance_fee, one_time_investment, one_time_investment_minimum
  FROM profile WHERE isin = '${first}'`
const emt = `SELECT srri, ongoing_costs, ongoing_costs_date, transaction_costs, compatible_for_clients_with_esg_preferences AS esg
  FROM emt WHERE isin = '${first}'`
const documents = 'SELECT isin, kind, language, date, country, title, url FROM document ORDER BY language'

function expectFull(query: (sql: string) => readonly unknown[]) {
  expect(query(fund)).toMatchObject([
    { name: 'Elbe Equity R EUR', fund_inception_date: '2011-04-01', currency: 'EUR' },
  ])
  expect(query(price)).toEqual([
    // The NAV with the surcharge of 5.25 percent.
    {
      isin: first,
      date: '2024-05-03',
      net_asset_value: '101.50',
      issue_price: '106.83',
      repurchase_price: '101.50',
    },
  ])
  const none = { amount: null, currency: null, factor: null, successor_isin: null }
  expect(query(actions)).toEqual([
    { ...none, ex_date: '2024-02-01', kind: 'split', factor: '6' },
    { ...none, ex_date: '2024-03-01', kind: 'distribution', amount: '1.25', currency: 'EUR' },
  ])
  expect(query(profile)).toEqual([
    {
      category_de: 'Equity',
      category_en: 'Equity',
      benchmark: '40 % MSCI World, 60 % iBoxx EUR',
      fund_assets: '14751316.10',
      total_fund_assets: '52068844.48',
      end_of_fiscal_year: '09-30',
      accumulating: 0,
      conformity: 1,
      issue_surcharge: 5.25,
      redemption_fee: 0,
      total_expense_ratio: 1.58,
      management_fee: 1.35,
      performance_fee: 1,
      one_time_investment: 1,
      one_time_investment_minimum: '1000',
    },
  ])
  expect(query(emt)).toMatchObject([
    { srri: 5, ongoing_costs: 0.0158, ongoing_costs_date: '2023-12-31', esg: 'Neutral' },
  ])
  const kid = { isin: first, kind: 'kid', date: '2024-01-15' }
  expect(query(documents)).toEqual([
    {
      ...kid,
      language: 'de',
      country: '',
      title: 'Basisinformationsblatt',
      url: 'https://funds.example/kid-de.pdf',
    },
    {
      ...kid,
      language: 'en',
      country: '',
      title: 'Key information document',
      url: 'https://funds.example/kid-en.pdf',
    },
    {
      ...kid,
      language: 'en',
      country: 'GB',
      title: 'Key information document',
      url: 'https://funds.example/kid-gb.pdf',
    },
  ])
}

const names: Fields = {
  OFST020000: 'ISIN',
  OFST020060: 'Full Share Class Name',
  OFST020540: 'Share Class Currency',
  OFDY000040: 'Transaction NAV',
  OFDY000041: 'Transaction NAV Date',
}

describe('openfunds', () => {
  it('takes a column a field, by OF-IDs, into six tables', async () => {
    const { code, stdout, query } = await importText(csv(flat(full)))
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/as +openfunds[^]*a column a field[^]*not taken[^]*OFST001000/) as string,
    })
    expectFull(query)
  })

  it('takes a line a field, with or without a line that names the columns', async () => {
    const without = await importText(csv(narrow(full)))
    expect(without).toMatchObject({ code: 0, stdout: expect.stringContaining('a line a field') as string })
    expectFull(without.query)
    const titled = [
      ['Value', 'Remark', 'OF-ID', 'ISIN'],
      ...narrow(full).map(([isin = '', id = '', value = '']) => [value, 'x', id, isin]),
    ]
    const { code, query } = await importText(csv(titled))
    expect(code).toBe(0)
    expectFull(query)
  })

  it('takes names of fields, alone, above or below the OF-IDs', async () => {
    const ids = Object.keys(names)
    const own = [Object.values(names), ids]
    const line = [first, 'Elbe', 'EUR', '101.5', '2024-05-03']
    for (const header of [[own[0] ?? []], own, own.toReversed()]) {
      const { code, stderr, query } = await importText(csv([...header, line]))
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(query(price)).toMatchObject([{ net_asset_value: '101.5', date: '2024-05-03' }])
      expect(query(fund)).toMatchObject([{ name: 'Elbe' }])
    }
  })

  it('takes a workbook, whose numbers and days are no texts', async () => {
    const cells = (record: Fields): SheetCell[] =>
      Object.values(record).map((text) => {
        if (/^\d{4}-\d\d-\d\d$/.test(text)) return { day: text }
        return /^\d[\d.]*$/.test(text) ? { number: text } : text
      })
    const lines = [['Data of funds'], Object.keys(full), cells(full)]
    const { code, query } = await importText(
      workbook({ name: 'Info', rows: [['x']] }, { name: 'Data', rows: lines }),
    )
    expect(code).toBe(0)
    // A number of a workbook has no zeros at its end.
    expect(query(price)).toMatchObject([{ net_asset_value: '101.5', issue_price: '106.8' }])
    expect(query(profile)).toMatchObject([{ issue_surcharge: 5.25, fund_assets: '14751316.1' }])
    const many = await importText(workbook({ name: 'Data', rows: narrow(full) }))
    expect(many.code).toBe(0)
    expectFull(many.query)
  })

  it('keeps what [IGNORE] names, removes what is empty or [N/A], and keeps what has to be there', async () => {
    const record = {
      OFST020000: first,
      OFST020015: '',
      OFST020060: '',
      OFST020540: '[IGNORE]',
      OFST023200: '[N/A]',
    }
    const { code, query } = await importText(csv(flat(record)))
    expect(code).toBe(0)
    expect(query(fund)).toMatchObject([
      { name: expect.stringMatching(/./) as string, currency: 'EUR', wkn: null },
    ])
    expect(query(`SELECT benchmark FROM profile WHERE isin = '${first}'`)).toEqual([{ benchmark: null }])
  })

  it('takes the valuation NAV of a fund without swing, and bid and ask beside a NAV of the same day', async () => {
    const record = {
      OFST020000: first,
      OFDY000035: '100',
      OFDY000036: '2024-05-03',
      OFDY000025: '102',
      OFDY000026: '2024-05-03',
      OFDY000020: '99',
      OFDY000021: '2024-05-02',
    }
    const { stdout, query } = await importText(csv(flat(record)))
    expect(query(price)).toMatchObject([
      { net_asset_value: '100', issue_price: '102', repurchase_price: '100' },
    ])
    expect(stdout).toContain('of another day than the NAV')
  })

  it('takes a history: a line a day, and all values of a fund once', async () => {
    const days = ['2024-05-02', '2024-05-03'].map((date) => ({ ...full, OFDY000041: date, OFDY000061: date }))
    const newest = { ...days[1], OFDY000060: '60000000' }
    const lines = flat(days[0] ?? {}, newest)
    for (const content of [csv(lines), csv([...narrow(days[0] ?? {}), ...narrow(newest)])]) {
      const { code, stdout, query } = await importText(content)
      expect(code).toBe(0)
      expect(query(price)).toHaveLength(2)
      expect(query(profile)).toMatchObject([{ total_fund_assets: '60000000' }])
      // The same payment in each line is one.
      expect(query(actions)).toMatchObject([{ kind: 'split' }, { amount: '1.25' }])
      expect(stdout).not.toContain('repeat')
    }
  })

  it.each([
    ['yes', 'Y'],
    ['no', 'N'],
    ['Neutral', 'Neutral'],
  ])('takes %j for whether sustainability preferences are considered', async (word, stored) => {
    const { code, query } = await importText(csv(flat({ OFST020000: first, OFEM051050: word })))
    expect(code).toBe(0)
    expect(query(emt)).toMatchObject([{ esg: stored }])
  })

  it('refuses a word that the template does not list for sustainability preferences', async () => {
    const { code, stdout } = await importText(csv(flat({ OFST020000: first, OFEM051050: 'perhaps' })))
    expect(code).toBe(1)
    expect(stdout).toContain(
      'line 2: compatible_for_clients_with_esg_preferences "perhaps" is not one of Y, N, Neutral',
    )
  })

  describe('lines of two days that say different things of a fund', () => {
    const line = (day: string, nav: string, more: Fields): Fields => ({
      OFST020000: first,
      OFST020540: 'EUR',
      OFDY000040: nav,
      OFDY000041: day,
      ...more,
    })
    const older = line('2024-05-02', '100.00', { OFST451320: '0.05', OFST020060: 'Elbe', OFEM040200: '4' })
    const newer = line('2024-05-03', '101.00', { OFST451320: '0.03', OFST020060: 'Elbe R', OFEM040200: '5' })

    it.each([
      ['ascending', [older, newer], 'line 2'],
      ['descending', [newer, older], 'line 3'],
    ])(
      '%s, are two prices, each with its charge, and what the newest line says, as the report tells',
      async (_, lines, place) => {
        const { code, stdout, query } = await importText(csv(flat(...lines)))
        expect(code).toBe(0)
        expect(query(price)).toMatchObject([
          { date: '2024-05-02', net_asset_value: '100.00', issue_price: '105.00' },
          { date: '2024-05-03', net_asset_value: '101.00', issue_price: '104.03' },
        ])
        expect(query(profile)).toMatchObject([{ issue_surcharge: 3 }])
        expect(query(fund)).toMatchObject([{ name: 'Elbe R' }])
        expect(query(emt)).toMatchObject([{ srri: 5 }])
        for (const column of ['issue_surcharge of table profile', 'name of table fund', 'srri of table emt'])
          expect(stdout).toContain(
            `${column} of an earlier day: another one of the newest day counts (1, the first: ${place})`,
          )
      },
    )

    it('have the charge of the line before where they name none, in any order, and the newest behind', async () => {
      const day = (number: number, surcharge: string) =>
        line(`2024-05-0${number}`, '100.00', surcharge === '' ? {} : { OFST451320: surcharge })
      const lines = [day(5, ''), day(3, '0.03'), day(1, '0.05'), day(4, ''), day(2, '')]
      const filled = lines.map((one) => ({ ...one, OFST451320: one.OFST451320 ?? '' }))
      const { code, query } = await importText(csv(flat(...filled)))
      expect(code).toBe(0)
      const issues = query(`SELECT issue_price FROM price WHERE isin = '${first}' AND date LIKE '2024-05-0%'`)
      expect(issues.map(({ issue_price: issue }) => issue)).toEqual([
        '105.00',
        '105.00',
        '103.00',
        '103.00',
        '103.00',
      ])
    })

    it('in the narrow form are taken in the same way', async () => {
      const { code, query } = await importText(csv([...narrow(older), ...narrow(newer)]))
      expect(code).toBe(0)
      expect(query(profile)).toMatchObject([{ issue_surcharge: 3 }])
    })

    it('of three days are what the newest says, though an older line comes last', async () => {
      const middle = line('2024-05-01', '99.00', { OFST451320: '0.04' })
      const { code, query } = await importText(csv(flat(older, newer, middle)))
      expect(code).toBe(0)
      expect(query(profile)).toMatchObject([{ issue_surcharge: 3 }])
    })

    const codes = `SELECT wkn, srri, issue_surcharge FROM fund JOIN emt USING (isin) JOIN profile USING (isin) WHERE isin = '${first}'`
    const withWkn = { ...older, OFST020015: 'A0RPWH' }
    const emptied = { ...newer, OFST020015: '', OFST451320: '', OFEM040200: '' }

    it.each([
      ['ascending', [withWkn, emptied]],
      ['descending', [emptied, withWkn]],
    ])('lose no value to an empty cell of the newest day: %s', async (_, lines) => {
      for (const content of [csv(flat(...lines)), csv(lines.flatMap((one) => [...narrow(one)]))]) {
        const { code, query } = await importText(content)
        expect(code).toBe(0)
        expect(query(codes)).toEqual([{ wkn: 'A0RPWH', srri: 4, issue_surcharge: 5 }])
        expect(query(price)).toMatchObject([{ issue_price: '105.00' }, { issue_price: '106.05' }])
      }
    })

    it('lose it to [N/A] of the newest day, and to empty cells if no line has one', async () => {
      const absent = { ...emptied, OFST020015: '[N/A]', OFST451320: '[N/A]', OFEM040200: '[n/a]' }
      const earlier = { ...absent, OFDY000041: '2024-05-01' }
      const none = { wkn: null, srri: null, issue_surcharge: null }
      expect((await importText(csv(flat(withWkn, absent)))).query(codes)).toEqual([none])
      expect((await importText(csv(flat(withWkn, earlier)))).query(codes)).toEqual([
        { wkn: 'A0RPWH', srri: 4, issue_surcharge: 5 },
      ])
      expect((await importText(csv(flat(emptied)))).query(codes)).toEqual([none])
    })

    it('are bad on one day if only one of them says that there is no value, in either order', async () => {
      const absent = { ...older, OFEM040200: '[N/A]' }
      for (const lines of [
        [older, absent],
        [absent, older],
      ]) {
        const { code, stdout } = await importText(csv(flat(...lines)))
        expect(code).toBe(1)
        expect(stdout).toContain('where srri is ')
      }
    })

    it('are bad on one day, or where a line names no day: nothing says which is right', async () => {
      const same = { ...older, OFST451320: '0.03' }
      const dayless = { OFST020000: first, OFST451320: '0.03' }
      for (const other of [same, dayless]) {
        const { code, stdout, isUnchanged } = await importText(csv(flat(older, other)))
        expect({ code, isUnchanged }).toEqual({ code: 1, isUnchanged: true })
        expect(stdout).toContain('where issue_surcharge is')
      }
    })
  })

  it('takes the assets of a fund in the currency of the fund, or of its class', async () => {
    const record = { OFST020000: first, OFST020540: 'EUR', OFDY000060: '5000', OFDY000060_EUR: '4500' }
    const assets = `SELECT total_fund_assets AS amount, total_fund_assets_currency AS currency FROM profile WHERE isin = '${first}'`
    const inDollars = await importText(csv(flat({ ...record, OFST010410: 'USD' })))
    expect(inDollars.query(assets)).toEqual([{ amount: '5000', currency: 'USD' }])
    const inEuros = await importText(csv(flat(record)))
    expect(inEuros.query(assets)).toEqual([{ amount: '4500', currency: null }])
  })

  it('sums several payments of a day, and says so', async () => {
    const payment = {
      OFST020000: first,
      OFST020540: 'EUR',
      OFDY005010: '2024-03-01',
      OFDY005015: '2024-03-04',
    }
    const lines = flat({ ...payment, OFDY005020: '1.25' }, { ...payment, OFDY005020: '0.5' })
    const { stdout, query } = await importText(csv(lines))
    expect(query(actions)).toMatchObject([{ ex_date: '2024-03-01', amount: '1.75', currency: 'EUR' }])
    expect(stdout).toContain('several payments of a day, which are summed: 1')
  })

  it.each<[string, Fields, readonly unknown[]]>([
    ['in the fund’s', { OFST010410: 'USD', OFDY000060: '5', OFDY000060_EUR: '4' }, ['5', 'USD']],
    ['in that of the class', { OFDY000060_USD: '5', OFDY000060_EUR: '4' }, ['4', null]],
    ['in another one', { OFST010410: 'CHF', OFDY000060_USD: '5' }, ['5', 'USD']],
  ])('takes total assets %s currency, and says which it is', async (_, fields, expected) => {
    const { code, query } = await importText(csv(flat({ OFST020000: first, OFST020540: 'EUR', ...fields })))
    expect(code).toBe(0)
    const [row] = query(
      `SELECT total_fund_assets, total_fund_assets_currency FROM profile WHERE isin = '${first}'`,
    )
    expect(Object.values(row ?? {})).toEqual(expected)
  })

  it('leaves out assets of a class in another currency than its own', async () => {
    const { stdout } = await importText(
      csv(flat({ OFST020000: first, OFST020540: 'EUR', OFST010440: '09-30', OFDY000070_USD: '5' })),
    )
    expect(stdout).toContain(
      'OFDY000070_USD, since the schema has the assets of a class in its own currency (1,',
    )
  })

  describe('breakdowns', () => {
    const item = (id: string, name: string, share: string, day = '2024-04-30'): Fields => ({
      OFST020000: first,
      OFRE100000: day,
      OFRE100100: id,
      OFRE100108: name,
      OFRE100110: share,
    })
    const items = [
      item('OFRE000520', 'FR', '0.5', '2024-03-28'),
      item('OFRE000520', 'US', '0.6125'),
      item('OFRE000520', 'DE', '0.3'),
      item('OFRE000520', 'Cash', '0.0875'),
      item('OFRE000540', 'USD', '0.7'),
      item('OFRE000540', 'XXX', '0.3'),
      item('OFRE000560', 'Health Care', '0.258'),
      item('OFRE000560', 'Space Mining', '0.01'),
      item('OFRE000570', 'Large Cap', '0.9'),
      item('OFRE000500', 'Elbe AG', '0.1'),
    ]
    const expected = [
      'countries 1 Vereinigte Staaten United States 61.25',
      'countries 2 Deutschland Germany 30',
      'countries 3 Kasse Cash 8.75',
      'currencies_derivatives 1 US-Dollar US Dollar 70',
      'currencies_derivatives 2 Ohne Währung No currency 30',
      'industrial_sectors 1 Gesundheitswesen Health Care 25.8',
      'industrial_sectors 2 Space Mining  1',
      'market_capitalization 1 Große Unternehmen Large Cap 90',
      'top_values 1 Elbe AG  10',
    ]
    const structures = `SELECT type, position, name_de, name_en, percent FROM structure_item WHERE isin = '${first}'
      AND type IN ('countries', 'currencies_derivatives', 'industrial_sectors', 'market_capitalization', 'top_values') ORDER BY 1, 2`
    const shown = (query: (sql: string) => readonly Readonly<Record<string, unknown>>[]) =>
      query(structures).map((row) => Object.values(row).join(' '))

    it.each([
      ['a line an item', flat(...items)],
      ['a line a field', items.flatMap((one) => [...narrow(one)])],
    ])('of the newest day become structures, from %s', async (_, lines) => {
      const { code, stdout, query } = await importText(csv(lines))
      expect(code).toBe(0)
      expect(shown(query)).toEqual(expected)
      expect(stdout).toContain('an item of a breakdown of an earlier day (1,')
    })

    it('show ten of the largest positions, and leave out what no structure has', async () => {
      const many = Array.from({ length: 12 }, (_, at) => item('OFRE000500', `Elbe ${at}`, '0.05'))
      const others = [item('OFRE000580', 'AAA', '0.5'), item('OFRE000335', '', '7.1')]
      const { stdout, query } = await importText(csv(flat(...many, ...others)))
      expect(shown(query).filter((row) => row.startsWith('top_values'))).toHaveLength(10)
      expect(stdout).toContain('a figure or breakdown OFRE000580, for which no structure has a place (1,')
      expect(stdout).toContain('a figure or breakdown OFRE000335, for which no structure has a place (1,')
    })

    it('keep a currency of 100 % beside hedges that have as much together', async () => {
      const shares = { EUR: '1.0', USD: '0.6', JPY: '0.4' }
      const currencies = Object.entries(shares).map(([code, own]) => item('OFRE000540', code, own))
      const { stdout, query } = await importText(csv(flat(...currencies)))
      expect(shown(query).filter((row) => row.startsWith('currencies'))).toHaveLength(3)
      expect(stdout).not.toContain('looks like the total')
    })

    it.each([
      ['Summe', '1.2'],
      ['Total Portfolio', '1'],
    ])('lack a total, which the report names: %s', async (name, share) => {
      const shares = { US: '0.5', DE: '0.3', FR: '0.2' }
      const countries = Object.entries(shares).map(([code, own]) => item('OFRE000520', code, own))
      const { code, stdout, query } = await importText(
        csv(flat(...countries, item('OFRE000520', name, share))),
      )
      expect(code).toBe(0)
      expect(shown(query).filter((row) => row.startsWith('countries'))).toHaveLength(3)
      expect(stdout).toContain(
        `an item "${name}", which looks like the total of others (1, the first: line 5)`,
      )
    })

    it('keep an item that looks like a total, if --keep names it', async () => {
      const lines = [item('OFRE000520', 'US', '0.7'), item('OFRE000520', 'Summe AG', '0.3')]
      const flags = ['--keep', 'OFRE100108=Summe AG']
      const { code, query } = await importText(csv(flat(...lines)), ...flags)
      expect(code).toBe(0)
      expect(shown(query).filter((row) => row.startsWith('countries'))).toHaveLength(2)
      const titled = [['ISIN', 'OF-ID', 'Value'], ...lines.flatMap((one) => [...narrow(one)])]
      const many = await importText(csv(titled), '--keep', 'Value=Summe AG')
      expect(shown(many.query).filter((row) => row.startsWith('countries'))).toHaveLength(2)
    })

    it('stay as they are beside a breakdown that has only a total', async () => {
      const countries = `SELECT count(*) AS items FROM structure_item WHERE isin = '${first}' AND type = 'countries'`
      const items = [item('OFRE000520', 'Gesamt', '1'), item('OFRE000540', 'EUR', '1')]
      const { stdout, query } = await importText(csv(flat(...items)))
      expect(stdout).toContain('an item "Gesamt", which looks like the total of others (1, ')
      expect(query(countries)).not.toEqual([{ items: 0 }])
    })

    it('name a code of no country Other, and never by itself', async () => {
      const lines = flat(
        item('OFRE000520', 'US', '0.5'),
        item('OFRE000520', 'XX', '0.3'),
        item('OFRE000520', 'XK', '0.2'),
      )
      const { stdout, query } = await importText(csv(lines))
      expect(shown(query).filter((row) => row.startsWith('countries'))).toEqual([
        'countries 1 Vereinigte Staaten United States 50',
        'countries 2 Sonstige Other 30',
        'countries 3 Kosovo Kosovo 20',
      ])
      expect(stdout).toContain(
        'the code XX, which names no country: the item is Sonstige (Other) (1, the first: line 3)',
      )
    })

    it.each([
      [
        item('OFRE000520', 'US', '61.25'),
        'the items of OFRE000520 are 6125 % together: openfunds writes fractions',
      ],
      [item('OFRE000520', '', '0.6'), 'an item of OFRE000520 needs its name (OFRE100108)'],
      [item('OFRE000520', 'US', ''), 'an item of OFRE000520 needs its name (OFRE100108)'],
    ])('are bad in another form', async (one, message) => {
      const { code, stdout } = await importText(csv(flat(one)))
      expect(code).toBe(1)
      expect(stdout).toContain(message)
    })

    it('with a bad line keep the list of the database, whole', async () => {
      const list = `SELECT name_de FROM structure_item WHERE isin = '${first}' AND type = 'countries'`
      const good = [item('OFRE000520', 'US', '0.6'), item('OFRE000520', 'DE', '0.3')]
      const bad = item('OFRE000520', 'FR', 'x')
      const broken = `${first},2024-04-30,OFRE000520,FR,0,1`
      const comma = (lines: Cells) => lines.map((line) => line.join(',')).join('\n')
      const files = [
        comma(flat(...good, bad)),
        comma(flat(bad, ...good)),
        `${comma(flat(...good))}\n${broken}`,
        comma([...good, bad].flatMap((one) => [...narrow(one)])),
        comma([...good.flatMap((one) => [...narrow(one)]), [first, 'OFRE100110', '0', '1']]),
      ]
      for (const content of files) {
        const { stdout, query } = await importText(content, '--skip-bad')
        expect(stdout).toContain('a list with a bad row: the database keeps its own')
        expect(query(list)).not.toContainEqual({ name_de: 'Deutschland' })
        expect(query(list)).not.toEqual([])
      }
    })

    it('are bad if two lines contradict each other', async () => {
      const { code, stdout } = await importText(
        csv(flat(item('OFRE000520', 'US', '0.6'), item('OFRE000520', 'US', '0.7'))),
      )
      expect(code).toBe(1)
      expect(stdout).toContain('line 3: item "US" of OFRE000520 is 0.7, but 0.6 in line 2')
    })

    it('of sectors are those of equities, if a fund has both', async () => {
      const { stdout, query } = await importText(
        csv(flat(item('OFRE000560', 'Energy', '0.5'), item('OFRE000565', 'Government', '0.5'))),
      )
      expect(shown(query).filter((row) => row.startsWith('industrial'))).toEqual([
        'industrial_sectors 1 Energie Energy 50',
      ])
      expect(stdout).toContain('a breakdown OFRE000565 beside another one that fills the same structure (1,')
    })
  })

  it('ends, merges and suspends funds', async () => {
    const lines = flat(
      {
        OFST020000: first,
        OFST020566: '2024-06-28',
        OFST023100: 'closed for subscription and redemption',
        OFST023110: '2024-06-01',
      },
      { OFST020000: second, OFST020566: '2024-06-28', OFST020575: first, OFST023100: 'open' },
    )
    const { code, query } = await importText(csv(lines))
    expect(code).toBe(0)
    expect(
      query('SELECT end_date, end_reason, suspended_from, suspended_to FROM fund ORDER BY isin LIMIT 2'),
    ).toEqual([
      { end_date: '2024-06-28', end_reason: 'liquidated', suspended_from: '2024-06-01', suspended_to: null },
      { end_date: null, end_reason: null, suspended_from: null, suspended_to: null },
    ])
    expect(query(actions)).toMatchObject([{ ex_date: '2024-06-28', kind: 'merger', successor_isin: first }])
  })

  it('leaves out what is estimated, in another currency, or of no language, and says so', async () => {
    const { stdout, query } = await importText(
      csv(
        flat({
          OFST020000: first,
          OFST020540: 'EUR',
          OFDY000060: '5000',
          OFDY000040_USD: '110',
          OFDY005010: '2024-03-01',
          OFDY005020: '1',
          OFDY005030: 'no',
          OFST400230: '1000',
          OFST400240: 'USD',
          OFST020400: 'accumulating & distributing',
          OFEP000750: 'https://funds.example/kid.pdf',
          OFEP000700: '2024-01-15',
        }),
      ),
    )
    expect(query(price)).toEqual([])
    expect(query(actions)).toEqual([])
    expect(query(documents)).toEqual([])
    // What pays distributions, too, is distributing.
    expect(query(profile)).toMatchObject([{ accumulating: 0 }])
    for (const what of [
      'estimated',
      'OFDY000060, whose currency',
      'minimal subscription',
      'KID whose language',
      'OFDY000040_USD',
    ])
      expect(stdout).toContain(what)
  })

  it.each([
    [
      'a fee that is no fraction',
      { OFST452000: '1.35' },
      'OFST452000 is 1.35, that is 135 %: openfunds writes fractions',
    ],
    ['a NAV without a day', { OFDY000040: '101' }, 'OFDY000040 has no day in OFDY000041'],
    ['a split of too few digits', { OFDY005060: '2024-02-01', OFDY005062: '0.33' }, 'has too few digits'],
    [
      'a value that is wrong',
      { OFST451027: 'perhaps' },
      'OFST451027 (Has Performance Fee) "perhaps" is not one of 0, 1',
    ],
    [
      'a fund that is new and lacks its name',
      { OFST020000: unknownIsin, OFST020540: 'EUR' },
      'is new, and the file lacks name',
    ],
  ])('refuses %s, and takes nothing', async (_, more, reason) => {
    const { code, stdout, isUnchanged } = await importText(
      csv(flat({ OFST020000: first, OFST020015: '', ...more })),
    )
    expect(code).toBe(1)
    expect(stdout).toContain(`line 2: `)
    expect(stdout).toContain(reason)
    expect(isUnchanged).toBe(true)
  })

  it('refuses lines that contradict each other', async () => {
    const lines = flat({ OFST020000: first, OFST020060: 'Elbe' }, { OFST020000: first, OFST020060: 'Weser' })
    const { stdout, isUnchanged } = await importText(csv(lines))
    expect(stdout).toContain('line 3: the same isin as in line 2, where name is "Elbe", not "Weser"')
    expect(isUnchanged).toBe(true)
  })

  it('reads what a spreadsheet in German writes', async () => {
    const { code, query } = await importText(
      csv(
        flat({ OFST020000: first, OFST452000: '0,0135', OFDY000040: '1.101,50', OFDY000041: '03.05.2024' }),
      ),
    )
    expect(code).toBe(0)
    expect(query(price)).toMatchObject([{ net_asset_value: '1101.50', date: '2024-05-03' }])
    expect(query(profile)).toMatchObject([{ management_fee: 1.35 }])
  })

  it('keeps fifteen digits of a fraction, as of all shares, and says so', async () => {
    const { code, stdout, query } = await importText(
      csv(flat({ OFST020000: first, OFST452000: '0.01351234567890123', OFST452120: '1.5E-2' })),
    )
    expect(code).toBe(0)
    expect(query(profile)).toMatchObject([{ management_fee: 1.35123456789012, total_expense_ratio: 1.5 }])
    expect(stdout).toContain('OFST452000 (Management Fee Applied): 1 cell has more digits than')
    const large = await importText(csv(flat({ OFST020000: first, OFST452000: '1E+25' })))
    expect(large.stdout).toContain(
      'line 2: OFST452000 (Management Fee Applied) is "1E+25": no fraction is so large',
    )
  })

  it('refuses a file with several columns that may have the values', async () => {
    const { code, stderr } = await importText(csv(narrow(full).map((line) => [...line, 'x'])))
    expect(code).toBe(1)
    expect(stderr).toContain('several columns may have the values: name one of them Value, in the first line')
  })
})

describe('a line of openfunds that has another width', () => {
  const flatLines = (...lines: readonly string[]) => ['OFST020000,OFDY000041,OFDY000040', ...lines]
  const narrowLines = [`${first},OFDY000041,2024-05-03`, `${first},OFDY000040,61,83`]

  it.each([
    ['with a decimal comma', flatLines(`${first},2024-05-03,61,83`), 'line 2: it has 4 cells, the header 3'],
    ['without its last value', flatLines(`${first},2024-05-03`), 'line 2: it has 2 cells, the header 3'],
    [
      'with a decimal comma, in the narrow form',
      ['ISIN,OF-ID,Value', ...narrowLines],
      'line 3: it has 4 cells, the header 3',
    ],
    [
      'with a decimal comma, in the narrow form without a header',
      narrowLines,
      'line 2: it has 4 cells, the first one with a field 3',
    ],
  ])('is bad: %s', async (_, lines, message) => {
    const { code, stdout, isUnchanged } = await importText(lines.join('\n'))
    expect({ code, isUnchanged }).toEqual({ code: 1, isUnchanged: true })
    expect(stdout.match(/^line \d+: .*$/gm)).toEqual([message])
  })

  it('is good if it only ends with delimiters, stands between header and share classes, or repeats the header', async () => {
    const [header = ''] = flatLines()
    const lines = [header, 'ISIN', 'Share classes only', `${first},2024-05-03,61.83,,`, header]
    const { code, stdout, query } = await importText(lines.join('\n'))
    expect({ code, prices: query(price) }).toMatchObject({ code: 0, prices: [{ net_asset_value: '61.83' }] })
    expect(stdout).toContain('lines between the header and the first share class (1, the first: line 3)')
    expect(stdout).toContain('lines that repeat the header (1, the first: line 5)')
  })
})

describe('the narrow form of openfunds, where a day lacks a field', () => {
  const prices = `SELECT date, net_asset_value FROM price WHERE isin = '${first}' ORDER BY date`
  const lines = (...fields: readonly (readonly [id: string, value: string])[]) =>
    ['ISIN,OF-ID,Value', ...fields.map(([id, value]) => `${first},${id},${value}`)].join('\n')
  const nav = (value: string) => ['OFDY000040', value] as const
  const day = (value: string) => ['OFDY000041', value] as const
  const amount = (value: string) => ['OFDY005020', value] as const
  const exDay = (value: string) => ['OFDY005010', value] as const

  it.each([
    [
      'a NAV before its day',
      [nav('61.70'), day('2026-11-25'), day('2026-11-26'), nav('61.83'), day('2026-11-27')],
    ],
    [
      'a day before its NAV',
      [day('2026-11-25'), nav('61.70'), nav('61.83'), day('2026-11-27'), nav('61.90')],
    ],
    [
      'an amount',
      [amount('2.10'), exDay('2026-03-02'), exDay('2026-06-02'), amount('2.20'), exDay('2026-09-02')],
    ],
  ])('its class has no day that is sure: %s', async (_, fields) => {
    const { code, stdout, isUnchanged } = await importText(lines(...fields))
    expect({ code, isUnchanged }).toEqual({ code: 1, isUnchanged: true })
    expect(stdout).toMatch(/^line 2: OFDY\d{6} \([^)]*\): of the days of this class, one begins with OFDY/)
    expect(stdout.match(/^line \d+: /gm)).toHaveLength(fields.length)
  })

  it('its other fields are taken by --skip-bad, and so are other classes', async () => {
    const fields = [
      ['OFST020015', 'ABC123'],
      nav('61.70'),
      day('2026-11-25'),
      day('2026-11-26'),
      nav('1'),
    ] as const
    const other = `${lines(...fields)}\n${second},OFDY000040,7\n${second},OFDY000041,2026-11-25`
    const { query } = await importText(other, '--skip-bad')
    expect(query(`SELECT wkn FROM fund WHERE isin = '${first}'`)).toEqual([{ wkn: 'ABC123' }])
    expect(query(prices)).toEqual(await pricesBefore())
  })

  const pricesBefore = async () => (await importText(lines(['OFST020015', 'ABC123']))).query(prices)

  it('by a value that is bad, the others keep their days', async () => {
    const fields = [
      nav('61.70'),
      day('2026-11-25'),
      nav('x'),
      day('2026-11-26'),
      nav('61.83'),
      day('2026-11-27'),
    ]
    const { query } = await importText(lines(...fields), '--skip-bad')
    expect(query(prices)).toEqual(
      expect.arrayContaining([
        { date: '2026-11-25', net_asset_value: '61.70' },
        { date: '2026-11-27', net_asset_value: '61.83' },
      ]),
    )
    expect(query(prices)).not.toContainEqual(expect.objectContaining({ date: '2026-11-26' }))
  })

  it('or has it as [N/A] or [IGNORE], all others have their days', async () => {
    for (const command of ['[N/A]', '[IGNORE]', '']) {
      const fields = [
        nav('61.70'),
        day('2026-11-25'),
        nav(command),
        day('2026-11-26'),
        nav('61.83'),
        day('2026-11-27'),
      ]
      const { code, query } = await importText(lines(...fields))
      expect(code).toBe(0)
      const newest = query(prices).filter(({ date }) => String(date) > '2026-11-20')
      expect(newest).toEqual([
        { date: '2026-11-25', net_asset_value: '61.70' },
        { date: '2026-11-27', net_asset_value: '61.83' },
      ])
    }
  })
})

it.each([
  ['thesaurierend', 1],
  ['Acc', 1],
  ['accumulating and distributing', 0],
  ['Ausschüttend', 0],
])('the distribution policy %s of openfunds is a word of tables, too', async (policy, flag) => {
  const { code, query } = await importText(csv(flat({ ...full, OFST020400: policy })))
  expect(code).toBe(0)
  expect(query(profile)).toMatchObject([{ accumulating: flag }])
})

it.each([
  ['in small letters', (id: string) => id.toLowerCase()],
  ['with the name behind', (id: string) => `${id} Some name`],
  ['with the name behind a dash', (id: string) => `${id} - Some name`],
])('OF-IDs of openfunds are known %s, in both forms', async (_, written) => {
  const [header = [], line = []] = flat(full)
  const expected = await importText(csv([header, line]))
  const queries = [price, actions, profile, documents]
  const all = ({ query }: typeof expected) => queries.map((sql) => query(sql))
  const named = narrow(full).map(([isin = '', id = '', value = '']) => [isin, written(id), value])
  for (const lines of [[header.map(written), line], named]) {
    const found = await importText(csv(lines))
    expect(found.code).toBe(0)
    expect(all(found)).toEqual(all(expected))
  }
})

it('a dividend of 0 in openfunds is left out, and said to be', async () => {
  const { code, stdout, query } = await importText(csv(flat({ ...full, OFDY005020: '0.00' })))
  expect(code).toBe(0)
  expect(stdout).toContain('a distribution of 0, which is none')
  expect(query(actions)).toMatchObject([{ kind: 'split' }])
})

describe('the directive of a fund in openfunds', () => {
  it.each([
    ['UCITS', 1],
    ['UCITS IV', 1],
    ['ucits v', 1],
    ['OGAW', 1],
    ['AIFMD', 0],
    ['non-UCITS', 0],
  ])('%s is conformity %i', async (directive, conformity) => {
    const file = csv(flat({ OFST020000: first, OFST020540: 'EUR', OFST160040: directive }))
    const db = folder.database()
    editDatabase(folder.file(db), `UPDATE profile SET conformity = ${String(1 - conformity)}`)
    writeFileSync(folder.file('directive.csv'), file)
    const { code } = await folder.import('directive.csv', '--db', db)
    const rows = readDatabase(folder.file(db), `SELECT conformity FROM profile WHERE isin = '${first}'`)
    expect({ code, rows }).toEqual({ code: 0, rows: [{ conformity }] })
  })

  it('leaves out one that is not known, and says so', async () => {
    const file = csv(flat({ OFST020000: first, OFST020540: 'EUR', OFST160040: 'Directive 7' }))
    const { code, stdout, query } = await importText(file)
    const rows = query(`SELECT conformity FROM profile WHERE isin = '${first}'`)
    expect({ code, rows }).toEqual({ code: 0, rows: [{ conformity: 1 }] })
    expect(stdout).toContain('a directive that is not known (OFST160040): Directive 7 (1, the first: line 2)')
  })
})
