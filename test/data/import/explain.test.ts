/** `import --explain`: what files are, what of the API they fill, and a part of the config with which they need no flag. */
import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { endpoints } from '../../../src/core/api/endpoints/index.ts'
import { run } from '../../cli/run.ts'
import { editDatabase, readDatabase } from '../../support/database.ts'
import { tempFolder } from '../../support/product.ts'
import { importFolder, isins } from './database.ts'
import { dumpAll } from './dialects.ts'
import { workbook } from './workbook.ts'

const folder = importFolder()
const [first, second] = isins

interface Printed {
  readonly files: readonly {
    readonly format: string | null
    readonly table: string | null
    readonly columns: readonly { readonly name: string; readonly as: string | null }[]
    readonly notes: readonly string[]
    readonly warnings: readonly string[]
    readonly tables: readonly { readonly table: string; readonly rows: number }[]
    readonly question: string | null
  }[]
  readonly endpoints: readonly { readonly endpoint: string; readonly missing: readonly string[] }[]
  readonly config: { readonly [tableOrSetting: string]: unknown } | null
}

/** Explains a file beside no database and no config. */
async function explain(content: string | Buffer, ...flags: readonly string[]) {
  const place = tempFolder()
  writeFileSync(place.file('file.dat'), content)
  const { code, stdout, stderr } = await run(['import', 'file.dat', '--explain', '--json', ...flags], {
    cwd: place.path,
  })
  return { code, stderr, printed: JSON.parse(stdout) as Printed }
}

const foreign = [
  'NAV list of 27 November',
  '',
  'ISIN;Datum;Anteilwert;Ausgabepreis;Notiz',
  `${first};27.11.2023;61,834567;64,93;x`,
].join('\n')

