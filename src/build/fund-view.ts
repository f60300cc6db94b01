/** A fund for `fundpress show`: from the documents of a snapshot in a folder, or from those that a database would give. */

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type FundEndpoint, isRefusal } from '../api/contract/endpoint.ts'
import { mayGiveOutPrices, yearBefore } from '../api/contract/fund.ts'
import { routeTable } from '../api/derive/route-table.ts'
import { jsonEncoder } from '../api/encode/json.ts'
import { endpoints } from '../api/endpoints/index.ts'
import { documentKey, folderKey, windowKey, type WindowList, windowListKey } from '../api/routes/keys.ts'
import type { Language } from '../api/routes/table.ts'
import { readManifestHead, readSparse } from './manifest.ts'
import { routeOf } from './plans.ts'
import { RefusedDatabase } from '../data/check/finding.ts'
import { checkFund } from '../data/check/fund.ts'
import { checkStructure } from '../data/check/structure.ts'
import { fundReader, readPriceDays } from '../data/read/fund-reader.ts'
import { openFunds } from '../data/read/open.ts'
import { ageOf, type FundAge } from '../guards/assess.ts'
import type { Rules } from '../guards/rules.ts'
import type { StatusDocument } from '../site/status/document.ts'
import { cached } from '../system/cached.ts'

export interface FundDocuments {
  /** The folder or file, for messages. */
  readonly place: string
  /** All funds, ascending. */
  readonly isins: readonly string[]
  /** Names by ISIN, as far as they are known. */
  readonly names: ReadonlyMap<string, string>
  /** The JSON document of an endpoint about a fund, parsed; null if the answer is a refusal. */
  readonly answer: (id: string, isin: string, language: Language) => unknown
  /** A NAV (with a point) a day, from a day (ISO 8601) up to the newest, ascending; empty if prices are refused. */
  readonly navs: (isin: string, from: string) => readonly { readonly date: string; readonly nav: string }[]
  /** How old a fund's newest price is on the as-of date; null without a price. */
  readonly age: (isin: string) => FundAge | null
  readonly close: () => void
}

