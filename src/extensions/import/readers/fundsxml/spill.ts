/**
 * What a file says in one place and needs in another, on disk: positions stand before the assets that they name, and a profile has figures
 * of several parts of a file. An unnamed database of SQLite, gone with the process: its memory does not grow with the file.
 */

import Database from 'better-sqlite3'

const cacheKibibytes = 24_576

/** Shares are whole numbers of this part of a percent: sums of them are exact, up to 90 million percent. */
const perPercent = 1e8

/** @param share as it is summed */
export const inPercent = (share: number): number => share / perPercent

/** An asset. Null is what the file does not tell. */
interface Asset {
  readonly name: string | null
  readonly country: string | null
  readonly currency: string | null
  /** A code. */
  readonly type: string | null
}

/** A position says itself what it is, beside the asset that it names. */
interface Position {
  readonly asset: string | null
  readonly currency: string | null
  readonly type: string | null
  /** Eight digits behind the point are kept. */
  readonly percent: number
}

/** The positions of a portfolio with one asset in one currency. */
interface Holding extends Asset {
  readonly asset: string | null
  readonly share: number
}

export interface Owned {
  readonly isin: string
  /** Whether no later portfolio of the class is in the file. */
  readonly isNewest: boolean
}

export interface Portfolio {
  readonly id: number
  readonly date: string
  readonly place: string
}

export type Spill = ReturnType<typeof openSpill>

/** @throws {SqliteError} from its functions if the folder for temporary files is full */
export function openSpill() {
  const db = new Database('')
  db.pragma(`cache_size = -${cacheKibibytes}`)
  db.pragma('journal_mode = OFF')
  db.pragma('synchronous = OFF')
  db.exec(`
    CREATE TABLE portfolio (id INTEGER PRIMARY KEY, date TEXT, place TEXT);
    CREATE TABLE position (portfolio INTEGER, number INTEGER, asset TEXT, currency TEXT, type TEXT, share INTEGER,
      PRIMARY KEY (portfolio, number)) WITHOUT ROWID;
    CREATE TABLE asset (id TEXT PRIMARY KEY, name TEXT, country TEXT, currency TEXT, type TEXT) WITHOUT ROWID;
    CREATE TABLE item (portfolio INTEGER, structure TEXT, number INTEGER, name TEXT, percent REAL,
      PRIMARY KEY (portfolio, structure, number)) WITHOUT ROWID;
    CREATE TABLE risk (portfolio INTEGER, number INTEGER, code TEXT, value TEXT, PRIMARY KEY (portfolio, number)) WITHOUT ROWID;
    CREATE TABLE owner (isin TEXT, date TEXT, portfolio INTEGER, PRIMARY KEY (isin, date)) WITHOUT ROWID;
    CREATE INDEX owner_portfolio ON owner (portfolio);
    CREATE TABLE class (fund TEXT, isin TEXT, PRIMARY KEY (fund, isin)) WITHOUT ROWID;
    CREATE TABLE profile (isin TEXT PRIMARY KEY, place TEXT, texts TEXT) WITHOUT ROWID;
    BEGIN`)
  const into = (table: string, columns: number, or = '') =>
    db.prepare(`INSERT ${or} INTO ${table} VALUES (${Array(columns).fill('?').join(', ')})`)
  const addPosition = into('position', 6)
  const addAsset = into('asset', 5, 'OR IGNORE')
  const addItem = into('item', 5)
  const addRisk = into('risk', 4)
  const addPortfolio = into('portfolio', 3)
  const addOwner = into('owner', 3, 'OR IGNORE')
  const addClass = into('class', 2, 'OR IGNORE')
  const addProfile = db.prepare(`INSERT INTO profile VALUES (?, ?, ?)
    ON CONFLICT (isin) DO UPDATE SET texts = json_patch(excluded.texts, texts)`)
  const holdings = db.prepare<[number], Holding>(
    `SELECT own.asset AS asset, asset.name AS name, asset.country AS country, coalesce(own.currency, asset.currency) AS currency,
        coalesce(asset.type, own.type) AS type, sum(own.share) AS share
      FROM position AS own LEFT JOIN asset ON asset.id = own.asset WHERE own.portfolio = ?
      GROUP BY own.asset, own.currency, own.type ORDER BY own.asset`,
  )
  const owners = db.prepare<[number], { isin: string; isNewest: number }>(
    `SELECT isin, NOT EXISTS (SELECT 1 FROM owner AS later WHERE later.isin = owner.isin AND later.date > owner.date) AS isNewest
    FROM owner WHERE portfolio = ? ORDER BY isin`,
  )
  const items = db.prepare<[number], { structure: string; name: string; percent: number }>(
    'SELECT structure, name, percent FROM item WHERE portfolio = ? ORDER BY structure, number',
  )
  const risks = db.prepare<[number], { code: string; value: string }>(
    'SELECT code, value FROM risk WHERE portfolio = ? ORDER BY number',
  )
  const classes = db.prepare<[string], string>('SELECT isin FROM class WHERE fund = ? ORDER BY isin').pluck()
  return {
    addPortfolio: ({ id, date, place }: Portfolio) => addPortfolio.run(id, date, place),
    addPosition: (portfolio: number, number: number, { asset, currency, type, percent }: Position) =>
      addPosition.run(portfolio, number, asset, currency, type, Math.round(percent * perPercent)),
    /** The first of an id counts. */
    addAsset: (id: string, { name, country, currency, type }: Asset) =>
      addAsset.run(id, name, country, currency, type),
    addItem: (portfolio: number, structure: string, number: number, name: string, percent: number) =>
      addItem.run(portfolio, structure, number, name, percent),
    addRisk: (portfolio: number, number: number, code: string, value: string) =>
      addRisk.run(portfolio, number, code, value),
    addOwner: (isin: string, date: string, portfolio: number) => addOwner.run(isin, date, portfolio),
    /** @param fund an LEI or ISIN by which documents name the fund of the class */
    addClass: (fund: string, isin: string) => addClass.run(fund, isin),
    classesOf: (fund: string): readonly string[] => classes.all(fund),
    /** What was there before counts. */
    addProfile: (isin: string, place: string, values: Readonly<Record<string, unknown>>) =>
      addProfile.run(isin, place, JSON.stringify(values)),
    profiles: () =>
      db.prepare<[], { isin: string; place: string; texts: string }>('SELECT * FROM profile').iterate(),
    portfolios: () => db.prepare<[], Portfolio>('SELECT * FROM portfolio ORDER BY id').all(),
    ownersOf: (portfolio: number): readonly Owned[] =>
      owners.all(portfolio).map(({ isin, isNewest }) => ({ isin, isNewest: isNewest === 1 })),
    /** Those with one asset come one after the other. */
    holdingsOf: (portfolio: number): IterableIterator<Holding> => holdings.iterate(portfolio),
    itemsOf: (portfolio: number) => items.all(portfolio),
    risksOf: (portfolio: number) => risks.all(portfolio),
    close: () => db.close(),
  }
}