describe('import --explain', () => {
  it('proposes a table and its columns for names that are usual, and takes nothing by them', async () => {
    const { code, printed } = await explain(foreign)
    expect(code).toBe(0)
    expect(printed.files).toMatchObject([
      {
        format: 'table',
        table: 'price',
        isTableProposed: true,
        isDerivingProposed: true,
        columns: [
          { name: 'ISIN', as: 'isin' },
          { name: 'Datum', as: 'date', isProposed: true },
          { name: 'Anteilwert', as: 'net_asset_value', isProposed: true },
          { name: 'Ausgabepreis', as: 'issue_price', isProposed: true },
          { name: 'Notiz', as: null },
        ],
        question: null,
      },
    ])
    const db = folder.database()
    writeFileSync(folder.file('foreign.csv'), foreign)
    const before = dumpAll(folder.file(db))
    expect(await folder.import('foreign.csv', '--db', db)).toMatchObject({ code: 1 })
    expect(await folder.import('foreign.csv', '--explain', '--db', db)).toMatchObject({ code: 0, stderr: '' })
    expect(dumpAll(folder.file(db))).toEqual(before)
  })

  const setup = {
    flags: [
      '--decimal',
      'comma',
      '--dates',
      'dmy',
      '--set',
      `isin=${first}`,
      '--map',
      'Kurs=net_asset_value',
      '--encoding',
      'windows-1252',
    ],
    text: Buffer.from('Datum;Kurs;Prüfer\n05/06/2023;1,5;Müller\n', 'latin1'),
  }
  it.each([
    ['a foreign list', Buffer.from(foreign), []],
    ['a file that needs flags', setup.text, setup.flags],
    [
      'a workbook with several sheets',
      workbook(
        {
          name: 'Mai',
          rows: [
            ['isin', 'date', 'NAV'],
            [first, { day: '2023-06-05' }, { number: '2' }],
          ],
        },
        {
          name: 'Juni',
          rows: [
            ['isin', 'date', 'NAV'],
            [first, { day: '2023-06-05' }, { number: '1.5' }],
          ],
        },
      ),
      ['--sheet', 'Juni'],
    ],
  ])('prints a part of the config with which %s needs no flag', async (_, content, flags) => {
    const { code, printed } = await explain(content, ...flags)
    expect({ code, tables: Object.keys(printed.config ?? {}) }).toEqual({ code: 0, tables: ['price'] })
    const own = importFolder()
    const db = own.database()
    editDatabase(own.file(db), 'DELETE FROM price')
    writeFileSync(own.file('file.dat'), content)
    writeFileSync(own.file('fundpress.config.json'), JSON.stringify({ import: printed.config }))
    const { stderr } = await own.import('file.dat', '--db', db)
    expect(stderr).toBe('')
    const rows = readDatabase(own.file(db), 'SELECT isin, date, net_asset_value AS nav FROM price')
    expect(rows).toEqual([
      content.toString() === foreign
        ? { isin: first, date: '2023-11-27', nav: '61.834567' }
        : { isin: first, date: '2023-06-05', nav: '1.5' },
    ])
    const again = await own.import('file.dat', '--db', db, '--explain')
    expect(again.stdout).toContain('The next import needs no part in the config.\n')
  })

  it('says for each endpoint what neither the files nor the database have', async () => {
    const { printed } = await explain(foreign)
    const missing = new Map(printed.endpoints.map((one) => [one.endpoint, one.missing]))
    expect([...missing.keys()]).toEqual(endpoints.map(({ id }) => id))
    expect(missing.get('prices-current')).toEqual(['fund'])
    expect(printed.endpoints.find(({ endpoint }) => endpoint === 'performance-legal')).toEqual({
      endpoint: 'performance-legal',
      missing: ['fund'],
      derived: ['legal_period', 'legal_point'],
    })
    expect(missing.get('figures')).toEqual(['fund', 'key_figure'])
    const fund = await explain(`isin;name;currency\n${second};Elbe;EUR\n`)
    expect(fund.printed.endpoints[0]?.missing).toEqual(
      expect.arrayContaining(['fund.fund_inception_date', 'price']),
    )
    const db = folder.database()
    const { stdout } = await folder.import('foreign.csv', '--explain', '--db', db)
    expect(stdout).toMatch(/\nprices-current +has all that it needs\n/)
  })

  it('explains every format', async () => {
    const xml = `<FundsXML4><ControlData><Version>4.2.9</Version></ControlData><Funds><Fund><SingleFund><ShareClasses><ShareClass>
      <Identifiers><ISIN>${first}</ISIN></Identifiers><Currency>EUR</Currency></ShareClass></ShareClasses></SingleFund></Fund></Funds></FundsXML4>`
    const emt = `00001_EMT_Version;00010_ISIN;04020_SRRI;09999_Other\nV4.3;${first};5;x\n`
    const openfunds = `OFST020000;OFST451320;OFST001000\n${first};0.05;Elbe\n`
    const found = await Promise.all([xml, emt, openfunds].map((content) => explain(content)))
    expect(
      found.map(({ printed: { files, config } }) => ({
        format: files[0]?.format,
        tables: files[0]?.tables,
        config,
      })),
    ).toMatchObject([
      { format: 'fundsxml', tables: [{ table: 'fund', rows: 1 }], config: null },
      { format: 'emt', tables: [{ table: 'emt', rows: 1 }], config: null },
      { format: 'openfunds', tables: [{ table: 'profile', rows: 1 }], config: null },
    ])
    expect(found[2]?.printed.files[0]?.columns).toEqual([
      { name: 'OFST020000 (ISIN)', as: 'isin' },
      {
        name: 'OFST451320 (Maximum Subscription Fee In Favour Of Distributor)',
        as: 'profile.issue_surcharge',
      },
      { name: 'OFST001000', as: null },
    ])
  })

  it.each([
    [
      'dates that are open',
      `isin;date;net_asset_value\n${first};05/06/2023;1\n`,
      'choose one with --dates dmy or --dates mdy',
    ],
    ['JSON', '{"a": 1}', 'is JSON'],
    ['columns of nothing', 'a;b\n1;2\n', 'its columns fit no table'],
  ])('asks of %s what is to be answered, and fails', async (_, content, question) => {
    const { code, stderr, printed } = await explain(content)
    expect(code).toBe(1)
    expect(stderr).toContain(question)
    expect(printed.files[0]?.question).toContain(question)
  })

  it('counts bad lines, with the first', async () => {
    const { printed } = await explain(
      `isin;date;net_asset_value\n${first};2023-06-05;x\n${first};2023-06-06;1\n`,
    )
    expect(printed.files).toMatchObject([
      { bad: { count: 1, first: 'line 2: net_asset_value "x" is not a number (with a decimal point)' } },
    ])
  })
})

