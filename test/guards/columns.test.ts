/**
 * Columns of all tables, compared with what is live: a table of nights, each a company and what has changed in it. Beside each
 * wrong night stands one that an ordinary company has. And properties: what has not changed is never refused.
 */
import Database from 'better-sqlite3'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { findingsOfColumns as findingsWith } from '../../src/core/data/check/columns.ts'
import type { LiveReader } from '../../src/core/data/check/live-prices.ts'
import { priceReader } from '../../src/core/data/check/prices.ts'
import { readIsins } from '../../src/core/data/read/fund-reader.ts'
import { parseStatistics, type Statistics } from '../../src/core/guards/statistics.ts'
import { gatherStatistics, statisticsReader } from '../../src/core/data/read/statistics.ts'
import { goodRows, insertGood, type Insert, insertInto, isinOf, makeDatabase } from '../support/database.ts'
import { tempFolder } from '../support/product.ts'
import { times } from '../support/rounds.ts'

const findingsOfColumns = (read: LiveReader | null, file: Buffer, strictness = 1) =>
  findingsWith(read, [file], { strictness })

const folder = tempFolder()
const asOf = '2024-05-03'
const company = folder.file('company.sqlite')
const isins = Array.from({ length: 12 }, (_, index) => isinOf(index + 1))
const [one = '', two = '', three = ''] = isins

/** In percent a year. */
const rateOf = (fund: number) => 2 * fund - 7
const growthOf = (fund: number, day: string) =>
  (1 + rateOf(fund) / 100) ** ((Date.parse(day) - Date.parse('2021-12-31')) / (365 * 86_400_000))

function weeks(): readonly string[] {
  const days: string[] = []
  for (let at = Date.parse('2021-12-31'); at < Date.parse(asOf); at += 7 * 86_400_000)
    days.push(new Date(at).toISOString().slice(0, 10))
  return days
}

/** The figures of each fund are its own; its NAV grows by the same rate all the time. */
function fill(insert: Insert): void {
  for (const [fund, isin] of isins.entries()) {
    const categories = ['Aktienfonds', 'Rentenfonds', 'Mischfonds']
    const assets = (1_000_000 + fund * 123_456).toFixed(2)
    insertGood(insert, isin, {
      fund: { url: `https://www.funds.example/${isin}` },
      profile: {
        category_de: categories[fund % 3] ?? '',
        benchmark: `Index ${fund}`,
        fund_assets: assets,
        total_fund_assets: assets,
        issue_surcharge: fund % 4 === 3 ? 0 : (fund % 4) + 2,
      },
      emt: {
        srri: (fund % 4) + 3,
        ongoing_costs: 0.01 + fund / 10_000,
        transaction_costs: 0.001 + fund / 20_000,
      },
      key_figure: { value: `${fund + 3},5 %` },
      structure_item: { percent: 100 - fund },
      performance_year: { year: 2021, percent: fund * 3.5 },
      document: { url: `https://docs.funds.example/${isin}.pdf` },
      legal_period: {
        label: '2022',
        date_from: '2021-12-31',
        date_realfrom: '2021-12-31',
        date_to: '2022-12-31',
      },
    })
    for (const position of [1, 2]) {
      const name = { name_de: `Ratio ${position}`, value: `0,${fund * position + 10}` }
      insert('key_figure', { isin, ...goodRows['key_figure'], position, ...name })
    }
    for (const year of [2022, 2023]) insert('performance_year', { isin, year, percent: rateOf(fund) })
    for (const day of weeks()) {
      const nav = (100 * growthOf(fund, day)).toFixed(4)
      insert('price', { ...goodRows['price'], isin, date: day, net_asset_value: nav })
    }
  }
}

const setUp = `
  DELETE FROM price WHERE date IN ('2024-05-02');
  DELETE FROM corporate_action; DELETE FROM launch_point; DELETE FROM legal_point;
  UPDATE legal_period SET gross = (SELECT percent FROM performance_year p WHERE p.isin = legal_period.isin AND year = 2022), net = NULL;
  INSERT INTO launch_point SELECT isin, date, net_asset_value FROM price
    WHERE date IN ('2021-12-31', '2022-12-30', '2023-12-29', '2024-04-26');
  INSERT INTO legal_point SELECT isin, date, net_asset_value - 100 FROM price WHERE date IN ('2021-12-31', '2022-12-30');`

