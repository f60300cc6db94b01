/** What a file lacks or names in another way: constants, one column for several, the WKN, prices beside the NAV, hundredths. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { editDatabase, type Row } from '../../support/database.ts'
import { run } from '../../cli/run.ts'
import { dump } from './dialects.ts'
import { importFolder, isins, refusal } from './database.ts'

const folder = importFolder()
const [first, second, isin] = isins

let files = 0
/** @param edit SQL for the database before */
async function importText(
  table: string,
  lines: readonly string[],
  flags: readonly string[] = [],
  edit = '',
  db = folder.database(),
) {
  const file = `filling-${files++}.csv`
  writeFileSync(folder.file(file), lines.join('\n'))
  if (edit !== '') editDatabase(folder.file(db), edit)
  const ended = await folder.import(table, file, '--db', db, ...flags)
  const rows = (...columns: readonly string[]): readonly Row[] =>
    dump(folder.file(db), `${table} WHERE isin = '${isin}'`, columns.join(', ')).rows.map((row) =>
      Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])),
    )
  return { ...ended, db, said: ended.stderr.replace(`fundpress: ${file}`, 'file').trim(), rows }
}

describe('import with --set', () => {
  it('gives all rows of the table a value that the file does not have', async () => {
    const flags = ['--set', `isin=${isin}`, '--set', 'type=countries', '--set', 'name_en=']
    const lines = ['position;name_de;percent', '1;Japan;27,9', '2;USA;72,1']
    const { said, stdout, rows } = await importText('structure_item', lines, flags)
    expect(said).toBe('')
    expect(stdout).toContain('notes  set: isin, type, name_en\n')
    expect(rows('type', 'position', 'name_de', 'name_en', 'percent')).toEqual([
      { type: 'countries', position: 1, name_de: 'Japan', name_en: null, percent: 27.9 },
      { type: 'countries', position: 2, name_de: 'USA', name_en: null, percent: 72.1 },
    ])
  })

  it.each([
    [
      'structure_item',
      ['isin;name_de;percent', `${isin};Japan;1`],
      'column type of table structure_item is missing (--set type=… gives all rows one value)',
    ],
    ['price', ['date;net_asset_value', '2026-11-27;1'], ' (--set isin=… gives all rows one value)'],
  ])('is named where a file of table %s lacks such a column', async (table, lines, message) => {
    const { said, stdout } = await importText(table, lines)
    expect(said + stdout).toContain(message)
  })

  it('is named at the line of a new row that lacks such a column', async () => {
    const lines = ['isin;name;fund_inception_date', 'DE0008474024;Elbe;2010-01-04']
    const { stdout } = await importText('fund', lines)
    expect(stdout).toContain(
      'line 2: DE0008474024 is new, and the file lacks currency (--set currency=… gives all rows one value)\n',
    )
  })

  it('names the types of structures that there are', async () => {
    const { said } = await importText(
      'structure_item',
      ['isin;name_de;percent', `${isin};Japan;1`],
      ['--set', 'type=Länder'],
    )
    expect(said).toContain('--set type: "Länder" is not one of the structure types: countries, ')
  })

  it('takes days and numbers as the schema has them, whatever the file has', async () => {
    const flags = ['--set', 'date=2026-11-27', '--dates', 'german', '--decimal', 'comma']
    const { rows } = await importText('launch_point', ['isin;value', `${isin};100,5`], flags)
    expect(rows('date', 'value')).toEqual([{ date: '2026-11-27', value: 100.5 }])
  })

  it('makes a table of a file whose key it completes', async () => {
    const lines = ['date;value', '2026-11-27;1']
    const db = folder.database()
    writeFileSync(folder.file('points.csv'), lines.join('\n'))
    const ended = await folder.import('points.csv', '--db', db, '--set', `isin=${isin}`)
    expect(ended.stderr).toContain('has the columns of the tables legal_point and launch_point')
  })

  it.each([
    [['value=x'], '--set value: the file has that column, too (value)'],
    [['date=27.11.2026'], '--set date: "27.11.2026" is not a day (YYYY-MM-DD)'],
    [['date='], '--set date: is empty'],
    [['dat=x'], '--set: table launch_point has no column "dat" (did you mean "date"?)'],
  ])('refuses %j', async (values, reason) => {
    const flags = values.flatMap((value) => ['--set', value])
    const ended = await importText('launch_point', ['isin;value', `${isin};1`], flags)
    expect(ended).toMatchObject(refusal(reason))
    expect(ended.rows('date')).toEqual([])
  })

  it('refuses two values of one column, and files that are no plain tables', async () => {
    const twice = await importText('launch_point', ['isin;value'], ['--set', 'date=1', '--set', 'date=2'])
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('--set names a column twice') })
    const template = ['00001_EMT_Version;00010_ISIN;00020_Type', `V4.2;${isin};1`]
    const ended = await importText('emt', template, ['--set', 'srri=1'])
    expect(ended.said).toMatch(/^fundpress: --set is for plain tables, and .* is none$/)
  })
})

