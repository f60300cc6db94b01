/** A fund in the terminal. */

import { businessDays, type FundAge } from '../freshness/assess.ts'
import { statusWords } from '../freshness/status-words.ts'
import { printable } from '../source/printable.ts'
import type { FundSummary } from './fund-summary.ts'
import { sparkline } from './sparkline.ts'
import { describeSummary } from './summary.ts'
import type { Terminal } from './terminal.ts'

/** A line that is wider says no more. */
const widest = 80

export function describeFund(
  fund: FundSummary,
  { columns, paint }: Pick<Terminal, 'columns' | 'paint'>,
): string {
  const { isin, wkn, name, category, inceptionDate, price } = fund
  if (name === null) return `${isin}: nothing of this fund is given out\n`
  const width = Math.max(20, Math.min(widest, columns() - 1))
  const change = (percent: string) => {
    const value = Number(percent)
    const text = `${value > 0 ? '+' : ''}${percent} %`
    return value === 0 ? text : paint(value > 0 ? 'green' : 'red', text)
  }
  const lines = [
    paint('bold', cut(printable(name), width)),
    cut(
      [isin, wkn, category]
        .filter((part) => part !== null)
        .map(printable)
        .join(', '),
      width,
    ),
    '',
  ]
  if (price === null) lines.push('prices are not given out, or there is none')
  else {
    const { changePercent, age } = price
    const since = changePercent === null ? '' : `, ${change(changePercent)}`
    lines.push(
      `${paint('bold', `${price.netAssetValue} ${printable(price.currency)}`)} on ${price.date}${since}`,
      ...(age === null ? [] : [describeAge(age, paint)]),
      ...lastYear(fund, width, paint),
    )
  }
  lines.push('')
  const figures: Record<string, string> = {}
  if (price !== null) {
    figures['issue price'] = price.issuePrice
    figures['repurchase price'] = price.repurchasePrice
  }
  const years = yearsThatFit(fund, width - 'repurchase price  '.length)
  if (years.length > 0) {
    figures['calendar years'] = years.map(({ year, percent }) => `${year} ${change(percent)}`).join('  ')
  }
  if (fund.fundAssets !== null) figures['fund assets'] = printable(fund.fundAssets)
  if (fund.totalExpenseRatio !== null) figures['expense ratio'] = `${fund.totalExpenseRatio} %`
  if (fund.benchmark !== null) figures['benchmark'] = printable(fund.benchmark)
  if (inceptionDate !== null) figures['inception'] = inceptionDate
  return `${lines.join('\n')}\n${describeSummary(figures)}`
}

/** `stale: 8 business days before 2026-11-20` */
function describeAge({ mark, ageDays, asOf }: FundAge, paint: Terminal['paint']): string {
  const text = `${statusWords.en.marks[mark]}: ${businessDays(ageDays)} before ${asOf}`
  return mark === 'late' || mark === 'stale'
    ? paint(mark === 'late' ? 'yellow' : 'red', text)
    : paint('dim', text)
}

function lastYear(
  { lastYear: navs }: FundSummary,
  width: number,
  paint: Terminal['paint'],
): readonly string[] {
  const [first, last] = [navs[0], navs.at(-1)]
  if (first === undefined || last === undefined || first === last) return []
  const numbers = navs.map(({ nav }) => Number(nav))
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  const exact = (value: number) => navs.find(({ nav }) => Number(nav) === value)?.nav ?? ''
  return [
    paint(Number(last.nav) < Number(first.nav) ? 'red' : 'green', sparkline(numbers, Math.min(width, 60))),
    paint(
      'dim',
      cut(`since ${first.date}: from ${first.nav}, lowest ${exact(low)}, highest ${exact(high)}`, width),
    ),
  ]
}

/** The newest years, as many as a line holds. */
function yearsThatFit({ years }: FundSummary, width: number) {
  // '2024 +13.56 %' and two spaces
  const count = Math.max(1, Math.floor(width / 16))
  return years.slice(-count).map(({ year, percent }) => ({ year, percent: percent.toFixed(2) }))
}

const cut = (text: string, width: number) => {
  const letters = Array.from(text)
  return letters.length > width ? `${letters.slice(0, width - 1).join('')}…` : text
}
