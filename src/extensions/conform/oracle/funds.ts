/** The oracle's reader of the fund database: one query at a time, no cache. */
import Database from 'better-sqlite3'
import type { Branch } from './document.ts'

export type OracleFunds = ReturnType<typeof openOracleFunds>

export type OracleFund = Readonly<
  Record<'isin' | 'name' | 'fund_inception_date' | 'url' | 'currency', string> &
    Record<'wkn' | 'status_date', string | null> &
    Record<'data_permitted' | 'prices_permitted' | 'performance_permitted', 0 | 1>
>

export interface Question {
  readonly funds: OracleFunds
  readonly asOf: string
  /** In upper case; empty for all funds. */
  readonly isin: string
  readonly fund: OracleFund | undefined
  readonly language: 'de' | 'en'
  /** The structure type of endpoint 6; empty elsewhere. */
  readonly type: string
  /** The range of endpoint 3; empty elsewhere. */
  readonly from: string
  readonly to: string
}

export function openOracleFunds(path: string) {
  const db = new Database(path, { readonly: true, fileMustExist: true })
  const select = <Row>(sql: string, ...parameters: readonly (string | number)[]) =>
    db.prepare(sql).all(...parameters) as Row[]
  return {
    select,
    find: (isin: string): OracleFund | undefined =>
      select<OracleFund>('SELECT * FROM fund WHERE isin = ?', isin)[0],
    all: () => select<OracleFund>('SELECT * FROM fund ORDER BY isin'),
    close: () => void db.close(),
  }
}

/** The object `fund` of all endpoints but the profile. Price endpoints have no status date. */
export const fundTree = (fund: OracleFund, status: 'with status date' | 'without status date'): Branch => ({
  name: fund.name,
  isin: fund.isin,
  wkn: fund.wkn,
  fund_inception_date: fund.fund_inception_date,
  status_date: status === 'with status date' ? (fund.status_date ?? undefined) : undefined,
  url: givenAddress(fund.url),
})

/** An address that begins with neither `http://` nor `https://` becomes an empty text. */
export const givenAddress = (url: string) => (/^https?:\/\/[^]/i.test(url) ? url : '')

/** The fund's first birthday is after the as-of date. A fund of 29 February has it on the 28th. */
export function isTooYoung({ fund_inception_date: inception }: OracleFund, asOf: string): boolean {
  const year = String(Number(inception.slice(0, 4)) + 1).padStart(4, '0')
  return year + inception.slice(4).replace('-02-29', '-02-28') > asOf
}