it.each([
  ['0', [], ['asset_allocation.derivatives = 1']],
  ['1', ['asset_allocation.derivatives = 0'], []],
])(
  'says for which of two endpoints an asset allocation is, of derivatives %s',
  async (derivatives, without, withThem) => {
    const { printed } = await explain(
      `isin;derivatives;position;class_de;date;percent\n${first};${derivatives};1;Aktien;2024-05-03;100\n`,
    )
    const missing = (endpoint: string) =>
      printed.endpoints
        .find((one) => one.endpoint === endpoint)
        ?.missing.filter((name) => name.startsWith('asset_allocation'))
    expect({
      without: missing('asset-allocations-without-derivatives'),
      withThem: missing('asset-allocations-with-derivatives'),
    }).toEqual({ without, withThem })
  },
)

it.each([
  ['ISIN;Fondsname;Datum;Anteilwert;Währung', 'Elbe;27.11.2026;101,5;EUR', 'price'],
  ['ISIN;Fondsname;Auflagedatum;Währung', 'Elbe;27.11.2020;EUR', 'fund'],
  ['ISIN;Art;Sprache;Datum;Titel;Link', 'kid;de;27.11.2026;KID;https://funds.example/kid.pdf', 'document'],
  ['ISIN;Jahr;Wertentwicklung', '2020;1,5', 'performance_year'],
  [
    'ISIN;Fondsname;Ausgabeaufschlag;Verwaltungsvergütung p.a.;TER;Fondsvolumen;Ertragsverwendung',
    'Elbe;5;1,5;1,7;1000000;thesaurierend',
    'profile',
  ],
])('proposes the table that has most of the columns: %s', async (header, values, table) => {
  const { printed } = await explain(`${header}\n${first};${values}\n`)
  expect(printed.files[0]).toMatchObject({ table })
})

it.each([
  ['ISIN;Ex-Tag;Ausschüttung je Anteil;Währung', '15.12.2025;1,25;EUR', 'corporate_action', 'kind'],
  ['ISIN;Land;Anteil', 'Japan;60,5', 'structure_item', 'type'],
])('asks for what all lines of a list have in common: %s', async (header, values, table, column) => {
  const { code, printed } = await explain(`${header}\n${first};${values}\n`)
  expect(code).toBe(1)
  expect(printed.files[0]).toMatchObject({ table, question: expect.stringContaining(`--set ${column}=…`) })
})

describe('a list of funds with their profiles', () => {
  const list =
    'ISIN;WKN;Fondsname;Auflagedatum;Währung;Ausgabeaufschlag;TER;Verwaltungsvergütung;Fondsvolumen;Ertragsverwendung\n' +
    `${first};A0RPWH;Elbe;27.11.2020;EUR;5;1,7;1,5;1000000;thesaurierend\n`
  const noteOf = async (...flags: readonly string[]) =>
    (await explain(list, '--decimal', 'comma', ...flags)).printed.files.map(({ table, notes }) => ({
      table,
      notes: notes.filter((note) => note.includes('may be of table')),
    }))

  it('is proposed for the table with most of its columns, and the other one is named', async () => {
    expect(await noteOf()).toEqual([
      {
        table: 'profile',
        notes: [
          'Fondsname, Auflagedatum may be of table fund: `fundpress import fund file.dat --explain` says how it would be read',
        ],
      },
    ])
  })

  it('names no other table for a single column: a list of prices often has names of funds', async () => {
    const { printed } = await explain(`ISIN;Fondsname;Datum;Anteilwert\n${first};Elbe;27.11.2026;101,5\n`)
    expect(printed.files[0]?.notes.filter((note) => note.includes('may be of table'))).toEqual([])
  })
})

it('proposes the columns of a profile for names that are usual', async () => {
  const { printed } = await explain(
    [
      'ISIN;Ausgabeaufschlag (in %);Rücknahmegebühr;Verwaltungsvergütung p.a.;TER;Fondsvolumen;Ertragsverwendung;Geschäftsjahresende;Depotbankgebühr',
      `${first};5;0;1,5;1,7;1000000;thesaurierend;12-31;0,1`,
    ].join('\n'),
    '--decimal',
    'comma',
  )
  expect(printed.files[0]?.columns.map(({ as }) => as)).toEqual([
    'isin',
    'issue_surcharge',
    'redemption_fee',
    'management_fee',
    'total_expense_ratio',
    'total_fund_assets',
    'accumulating',
    'end_of_fiscal_year',
    'custodian_bank_fee',
  ])
})

