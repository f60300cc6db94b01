/** The profile of one fund: what it is, what it costs and how it can be bought. */

import { decimalText } from './decimal.ts'
import type { Region } from './fund-names.ts'
import type { Instrument } from './instrument.ts'
import type { Kind } from './kinds.ts'
import type { Period } from './period.ts'
import type { PriceHistory } from './price-history.ts'
import type { Random } from './random.ts'

export interface Profile {
  readonly categoryDe: string
  readonly categoryEn: string
  readonly benchmark: string | null
  /** Decimal text in the fund's currency. */
  readonly fundAssets: string
  readonly totalFundAssets: string
  readonly fees: Fees
  readonly performanceFee: 0 | 1
  readonly savingsPlan: Purchase
  readonly oneTimeInvestment: Purchase
  readonly capitalFormingPayments: Purchase
}

/** Percents. */
export interface Fees {
  readonly totalExpenseRatio: number
  readonly managementFee: number
  readonly custodianBankFee: number
}

/** A way to buy: null where nothing is said of it; the minimum is decimal text. */
export interface Purchase {
  readonly possible: 0 | 1 | null
  readonly minimum: string | null
}

const unsaid: Purchase = { possible: null, minimum: null }
const impossible: Purchase = { possible: 0, minimum: null }

/** The assets are those of the fund's status day: its shares at the day's NAV. */
export function profile(fund: Instrument, history: PriceHistory, { status }: Period): Profile {
  const random = fund.randomOf('profile')
  const shares = Math.round(random.between(...fund.traits.sharesMillions) * 1_000_000)
  const nav = history.navs[status] ?? 0
  const assets = fund.traits.decimals === 2 ? shares * nav : Math.round((shares * nav) / 100)
  const otherClasses = random.chance(0.4) ? Math.round(assets * random.between(0.1, 2)) : 0
  return {
    categoryDe: `${fund.traits.categoryDe} ${regions[fund.region][0]}`,
    categoryEn: `${fund.traits.categoryEn}, ${regions[fund.region][1]}`,
    benchmark: benchmarkOf(fund.kind, random),
    fundAssets: decimalText(assets, 2),
    totalFundAssets: decimalText(assets + otherClasses, 2),
    fees: feesOf(fund),
    performanceFee: fund.kind === 'equity' && random.chance(0.35) ? 1 : 0,
    ...purchases(fund, random),
  }
}

/** Fees that are the same wherever they are asked for: the EMT data are made of them too. */
export function feesOf(fund: Instrument): Fees {
  const random = fund.randomOf('fees')
  const management = random.whole(...fund.traits.managementFee)
  const custodian = random.whole(1, 9)
  const other = random.whole(3, 28)
  return {
    totalExpenseRatio: (management + custodian + other) / 100,
    managementFee: management / 100,
    custodianBankFee: custodian / 100,
  }
}

const regions: Readonly<Record<Region, readonly [german: string, english: string]>> = {
  germany: ['Deutschland', 'Germany'],
  europe: ['Europa', 'Europe'],
  america: ['Nordamerika', 'North America'],
  asia: ['Asien-Pazifik', 'Asia Pacific'],
  emerging: ['Schwellenländer', 'emerging markets'],
  global: ['weltweit', 'worldwide'],
}

const benchmarks: Readonly<Record<Kind, readonly string[]>> = {
  equity: ['Elbe & Rhein Equity Index (NR)', 'Alster World Equity Index (NR)'],
  bond: ['Elbe Aggregate Bond Index (TR)', 'Alster Corporates 1-10 Index'],
  mixed: ['60 % Alster World Equity Index & 40 % Elbe Aggregate Bond Index'],
  realEstate: [],
  moneyMarket: ['€STR'],
}

function benchmarkOf(kind: Kind, random: Random): string | null {
  const choices = benchmarks[kind]
  return choices.length > 0 && random.chance(0.85) ? random.pick(choices) : null
}

/** A fund without a German number is not sold to savers: nothing is said of how to buy it. */
function purchases(
  fund: Instrument,
  random: Random,
): Pick<Profile, 'savingsPlan' | 'oneTimeInvestment' | 'capitalFormingPayments'> {
  if (fund.wkn === null)
    return { savingsPlan: unsaid, oneTimeInvestment: unsaid, capitalFormingPayments: unsaid }
  const oneTimeInvestment = {
    possible: 1,
    minimum: random.pick(['500.00', '1000.00', '2500.00', null]),
  } as const
  switch (fund.kind) {
    case 'equity':
    case 'mixed':
      return {
        savingsPlan: { possible: 1, minimum: random.pick(['25.00', '50.00']) },
        oneTimeInvestment,
        capitalFormingPayments: fund.kind === 'equity' ? { possible: 1, minimum: '34.00' } : impossible,
      }
    case 'bond':
      return {
        savingsPlan: { possible: 1, minimum: random.pick(['25.00', '50.00', null]) },
        oneTimeInvestment,
        capitalFormingPayments: unsaid,
      }
    case 'realEstate':
      return {
        savingsPlan: impossible,
        oneTimeInvestment: { possible: 1, minimum: null },
        capitalFormingPayments: impossible,
      }
    case 'moneyMarket':
      return { savingsPlan: unsaid, oneTimeInvestment, capitalFormingPayments: unsaid }
    default:
      return fund.kind satisfies never
  }
}