beforeAll(() => {
  makeDatabase(company, fill)
  const db = new Database(company)
  db.exec(setUp)
  db.close()
})

function statisticsOf(db: Database.Database, of = readIsins(db)): Buffer {
  const linesOf = statisticsReader(db, asOf, priceReader(db))
  const statistics = gatherStatistics()
  for (const isin of of) statistics.add(linesOf(isin))
  return Buffer.concat(statistics.end())
}

type Edit = string | ((db: Database.Database) => void)

function edited(edit: Edit): Database.Database {
  const db = new Database(new Database(company, { readonly: true }).serialize())
  db.exec('PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON')
  if (typeof edit === 'string') db.exec(edit)
  else edit(db)
  return db
}

const liveOf = (file: Buffer | string) => () => Promise.resolve(Buffer.from(file))

/** Guards with their subjects; of warnings the fund and the table. */
async function foundBy(before: Edit, after: Edit) {
  const findings = await findingsOfColumns(liveOf(statisticsOf(edited(before))), statisticsOf(edited(after)))
  return findings.map(({ guard, subject, isin, table, message }) => ({
    name: guard === undefined ? `warning ${isin ?? ''} ${table}` : `${guard}:${subject ?? ''}`,
    message,
  }))
}

/** Gives each fund the rows of the next one. */
const shifted =
  (table: string, column = '') =>
  (db: Database.Database): void => {
    const rows = db.prepare(`SELECT * FROM ${table}`).all() as Record<string, string>[]
    const nextOf = (isin = '') => isins[(isins.indexOf(isin) + 1) % isins.length] ?? ''
    if (column === '') {
      db.exec(`DELETE FROM ${table}`)
      for (const row of rows) insertInto(db)(table, { ...row, isin: nextOf(row['isin']) })
    } else
      for (const row of rows)
        db.prepare(`UPDATE ${table} SET ${column} = ? WHERE isin = ?`).run(row[column], nextOf(row['isin']))
  }

const of = (table: string, columns: string) => `UPDATE ${table} SET ${columns};`
const someFunds = (count: number) =>
  `isin IN (${isins
    .slice(0, count)
    .map((isin) => `'${isin}'`)
    .join()})`

/** All funds but two are share classes of one portfolio. */
const ofClasses = (edit: string) =>
  `UPDATE profile SET fund_assets = '1', total_fund_assets = '5000000.00' WHERE ${someFunds(10)};
   UPDATE key_figure SET ${edit} WHERE position = 4 AND ${someFunds(10)};`

it('takes more funds for most of them with a lower strictness', async () => {
  const before = statisticsOf(edited(''))
  const after = statisticsOf(edited(`UPDATE profile SET issue_surcharge = 0 WHERE ${someFunds(8)};`))
  const guardsWith = async (strictness: number) =>
    (await findingsOfColumns(liveOf(before), after, strictness)).map(({ guard }) => guard)
  expect(await guardsWith(1)).toEqual(['column'])
  expect(await guardsWith(0.6)).toEqual([])
})