describe('import of one column for several', () => {
  const lines = ['isin;date;NAV', `${isin};2026-11-27;10,50`]
  const columns = ['net_asset_value', 'issue_price', 'repurchase_price'] as const

  it('takes it for each', async () => {
    const { said, rows } = await importText('price', lines, ['--map', `NAV=${columns.join(',')}`, '--derive'])
    expect(said).toBe('')
    expect(rows(...columns)).toEqual([Object.fromEntries(columns.map((name) => [name, '10.50']))])
  })

  it('takes it for each by the config, where the command line does not name one of them', async () => {
    const config = { import: { price: { columns: { NAV: columns.join(',') } } } }
    writeFileSync(folder.file('several.json'), JSON.stringify(config))
    const flags = ['--config', 'several.json', '--derive']
    const { said, rows } = await importText('price', lines, flags)
    expect(said).toBe('')
    expect(rows(...columns)).toEqual([Object.fromEntries(columns.map((name) => [name, '10.50']))])
  })

  it('refuses a name that the table does not have', async () => {
    const { said } = await importText('price', lines, ['--map', 'NAV=net_asset_value,issue', '--derive'])
    expect(said).toContain('table price has no column "issue"')
  })
})

describe('import by the WKN', () => {
  const lines = (...wkns: readonly string[]) => [
    'WKN;date;value',
    ...wkns.map((wkn) => `${wkn};2026-11-27;1`),
  ]
  const named = `UPDATE fund SET wkn = 'A0RPWH' WHERE isin = '${isin}'`

  it('finds the fund', async () => {
    const { said, rows } = await importText('legal_point', lines(' a0rpwh '), [], named)
    expect(said).toBe('')
    expect(rows('date')).toEqual([{ date: '2026-11-27' }])
  })

  it('finds it by a column of another name', async () => {
    const text = lines('A0RPWH').map((line) => line.replace('WKN', 'Kennnummer'))
    expect((await importText('legal_point', text, ['--map', 'Kennnummer=wkn'], named)).said).toBe('')
  })

  it('finds a fund that comes with another file, in whichever order they are named', async () => {
    const fund = 'DE0008471400'
    const texts = {
      'funds.csv': `isin;wkn;name;fund_inception_date;currency\n${fund};847140;Elbe;2020-01-02;EUR`,
      'prices.csv': 'wkn;date;net_asset_value\n847140;2026-11-26;100.00\n847140;2026-11-27;100.50',
    }
    for (const [name, text] of Object.entries(texts)) writeFileSync(folder.file(name), text)
    const [funds = '', prices = ''] = Object.keys(texts)
    for (const order of [
      [funds, prices],
      [prices, funds],
    ]) {
      const db = folder.database()
      const explained = await folder.import(...order, '--db', db, '--derive', '--explain')
      expect({ code: explained.code, bad: /^bad .*$/m.exec(explained.stdout) }).toEqual({
        code: 0,
        bad: null,
      })
      const { code, stdout } = await folder.import(...order, '--db', db, '--derive')
      expect({ code, first: /^file +(\S+)$/m.exec(stdout)?.[1] }).toEqual({ code: 0, first: order[0] })
      expect(dump(folder.file(db), `price WHERE isin = '${fund}'`, 'date').rows).toHaveLength(2)
    }
    const db = folder.database()
    const alone = await folder.import(prices, '--db', db, '--derive')
    expect(alone.code).toBe(1)
    expect(alone.stdout).toContain(
      '"847140" is the WKN of no fund in the database, or in a file of this import',
    )
    expect(alone.stdout).not.toContain('--skip-last')
  })

  it.each([
    ['847402', '"847402" is the WKN of no fund in the database, or in a file of this import'],
    ['47402', '"47402" is not a WKN: six digits and capital letters without I and O'],
    ['', 'is empty'],
    ['ABC123', `"ABC123" is the WKN of ${first} and ${second}`],
  ])('refuses the line of %s', async (wkn, reason) => {
    const { stdout, rows } = await importText('legal_point', lines('A0RPWH', wkn), [], named)
    expect(stdout).toContain(`line 3: wkn ${reason}`)
    expect(rows('date')).toEqual([])
  })

  it('does not ask for it if the file has the ISIN', async () => {
    const text = ['isin;wkn;date;value', `${isin};A0RPWH;2026-11-27;1`]
    expect((await importText('legal_point', text, [], named)).said).toContain('has no column "wkn"')
  })

  it('refuses a WKN that is not the one in a German ISIN', async () => {
    const fund = 'isin;wkn;name;fund_inception_date;url;currency'
    const text = [fund, 'DE0008474024;847403;Fund;2010-01-04;https://funds.example/;EUR']
    const { stdout } = await importText('fund', text)
    expect(stdout).toContain('line 2: wkn "847403" is not the WKN that the ISIN DE0008474024 holds: 847402\n')
  })
})

