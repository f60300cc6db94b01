/** FundsXML and openfunds: what other programs read in the files, and what our own import makes of them. */
import { spawnSync } from 'node:child_process'
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { run } from '../cli/run.ts'
import { editDatabase, isinOf, type Value } from '../support/database.ts'
import { oddFunds } from '../support/odd-funds.ts'
import { mustRun, tempFolder } from '../support/product.ts'
import { lacks, needs } from '../support/programs.ts'
import { python } from '../support/python.ts'
import { needsShared } from '../support/shared-data.ts'
import { buildNight, demoDay, demoNight, hostileNames, oddNight, type Night } from './night.ts'
import { readCsv } from './readers.ts'

const folder = tempFolder()
const unbuilt: Night = { db: '', out: '', asOf: '', folder: '' }
const nights = { demo: unbuilt, odd: unbuilt, lives: unbuilt }
const lacksPython = lacks('python3')

/** @returns the rows of a query */
function ask(file: string, sql: string): readonly (readonly Value[])[] {
  const db = new Database(file, { readonly: true })
  try {
    return db.prepare<[], Value[]>(sql).raw().all()
  } finally {
    db.close()
  }
}

/** Funds whose lives end in all ways, by what happens to them. All may be given out. */
let ends: Readonly<Record<string, string>> = {}

beforeAll(async () => {
  nights.demo = await demoNight()
  nights.odd = await oddNight()
  nights.lives = await livesNight()
})

async function livesNight(): Promise<Night> {
  const db = folder.file('lives.sqlite')
  await mustRun(['init', '--demo', '--db', db, '--until', demoDay, '--years', '2', '--funds', '9'])
  const isins = ask(db, 'SELECT isin FROM fund ORDER BY isin').flat().map(String)
  const whatHappens = ['liquidated', 'matured', 'merged', 'merger', 'closed', 'paused', 'unexplained']
  ends = Object.fromEntries(whatHappens.map((what, at) => [what, isins[at] ?? '']))
  const { liquidated, matured, merged, merger, closed, paused, unexplained } = ends
  editDatabase(
    db,
    `UPDATE fund SET data_permitted = 1, prices_permitted = 1;
     UPDATE fund SET end_date = '2026-12-31', end_reason = 'liquidated' WHERE isin = '${liquidated}';
     UPDATE fund SET end_date = '2027-06-30', end_reason = 'matured' WHERE isin = '${matured}';
     UPDATE fund SET end_date = '2026-12-15', end_reason = 'merged' WHERE isin = '${merged}';
     UPDATE fund SET end_date = '2026-12-16' WHERE isin = '${unexplained}';
     UPDATE fund SET suspended_from = '2026-11-21' WHERE isin = '${closed}';
     UPDATE fund SET suspended_from = '2026-11-21', suspended_to = '2026-11-30' WHERE isin = '${paused}';
     INSERT INTO document SELECT isin, 'annual_report', language, date, 'CH', title, url FROM document WHERE kind = 'annual_report';
     INSERT INTO corporate_action (isin, ex_date, kind, successor_isin)
       VALUES ('${merger}', '2026-12-10', 'merger', '${isinOf(7)}');
     INSERT INTO corporate_action (isin, ex_date, kind, factor)
       VALUES ('${liquidated}', '2022-03-01', 'split', '2'), ('${liquidated}', '2023-03-01', 'split', '3'),
         ('${matured}', '2023-03-01', 'split', '0.2'), ('${merged}', '2023-03-01', 'split', '1.05');`,
  )
  return buildNight(db, folder.file('lives'), demoDay)
}

const which = ['demo', 'odd', 'lives'] as const

