/** The four figures that German tax law asked of funds until 2017, a day each; a kind of fund has those of its assets. */

import { dateAt, indexOnOrAfter, shiftYears } from './calendar.ts'
import { decimalText } from './decimal.ts'
import type { Instrument } from './instrument.ts'
import type { Kind } from './kinds.ts'
import type { Period } from './period.ts'
import type { PriceHistory } from './price-history.ts'

type Figure = string | null
export type TaxFigures = readonly [
  intercompanyProfit: Figure,
  shareProfit: Figure,
  realEstateProfits: Figure,
  shareProfit2: Figure,
]

const none: TaxFigures = [null, null, null, null]

interface Liable {
  readonly intercompany: boolean
  readonly shares: boolean
  readonly realEstate: boolean
}

const liable: Readonly<Record<Kind, Liable>> = {
  equity: { intercompany: false, shares: true, realEstate: false },
  bond: { intercompany: true, shares: false, realEstate: false },
  mixed: { intercompany: true, shares: true, realEstate: false },
  realEstate: { intercompany: true, shares: false, realEstate: true },
  moneyMarket: { intercompany: true, shares: false, realEstate: false },
}

/** The second share profit, for corporations, came with the law of March 2013. */
const firstShareProfit2Date = '2013-03-01'

/** By calendar index: the interim profit in the fund's currency, the others in percent of the repurchase price. */
export function taxFigures(
  fund: Instrument,
  { navs }: PriceHistory,
  { calendar, last, lastTaxDate }: Period,
): (day: number) => TaxFigures {
  const random = fund.randomOf('tax')
  const { intercompany, shares, realEstate } = liable[fund.kind]
  const interestADay = random.between(0.00002, 0.00006)
  const taxableShare = random.between(0.3, 0.75)
  const startProfit = random.between(-4, 22)
  const corporateShare = random.between(0.9, 0.99)
  const startNav = navs[fund.inception] ?? 0
  const yearStarts = fiscalYearStarts(fund, calendar, last)

  return (day) => {
    const date = dateAt(calendar, day)
    if (date > lastTaxDate) return none
    const nav = navs[day] ?? 0
    const start = yearStarts.findLast((index) => index <= day) ?? fund.inception
    const interim = Math.round(nav * interestADay * (day - start))
    // A percent of the price: what the NAV has gained since the launch, in part.
    const profit = startProfit + ((nav - startNav) / nav) * 100 * taxableShare
    return [
      intercompany ? decimalText(interim, fund.traits.decimals) : null,
      shares ? decimalText(Math.round(profit * 100), 2) : null,
      realEstate ? decimalText(Math.round(profit * 40), 2) : null,
      shares && date >= firstShareProfit2Date
        ? decimalText(Math.round(profit * corporateShare * 100), 2)
        : null,
    ]
  }
}

/** Calendar indices of the days on which the interim profit begins anew. */
function fiscalYearStarts(fund: Instrument, calendar: Period['calendar'], last: number): readonly number[] {
  const starts = [fund.inception]
  const until = dateAt(calendar, last)
  let end = `${dateAt(calendar, fund.inception).slice(0, 4)}-${fund.endOfFiscalYear}`
  for (; end < until; end = shiftYears(end, 1)) {
    const start = indexOnOrAfter(calendar, end)
    if (start > fund.inception) starts.push(start)
  }
  return starts
}
