/** Where `fundpress show` finds a fund: the documents of a snapshot in a folder, or those that a database would give. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRefusal, type FundEndpoint } from '../contract/endpoint.ts'
import type { FundAge } from '../freshness/assess.ts'
import type { Rules } from '../freshness/rules.ts'
import type { StatusDocument } from '../freshness/status-document.ts'
import type { Language, Route, RouteTable } from '../routes/table.ts'
import type { WindowList } from '../routes/windows.ts'
import type { Fund } from '../source/fund-reader.ts'

export interface FundDocuments {
  /** The folder or file, for messages. */
  readonly place: string
  /** Of all funds, ascending. */
  readonly isins: readonly string[]
  /** The funds' names as far as they are known, by ISIN. */
  readonly names: ReadonlyMap<string, string>
  /** The JSON document of an endpoint about a fund, parsed; null where the answer is a refusal. */
  readonly answer: (id: string, isin: string, language: Language) => unknown
  /** A NAV a day, from a day (ISO 8601) up to the newest, ascending: none where prices are refused. */
  readonly navs: (isin: string, from: string) => readonly DayNav[]
  /** How old a fund's newest price is on the day of the snapshot, or on the as-of date; null where there is none. */
  readonly age: (isin: string) => FundAge | null
  readonly close: () => void
}

export interface DayNav {
  readonly date: string
  /** Decimal text with a point. */
  readonly nav: string
}

/** @throws {Error} if the folder holds no snapshot, or a sparse one */
export async function documentsInFolder(out: string): Promise<FundDocuments> {
  const { routeTable } = await import('../derive/route-table.ts')
  const { endpoints } = await import('../endpoints/index.ts')
  const { documentKey, folderKey, windowKey, windowListKey } = await import('../routes/keys.ts')
  const { readManifestHead } = await import('../snapshot/manifest.ts')
  const { readSparse } = await import('../snapshot/sparse.ts')

  const { docsUrl } = await readManifestHead(out)
  if (readSparse(out) !== null) throw new Error(`${out} is sparse, it lacks documents: take --db instead`)
  const table = routeTable(endpoints, docsUrl)
  const read = (key: string): unknown => {
    const file = join(out, key)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
  }
  const historic = historicRoute(table)
  return {
    place: out,
    // Every fund has a folder there, with an answer or a refusal.
    isins: readdirSync(join(out, folderKey(historic, { isin: '' }))).sort(),
    names: namesIn(read('funds/index.json')),
    answer: (id, isin, language) => read(documentKey(routeOf(table, id), { isin }, language, 'json')),
    navs: (isin, from) => {
      const list = read(windowListKey(historic, { isin })) as WindowList | null
      const years = list?.windows.filter(({ last }) => last >= from) ?? []
      return years.flatMap(({ year }) => {
        const name = String(year).padStart(4, '0')
        return navsIn(read(windowKey(historic, { isin }, name, 'json'))).filter(({ date }) => date >= from)
      })
    },
    age: (isin) => ageIn(read('status/index.json') as StatusDocument | null, isin),
    close: () => undefined,
  }
}

/**
 * What it gives throws a RefusedDatabase for a fund whose rows have errors, as a build of it would be refused.
 * @throws {Error} if the database cannot be read, or is not of the schema
 */
export async function documentsInDatabase(file: string, asOf: string, rules: Rules): Promise<FundDocuments> {
  const { endpoints } = await import('../endpoints/index.ts')
  const { jsonEncoder } = await import('../encode/json.ts')
  const { mayGiveOutPrices } = await import('../contract/fund.ts')
  const { checkFund } = await import('../source/check-fund.ts')
  const { checkStructure } = await import('../source/check-schema.ts')
  const { RefusedDatabase } = await import('../source/finding.ts')
  const { fundReader } = await import('../source/fund-reader.ts')
  const { openFunds } = await import('../source/open.ts')
  const { readPriceDays } = await import('../source/price-days.ts')
  const { ageOf } = await import('../freshness/assess.ts')

  const db = openFunds(file)
  const findings = checkStructure(db)
  if (findings.length > 0) throw new RefusedDatabase(file, findings)
  const reader = fundReader(db)
  const names = new Map(
    db.prepare<[], [string, string]>('SELECT isin, name FROM fund ORDER BY isin').raw().all(),
  )
  const known = new Map<string, Fund | undefined>()
  const fundOf = (isin: string): Fund | undefined => {
    if (known.has(isin)) return known.get(isin)
    const fund = reader.read(isin)
    const wrong = fund === undefined ? [] : checkFund(fund, asOf)
    if (wrong.some(({ severity }) => severity === 'error')) throw new RefusedDatabase(file, wrong)
    known.set(isin, fund)
    return fund
  }
  return {
    place: file,
    isins: [...names.keys()],
    names,
    answer: (id, isin, language) => {
      const endpoint = endpoints.find((candidate): candidate is FundEndpoint => candidate.id === id)
      const fund = fundOf(isin)
      if (endpoint === undefined || fund === undefined) return null
      const body = endpoint.build(fund, { asOf, language, type: '' }) as object
      return isRefusal(body) ? null : (JSON.parse(jsonEncoder(endpoint.body)(body)) as unknown)
    },
    navs: (isin, from) => {
      const fund = fundOf(isin)
      if (fund === undefined || !mayGiveOutPrices(fund.fund)) return []
      return fund.prices
        .filter(({ date }) => date >= from)
        .map(({ date, netAssetValue }) => ({ date, nav: netAssetValue }))
    },
    age: (isin) => {
      const [fund] = readPriceDays(db, [isin], 1)
      return fund === undefined ? null : ageOf(fund, rules, asOf)
    },
    close: () => {
      db.close()
    },
  }
}

function routeOf({ routes }: RouteTable, id: string): Route {
  const route = routes.find((candidate) => candidate.id === id)
  if (route === undefined) throw new Error(`there is no endpoint ${id}`)
  return route
}

const historicRoute = (table: RouteTable) => routeOf(table, 'prices-historic')

/** Of the catalogue's list, where the snapshot has pages. */
function namesIn(list: unknown): ReadonlyMap<string, string> {
  const { funds = [] } = (list ?? {}) as {
    readonly funds?: readonly { readonly isin: string; readonly name: string }[]
  }
  return new Map(funds.map(({ isin, name }) => [isin, name]))
}

function ageIn(status: StatusDocument | null, isin: string): FundAge | null {
  const fund = status?.prices.find((one) => one.isin === isin)
  if (status === null || fund === undefined || fund.age_business_days === null) return null
  return { mark: fund.mark, ageDays: fund.age_business_days, asOf: status.as_of }
}

/** Historic prices carry a decimal comma. */
function navsIn(window: unknown): readonly DayNav[] {
  const { prices } = window as {
    readonly prices: readonly {
      readonly date: string
      readonly net_asset_value: { readonly value: string }
    }[]
  }
  return prices.map(({ date, net_asset_value }) => ({ date, nav: net_asset_value.value.replace(',', '.') }))
}