it('promises no import without a flag where lines are bad', async () => {
  const place = tempFolder()
  const advice = async (...lines: readonly string[]) => {
    writeFileSync(place.file('bad.csv'), ['ISIN;Datum;net_asset_value', ...lines, ''].join('\n'))
    const { stdout } = await run(['import', 'bad.csv', '--explain'], { cwd: place.path })
    return stdout.slice(stdout.indexOf('The next import')).split('\n')[0]
  }
  const good = `${first};2023-06-05;1`
  expect(await advice(good, `${first};2023-06-06;x`)).toBe(
    'The next import takes nothing, until the bad row is corrected, or --skip-bad leaves it out. ' +
      'This part in fundpress.config.json says how the others are read:',
  )
  expect(await advice(good, `${first};2023-06-06;x`, `${first};2023-06-07;y`)).toContain(
    'until the 2 bad rows are corrected',
  )
  expect(await advice(good)).toBe('The next import needs no flag with this part in fundpress.config.json:')
})

describe('a column of currencies', () => {
  const file = (header: string, ...cells: readonly string[]) =>
    [header, ...cells.map((cell, at) => `${first};2${at}.11.2023;61,83;${cell}`)].join('\n')
  const proposalsFor = async (content: string) => {
    const { printed } = await explain(content)
    const [read] = printed.files
    return {
      as: read?.columns.slice(3).map(({ as }) => as),
      warnings: read?.warnings,
      config: printed.config,
    }
  }

  it.each(['Whg', 'Preiswährung', 'Currency Code', 'Notiert in'])(
    'is proposed for the comparison with the fund, whatever its name: %s',
    async (name) => {
      const content = file(`ISIN;Datum;Anteilwert;${name}`, 'EUR', 'USD')
      const { as, config } = await proposalsFor(content)
      expect(as).toEqual(['currency'])
      const own = importFolder()
      const db = own.database()
      editDatabase(own.file(db), `UPDATE fund SET currency = 'EUR'; DELETE FROM price`)
      writeFileSync(own.file('file.csv'), content)
      writeFileSync(own.file('fundpress.config.json'), JSON.stringify({ import: config }))
      const { code, stdout } = await own.import('file.csv', '--db', db)
      expect({ code, stdout }).toEqual({
        code: 1,
        stdout: expect.stringContaining('line 3: currency is "USD", but fund') as string,
      })
    },
  )

  it('is proposed in hundredths, too, and not if a cell is another word', async () => {
    const pence = await proposalsFor(file('ISIN;Datum;Anteilwert;In', 'GBp', 'GBX'))
    expect(pence.as).toEqual(['currency'])
    const others = await proposalsFor(file('ISIN;Datum;Anteilwert;In', 'EUR', 'GBP/100'))
    expect(others.as).toEqual([null])
    const empty = await proposalsFor(file('ISIN;Datum;Anteilwert;In', ''))
    expect(empty.as).toEqual([null])
  })

  it('of the price goes before one of the fund, and the other one is told', async () => {
    const header = 'ISIN;Datum;Anteilwert;Fondswährung;Preiswährung'
    const { as, warnings } = await proposalsFor(file(header, 'EUR;USD', 'EUR;USD'))
    expect(as).toEqual([null, 'currency'])
    expect(warnings).toEqual([
      'column Fondswährung holds currencies, too, and is not taken: the currency is that of column Preiswährung',
    ])
  })
})

it('names a file that does not exist', async () => {
  const { code, stderr } = await run(['import', 'none.csv', '--explain'], { cwd: tempFolder().path })
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'fundpress: none.csv does not exist\n' })
})