describe('a wrong night is refused', () => {
  it.each<readonly [string, Edit, ...(readonly string[])]>([
    ['SRRI 1 for all funds', of('emt', 'srri = 1'), 'column:emt.srri'],
    ['the same category for all', of('profile', "category_de = 'Fonds'"), 'column:profile.category_de'],
    [
      'a key figure that is the same for all',
      "UPDATE key_figure SET value = '77,77 %' WHERE position = 1",
      'column:key_figure.value',
    ],
    ['no issue surcharge any more', of('profile', 'issue_surcharge = 0'), 'column:profile.issue_surcharge'],
    ['no benchmark any more', of('profile', 'benchmark = NULL'), 'column:profile.benchmark'],
    ['no address any more', of('fund', "url = ''"), 'column:fund.url'],
    [
      'assets a thousand times as large',
      of(
        'profile',
        "fund_assets = fund_assets * 1000 || '.00', total_fund_assets = total_fund_assets * 1000 || '.00'",
      ),
      'column:profile.fund_assets',
      'column:profile.total_fund_assets',
    ],
    [
      'assets in another currency',
      of(
        'profile',
        'fund_assets = round(fund_assets / 1.95583, 2), total_fund_assets = round(total_fund_assets / 1.95583, 2)',
      ),
      'column:profile.fund_assets',
      'column:profile.total_fund_assets',
    ],
    [
      'percentages as fractions',
      of('structure_item', 'percent = percent / 100'),
      'column:structure_item.percent',
    ],
    [
      'performance as fractions',
      of('performance_year', 'percent = percent / 100'),
      'column:performance_year.percent',
    ],
    [
      'key figures as fractions',
      "UPDATE key_figure SET value = replace('0,0' || value, ',5 %', '5') WHERE position = 4",
      'column:key_figure.value',
    ],
    [
      'addresses of funds on another domain',
      of('fund', "url = replace(url, 'funds.example', 'funds.test')"),
      'column:fund.url',
    ],
    [
      'documents on another domain',
      of('document', "url = replace(url, 'funds.example', 'funds.test')"),
      'column:document.url',
    ],
    ['key figures of the next fund', shifted('key_figure'), 'column:key_figure'],
    ['structures of the next fund', shifted('structure_item'), 'column:structure_item'],
    ['benchmarks of the next fund', shifted('profile', 'benchmark'), 'column:profile.benchmark'],
    [
      'total assets below those of the share class',
      of('profile', 'total_fund_assets = round(total_fund_assets * (0.5 + random() % 100 / 1000.0), 2)'),
      'column:profile.total_fund_assets',
    ],
    [
      'yearly performance that contradicts the prices',
      'UPDATE performance_year SET percent = percent - 30 - abs(random() % 9) WHERE year = 2023',
      'column:performance_year.percent',
    ],
    [
      'performance of years that are over',
      'UPDATE performance_year SET percent = percent + 2 + abs(random() % 9) WHERE year = 2021',
      'column:performance_year.percent',
    ],
    [
      'an index since launch of other funds',
      "UPDATE launch_point SET value = value * (2 + abs(random() % 3)) WHERE date > '2023'",
      'column:launch_point.value',
    ],
    [
      'performance of legal periods with the wrong sign',
      of('legal_period', 'gross = -20 - abs(random() % 9)'),
      'column:legal_period.gross',
    ],
    [
      'points of a legal line that its prices do not have',
      "UPDATE legal_point SET value = value + 40 + abs(random() % 9) WHERE date > '2022'",
      'column:legal_point.value',
    ],
  ])('%s', async (_, edit, ...expected) => {
    expect(
      [...new Set((await foundBy('', edit)).map(({ name }) => name))].filter(
        (name) => !name.startsWith('warning'),
      ),
    ).toEqual(expected)
  })
})