describe('import --derive of a file that has only NAVs', () => {
  const navs = (...pairs: readonly (readonly [day: string, nav: string])[]) => [
    'isin;date;net_asset_value',
    ...pairs.map(([day, nav]) => `${isin};${day};${nav}`),
  ]
  const columns = ['issue_price', 'net_asset_value', 'repurchase_price'] as const
  const prices = (issue: string, nav: string, repurchase: string) => ({
    issue_price: issue,
    net_asset_value: nav,
    repurchase_price: repurchase,
  })
  const fees = (surcharge: number, fee: number) =>
    `INSERT INTO profile SELECT '${isin}', category_de, category_en, benchmark, fund_assets, total_fund_assets, total_fund_assets_currency,
       end_of_fiscal_year, accumulating, conformity, ${surcharge}, ${fee}, total_expense_ratio, management_fee,
       custodian_bank_fee, performance_fee, savings_plan, savings_plan_minimum, one_time_investment,
       one_time_investment_minimum, capital_forming_payments, capital_forming_payments_minimum
     FROM profile WHERE isin = '${first}'`

  it.each([
    ['without fees', '', ['100.05', '100.05', '100.05']],
    ['with a surcharge', fees(5, 0), ['105.05', '100.05', '100.05']],
    ['with a fee', fees(0, 2), ['100.05', '100.05', '98.05']],
    ['with fractions of a percent', fees(5.25, 0.125), ['65.080882', '61.834567', '61.757274']],
    ['with halves, which are rounded up', fees(5, 5), ['0.1', '0.1', '0.1']],
    ['without digits after the point', fees(50, 0), ['5', '3', '3']],
  ] as const)('fills the other prices %s', async (_, edit, expected) => {
    const [, nav] = expected
    const { said, stdout, rows } = await importText('price', navs(['2026-11-27', nav]), ['--derive'], edit)
    expect(said).toBe('')
    expect(stdout).toContain('derived: issue_price (the NAV with the issue surcharge), repurchase_price (')
    expect(rows(...columns)).toEqual([prices(expected[0], nav, expected[2])])
  })

  it('fills them again if the NAV is corrected, and keeps prices of the company', async () => {
    const { db } = await importText('price', navs(['2026-11-26', '10'], ['2026-11-27', '11']), ['--derive'])
    const edit = `UPDATE price SET issue_price = '12' WHERE isin = '${isin}' AND date = '2026-11-27'`
    const corrected = navs(['2026-11-26', '10.5'], ['2026-11-27', '11.5'])
    const { rows } = await importText('price', corrected, ['--derive'], edit, db)
    expect(rows(...columns)).toEqual([prices('10.5', '10.5', '10.5'), prices('12', '11.5', '11.5')])
  })

  const newFees = (surcharge: number, fee: number) =>
    `DELETE FROM profile WHERE isin = '${isin}'; ${fees(surcharge, fee)}`

  it('fills them again by the surcharge and the fee of their day, though the fund has others today', async () => {
    const { db } = await importText('price', navs(['2026-11-27', '100.00']), ['--derive'], fees(5, 1))
    const corrected = navs(['2026-11-27', '103.00'])
    const dry = await importText('price', corrected, ['--derive', '--dry-run'], newFees(4, 2), db)
    expect(dry.rows(...columns)).toEqual([prices('105.00', '100.00', '99.00')])
    const { rows, stdout } = await importText('price', corrected, ['--derive'], '', db)
    expect(rows(...columns)).toEqual([prices('108.15', '103.00', '101.97')])
    expect(stdout).not.toContain('own issue or repurchase price')
    await importText('price', navs(['2026-11-27', '103.00']), ['--derive'], newFees(3, 0), db)
    expect(rows(...columns)).toEqual([prices('108.15', '103.00', '101.97')])
  })

  it('fills a price of an earlier day by what the prices around it have, and newer ones by the charges of today', async () => {
    const { db } = await importText('price', navs(['2026-11-24', '100.00']), ['--derive'], fees(5, 1))
    await importText('price', navs(['2026-11-27', '100.00']), ['--derive'], newFees(4, 2), db)
    const later = navs(['2026-11-25', '100.00'], ['2026-11-27', '200.00'], ['2026-11-30', '100.00'])
    const { rows, stdout } = await importText('price', later, ['--derive'], newFees(3, 0), db)
    expect(rows(...columns)).toEqual([
      prices('105.00', '100.00', '99.00'),
      prices('105.00', '100.00', '99.00'),
      prices('208.00', '200.00', '196.00'),
      prices('103.00', '100.00', '100.00'),
    ])
    expect(stdout).not.toContain('of today')
  })

  const ofToday = (prices: string, day: string) =>
    `issue surcharge and redemption fee of today: ${prices} them, as nothing says what they were then, the first: ${isin} on ${day}`

  it('says which prices have the charges of today, though they are of earlier days', async () => {
    const history = navs(['2024-11-26', '10'], ['2025-11-26', '10'], ['2026-11-26', '10'])
    const { db, stdout } = await importText('price', history, ['--derive'], fees(5, 0))
    expect(stdout).toContain(ofToday('2 prices of earlier days have', '2024-11-26'))
    const week = navs(['2026-11-27', '10'], ['2026-11-30', '10'])
    const same = await importText('price', week, ['--derive'], '', db)
    expect(same.stdout).not.toContain('of today')
    const next = navs(['2026-12-01', '10'], ['2026-12-02', '10'])
    const changed = await importText('price', next, ['--derive'], newFees(4, 0), db)
    expect(changed.stdout).toContain(ofToday('1 price of an earlier day has', '2026-12-01'))
  })

  it('says nothing of them for a fund without charges', async () => {
    const history = navs(['2025-11-26', '10'], ['2026-11-26', '10'])
    expect((await importText('price', history, ['--derive'])).stdout).not.toContain('of today')
  })

  it('counts the corrected prices that keep an issue price of the company', async () => {
    const { db } = await importText('price', navs(['2026-11-26', '10'], ['2026-11-27', '100.00']), [
      '--derive',
    ])
    const edit = `UPDATE price SET issue_price = '102.50' WHERE isin = '${isin}' AND date = '2026-11-27'`
    const { rows, stdout } = await importText('price', navs(['2026-11-27', '103.00']), ['--derive'], edit, db)
    expect(rows(...columns).at(-1)).toEqual(prices('102.50', '103.00', '103.00'))
    expect(stdout).toContain(
      `1 corrected price keeps its own issue or repurchase price, which the NAV did not make, the first: ${isin} on 2026-11-27`,
    )
  })

  it('fills them again after `derive --charges` has given them the charges', async () => {
    const { db } = await importText('price', navs(['2026-11-27', '100.00']), ['--derive'])
    await importText('price', navs(['2026-11-30', '100.00']), ['--derive'], fees(5, 1), db)
    expect((await run(['derive', '--db', db, '--charges'], { cwd: folder.path })).code).toBe(0)
    const { rows } = await importText(
      'price',
      navs(['2026-11-27', '103.00']),
      ['--derive'],
      newFees(4, 2),
      db,
    )
    expect(rows(...columns)[0]).toEqual(prices('108.15', '103.00', '101.97'))
  })

  describe('before the profile has come', () => {
    const header = 'isin;date;net_asset_value'
    const days = navs(['2026-11-26', '10.00'], ['2026-11-27', '11.00'])
    const notes = (count: string) =>
      `${count} the NAV as issue or repurchase price, though its fund has a charge for it, the first: ${isin} on 2026-11-26. `

    it('keep the NAV, as each report says that meets them, until `derive --charges`', async () => {
      const { db } = await importText('price', days, ['--derive'])
      const next = await importText(
        'price',
        [header, `${isin};2026-11-30;12.00`],
        ['--derive'],
        fees(5, 2),
        db,
      )
      expect(next.stdout).toContain(notes('2 prices of the database keep'))
      expect(next.rows(...columns).at(-1)).toEqual(prices('12.60', '12.00', '11.76'))
      const again = await importText('price', days, ['--derive'], '', db)
      expect(again.stdout).toContain(notes('2 prices of the database keep'))
      const later = await importText('price', [header, `${isin};2026-12-01;12.00`], ['--derive'], '', db)
      expect(later.stdout).not.toContain('the NAV as issue or repurchase price')
      const derive = (...flags: readonly string[]) =>
        run(['derive', '--db', db, ...flags], { cwd: folder.path })
      expect((await derive()).stdout).not.toContain('charged')
      const dry = await derive('--charges', '--dry-run')
      expect(dry.stdout).toMatch(
        /\ncharged +issue and repurchase prices of 2 prices, the first of \S+ on 2026-11-26\n/,
      )
      expect((await derive('--charges', '2026-11-27')).stdout).toContain(
        'issue and repurchase prices of 1 price,',
      )
      expect(later.rows(...columns).slice(0, 2)).toEqual([
        prices('10.00', '10.00', '10.00'),
        prices('11.55', '11.00', '10.78'),
      ])
      expect((await derive('--charges')).code).toBe(0)
      expect(later.rows(...columns)[0]).toEqual(prices('10.50', '10.00', '9.80'))
      expect((await derive('--charges')).stdout).not.toContain('charged')
    })

    it('are told by the import of the profile, if they were derived', async () => {
      const profile = ['isin;issue_surcharge', `${isin};5`]
      const { db } = await importText('price', days, ['--derive'], fees(0, 0))
      const { stdout } = await importText('profile', profile, [], '', db)
      expect(stdout).toContain(notes('2 prices of the database keep'))
      const whole = days.map(
        (line, at) =>
          `${line};${at === 0 ? 'issue_price;repurchase_price;change;change_percent;performance' : '10;10;0;0;0'}`,
      )
      const own = await importText('price', whole, [], fees(0, 0))
      const delivered = await importText('profile', profile, [], '', own.db)
      expect(delivered.stdout).not.toContain('the NAV as issue or repurchase price')
    })
  })

  it('refuses the line of a NAV of 0, and no other', async () => {
    const lines = navs(['2026-11-26', '10'], ['2026-11-27', '0.00'], ['2026-11-28', '11'])
    const { stdout, rows } = await importText('price', lines, ['--derive', '--skip-bad'])
    expect(stdout).toContain('line 3: net_asset_value is 0, which is no price\n')
    expect(rows('change')).toEqual([{ change: '0' }, { change: '1' }])
  })

  const partly = [
    'isin;date;net_asset_value;issue_price;repurchase_price',
    `${isin};2026-11-26;10.00;10.40;9.90`,
    `${isin};2026-11-27;11.00;;-`,
    `${isin};2026-11-30;12.00;12.48;k.A.`,
  ]

  it('fills single cells that are empty, too, and says how many', async () => {
    const { said, stdout, rows } = await importText('price', partly, ['--derive'], fees(5, 2))
    expect(said).toBe('')
    expect(stdout).toContain(
      'derived where the cell is empty or 0: issue_price (1 line), repurchase_price (2 lines)',
    )
    expect(rows(...columns)).toEqual([
      prices('10.40', '10.00', '9.90'),
      prices('11.55', '11.00', '10.78'),
      prices('12.48', '12.00', '11.76'),
    ])
  })

  it('asks for --derive at the line of an empty cell', async () => {
    const whole = partly.map((line, at) => `${line};${at === 0 ? 'change;change_percent' : '0;0'}`)
    const { stdout } = await importText('price', whole)
    expect(stdout).toContain(
      'line 3: issue_price is empty (--derive computes issue_price); repurchase_price is "-", ',
    )
    expect(stdout).toContain(
      'line 4: repurchase_price is "k.A.", which says that there is no value (--derive computes',
    )
  })

  it('asks for --derive', async () => {
    const { stdout } = await importText('price', navs(['2026-11-27', '10']))
    expect(stdout).toContain('(--derive computes issue_price, repurchase_price, change, change_percent)')
  })
})

