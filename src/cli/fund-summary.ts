/** A fund in few figures, put together from the API's own documents: what they refuse is not in it. */

import { yearBefore } from '../contract/years.ts'
import type { FundAge } from '../freshness/assess.ts'
import type { Language } from '../routes/table.ts'
import type { DayNav, FundDocuments } from './fund-documents.ts'

export interface FundSummary {
  readonly isin: string
  /** Null where nothing of the fund is given out. */
  readonly name: string | null
  readonly wkn: string | null
  readonly inceptionDate: string | null
  readonly category: string | null
  readonly benchmark: string | null
  readonly fundAssets: string | null
  /** Percent. */
  readonly totalExpenseRatio: number | null
  /** Null where no price is given out. */
  readonly price: PriceSummary | null
  /** A NAV a day of the twelve months up to the newest price; none where no performance is given out: it shows that. */
  readonly lastYear: readonly DayNav[]
  /** Ascending; percent. */
  readonly years: readonly { readonly year: string; readonly percent: number }[]
}

interface PriceSummary {
  readonly date: string
  readonly currency: string
  readonly netAssetValue: string
  readonly issuePrice: string
  readonly repurchasePrice: string
  /** Null where no performance is given out. */
  readonly changePercent: string | null
  /** Null where that is not known: a snapshot without its status. */
  readonly age: FundAge | null
}

export function fundSummary(documents: FundDocuments, isin: string, language: Language): FundSummary {
  const ask = <T>(id: string) => documents.answer(id, isin, language) as T | null
  const current = ask<CurrentPrices>('prices-current')
  const profile = ask<Profile>('profile')?.fund
  const hasPerformance = performanceIds.some((id) => ask(id) !== null)
  const fund = profile ?? current?.fund ?? ask<{ readonly fund: BasicFund }>('figures')?.fund
  return {
    isin,
    ...basics(fund),
    ...costs(profile),
    price: current === null ? null : priceIn(current, hasPerformance, documents.age(isin)),
    lastYear:
      current === null || !hasPerformance ? [] : documents.navs(isin, yearBefore(current.prices.date)),
    years: Object.entries(ask<Years>('performance-years')?.years ?? {}).map(([year, percent]) => ({
      year,
      percent,
    })),
  }
}

/** All of them refuse a fund that is too young, or whose performance may not be shown. */
const performanceIds = ['performance-years', 'performance-legal', 'performance-launch'] as const

const basics = (fund: BasicFund | undefined) => ({
  name: fund?.name ?? null,
  wkn: fund?.wkn ?? null,
  inceptionDate: fund?.fund_inception_date ?? null,
})

const costs = (profile: Profile['fund'] | undefined) => ({
  category: profile?.category ?? null,
  benchmark: profile?.benchmark ?? null,
  fundAssets: profile?.fund_assets ?? null,
  totalExpenseRatio: profile?.total_expense_ratio ?? null,
})

const priceIn = (
  { currency, prices }: CurrentPrices,
  hasPerformance: boolean,
  age: FundAge | null,
): PriceSummary => ({
  date: prices.date,
  currency,
  netAssetValue: prices.net_asset_value.value,
  issuePrice: prices.issue_price.value,
  repurchasePrice: prices.repurchase_price.value,
  changePercent: hasPerformance ? prices.change_percent.value : null,
  age,
})

// What is read of the documents of endpoints 1, 4, 7 and 10.

interface BasicFund {
  readonly name: string
  readonly wkn: string | null
  readonly fund_inception_date: string
}

interface CurrentPrices {
  readonly fund: BasicFund
  readonly currency: string
  readonly prices: { readonly date: string } & Readonly<
    Record<
      'net_asset_value' | 'issue_price' | 'repurchase_price' | 'change_percent',
      { readonly value: string }
    >
  >
}

interface Profile {
  readonly fund: BasicFund & {
    readonly category: string
    readonly benchmark?: string
    readonly fund_assets: string
    readonly total_expense_ratio: number
  }
}

interface Years {
  readonly years: Readonly<Record<string, number>>
}