describe('fundsxml.xml', () => {
  describe('and the public schema', () => {
    needs('xmllint')
    const schema = join(needsShared('fundsxml'), 'xsd/FundsXML4.xsd')

    it.each(which)('is valid, of the %s funds', (name) => {
      const file = join(nights[name].folder, 'fundsxml.xml')
      const { status, stderr } = spawnSync('xmllint', ['--noout', '--schema', schema, file], {
        encoding: 'utf8',
      })
      expect({ status, faults: stderr.split('\n').slice(0, -2) }).toEqual({ status: 0, faults: [] })
    })
  })

  describe.each(which)('of the %s funds', (name) => {
    it('has what the database has, and nothing that permissions exclude', ({ skip }) => {
      skip(lacksPython, 'needs python3')
      const { db, folder: files } = nights[name]
      const mayPrice =
        "f.data_permitted = 1 AND f.prices_permitted = 1 AND f.isin != '" + oddFunds.awkward + "'"
      const found = python<Readonly<Record<'funds' | 'prices' | 'distributions' | 'documents', unknown[]>>>(
        `import json, sys, xml.etree.ElementTree as tree
root = tree.parse(sys.argv[1]).getroot()
def texts(element, *paths): return [element.findtext(path) for path in paths]
classes = root.findall("Funds/Fund/SingleFund/ShareClasses/ShareClass")
def parts(path, *paths):
    return [texts(one, "Identifiers/ISIN") + texts(part, *paths) for one in classes for part in one.findall(path)]
print(json.dumps({
    "funds": [texts(one, "Identifiers/ISIN", "Names/OfficialName", "Currency", "InceptionDate") for one in classes],
    "prices": parts("Prices/Price", "NavDate", "NavPrice", "SubscriptionPrice", "RedemptionPrice", "PriceCurrency"),
    "distributions": parts("Distributions/Distribution", "ExDate", "GrossDividendAmount/PerShare/Amount"),
    "documents": [texts(one, "ShareClasses/ShareClass/Identifiers/ISIN", "Type/ListedType", "Language", "CreationDate", "Name")
                  for one in root.findall("Documents/Document")],
}))`,
        join(files, 'fundsxml.xml'),
      )
      expect(found.funds.length).toBeGreaterThan(3)
      expect(found.funds).toEqual(
        ask(
          db,
          'SELECT isin, name, currency, fund_inception_date FROM fund WHERE data_permitted = 1 ORDER BY isin',
        ),
      )
      expect(found.prices.length).toBeGreaterThan(3)
      expect(found.prices).toEqual(
        ask(
          db,
          `SELECT isin, date, net_asset_value, issue_price, repurchase_price, currency FROM price p
          JOIN fund f USING (isin) WHERE ${mayPrice}
          AND date = (SELECT max(date) FROM price WHERE isin = p.isin) ORDER BY isin`,
        ),
      )
      expect(found.distributions.length).toBeGreaterThan(0)
      expect(found.distributions).toEqual(
        ask(
          db,
          `SELECT isin, ex_date, amount FROM corporate_action JOIN fund f USING (isin)
          WHERE kind = 'distribution' AND f.data_permitted = 1 AND f.prices_permitted = 1 ORDER BY isin, ex_date`,
        ),
      )
      expect(found.documents.length).toBeGreaterThan(0)
      const types = `CASE kind WHEN 'kid' THEN 'PRIIPS-KID' WHEN 'prospectus' THEN 'Prospectus'
        WHEN 'annual_report' THEN 'AnnualReport' WHEN 'half_year_report' THEN 'HalfYearReport' ELSE 'Factsheet' END`
      expect(found.documents).toEqual(
        ask(
          db,
          `SELECT isin, ${types}, language, date, title FROM document JOIN fund USING (isin)
          WHERE data_permitted = 1 ORDER BY isin, kind, language, date`,
        ),
      )
    })
  })
})