describe('an ordinary night passes', () => {
  it.each<[name: string, edit: Edit, before?: Edit]>([
    ['no fund is suspended any more', of('fund', 'suspended_from = NULL, suspended_to = NULL')],
    [
      'all funds are suspended for the same days',
      of('fund', "suspended_from = '2024-04-01', suspended_to = '2024-05-31'"),
    ],
    ['nothing new', ''],
    [
      'a month end: all key figures, structures and assets',
      `UPDATE key_figure SET value = (abs(random() % 9) + 8) || ',' || abs(random() % 10) || ' %' WHERE position = 4;
      UPDATE key_figure SET value = '0,' || (abs(random() % 30) + 10) WHERE position < 4;
      ${of('structure_item', 'percent = percent * (0.8 + abs(random() % 400) / 1000.0)')}
      ${of('profile', 'fund_assets = round(fund_assets * (0.9 + abs(random() % 200) / 1000.0), 2), total_fund_assets = round(total_fund_assets * 1.2, 2)')}
      INSERT INTO launch_point SELECT isin, '2024-05-02', max(value) * 1.001 FROM launch_point WHERE date = '2024-04-26' GROUP BY isin;`,
    ],
    [
      'costs of another year',
      of(
        'emt',
        "ongoing_costs_date = '2024-04-30', ongoing_costs = ongoing_costs * (0.7 + abs(random() % 600) / 1000.0), transaction_costs = abs(random() % 90) / 10000.0, incidental_costs = 0",
      ),
    ],
    ['an SRRI that falls for four funds', `UPDATE emt SET srri = srri - 1 WHERE ${someFunds(4)}`],
    [
      'a category with another name',
      "UPDATE profile SET category_de = 'Equities' WHERE category_de = 'Aktienfonds'",
    ],
    ['all categories with other names', of('profile', "category_de = category_de || ' (neu)'")],
    [
      'two categories that become one',
      "UPDATE profile SET category_de = 'Aktienfonds' WHERE category_de = 'Mischfonds'",
    ],
    ['another benchmark of one fund', `UPDATE profile SET benchmark = 'MSCI' WHERE isin = '${one}'`],
    ['benchmarks with other names', of('profile', "benchmark = benchmark || ' NR'")],
    [
      'new documents',
      of('document', "date = '2024-04-30', title = 'Jahresbericht 2024', url = url || '?2024'"),
    ],
    [
      'documents on another host for four funds',
      `UPDATE document SET url = 'https://cdn.test/' || isin WHERE ${someFunds(4)}`,
    ],
    ['addresses without www', of('fund', "url = replace(url, '//www.', '//')")],
    ['a surcharge that four funds give up', `UPDATE profile SET issue_surcharge = 0 WHERE ${someFunds(4)}`],
    ['a fee that is cut for all', of('profile', 'management_fee = 1.1')],
    [
      'a key figure that is added before the others',
      `${of('key_figure', 'position = position + 10')}
      INSERT INTO key_figure SELECT isin, 1, 'Alpha', 'Alpha', abs(random() % 100) / 10.0, NULL, 0 FROM fund`,
    ],
    ['performance of another year', `INSERT INTO performance_year SELECT isin, 2024, 1.5 FROM fund`],
    ['performance that is rounded otherwise', of('performance_year', 'percent = percent + 0.05')],
    ['performance with costs', 'UPDATE performance_year SET percent = percent - 0.6 WHERE year = 2023'],
    ['legal performance after the surcharge', of('legal_period', 'net = gross - 5')],
    [
      'distributions without a row that performance has',
      'UPDATE performance_year SET percent = percent + 5 WHERE year = 2023; UPDATE profile SET accumulating = 0',
      'UPDATE profile SET accumulating = 0',
    ],
    [
      'performance that has always been of another kind',
      of('performance_year', 'percent = percent + 31'),
      of('performance_year', 'percent = percent + 30.8'),
    ],
    [
      'a market that makes returns ten times as large',
      "UPDATE key_figure SET value = '3,' || substr(value, 3) || ' %' WHERE position < 4",
    ],
    [
      'returns of share classes of a portfolio, all three times as large',
      ofClasses("value = '13,5 %'"),
      ofClasses("value = '4,5 %'"),
    ],
    [
      'three funds that are new',
      `DELETE FROM fund WHERE isin = ''`,
      `DELETE FROM fund WHERE ${someFunds(3)}`,
    ],
  ])('%s', async (_: string, edit: Edit, before?: Edit) => {
    expect(await foundBy(before ?? '', edit)).toEqual([])
  })
})

