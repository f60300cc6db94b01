/** The fund database as the oracle reads it: one query at a time, no cache. */
import Database from 'better-sqlite3'
import { type Branch, recordTree } from './document.ts'

export interface OracleFunds {
  readonly select: <Row>(sql: string, ...parameters: readonly (string | number)[]) => readonly Row[]
  readonly find: (isin: string) => OracleFund | undefined
  readonly all: () => readonly OracleFund[]
  readonly close: () => void
}

export interface OracleFund {
  readonly isin: string
  readonly wkn: string | null
  readonly name: string
  readonly fund_inception_date: string
  readonly status_date: string | null
  readonly url: string
  readonly currency: string
  readonly data_permitted: 0 | 1
  readonly prices_permitted: 0 | 1
  readonly performance_permitted: 0 | 1
}

export function openOracleFunds(path: string): OracleFunds {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  const select = <Row>(sql: string, ...parameters: readonly (string | number)[]): readonly Row[] =>
    db.prepare(sql).all(...parameters) as Row[]
  return {
    select,
    find: (isin) => select<OracleFund>('SELECT * FROM fund WHERE isin = ?', isin)[0],
    all: () => select<OracleFund>('SELECT * FROM fund ORDER BY isin'),
    close: () => {
      db.close()
    },
  }
}

/** The object `fund` of every endpoint but the profile. The price endpoints have no status date. */
export function fundTree(fund: OracleFund, status: 'with status date' | 'without status date'): Branch {
  return recordTree({
    name: fund.name,
    isin: fund.isin,
    wkn: fund.wkn,
    fund_inception_date: fund.fund_inception_date,
    status_date: status === 'with status date' ? (fund.status_date ?? undefined) : undefined,
    url: givenAddress(fund.url),
  })
}

/** An address that begins with neither `http://` nor `https://` becomes an empty text. */
export function givenAddress(url: string): string {
  const start = url.slice(0, 8).toLowerCase()
  const rest = url.length - (start === 'https://' ? 8 : 7)
  return (start === 'https://' || start.startsWith('http://')) && rest > 0 ? url : ''
}

/** Whether the fund's first birthday is after the as-of date. A fund of 29 February has it on the 28th. */
export function isTooYoung(fund: OracleFund, asOf: string): boolean {
  const [year = '', month = '', day = ''] = fund.fund_inception_date.split('-')
  const birthday = `${String(Number(year) + 1).padStart(4, '0')}-${month}-${month === '02' && day === '29' ? '28' : day}`
  return birthday > asOf
}