describe('openfunds.csv', () => {
  const linesOf = (name: (typeof which)[number]) => {
    const [ids = [], names = [], ...lines] = readCsv(nights[name].folder, 'openfunds.csv')
    const records = lines.map((line) => Object.fromEntries(line.map((cell, at) => [ids[at] ?? '', cell])))
    return { ids, names, records }
  }

  it('has OF-IDs, then names, then a line a fund', ({ skip }) => {
    skip(lacksPython, 'needs python3')
    const { ids, names, records } = linesOf('demo')
    expect(ids.slice(0, 3)).toEqual(['OFST020000', 'OFST020015', 'OFST020060'])
    expect(names.slice(0, 3)).toEqual(['ISIN', 'WKN', 'Full Share Class Name'])
    expect(ids.slice(-3)).toEqual(['OFEP000700', 'OFEP000750(de)', 'OFEP000750(en)'])
    const { db } = nights.demo
    expect(
      records.map((record) => [record['OFST020000'], record['OFDY000041'], record['OFDY000040']]),
    ).toEqual(
      ask(
        db,
        `SELECT f.isin, ifnull(max(date), ''), ifnull(net_asset_value, '')
          FROM fund f LEFT JOIN price p ON p.isin = f.isin AND prices_permitted = 1
          WHERE data_permitted = 1 GROUP BY f.isin ORDER BY f.isin`,
      ),
    )
  })

  it('has no prices that may not be given out, and an apostrophe before a formula', ({ skip }) => {
    skip(lacksPython, 'needs python3')
    const { records } = linesOf('odd')
    const of = (isin: string) => records.find((record) => record['OFST020000'] === isin)
    expect(of(oddFunds.pricesDenied)).toMatchObject({ OFDY000040: '', OFDY000041: '', OFDY000025: '' })
    expect(of(oddFunds.awkward)).toMatchObject({ OFDY000040: '123456789012345678.123456789' })
    expect(of(oddFunds.leapling)).toMatchObject({ OFST020060: `'${hostileNames.formula}` })
  })

  it('says how lives end, and leaves what it has no field for to its receivers', ({ skip }) => {
    skip(lacksPython, 'needs python3')
    const { records } = linesOf('lives')
    const of = (what: string) => {
      const record = records.find((one) => one['OFST020000'] === ends[what]) ?? {}
      const ids = ['OFST020566', 'OFST020575', 'OFEM000650', 'OFST023100', 'OFST023110']
      return ids.map((id) => record[id])
    }
    expect(of('liquidated')).toEqual(['2026-12-31', '', '', '', ''])
    expect(of('matured')).toEqual(['', '', '2027-06-30', '', ''])
    expect(of('merged')).toEqual(['[IGNORE]', '', '[IGNORE]', '', ''])
    expect(of('unexplained')).toEqual(['[IGNORE]', '', '[IGNORE]', '', ''])
    expect(of('merger')).toEqual(['2026-12-10', isinOf(7), '', '', ''])
    expect(of('closed')).toEqual(['', '', '', 'closed for subscription and redemption', '2026-11-21'])
    expect(of('paused')).toEqual(['', '', '', '[IGNORE]', '[IGNORE]'])
  })

  it('counts old shares for a new one in the newest split', ({ skip }) => {
    skip(lacksPython, 'needs python3')
    const { records } = linesOf('lives')
    const of = (what: string) => {
      const { OFDY005060: day, OFDY005062: ratio } =
        records.find((one) => one['OFST020000'] === ends[what]) ?? {}
      return { day, ratio }
    }
    expect(of('liquidated')).toEqual({ day: '2023-03-01', ratio: '0.333333333333333' })
    expect(of('matured')).toEqual({ day: '2023-03-01', ratio: '5' })
    expect(of('paused')).toEqual({ day: '', ratio: '' })
  })
})

/** What a file holds of each table, and what a database lacks before it is imported. */
const trips = [
  {
    file: 'fundsxml.xml',
    flags: [],
    queries: [
      // Neither merger nor suspension is known there, and the day of the file is the status date of all.
      'SELECT isin, wkn, name, fund_inception_date, currency, url, end_date, end_reason FROM fund',
      'SELECT * FROM price',
      'SELECT * FROM corporate_action',
      'SELECT * FROM document',
    ],
    lost: `UPDATE fund SET end_date = NULL, end_reason = NULL WHERE end_reason IS NOT NULL;
      DELETE FROM corporate_action WHERE kind = 'distribution';
      DELETE FROM document;`,
  },
  {
    file: 'openfunds.csv',
    flags: ['--derive'],
    queries: [
      'SELECT * FROM fund',
      'SELECT * FROM price',
      'SELECT * FROM corporate_action',
      'SELECT * FROM document',
    ],
    lost: `UPDATE fund SET end_date = NULL, end_reason = NULL WHERE end_reason IN ('liquidated', 'matured');
      UPDATE fund SET suspended_from = NULL WHERE suspended_to IS NULL;
      DELETE FROM corporate_action WHERE kind = 'merger' OR ex_date > '2023-01-01' AND kind = 'split' OR kind = 'distribution'
        AND ex_date = (SELECT max(ex_date) FROM corporate_action AS other
          WHERE other.isin = corporate_action.isin AND other.kind = 'distribution');
      DELETE FROM document WHERE kind = 'kid';`,
  },
] as const

describe.each(trips)('the import of $file', ({ file, flags, queries, lost }) => {
  it('gives the same rows again', async () => {
    const night = nights.lives
    const db = folder.file(`${file}.sqlite`)
    copyFileSync(night.db, db)
    editDatabase(
      db,
      `${lost}
       UPDATE fund SET name = 'A fund', wkn = NULL, fund_inception_date = '2000-01-03';
       DELETE FROM price WHERE date = (SELECT max(date) FROM price AS other WHERE other.isin = price.isin);`,
    )
    const read = (from: string) => queries.map((sql) => ask(from, `${sql} ORDER BY 1, 2, 3, 4`))
    const wanted = read(night.db)
    const before = read(db)
    for (const [at, rows] of before.entries()) expect(rows).not.toEqual(wanted[at])
    const ended = await run(['import', join(night.folder, file), '--db', db, ...flags], { cwd: folder.path })
    expect(ended).toMatchObject({ code: 0, stderr: '' })
    expect(read(db)).toEqual(wanted)
  })
})