describe('import of hundredths of a currency', () => {
  const inPounds = `UPDATE fund SET currency = 'GBP' WHERE isin = '${isin}'`
  const header = 'isin;date;net_asset_value;issue_price;repurchase_price;currency'
  const lines = (currency: string) => [header, `${isin};2026-11-27;24512.3;24512.30;-5;${currency}`]
  const flags = ['--derive', '--minor-units', '--decimal', 'point']

  it.each(['GBp', 'GBX', ' GBx '])('makes pounds of %s', async (currency) => {
    const { said, stdout, rows } = await importText('price', lines(currency), flags, inPounds)
    expect(said).toBe('')
    expect(stdout).toContain('; in hundredths of a currency, divided by 100: 1 row\n')
    expect(rows('net_asset_value', 'issue_price', 'repurchase_price')).toEqual([
      { net_asset_value: '245.123', issue_price: '245.1230', repurchase_price: '-0.05' },
    ])
  })

  it('leaves pounds as they are', async () => {
    const { stdout, rows } = await importText('price', lines('GBP'), flags, inPounds)
    expect(stdout).not.toContain('hundredths')
    expect(rows('net_asset_value')).toEqual([{ net_asset_value: '24512.3' }])
  })

  it('makes them of a distribution, of a constant and of a fund, too', async () => {
    const action = ['isin;ex_date;kind;amount', `${isin};2026-11-27;distribution;150`]
    const paid = await importText('corporate_action', action, ['--minor-units', '--set', 'currency=ZAc'])
    expect(paid.rows('amount', 'currency')).toEqual([{ amount: '1.50', currency: 'ZAR' }])
    const fund = await importText('fund', ['isin;currency', `${isin};ILA`], ['--minor-units'])
    expect(fund.rows('currency')).toEqual([{ currency: 'ILS' }])
  })

  it.each([
    ['GBp', ['--derive'], 'convert the amounts and write GBP, or let --minor-units do it'],
    ['KWd', flags, 'convert the amounts and write KWD'],
    ['USX', flags, 'currency is "USD", but fund'],
    ['DEM', flags, '"DEM" is not an ISO 4217 code'],
  ])('refuses %s with %j', async (currency, some, reason) => {
    const { stdout, rows } = await importText('price', lines(currency), some, inPounds)
    expect(stdout).toContain(reason)
    expect(rows('date')).toEqual([])
  })

  it('refuses tax figures, which may be percentages', async () => {
    const taxed = [`${header};share_profit`, `${isin};2026-11-27;1;1;1;GBp;1.5`]
    const { stdout } = await importText('price', taxed, flags, inPounds)
    expect(stdout).toContain(
      'line 2: share_profit is 1.5: --minor-units does not know whether it is in hundredths',
    )
  })
})

