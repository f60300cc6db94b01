/** A compared fund outside the chart: its row in the table, and its chip, the legend, which removes it. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { changeIn, decimalIn, percentIn } from '../../../../core/layout/formats.ts'
import type { FundComparison } from './comparison.ts'
import { type ListedFund, markOf, nameElement } from './fund-list.ts'
import { lineKey } from './keys.ts'
import type { Say } from './say.ts'

interface ComparedRow {
  readonly fund: ListedFund
  readonly style: number
  readonly figures: FundComparison['funds'][number] | null
  readonly language: Language
  readonly say: Say
}

export function comparedRow({ fund, style, figures, language, say }: ComparedRow): HTMLTableRowElement {
  const name = element('th')
  name.scope = 'row'
  const link = pageLink(fund, language)
  const small = element(
    'small',
    fund.accumulating === false ? `${fund.isin}, ${say('distributing')}` : fund.isin,
  )
  small.append(...markAfter(', ', fund, say))
  name.append(lineKey(style), link, ' ', small)
  const currency = element('td', fund.currency)
  currency.className = 'wide'
  /** @param value which the table sorts by; without one the cell says so */
  const number = <T extends string | number>(
    value: T | null | undefined,
    shown: (value: T) => string,
    kind = 'number',
  ) => {
    const made = element('td')
    made.className = kind
    if (value === null || value === undefined) {
      const missing = element('span', '–')
      missing.setAttribute('role', 'img')
      missing.setAttribute('aria-label', say('noValue'))
      made.append(missing)
    } else {
      made.textContent = shown(value)
      made.dataset['value'] = String(value)
    }
    return made
  }
  const decimal = (value: string) => decimalIn(language, value)
  const percent = (value: number) => percentIn(language, value)
  const row = element('tr')
  row.append(
    name,
    currency,
    number(figures?.from, decimal, 'number wide'),
    number(figures?.to, decimal, 'number wide'),
    number(figures?.performance, (value) => changeIn(language, value)),
    number(figures?.volatility, percent),
    number(fund.total_expense_ratio, percent),
    number(fund.srri, String),
  )
  return row
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
  { style, say, onRemove }: { readonly style: number; readonly say: Say; readonly onRemove: () => void },
): HTMLElement {
  const chip = element('li')
  const button = element('button', '×')
  button.type = 'button'
  button.setAttribute('aria-label', say('remove', { fund: fund.name }))
  button.addEventListener('click', onRemove)
  chip.append(lineKey(style), nameElement('span', fund), ...markAfter(' ', fund, say), button)
  return chip
}

/** The mark of a fund, if it has one, after what stands between. */
function markAfter(between: string, fund: ListedFund, say: Say): readonly (Node | string)[] {
  const mark = markOf(fund)
  if (mark === null) return []
  const made = element('b', say(mark))
  made.className = `mark ${mark}`
  return [between, made]
}

function element<K extends keyof HTMLElementTagNameMap>(tag: K, text = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}
