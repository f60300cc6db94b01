/**
 * What a file says in one place and needs in another, on disk: positions stand before the assets that they name, and a profile has figures
 * of several parts of a file. An unnamed database of SQLite, gone with the process: its memory does not grow with the file.
 */

import Database from 'better-sqlite3'

const cacheKibibytes = 16_384
/** Characters of a row of positions. */
const rowLength = 32_768
/** Assets in memory. */
const mostKnown = 20_000

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

/** Neither an id nor a currency has any. */
const hasSeparator = /[\t\n]/

const unknownAsset: Asset = { name: null, country: null, currency: null, type: null }

/** A position says itself what it is, beside the asset that it names. What it does not say is ''. */
interface Position {
  readonly asset: string
  readonly currency: string
  readonly type: string
  /** Eight digits behind the point are kept. */
  readonly percent: number
}

/** A position with what is known of its asset. */
interface Holding extends Asset {
  /** Of the asset. */
  readonly id: string
  readonly share: number
}

/** A class whose portfolio it is, and for what: a class may have its structures of its own, and its key figures of its fund. */
export interface Owned {
  readonly isin: string
  /** For allocations of its day. */
  readonly hasStructures: boolean
  /** For structures: no later portfolio is in the file. */
  readonly isNewest: boolean
  /** For key figures: the same. */
  readonly isNewestOfRisks: boolean
}

export interface Portfolio {
  readonly id: number
  readonly date: string
  readonly place: string
}

/** A risk code of a portfolio. */
export interface Risk {
  readonly code: string
  readonly value: string
  /** The last day of what it is computed from; '' if the file does not tell it. */
  readonly until: string
}