describe('import --skip-bad', () => {
  const years = (count: number, ...bad: readonly string[]) => [
    'isin;year;percent',
    ...Array.from({ length: count }, (_, index) => `${isin};${2000 + index};1`),
    ...bad.map((year) => `${isin};${year};1`),
  ]

  it('ends with 0 below a tenth of bad rows', async () => {
    expect(await importText('performance_year', years(10, 'x'), ['--skip-bad'])).toMatchObject({
      code: 0,
      said: '',
    })
  })

  it('takes the others from that on, and ends with 1', async () => {
    const { code, said, rows } = await importText('performance_year', years(9, 'x'), ['--skip-bad'])
    expect({ code, said }).toEqual({
      code: 1,
      said: 'file has 1 bad row of 10, a share that is not below 0.1 (import.maxBadShare): good rows were taken (9)',
    })
    expect(rows('year')).toHaveLength(9)
  })

  it('marks no load as complete then', async () => {
    const flags = ['--skip-bad', '--complete', '2026-11-27']
    const { said, db } = await importText('performance_year', years(1, 'x'), flags)
    expect(said).toContain('good rows were taken (1), and the load is not marked as complete')
    expect(dump(folder.file(db), 'complete_load', 'day').rows).toEqual([])
  })

  it.each([
    [0.5, 0],
    [0, 1],
  ])('asks the config for the share %d', async (maxBadShare, code) => {
    writeFileSync(folder.file(`${maxBadShare}.json`), JSON.stringify({ import: { maxBadShare } }))
    const flags = ['--skip-bad', '--config', `${maxBadShare}.json`]
    expect(await importText('performance_year', years(8, 'x'), flags)).toMatchObject({ code })
  })
})
