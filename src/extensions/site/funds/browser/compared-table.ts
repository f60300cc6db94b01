/** Compared funds outside the chart: the columns of the table, and chips, which remove funds. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { amountIn, changeIn, dayIn, millionsIn, percentIn } from '../../../../core/layout/formats.ts'
import { percentPerYear } from '../../../../core/layout/total-return.ts'
import { isoOf } from '../../../../core/system/day-number.ts'
import { shortened } from '../chart/end-names.ts'
import type { FundComparison } from './comparison.ts'
import { type ListedFund, markOf, nameElement } from './fund-list.ts'
import { lineKey } from './keys.ts'
import type { Say } from './say.ts'

export interface ComparedFund {
  readonly fund: ListedFund
  readonly style: number
  /** Null if it has no prices to compare. */
  readonly figures: FundComparison['funds'][number] | null
}

interface Words {
  readonly language: Language
  readonly say: Say
}

/** Gives each row of the table a cell for each fund, in place of the cells of other funds. */
export function fillTable(table: HTMLTableElement, funds: readonly ComparedFund[], words: Words): void {
  table.style.setProperty('--funds', String(funds.length))
  table.dataset['funds'] = String(funds.length)
  const names = shortened(
    funds.map(({ fund }) => fund.name),
    [],
  )
  const values = funds.map((each) => valuesOf(each, words))
  for (const row of table.rows) {
    for (const cell of [...row.cells].slice(1)) cell.remove()
    if (row.parentElement === table.tHead) {
      row.append(...funds.map((each, place) => heading(each, names[place] ?? each.fund.name, words)))
    } else if (row.dataset['id'] === undefined) {
      row.cells[0]?.setAttribute('colspan', String(funds.length + 1))
    } else {
      const { id } = row.dataset
      row.append(
        ...values.map((each, place) => {
          const cell = cellOf(each[id] ?? { missing: words.say('notLoaded') })
          // Where funds have no columns of their own.
          cell.prepend(lineKey(funds[place]?.style ?? 0))
          return cell
        }),
      )
    }
  }
}

/** @param short the name without what all names begin with: a narrow column shows this only */
function heading({ fund, style }: ComparedFund, short: string, { language, say }: Words): HTMLElement {
  const name = element('th')
  name.scope = 'col'
  const link = pageLink(fund, language)
  const prefix = element('span', fund.name.slice(0, fund.name.length - short.length))
  prefix.className = 'prefix'
  const words = short.split(' ').flatMap((word, place) => {
    const made = element('span', word)
    made.className = 'word'
    return place === 0 ? [made] : [' ', made]
  })
  link.replaceChildren(prefix, ...words)
  const isin = element('span', fund.isin)
  isin.className = 'whole'
  const small = element('small')
  small.append(isin)
  small.append(...marksAfter(', ', fund, { language, say }))
  name.append(lineKey(style), link, ' ', small)
  return name
}

type Value =
  | { readonly text: string; readonly tone: 'good' | 'bad' | '' }
  /** Why there is none. */
  | { readonly missing: string }

/** By the rows of the table. */
const valuesOf = (each: ComparedFund, words: Words): Readonly<Record<string, Value>> => ({
  ...priceValuesOf(each, words),
  ...factsOf(each, words),
})