describe('one fund is named, and stops nobody', () => {
  it.each<readonly [string, string, string]>([
    [
      'without its key figures',
      `DELETE FROM key_figure WHERE isin = '${two}'`,
      'key_figure: its 3 rows are gone, and the fund has no other',
    ],
    [
      'without prices',
      `DELETE FROM price WHERE isin = '${two}'`,
      'price: its row is gone, and the fund has no other',
    ],
    [
      'whose total assets are too small',
      `UPDATE profile SET total_fund_assets = '5' WHERE isin = '${two}'`,
      'profile: total_fund_assets 5, but the share class alone has fund_assets 1123456.00',
    ],
    [
      'with another performance of long ago',
      `UPDATE performance_year SET percent = -27 WHERE year = 2021 AND isin = '${two}'`,
      'performance_year: percent of year 2021: 3.5 before, -27 now',
    ],
  ])('%s', async (_, edit, expected) => {
    const found = await foundBy('', edit)
    expect(found.map(({ name, message }) => `${name}: ${message}`)).toEqual([`warning ${two} ${expected}`])
  })

  it('and told once: what is live already is no news', async () => {
    const wrong = `UPDATE performance_year SET percent = 38 WHERE year = 2023 AND isin = '${two}'; UPDATE profile SET total_fund_assets = '5' WHERE isin = '${two}'; DELETE FROM emt WHERE isin = '${three}';`
    expect(await foundBy('', wrong)).toHaveLength(3)
    expect(await foundBy(wrong, wrong + "UPDATE fund SET status_date = '2024-05-03'")).toEqual([])
    expect(await foundBy(wrong, '')).toEqual([])
  })

  it('but for a performance that contradicts its prices, which is refused', async () => {
    const wrong = `UPDATE performance_year SET percent = 38 WHERE year = 2023 AND isin = '${two}'`
    const message = 'percent 38.00 % of 2023, but its prices from 2022-12-31 to 2023-12-31 give -4.99 %'
    expect(await foundBy('', wrong)).toEqual([{ name: `figure:${two}`, message }])
    expect(await foundBy(wrong, wrong)).toEqual([])
  })

  it('counts funds beyond ten', async () => {
    const found = await foundBy('', `DELETE FROM emt WHERE isin <> '${one}'`)
    expect(found).toHaveLength(10)
    expect(found.at(-1)?.message).toContain(', as in 1 more funds')
  })
})

it.each([
  ['emt', 'srri = 4', 'srri = 1', 'column:emt.srri'],
  ['key_figure', "value = '9,12 %'", "value = '77,77 %'", 'column:key_figure.value'],
])(
  'refuses a value of table %s that all funds share, and that jumps',
  async (table, before, after, expected) => {
    expect((await foundBy(of(table, before), of(table, after))).map(({ name }) => name)).toEqual([expected])
  },
)

it('names the funds, what they had and what came', async () => {
  const [found] = await foundBy('', of('emt', 'srri = 1'))
  expect(found?.message).toBe(
    `emt.srri: 12 of 12 funds have the same value, and they differed before (${one}: 3 before, 1 now, ${two}: 4 before, 1 now, ${three}: 5 before, 1 now and 9 more)`,
  )
})

it('warns of texts of most funds that no rename explains', async () => {
  const found = await foundBy('', of('profile', "category_de = 'Fonds ' || (abs(random()) % 100000)"))
  expect(found.map(({ name }) => name)).toEqual(['warning  profile'])
})

it('compares a column that only one of the two snapshots has with nothing', async () => {
  const file = statisticsOf(edited(''))
  const other = file.toString().replace('"srri"', '"risk"')
  expect(await findingsOfColumns(liveOf(other), statisticsOf(edited(of('emt', 'srri = 1'))))).toEqual([])
})

const none: Statistics = { columns: {}, passing: new Set(), funds: new Map() }

describe('what may not be given out', () => {
  const statisticsIn = (edit: Edit) => parseStatistics([statisticsOf(edited(edit))]) ?? none
  const tablesOf = (edit: Edit) => {
    const { columns, funds } = statisticsIn(edit)
    return Object.keys(columns).filter((table) => funds.get(one)?.lineOf(table) !== undefined)
  }

  it('is in no statistics', () => {
    const given = statisticsIn(`UPDATE fund SET data_permitted = 0 WHERE isin = '${one}'`)
    expect([...given.funds.keys()]).toEqual(isins.slice(1))
    const all = tablesOf('')
    const without = (edit: Edit) => all.filter((table) => !tablesOf(edit).includes(table))
    expect(without('UPDATE fund SET prices_permitted = 0')).toEqual(['price', 'corporate_action'])
    const ofPerformance = ['performance_year', 'legal_period', 'legal_point', 'launch_point']
    expect(without('UPDATE fund SET performance_permitted = 0')).toEqual(ofPerformance)
    expect(without("UPDATE fund SET fund_inception_date = '2023-05-04'")).toEqual(ofPerformance)
  })

  it('is no NAV in a contradiction of a fund whose prices are withheld', () => {
    const edit = 'UPDATE performance_year SET percent = 38; UPDATE fund SET prices_permitted = 0'
    expect(statisticsOf(edited(edit)).toString()).not.toContain('its prices')
  })

  it('is no loss', async () => {
    expect(await foundBy('', 'UPDATE fund SET performance_permitted = 0, prices_permitted = 0')).toEqual([
      { name: 'column:fund.prices_permitted', message: expect.stringContaining('1 before, 0 now') as string },
      {
        name: 'column:fund.performance_permitted',
        message: expect.stringContaining('1 before, 0 now') as string,
      },
    ])
    expect(await foundBy('', `UPDATE fund SET performance_permitted = 0 WHERE isin = '${one}'`)).toEqual([])
  })
})