/** @throws {Error} if the folder holds no snapshot, or a sparse one */
export async function documentsInFolder(out: string): Promise<FundDocuments> {
  const { docsUrl } = await readManifestHead(out)
  if (readSparse(out) !== null) throw new Error(`${out} is sparse, it lacks documents: use --db instead`)
  const table = routeTable(endpoints, docsUrl)
  const read = (key: string): unknown => {
    const file = join(out, key)
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null
  }
  const historic = routeOf(table, { id: 'prices-historic' })
  return {
    place: out,
    // Every fund has a folder there, with an answer or a refusal.
    isins: readdirSync(join(out, folderKey(historic, { isin: '' }))).sort(),
    names: namesIn(read('funds/index.json')),
    answer: (id, isin, language) => read(documentKey(routeOf(table, { id }), { isin }, language, 'json')),
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
 * The functions of the result throw a RefusedDatabase for a fund with errors, as a build would.
 * @throws {Error} if the database cannot be read, or is not of the schema
 */
export function documentsInDatabase(file: string, asOf: string, rules: Rules): FundDocuments {
  const db = openFunds(file)
  const findings = checkStructure(db)
  if (findings.length > 0) throw new RefusedDatabase(file, findings)
  const reader = fundReader(db)
  const names = new Map(
    db.prepare<[], [string, string]>('SELECT isin, name FROM fund ORDER BY isin').raw().all(),
  )
  const fundOf = cached((isin: string) => {
    const fund = reader.read(isin)
    const wrong = fund === undefined ? [] : checkFund(fund, asOf)
    if (wrong.some(({ severity }) => severity === 'error')) throw new RefusedDatabase(file, wrong)
    return fund
  })
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
    close: () => void db.close(),
  }
}

/** From the catalogue's list, if the snapshot has pages. */
function namesIn(list: unknown): ReadonlyMap<string, string> {
  const { funds = [] } = (list ?? {}) as { funds?: readonly { isin: string; name: string }[] }
  return new Map(funds.map(({ isin, name }) => [isin, name]))
}

function ageIn(status: StatusDocument | null, isin: string): FundAge | null {
  const fund = status?.prices.find((one) => one.isin === isin)
  if (status === null || fund === undefined || fund.age_business_days === null) return null
  return { mark: fund.mark, ageDays: fund.age_business_days, asOf: status.as_of }
}

interface Named {
  readonly value: string
}

/** Historic prices carry a decimal comma. */
function navsIn(window: unknown) {
  const { prices } = window as { prices: readonly { date: string; net_asset_value: Named }[] }
  return prices.map(({ date, net_asset_value }) => ({ date, nav: net_asset_value.value.replace(',', '.') }))
}

interface BasicFund {
  readonly name: string
  readonly wkn: string | null
  readonly fund_inception_date: string
}

/** The fields that the summary reads from the documents of endpoints 1, 4, 7 and 10. */
interface Answers {
  readonly 'prices-current': {
    readonly fund: BasicFund
    readonly currency: string
    readonly prices: { readonly date: string } & Readonly<
      Record<'net_asset_value' | 'issue_price' | 'repurchase_price' | 'change_percent', Named>
    >
  }
  readonly profile: {
    readonly fund: BasicFund & {
      readonly category: string
      readonly benchmark?: string
      readonly fund_assets: string
      readonly total_expense_ratio: number
    }
  }
  readonly figures: { readonly fund: BasicFund }
  readonly 'performance-years': { readonly years: Readonly<Record<string, number>> }
}

export type FundSummary = ReturnType<typeof fundSummary>

/** Put together from the API's own documents: what they refuse is null or empty. */
export function fundSummary(documents: FundDocuments, isin: string, language: Language) {
  const ask = <Id extends keyof Answers>(id: Id) => documents.answer(id, isin, language) as Answers[Id] | null
  const current = ask('prices-current')
  const profile = ask('profile')?.fund
  const fund = profile ?? current?.fund ?? ask('figures')?.fund
  const years = ask('performance-years')?.years
  // All of them refuse a fund that is too young or whose performance must not be shown.
  const hasPerformance =
    years !== undefined ||
    ['performance-legal', 'performance-launch'].some((id) => documents.answer(id, isin, language) !== null)
  return {
    isin,
    ...aboutFund(fund, profile),
    price: current === null ? null : priceIn(current, hasPerformance, documents.age(isin)),
    /** One NAV a day of the twelve months up to the newest price: they show the performance. */
    lastYear:
      current === null || !hasPerformance ? [] : documents.navs(isin, yearBefore(current.prices.date)),
    /** Ascending; percent. */
    years: Object.entries(years ?? {}).map(([year, percent]) => ({ year, percent })),
  }
}

const aboutFund = (fund: BasicFund | undefined, profile: Answers['profile']['fund'] | undefined) => ({
  name: fund?.name ?? null,
  wkn: fund?.wkn ?? null,
  inceptionDate: fund?.fund_inception_date ?? null,
  category: profile?.category ?? null,
  benchmark: profile?.benchmark ?? null,
  fundAssets: profile?.fund_assets ?? null,
  /** Percent. */
  totalExpenseRatio: profile?.total_expense_ratio ?? null,
})

const priceIn = (
  { currency, prices }: Answers['prices-current'],
  hasPerformance: boolean,
  age: FundAge | null,
) => ({
  date: prices.date,
  currency,
  netAssetValue: prices.net_asset_value.value,
  issuePrice: prices.issue_price.value,
  repurchasePrice: prices.repurchase_price.value,
  changePercent: hasPerformance ? prices.change_percent.value : null,
  /** Null if it is unknown: the snapshot has no status. */
  age,
})