describe('files that complete each other in an empty database', () => {
  const place = tempFolder()
  const files = {
    'names.csv': `isin;name;currency\n${first};Elbe;EUR\n`,
    'launches.csv': `isin;fund_inception_date\n${first};2020-11-27\n`,
    'other.csv': `isin;fund_inception_date\n${second};2020-11-27\n`,
  }
  for (const [name, content] of Object.entries(files)) writeFileSync(place.file(name), content)
  const importFiles = (...args: readonly string[]) => run(['import', ...args], { cwd: place.path })
  const advice = async (...args: readonly string[]) => {
    const { stdout } = await importFiles(...args, '--explain')
    return stdout.slice(stdout.indexOf('The next import'))
  }
  const condition =
    'New rows of table fund that lack any of fund_inception_date, name, currency are taken if another one of these files completes them.\n'

  it('need nothing besides, and the import takes them', async () => {
    expect(await advice('fund', 'names.csv', 'launches.csv')).toBe(
      `The next import needs no part in the config.\n${condition}`,
    )
    await run(['init', '--db', 'funds.sqlite'], { cwd: place.path })
    const { code } = await importFiles('fund', 'names.csv', 'launches.csv', '--db', 'funds.sqlite')
    expect({ code, funds: readDatabase(place.file('funds.sqlite'), 'SELECT isin FROM fund') }).toEqual({
      code: 0,
      funds: [{ isin: first }],
    })
  })

  it('are told what a file alone lacks, also beside a second one that lacks it', async () => {
    const lacks = 'The next import takes nothing, until the files have name, currency of table fund: '
    expect(await advice('fund', 'launches.csv')).toContain(lacks)
    expect(await advice('fund', 'launches.csv', 'other.csv')).toContain(lacks)
  })

  it('say which columns come from another one in JSON', async () => {
    const { stdout } = await importFiles('fund', 'names.csv', 'launches.csv', '--explain', '--json')
    expect((JSON.parse(stdout) as Printed).files).toMatchObject([
      { lacking: [], completed: ['fund_inception_date'] },
      { lacking: [], completed: ['name', 'currency'] },
    ])
  })
})

describe('flags that no part of the config replaces', () => {
  const adviceOn = async (content: string, ...flags: readonly string[]) => {
    const place = tempFolder()
    writeFileSync(place.file('file.dat'), content)
    const { stdout } = await run(['import', 'file.dat', '--explain', ...flags], { cwd: place.path })
    return stdout.slice(stdout.indexOf('The next import')).split('\n')[0]
  }
  const prices = (day: string, currency: string) =>
    `isin;${day};net_asset_value;currency\n${first};2023-06-05;6183;${currency}\n`
  const whole = `isin;date;net_asset_value;issue_price;repurchase_price;change;change_percent;currency\n${first};2023-06-05;6183;6183;6183;0;0;GBp\n`
  const part = ' with this part in fundpress.config.json:'

  it.each([
    ['hundredths', prices('Datum', 'GBp'), ['--minor-units'], `no flag but --minor-units${part}`],
    ['a flag with a setting', prices('date', 'EUR'), ['--derive'], `no flag${part}`],
    [
      'several',
      prices('Datum', 'GBp'),
      ['--as', 'table', '--history', 'original', '--minor-units'],
      `no flag but --as table --history original --minor-units${part}`,
    ],
    ['hundredths alone', whole, ['--minor-units'], 'no part in the config, but --minor-units.'],
  ])('are named as needed again, and no others: %s', async (_, content, flags, need) => {
    expect(await adviceOn(content, ...flags)).toBe(`The next import needs ${need}`)
  })
})

it('has --split-factor in the part of the config, whatever the files are', async () => {
  const xml = `<FundsXML4><ControlData><Version>4.2.9</Version></ControlData><Funds><Fund><SingleFund><ShareClasses><ShareClass>
    <Identifiers><ISIN>${first}</ISIN></Identifiers><Currency>EUR</Currency></ShareClass></ShareClasses></SingleFund></Fund></Funds></FundsXML4>`
  const { printed } = await explain(xml, '--split-factor', 'old-for-new')
  expect(printed.config).toEqual({ splitFactor: 'old-for-new' })
  const place = tempFolder()
  writeFileSync(place.file('file.xml'), xml)
  writeFileSync(place.file('fundpress.config.json'), JSON.stringify({ import: printed.config }))
  const again = await run(['import', 'file.xml', '--explain', '--split-factor', 'old-for-new'], {
    cwd: place.path,
  })
  expect(again.stdout).toContain('The next import needs no part in the config.\n')
})