describe('statistics of many funds', () => {
  const name = 'Ährenfonds 🌾 €'
  const all = Array.from({ length: 1500 }, (_, index) => isinOf(index + 1))

  /** Each fund has the tables of one of the company; that of the first one may not be given out. */
  function textsOf(edit: string): readonly string[] {
    const db = edited(`UPDATE fund SET name = '${name}', prices_permitted = isin <> '${two}',
      data_permitted = isin <> '${one}'; ${edit}`)
    const linesOf = statisticsReader(db, asOf, priceReader(db))
    const lines = isins.map((isin) => ({ isin, text: linesOf(isin) }))
    return all.map((isin, index) => {
      const { isin: own = '', text = '' } = lines[index % lines.length] ?? {}
      return text.replaceAll(own, isin)
    })
  }

  function gathered(texts: readonly string[]): readonly Buffer[] {
    const statistics = gatherStatistics()
    for (const text of texts) statistics.add(text)
    return statistics.end()
  }

  it('are in parts, and each fund is found with its own tables only', () => {
    const texts = textsOf('')
    const parts = gathered(texts)
    expect(parts.length).toBeGreaterThan(1)
    const [head = '', ...lines] = Buffer.concat(parts).toString().split('\n')
    expect(lines.join('\n')).toBe(texts.join(''))
    const { funds } = parseStatistics(parts) ?? none
    const tables = Object.keys((JSON.parse(head) as Statistics).columns)
    const found = [...funds].map(([isin, fund]) => {
      const ofTables = tables.flatMap((table) => fund.lineOf(table) ?? [])
      return [JSON.stringify({ isin, name: fund.name, end: fund.end }), ...ofTables, ''].join('\n')
    })
    expect(found).toEqual(texts.filter((text) => text !== ''))
  })

  it('are compared in all parts', async () => {
    const live = liveOf(Buffer.concat(gathered(textsOf(''))))
    const texts = textsOf('')
    const wrong = [...texts.slice(0, -1), textsOf('UPDATE emt SET ongoing_costs = 1.5').at(-1) ?? '']
    expect(await findingsWith(live, gathered(texts), { strictness: 1 })).toEqual([])
    expect(await findingsWith(live, gathered(wrong), { strictness: 1 })).toMatchObject([
      { guard: 'high-costs', isin: all.at(-1) },
    ])
  })
})