/** A document of a class, and where it is in the file. */
export interface FoundDocument {
  readonly isin: string
  readonly kind: string
  readonly language: string
  readonly date: string
  /** '' for all countries. */
  readonly country: string
  readonly title: string
  readonly url: string
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
    CREATE TABLE positions (portfolio INTEGER, number INTEGER, lines TEXT, PRIMARY KEY (portfolio, number)) WITHOUT ROWID;
    CREATE TABLE asset (id TEXT PRIMARY KEY, name TEXT, country TEXT, currency TEXT, type TEXT) WITHOUT ROWID;
    CREATE TABLE item (portfolio INTEGER, structure TEXT, number INTEGER, name TEXT, percent REAL,
      PRIMARY KEY (portfolio, structure, number)) WITHOUT ROWID;
    CREATE TABLE bad (portfolio INTEGER, structure TEXT, place TEXT, PRIMARY KEY (portfolio, structure)) WITHOUT ROWID;
    CREATE TABLE risk (portfolio INTEGER, number INTEGER, code TEXT, value TEXT, until TEXT, PRIMARY KEY (portfolio, number)) WITHOUT ROWID;
    CREATE TABLE owner (isin TEXT, date TEXT, portfolio INTEGER, structures INTEGER, risks INTEGER,
      PRIMARY KEY (isin, date, portfolio)) WITHOUT ROWID;
    CREATE INDEX owner_portfolio ON owner (portfolio);
    CREATE TABLE class (fund TEXT, isin TEXT, PRIMARY KEY (fund, isin)) WITHOUT ROWID;
    CREATE TABLE document (isin TEXT, kind TEXT, language TEXT, date TEXT, country TEXT, title TEXT, url TEXT, place TEXT);
    CREATE TABLE profile (isin TEXT, number INTEGER, place TEXT, texts TEXT, PRIMARY KEY (isin, number)) WITHOUT ROWID;
    BEGIN`)
  const into = (table: string, columns: number, or = '') =>
    db.prepare(`INSERT ${or} INTO ${table} VALUES (${Array(columns).fill('?').join(', ')})`)
  const addPositions = into('positions', 3)
  const addAsset = into('asset', 5, 'OR IGNORE')
  const addItem = into('item', 5)
  const addRisk = into('risk', 5)
  const addBad = into('bad', 3, 'OR IGNORE')
  const addPortfolio = into('portfolio', 3)
  const addOwner = into('owner', 5, 'OR IGNORE')
  const addClass = into('class', 2, 'OR IGNORE')
  const addDocument = into('document', 8)
  const addProfile = db.prepare(
    'INSERT INTO profile SELECT :isin, count(*), :place, :texts FROM profile WHERE isin = :isin',
  )
  const completeProfile = db.prepare(`INSERT INTO profile VALUES (:isin, 0, :place, :texts)
    ON CONFLICT (isin, number) DO UPDATE SET texts = json_patch(excluded.texts, texts)`)
  const positions = db
    .prepare<[number], string>('SELECT lines FROM positions WHERE portfolio = ? ORDER BY number')
    .pluck()
  const asset = db.prepare<[string], Asset>('SELECT name, country, currency, type FROM asset WHERE id = ?')
  const newest = (of: string) =>
    `${of} AND NOT EXISTS (SELECT 1 FROM owner AS later WHERE later.isin = own.isin AND later.date > own.date AND later.${of})`
  const owners = db
    .prepare<[number], [isin: string, hasStructures: number, isNewest: number, isNewestOfRisks: number]>(
      `SELECT isin, structures, ${newest('structures')}, ${newest('risks')} FROM owner AS own WHERE portfolio = ? ORDER BY isin`,
    )
    .raw()
  const items = db.prepare<[number], { structure: string; name: string; percent: number }>(
    'SELECT structure, name, percent FROM item WHERE portfolio = ? ORDER BY structure, number',
  )
  const risks = db.prepare<[number], Risk>(
    'SELECT code, value, until FROM risk WHERE portfolio = ? ORDER BY number',
  )
  const bad = db
    .prepare<[number], [structure: string, place: string]>(
      'SELECT structure, place FROM bad WHERE portfolio = ? ORDER BY structure',
    )
    .raw()
  /** Positions of one portfolio that wait to be a row: a row each would cost more than all else. */
  const waiting = { portfolio: 0, number: 0, lines: '' }
  const flush = (): void => {
    if (waiting.lines !== '') addPositions.run(waiting.portfolio, waiting.number++, waiting.lines)
    waiting.lines = ''
  }
  /** Funds of a company hold the same assets. */
  const known = new Map<string, Asset>()
  const assetOf = (id: string): Asset => {
    const found = known.get(id) ?? asset.get(id) ?? unknownAsset
    if (known.size >= mostKnown) known.clear()
    known.set(id, found)
    return found
  }
  const classes = db.prepare<[string], string>('SELECT isin FROM class WHERE fund = ? ORDER BY isin').pluck()
  return {
    addPortfolio: ({ id, date, place }: Portfolio) => addPortfolio.run(id, date, place),
    addPosition: (portfolio: number, { asset: id, currency, type, percent }: Position): void => {
      if (portfolio !== waiting.portfolio || waiting.lines.length > rowLength) flush()
      waiting.portfolio = portfolio
      const said =
        hasSeparator.test(id) || hasSeparator.test(currency) ? `\t\t${type}` : `${id}\t${currency}\t${type}`
      waiting.lines += `${said}\t${Math.round(percent * perPercent)}\n`
    },
    /** The first of an id counts. */
    addAsset: (id: string, { name, country, currency, type }: Asset) =>
      addAsset.run(id, name, country, currency, type),
    addItem: (portfolio: number, structure: string, number: number, name: string, percent: number) =>
      addItem.run(portfolio, structure, number, name, percent),
    addRisk: (portfolio: number, number: number, { code, value, until }: Risk) =>
      addRisk.run(portfolio, number, code, value, until),
    /** @param structure of which an item is bad; '' for a position, which may be in any */
    addBad: (portfolio: number, structure: string, place: string) => addBad.run(portfolio, structure, place),
    /** The first bad place of each structure. */
    badOf: (portfolio: number): ReadonlyMap<string, string> => new Map(bad.all(portfolio)),
    /** @param of what the class has it for */
    addOwner: (isin: string, { date, id }: Portfolio, of: { structures: boolean; risks: boolean }) =>
      addOwner.run(isin, date, id, Number(of.structures), Number(of.risks)),
    /** @param fund an LEI or ISIN by which documents name the fund of the class */
    addClass: (fund: string, isin: string) => addClass.run(fund, isin),
    classesOf: (fund: string): readonly string[] => classes.all(fund),
    addDocument: ({ isin, kind, language, date, country, title, url, place }: FoundDocument) =>
      addDocument.run(isin, kind, language, date, country, title, url, place),
    /** Documents of one class, kind, language, day and country follow each other. */
    documents: () =>
      db
        .prepare<[], FoundDocument>(
          'SELECT * FROM document ORDER BY isin, kind, language, date, country, rowid',
        )
        .iterate(),
    /** What a class says of its profile. A file that has the class twice may contradict itself, which the sink judges. */
    addProfile: (isin: string, place: string, values: Readonly<Record<string, unknown>>) =>
      addProfile.run({ isin, place, texts: JSON.stringify(values) }),
    /** What the class itself says counts. */
    completeProfile: (isin: string, place: string, values: Readonly<Record<string, unknown>>) =>
      completeProfile.run({ isin, place, texts: JSON.stringify(values) }),
    profiles: () =>
      db.prepare<[], { isin: string; place: string; texts: string }>('SELECT * FROM profile').iterate(),
    portfolios: () => db.prepare<[], Portfolio>('SELECT * FROM portfolio ORDER BY id').all(),
    ownersOf: (portfolio: number): readonly Owned[] =>
      owners.all(portfolio).map(([isin, hasStructures, isNewest, isNewestOfRisks]) => ({
        isin,
        hasStructures: hasStructures === 1,
        isNewest: isNewest === 1,
        isNewestOfRisks: isNewestOfRisks === 1,
      })),
    *holdingsOf(portfolio: number): Generator<Holding> {
      flush()
      for (const lines of positions.iterate(portfolio)) {
        for (const line of lines.split('\n')) {
          const [id = '', currency = '', type = '', share] = line.split('\t')
          if (share === undefined) continue
          const known = assetOf(id)
          yield {
            id,
            name: known.name,
            country: known.country,
            currency: currency === '' ? known.currency : currency,
            type: known.type ?? (type === '' ? null : type),
            share: Number(share),
          }
        }
      }
    },
    itemsOf: (portfolio: number) => items.all(portfolio),
    risksOf: (portfolio: number) => risks.all(portfolio),
    close: () => db.close(),
  }
}
