/** `fundpress check`: every problem is found, all of them at once, each with its fund, table and row. */
import { beforeAll, describe, expect, it } from 'vitest'
import { asOf, editDatabase, goodRows, insertGood, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { run, type Ended } from '../cli/run.ts'
import { doubts, insertWith } from './doubts.ts'
import { problems } from './problems.ts'
import type { Finding } from '../../src/core/data/check/finding.ts'

interface Report {
  readonly warnings: number
  readonly findings: readonly Finding[]
}

const folder = tempFolder()
const check = (db: string, ...flags: string[]) =>
  run(['check', '--db', db, '--as-of', asOf, ...flags], { cwd: folder.path })
const findingsOf = async (db: string) => (JSON.parse((await check(db, '--json')).stdout) as Report).findings

const [good = '', orphan = '', other = ''] = [1, 2, 3].map(isinOf)

describe('check of a database with everything that can be wrong, each in a fund of its own', () => {
  const all = Object.values(problems).flat()
  const isins = new Map(all.map((problem, index) => [problem, isinOf(1000 + index)]))
  let ended: Ended
  let report: Report

  beforeAll(async () => {
    makeDatabase(folder.file('problems.sqlite'), (insert) => {
      insertGood(insert, good)
      for (const [problem, isin] of isins) problem.insert(insert, isin)
    })
    ended = await check('problems.sqlite', '--json')
    report = JSON.parse(ended.stdout) as Report
  })

  it.each(Object.entries(problems))('finds %s', (_, some) => {
    for (const problem of some) {
      const found = report.findings.filter(({ isin }) => isin === isins.get(problem))
      const errors = found.filter(({ severity }) => severity === 'error')
      const isSaid = errors.some(({ message }) => problem.says.every((text) => message.includes(text)))
      const tables = [...new Set(found.map(({ table }) => table))]
      expect({ ...problem, isSaid, tables, found }).toMatchObject({ isSaid: true, tables: [problem.table] })
    }
  })

  it('finds nothing else, and counts what it finds', () => {
    expect(new Set(report.findings.map(({ isin }) => isin))).toEqual(new Set(isins.values()))
    const errors = report.findings.filter(({ severity }) => severity === 'error').length
    expect(report).toMatchObject({ errors, warnings: report.findings.length - errors })
    const counted = `problems.sqlite has ${errors.toLocaleString('en-US')} errors, ${report.warnings} warnings`
    const stderr = `fundpress: ${counted}: correct the errors before the next build\n`
    expect(ended).toMatchObject({ code: 1, stderr })
  })
})

it('check finds ISINs of a wrong form or with a wrong check digit', async () => {
  const digit = good.endsWith('0') ? '1' : '0'
  const spelt = [good.slice(0, -1) + digit, good.slice(0, -1), `${good}0`, ` ${good}`, `${good}\n`]
  const wrong = [...spelt, good.toLowerCase(), '../../../tmp', '１２' + good.slice(2), '']
  makeDatabase(folder.file('isins.sqlite'), (insert) => {
    for (const isin of wrong) insert('fund', { isin, ...goodRows['fund'] })
  })
  const findings = await findingsOf('isins.sqlite')
  expect(findings.map(({ isin }) => isin)).toEqual(wrong.sort())
  for (const { isin, table, message } of findings) {
    const says = `isin ${JSON.stringify(isin)} is not an ISIN: wrong form or check digit`
    expect({ table, message }).toEqual({ table: 'fund', message: says })
  }
})

it('check finds the orphan rows of every table', async () => {
  const tables = Object.keys(goodRows).filter((table) => table !== 'fund')
  makeDatabase(folder.file('orphans.sqlite'), (insert) => {
    insertGood(insert, good)
    for (const table of tables)
      for (const isin of [orphan, other]) insert(table, { isin, ...goodRows[table] })
  })
  const findings = await findingsOf('orphans.sqlite')
  const found = findings.map(({ severity, table, message }) => `${severity} ${table}: ${message}`)
  const expected = tables.flatMap((table) =>
    [orphan, other].map((isin) => `error ${table}: orphan rows: there is no fund ${isin}`),
  )
  expect(found.sort()).toEqual(expected.sort())
})

it('check warns of old prices, prices before the inception, blank names and text that was not UTF-8, and exits with 0', async () => {
  makeDatabase(folder.file('warnings.sqlite'), (insert, db) => {
    insertGood(insert, good, { price: { date: '2024-04-24' } })
    // Two business days before: the first of May is none.
    insertGood(insert, orphan, { price: { date: '2024-04-30' } })
    insertGood(insert, other, { fund: { fund_inception_date: '2024-05-03', name: ' ' } })
    for (const table of [
      'corporate_action',
      'performance_year',
      'legal_period',
      'launch_point',
      'asset_allocation',
    ])
      db.prepare(`DELETE FROM ${table} WHERE isin = ?`).run(other)
    db.prepare("UPDATE profile SET category_de = CAST(x'4DFC6E63' AS TEXT) WHERE isin = ?").run(other)
  })
  const stdout = `${other}
  warning  legal_point: date 2024-04-30 lies before the inception of the fund, 2024-05-03
  warning  fund: name is blank: nobody can click on it in a list
  warning  profile: category_de holds U+FFFD: it was not UTF-8 once, "M\ufffdnc"
  warning  price: dates out of order: the first price, of 2024-05-02, is older than the fund (2024-05-03)
${good}
  warning  price: the newest price, of 2024-04-24, is stale: 6 business days before 2024-05-03
0 errors, 5 warnings
`
  expect(await check('warnings.sqlite')).toMatchObject({ code: 0, stdout, stderr: '' })
})

it('check refuses EMT costs of 20 % or more, which are most likely percent, and only warns of those that are live', async () => {
  makeDatabase(folder.file('costs.sqlite'), (insert) => {
    insertGood(insert, good, { emt: { ongoing_costs: 1, entry_costs: 0.2, transaction_costs: 1.58 } })
    insertGood(insert, other, { emt: { ongoing_costs: 0.1999, incidental_costs: null } })
  })
  const columns = ['ongoing_costs is 1, that is 100 %', 'transaction_costs is 1.58, that is 158 %']
  const listed = (severity: string) =>
    [...columns, 'entry_costs is 0.2, that is 20 %'].map(
      (what) => `  ${severity}emt: ${what}: costs are fractions, 0.0158 is 1.58 %`,
    )
  const errors = [good, ...listed('error    '), '3 errors, 0 warnings\n'].join('\n')
  expect(await check('costs.sqlite')).toMatchObject({ code: 1, stdout: errors })

  const build = ['build', '--db', 'costs.sqlite', '--as-of', asOf, '--out', 'costs', '--no-pages']
  expect(await run(build, { cwd: folder.path })).toMatchObject({ code: 3 })
  const allowed = [...build, '--allow', `high-costs:${good}`, '--reason', 'a fund with such costs']
  expect(await run(allowed, { cwd: folder.path })).toMatchObject({ code: 0 })
  const warnings = [good, ...listed('warning  '), '0 errors, 3 warnings\n'].join('\n')
  expect(await check('costs.sqlite', '--out', 'costs')).toMatchObject({ code: 0, stdout: warnings })
  editDatabase(folder.file('costs.sqlite'), `UPDATE emt SET entry_costs = 0.3 WHERE isin = '${good}'`)
  const { code, stdout } = await check('costs.sqlite', '--out', 'costs')
  expect({ code, errors: stdout.match(/^ {2}error.*$/gm) }).toEqual({
    code: 1,
    errors: ['  error    emt: entry_costs is 0.3, that is 30 %: costs are fractions, 0.0158 is 1.58 %'],
  })
})

it('check refuses new fees of 20 % or more, and doubts those that are most likely fractions', async () => {
  const fees = { issue_surcharge: 5, redemption_fee: 0, management_fee: 1.25, custodian_bank_fee: 0.05 }
  makeDatabase(folder.file('fees.sqlite'), (insert) => {
    insertGood(insert, good, { profile: { ...fees, issue_surcharge: 500, management_fee: 20 } })
    insertGood(insert, other, {
      profile: { ...fees, issue_surcharge: 0.05, redemption_fee: 0.01, management_fee: 0.015 },
    })
  })
  const high = (severity: string) => [
    good,
    `  ${severity}profile: issue_surcharge is 500 %: fees are percentages, 1.58 is 1.58 %`,
    `  ${severity}profile: management_fee is 20 %: fees are percentages, 1.58 is 1.58 %`,
  ]
  const low = [
    other,
    '  warning  profile: issue_surcharge 0.05 is below 0.1 and not 0: fees are percentages',
    '  warning  profile: redemption_fee 0.01 is below 0.1 and not 0: fees are percentages',
    '  warning  profile: management_fee 0.015 is below 0.05 and not 0: fees are percentages',
  ]
  const findings = async (...args: string[]) => {
    const { code, stdout } = await check('fees.sqlite', ...args)
    return { code, lines: stdout.trimEnd().split('\n') }
  }
  const errors = [...high('error    '), ...low, '2 errors, 3 warnings']
  expect((await findings()).lines.toSorted()).toEqual(errors.toSorted())

  const build = ['build', '--db', 'fees.sqlite', '--as-of', asOf, '--out', 'fees', '--no-pages']
  expect(await run(build, { cwd: folder.path })).toMatchObject({ code: 3 })
  const allowed = [...build, '--allow', `high-costs:${good}`, '--reason', 'a fund with such fees']
  expect(await run(allowed, { cwd: folder.path })).toMatchObject({ code: 0 })
  const { code, lines } = await findings('--out', 'fees')
  expect({ code, lines: lines.toSorted() }).toEqual({
    code: 0,
    lines: [...high('warning  '), ...low, '0 errors, 5 warnings'].toSorted(),
  })
})

it('check shows an ISIN or a type with control characters on one line', async () => {
  const hostile = '\u001b[2J\u202e\r\n'
  const shown = '\\u001b[2J\\u202e\\r\\n'
  makeDatabase(folder.file('hostile.sqlite'), (insert) => {
    insertGood(insert, hostile, { structure_item: { type: hostile } })
    insert('emt', { isin: `${hostile}2`, ...goodRows['emt'] })
  })
  const { stdout } = await check('hostile.sqlite')
  expect(stdout).toContain(`${shown}\n  error    fund: isin "${shown}" is not an ISIN`)
  expect(stdout).toContain(`position 3: type "${shown}" is not one of the structure types`)
  expect(stdout).toContain(`orphan rows: there is no fund ${shown}2`)
})

it('check lists a thousand problems of a table of a fund, and then the number of the others', async () => {
  makeDatabase(folder.file('commas.sqlite'), (insert) => {
    for (const isin of [good, other]) {
      insertGood(insert, isin)
      for (let day = 0; day < 1200; day++) {
        const date = new Date(Date.UTC(2020, 0, 1) + day * 86_400_000).toISOString().slice(0, 10)
        insert('price', { isin, ...goodRows['price'], date, change: '1,5', performance: '-0,5' })
      }
    }
  })
  const findings = (await findingsOf('commas.sqlite')).filter(
    ({ severity, table }) => severity === 'error' && table === 'price',
  )
  expect(findings).toHaveLength(2 * 1001)
  const last = 'date 2023-04-14: performance "-0,5" is not a plain decimal'
  const message = `1400 more of this fund, the last of them: ${last}`
  const identity = 'more of this fund'
  expect(findings[1000]).toEqual({ severity: 'error', isin: good, table: 'price', message, identity })
})

describe('check of the sizes of rows', () => {
  it('names the row of every text of more than 100 kB, in every table, before anything of it is read', async () => {
    const long = 'ä'.repeat(50_001)
    makeDatabase(folder.file('long.sqlite'), (insert) => {
      insertGood(insert, good, {
        fund: { name: long },
        price: { change: `1${'0'.repeat(100_000)}` },
        structure_item: { name_en: long },
        legal_period: { label: long },
        emt: { governanceprocess: long },
      })
      insertGood(insert, other, { profile: { benchmark: 'ä'.repeat(50_000) } })
    })
    const bytes = 'has 100,002 bytes, more than 100,000'
    const found = (await findingsOf('long.sqlite')).map(({ table, message }) => `${table}: ${message}`)
    expect([...new Set(found)].sort()).toEqual([
      `emt: governanceprocess ${bytes}`,
      `fund: name ${bytes}`,
      `legal_period: label ${'ä'.repeat(60)}…: label ${bytes}`,
      'price: date 2024-05-02: change has 100,001 bytes, more than 100,000',
      `structure_item: type countries, position 3: name_en ${bytes}`,
    ])
  })

  it('names the fund and the type of a structure of more than 10,000 rows, and lists of other tables', async () => {
    makeDatabase(folder.file('rows.sqlite'), (insert) => {
      insertGood(insert, good)
      insertGood(insert, other)
      const fill = (table: string, isin: string, last: number) => {
        for (let position = 10; position <= last; position++)
          insert(table, { ...goodRows[table], isin, position })
      }
      fill('structure_item', good, 10_008)
      for (const table of ['structure_item', 'key_figure']) fill(table, other, 10_009)
    })
    const error = { severity: 'error', isin: other }
    const message = '10,001 rows, more than 10,000'
    expect(await findingsOf('rows.sqlite')).toEqual([
      { ...error, table: 'structure_item', message: `type countries: ${message}` },
      { ...error, table: 'key_figure', message },
    ])
  })
})

it('check accepts the largest and oddest values that are allowed', async () => {
  makeDatabase(folder.file('edge.sqlite'), (insert) => {
    insertGood(insert, good, {
      fund: { name: 'ä'.repeat(50_000), fund_inception_date: '1700-01-01', end_date: '2074-05-03' },
      price: { change: `-${'1'.repeat(23)}.1234567`, performance: `${'1'.repeat(15)}.${'1'.repeat(15)}` },
      performance_year: { year: 2024, percent: -100 },
      legal_point: { date: '1700-01-01', value: -1.1e-30 },
      key_figure: { value: 'NA', value2: '#1', name_de: 'Nullzins #gut!' },
      profile: { fund_assets: '0.01', category_de: 'Nanotechnik', benchmark: 'None' },
    })
    insert('launch_point', { isin: good, date: '2024-04-30', value: 9.9e29 })
  })
  expect(await findingsOf('edge.sqlite')).toEqual([])
})

it('check warns of what tables beside the prices can hardly mean, and of nothing a step away from it', async () => {
  makeDatabase(folder.file('doubts.sqlite'), (insert) => {
    for (const [index, { wrong, right }] of doubts.entries()) {
      insertWith(insert, isinOf(100 + index), wrong)
      insertWith(insert, isinOf(200 + index), right)
    }
  })
  const found = (await findingsOf('doubts.sqlite')).map(
    ({ severity, isin, table, message }) => `${severity} ${isin} ${table}: ${message}`,
  )
  const expected = doubts.map(({ says }, index) => `warning ${isinOf(100 + index)} ${says}`)
  expect(found.sort()).toEqual(expected.sort())
})

it('check warns of a WKN that is not the one that a German ISIN holds', async () => {
  const message = 'fund: wkn "847403" is not the WKN that the ISIN DE0008474024 holds: 847402'
  for (const [wkn, expected] of [
    ['847402', []],
    ['847403', [message]],
  ] as const) {
    makeDatabase(folder.file(`${wkn}.sqlite`), (insert) =>
      insertGood(insert, 'DE0008474024', { fund: { wkn } }),
    )
    const found = await findingsOf(`${wkn}.sqlite`)
    expect(found.map(({ table, message: said }) => `${table}: ${said}`)).toEqual(expected)
  }
})

it('check warns of addresses that are not of the web, of invisible characters, and of formulas', async () => {
  makeDatabase(folder.file('doubtful.sqlite'), (insert) => {
    insertGood(insert, good, {
      fund: { url: 'javascript:alert(1)', name: '\u202eevil', wkn: '@SUM' },
      structure_item: { name_de: 'Zero\u200bwidth', name_en: '＝cmd' },
      key_figure: { name_de: 'line\nfeed', name_en: '\r', value: '-8,81 %', value2: '-1' },
      legal_period: { label: '+1+1' },
      profile: { category_de: ' =A1', category_en: 'a\u0085', benchmark: '\tTab' },
      asset_allocation: { class_de: '-1-1', class_en: 'a\u2066b' },
    })
    const urls = ['', 'HTTPS://funds.example/', 'http://a']
    for (const [index, url] of urls.entries()) insertGood(insert, isinOf(10 + index), { fund: { url } })
    const wrong = 'https://|data:text/html,x|//funds.example| https://funds.example|ftp://a|x'.split('|')
    for (const [index, url] of wrong.entries()) insertGood(insert, isinOf(20 + index), { fund: { url } })
  })
  const { code, stdout } = await check('doubtful.sqlite')
  const item = 'structure_item: type countries, position 3:'
  const allocation = 'asset_allocation: derivatives 1, position 5, date 2024-02-29:'
  const warnings = [
    'fund: url "javascript:alert(1)" does not begin with http:// or https://: it is not given out',
    'fund: wkn "@SUM" is not a WKN: six digits and capital letters without I and O',
    'fund: wkn is a formula for a spreadsheet, "@SUM"',
    'fund: name holds U+202E, which cannot be seen, "\\u202eevil"',
    'legal_period: legal_period label is a formula for a spreadsheet, "+1+1"',
    `${item} name_de holds U+200B, which cannot be seen, "Zero\\u200bwidth"`,
    `${item} name_en is a formula for a spreadsheet, "＝cmd"`,
    `${allocation} class_de is a formula for a spreadsheet, "-1-1"`,
    `${allocation} class_en holds U+2066, which cannot be seen, "a\\u2066b"`,
    'key_figure: position 4: name_de holds U+000A, which cannot be seen, "line\\nfeed"',
    'key_figure: position 4: name_en holds U+000D, which cannot be seen, "\\r"',
    'key_figure: position 4: name_en is a formula for a spreadsheet, "\\r"',
    'profile: category_de is a formula for a spreadsheet, " =A1"',
    'profile: category_de has a blank at its beginning or end, " =A1"',
    'profile: category_en holds U+0085, which cannot be seen, "a\\u0085"',
    'profile: benchmark holds U+0009, which cannot be seen, "\\tTab"',
    'profile: benchmark is a formula for a spreadsheet, "\\tTab"',
    'profile: benchmark has a blank at its beginning or end, "\\tTab"',
  ]
  expect(code).toBe(0)
  expect(stdout.slice(0, stdout.indexOf(isinOf(20)))).toBe(
    [good, ...warnings.map((text) => `  warning  ${text}`), ''].join('\n'),
  )
  const refused = stdout.match(/^ {2}warning {2}fund: url .*$/gm)
  // The blank before one of them has a warning of its own.
  expect(refused).toHaveLength(1 + 6 + 1)
})

describe('check of texts that went through another program', () => {
  const wrong: readonly (readonly [text: string, what: string])[] = [
    ['VermÃ¶gensaufbau GrÃ¶ÃŸe', 'looks like UTF-8 that was read in another encoding'],
    ['Chance â€“ Europa', 'looks like UTF-8 that was read in another encoding'],
    ['Globaler Fonds Â® A', 'looks like UTF-8 that was read in another encoding'],
    ['Verm√∂gen', 'looks like UTF-8 that was read in another encoding'],
    ['Verm├Âgen', 'looks like UTF-8 that was read in another encoding'],
    ['Ð¤Ð¾Ð½Ð´', 'looks like UTF-8 that was read in another encoding'],
    ['R&amp;D Fonds', 'holds an entity of HTML'],
    ['Verm&ouml;gen', 'holds an entity of HTML'],
    ['Verm&#246;gen', 'holds an entity of HTML'],
    [' World ETF', 'has a blank at its beginning or end'],
    ['World ETF\u00a0', 'has a blank at its beginning or end'],
  ]
  const right =
    'S&P 500|R&D; Fonds|AÇÃO São João|„Spaß“|CAFÉ“|Škoda Łódź Größe|Frankfurt – Ä|Wurzel √2|Ελλάδα|Фонд'.split(
      '|',
    )

  it('names the fund, the column and the text, in every column of text, and in every build', async () => {
    makeDatabase(folder.file('texts.sqlite'), (insert) => {
      for (const [index, [text]] of wrong.entries())
        insertGood(insert, isinOf(100 + index), { key_figure: { name_de: text } })
      for (const [index, name] of right.entries()) insertGood(insert, isinOf(200 + index), { fund: { name } })
      insertGood(insert, good, {
        fund: { name: 'Großer Fonds ' },
        document: { title: 'Jahresberichtâ€“2023' },
      })
    })
    const expected = [
      `${good} document: title looks like UTF-8 that was read in another encoding, "Jahresberichtâ€“2023"`,
      `${good} fund: name has a blank at its beginning or end, "Großer Fonds "`,
      ...wrong.map(([text, what], index) => `${isinOf(100 + index)} key_figure: name_de ${what}, "${text}"`),
    ]
    const found = (await findingsOf('texts.sqlite')).map(
      ({ isin, table, message }) =>
        `${isin} ${table}: ${message.replace(/^(?:kind|position) .*?: (?=title|name)/, '')}`,
    )
    expect(found.sort()).toEqual(expected.sort())

    const build = ['build', '--db', 'texts.sqlite', '--as-of', asOf, '--out', 'texts', '--no-pages', '--json']
    for (const isFirst of [true, false]) {
      const { code, stdout } = await run(build, { cwd: folder.path })
      const { warnings } = JSON.parse(stdout) as { readonly warnings: readonly unknown[] }
      expect({ isFirst, code, warnings: warnings.length }).toEqual({
        isFirst,
        code: 0,
        warnings: expected.length,
      })
    }
  })
})

it('check names each older price that is implausible', async () => {
  makeDatabase(folder.file('older.sqlite'), (insert) => {
    for (const isin of [good, other]) insertGood(insert, isin, { price: { change: '0' } })
    for (let day = 1; day <= 12; day++)
      insert('price', {
        ...goodRows['price'],
        isin: good,
        date: `2024-04-${String(day).padStart(2, '0')}`,
        net_asset_value: '-1',
      })
  })
  const { stdout } = await check('older.sqlite')
  const older = stdout.match(
    /^ {2}warning {2}price: an older price is implausible: NAV -1 on 2024-04-\d\d: a price must be above zero$/gm,
  )
  expect(older).toHaveLength(12)
})