/** None of a fund whose prices are not loaded. */
function priceValuesOf(
  { fund, figures }: ComparedFund,
  { language, say }: Words,
): Readonly<Record<string, Value>> {
  if (figures === null) return {}
  const { performance, performancePerYear, volatility, drawdown, from, to, over, beginsAfter } = figures
  const change = (percent: number): Value => ({ text: changeText(language, percent), tone: toneOf(percent) })
  const amount = (nav: string) => plain(amountIn(language, nav, fund.currency))
  const overYears = (years: number, shown = (percent: number) => percent): Value => {
    const percent = over(years)
    if (percent !== null) return change(shown(percent))
    const begin = beginsAfter(years)
    return {
      missing: begin === null ? say('noPrice') : say('pricesFrom', { day: dayIn(language, isoOf(begin)) }),
    }
  }
  const aYearOver = (years: number) => overYears(years, (percent) => percentPerYear(1 + percent / 100, years))
  return {
    performance: change(performance),
    performance_per_year:
      performancePerYear === null ? { missing: say('underOneYear') } : change(performancePerYear),
    volatility: volatility === null ? { missing: say('fewPrices') } : plain(percentIn(language, volatility)),
    drawdown: plain(percentIn(language, drawdown)),
    from: amount(from),
    to: amount(to),
    '1y': overYears(1),
    '3y': overYears(3),
    '3y_per_year': aYearOver(3),
    '5y': overYears(5),
    '5y_per_year': aYearOver(5),
  }
}

function factsOf({ fund }: ComparedFund, { language, say }: Words) {
  const orMissing = <T>(value: T | null, textOf: (value: T) => string): Value =>
    value === null ? { missing: say('noValue') } : plain(textOf(value))
  return {
    costs: orMissing(fund.total_expense_ratio, (ratio) => percentIn(language, ratio)),
    risk: orMissing(fund.srri, String),
    income: orMissing(fund.accumulating, (is) => say(is ? 'accumulating' : 'distributing')),
    size: orMissing(fund.total_fund_assets, (assets) => millionsIn(language, assets)),
    currency: plain(fund.currency),
    launched: plain(dayIn(language, fund.inception_date)),
  }
}

const plain = (text: string): Value => ({ text, tone: '' })

/** A column of a phone has room for six digits and their marks. */
const changeText = (language: Language, percent: number) =>
  changeIn(language, percent, Math.abs(percent) < 1000 ? 2 : 0)

/** As it is shown: what rounds to zero is neither. */
function toneOf(percent: number): 'good' | 'bad' | '' {
  const shown = Math.round(percent * 100)
  if (shown === 0) return ''
  return shown > 0 ? 'good' : 'bad'
}

function cellOf(value: Value): HTMLTableCellElement {
  if ('missing' in value) {
    const made = element('td', value.missing)
    made.className = 'missing'
    return made
  }
  const made = element('td', value.text)
  made.className = `number ${value.tone}`.trimEnd()
  return made
}

/** The name of a fund, which leads to its page. */
export function pageLink(fund: ListedFund, language: Language): HTMLAnchorElement {
  const link = nameElement('a', fund)
  // The list names pages from the top of the snapshot; this page lies in a folder there.
  link.href = `../${fund.page[language]}`
  return link
}

/** Stands where the chip of a fund will be. */
export const waitingChip = (isin: string): HTMLElement => element('li', isin)

export function fundChip(
  fund: ListedFund,
  { language, say, onRemove }: Words & { readonly onRemove: () => void },
): HTMLElement {
  const chip = element('li')
  const button = element('button', '×')
  button.type = 'button'
  button.setAttribute('aria-label', say('remove', { fund: fund.name }))
  button.addEventListener('click', onRemove)
  chip.append(nameElement('span', fund), ...marksAfter(' ', fund, { language, say }), button)
  return chip
}

/** The marks of a fund, each after what stands between. */
function marksAfter(between: string, fund: ListedFund, { language, say }: Words): readonly (Node | string)[] {
  const mark = markOf(fund)
  const end = fund.state === 'ended' ? null : fund.end_date
  const reason = fund.end_reason ?? 'ended'
  return [
    ...(mark === null ? [] : [between, markElement(mark, say(mark))]),
    ...(end === null
      ? []
      : [between, markElement('coming', say(`${reason}On`, { day: dayIn(language, end) }))]),
  ]
}

function markElement(kind: string, text: string): HTMLElement {
  const made = element('b', text)
  made.className = `mark ${kind}`
  return made
}

function element<K extends keyof HTMLElementTagNameMap>(tag: K, text = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}
