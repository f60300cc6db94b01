/** Compared funds outside the chart: the columns of the table, and chips, the legend, which remove funds. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { amountIn, changeIn, dayIn, millionsIn, percentIn } from '../../../../core/layout/formats.ts'
import { percentPerYear } from '../../../../core/layout/total-return.ts'
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
          const cell = cellOf(each[id] ?? null, words)
          // A narrow window shows a line for each fund.
          cell.dataset['name'] = names[place] ?? ''
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

interface Value {
  readonly text: string
  readonly tone?: 'good' | 'bad' | ''
}

/** By the rows of the table; null without a value. */
function valuesOf(
  { fund, figures }: ComparedFund,
  { language, say }: Words,
): Readonly<Record<string, Value | null>> {
  const change = (percent: number | null | undefined): Value | null =>
    isKnown(percent) ? { text: changeText(language, percent), tone: toneOf(percent) } : null
  const percent = (value: number | null | undefined): Value | null =>
    isKnown(value) ? { text: percentIn(language, value) } : null
  const text = (value: string | null | undefined): Value | null =>
    value === null || value === undefined ? null : { text: value }
  const aYearOver = (years: number) => {
    const over = figures?.over(years)
    return isKnown(over) ? percentPerYear(1 + over / 100, years) : null
  }
  const income = fund.accumulating === true ? 'accumulating' : 'distributing'
  return {
    performance: change(figures?.performance),
    performance_per_year: change(figures?.performancePerYear),
    volatility: percent(figures?.volatility),
    drawdown: percent(figures?.drawdown),
    from: text(figures && amountIn(language, figures.from, fund.currency)),
    to: text(figures && amountIn(language, figures.to, fund.currency)),
    '1y': change(figures?.over(1)),
    '3y': change(figures?.over(3)),
    '3y_per_year': change(aYearOver(3)),
    '5y': change(figures?.over(5)),
    '5y_per_year': change(aYearOver(5)),
    costs: percent(fund.total_expense_ratio),
    risk: text(fund.srri?.toString()),
    income: text(fund.accumulating === null ? null : say(income)),
    size: text(fund.total_fund_assets === null ? null : millionsIn(language, fund.total_fund_assets)),
    currency: text(fund.currency),
    launched: text(dayIn(language, fund.inception_date)),
  }
}

/** A column of a phone has room for six digits and their marks. */
const changeText = (language: Language, percent: number) =>
  changeIn(language, percent, Math.abs(percent) < 1000 ? 2 : 0)

const isKnown = (value: number | null | undefined): value is number => value !== null && value !== undefined

/** As it is shown: what rounds to zero is neither. */
function toneOf(percent: number): 'good' | 'bad' | '' {
  const shown = Math.round(percent * 100)
  if (shown === 0) return ''
  return shown > 0 ? 'good' : 'bad'
}

function cellOf(value: Value | null, { say }: Words): HTMLTableCellElement {
  const made = element('td', value?.text ?? '')
  made.className = `number ${value?.tone ?? ''}`.trimEnd()
  if (value === null) {
    const missing = element('span', '–')
    missing.setAttribute('role', 'img')
    missing.setAttribute('aria-label', say('noValue'))
    made.append(missing)
  }
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
  { style, language, say, onRemove }: Words & { readonly style: number; readonly onRemove: () => void },
): HTMLElement {
  const chip = element('li')
  const button = element('button', '×')
  button.type = 'button'
  button.setAttribute('aria-label', say('remove', { fund: fund.name }))
  button.addEventListener('click', onRemove)
  chip.append(lineKey(style), nameElement('span', fund), ...marksAfter(' ', fund, { language, say }), button)
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