describe('statistics that are live', () => {
  const next = statisticsOf
  /** A file with one table of a fund. */
  const lineOf = (line: string) =>
    `{"format":3,"columns":{},"passing":[]}\n{"isin":"${one}","name":"x"}\n${line}`
  it('are not needed to find a performance that contradicts the prices', async () => {
    const wrong = `UPDATE performance_year SET percent = 38 WHERE year = 2023 AND isin = '${two}';
      UPDATE launch_point SET value = 11 * value WHERE isin = '${three}'`
    expect(
      (await findingsOfColumns(null, next(edited(wrong)))).map(({ guard, message }) => ({ guard, message })),
    ).toEqual([
      {
        guard: 'figure',
        message: expect.stringMatching(/^percent 38\.00 % of 2023, but its prices/) as string,
      },
      {
        guard: 'figure',
        message: expect.stringMatching(/^value 1100 of [0-9-]+, but the line starts at 100$/) as string,
      },
    ])
  })

  it('are compared with nothing if there are none, or those of another version', async () => {
    const file = next(edited(of('emt', 'srri = 1')))
    expect(await findingsOfColumns(null, file)).toEqual([])
    expect(await findingsOfColumns(() => Promise.resolve(null), file)).toEqual([])
    expect(await findingsOfColumns(liveOf('{"format":2}\n'), file)).toEqual([])
  })

  it.each([
    ['', /damaged/],
    ['{}', /null is not a format/],
    ['{"format":3,"columns":{"emt; rm":[]},"passing":[]}', /"emt; rm" is not a name/],
    ['{"format":3,"columns":{},"passing":[]}\n{}', /null is not a name/],
    ['{"format":3,"columns":{},"passing":[]}\n["emt"]', /is not the line of a table/],
    [lineOf('["emt",-1,[],0,[]]'), /-1 is not a count/],
    [lineOf('["emt",1,[["","",7]],0,[]]'), /7 is not a summary/],
    [lineOf('["emt",1,[["","","1|x||"]],0,[]]'), /"1\|x\|\|" is not a summary/],
  ])('of a wrong form are a warning: %s', async (text, expected) => {
    const [found, ...others] = await findingsOfColumns(liveOf(text), next(edited('')))
    expect(others).toEqual([])
    expect(found).toMatchObject({ severity: 'warning', isin: null })
    expect(found?.message).toMatch(/^statistics\.ndjson, which is live, is damaged: .* are not compared$/)
    expect(found?.message).toMatch(expected)
  })
})

describe('properties', () => {
  const cell = fc.oneof(
    fc.constantFrom<string | number | null | Buffer>(
      null,
      '',
      ' ',
      '|',
      '~',
      '\n',
      '1e999',
      '-1.234,50 %',
      0,
      -0.5,
      1e308,
      Buffer.from([0, 255]),
    ),
    fc.string({ unit: 'binary' }),
    fc.double({ noNaN: true }),
    fc.integer(),
  )
  const tables = Object.entries(goodRows).map(([table, row]) => [table, Object.keys(row)] as const)
  const edit = fc.record({
    at: fc.nat(),
    column: fc.nat(),
    value: cell,
    count: fc.integer({ min: 1, max: 12 }),
  })
  const apply = (
    db: Database.Database,
    edits: readonly { at: number; column: number; value: unknown; count: number }[],
  ) => {
    for (const { at, column, value, count } of edits) {
      const [table, columns] = tables[at % tables.length] ?? ['fund', ['wkn']]
      const name = columns[column % columns.length] ?? ''
      try {
        db.prepare(`UPDATE OR IGNORE ${table} SET ${name} = ? WHERE ${someFunds(count)}`).run(value)
      } catch {
        // The column is of another type.
      }
    }
  }

  /** They stay a warning if they are live: each night says so. */
  const isOfHighCosts = (message: string) => /costs are fractions|fees are percentages/.test(message)

  it('an unchanged company never objects, whatever its values', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 12 }), async (edits) => {
        const db = edited((opened) => {
          apply(opened, edits)
        })
        // A fund is new, so that each table differs and is compared. Its own figures are judged by themselves.
        const [fresh, ...others] = readIsins(db)
        const all = await findingsOfColumns(liveOf(statisticsOf(db, others)), statisticsOf(db))
        const found = all.filter(({ isin }) => isin !== fresh)
        expect(found.filter(({ severity }) => severity === 'error')).toEqual([])
        expect(found.filter(({ message }) => !isOfHighCosts(message))).toEqual([])
      }),
      { numRuns: times(40) },
    )
  })

  it('nothing that four funds do alone is refused, but a figure that contradicts the prices, and costs like percent', async () => {
    const before = statisticsOf(edited(''))
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 8 }), async (edits) => {
        const db = edited((opened) => {
          apply(
            opened,
            edits.map((one) => ({ ...one, count: Math.min(4, one.count) })),
          )
        })
        const found = await findingsOfColumns(liveOf(before), statisticsOf(db))
        const refused = found.filter(({ severity }) => severity === 'error')
        const perFund = ['figure', 'high-costs']
        expect(refused.filter(({ guard = '' }) => !perFund.includes(guard))).toEqual([])
      }),
      { numRuns: times(40) },
    )
  })
})
