/** A compared fund outside the chart: its row in the table, and its chip, the legend, which removes it. */

import type { Language } from '../../../../core/api/routes/table.ts'
import { changeIn, decimalIn, percentIn } from '../../../../core/layout/formats.ts'
import { lineKeyOf } from '../chart/price-line.ts'
import type { FundComparison } from './comparison.ts'
import { type ListedFund, nameElement } from './fund-list.ts'
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
  const link = nameElement('a', fund)
  // The list names pages from the top of the snapshot; this page lies in a folder there.
  link.href = `../${fund.page[language]}`
  const small = element(
    'small',
    fund.accumulating === false ? `${fund.isin}, ${say('distributing')}` : fund.isin,
  )
  name.append(lineKey(style), link, ' ', small)
  const cell = (text: string | null, kind = 'number') => {
    const made = element('td', text ?? '')
    made.className = kind
    if (text !== null) return made
    const missing = element('span', '–')
    missing.setAttribute('role', 'img')
    missing.setAttribute('aria-label', say('noValue'))
    made.append(missing)
    return made
  }
  const percent = (value: number | null | undefined) =>
    cell(typeof value === 'number' ? percentIn(language, value) : null)
  const row = element('tr')
  row.append(
    name,
    cell(fund.currency, 'wide'),
    cell(figures && decimalIn(language, figures.from), 'number wide'),
    cell(figures && decimalIn(language, figures.to), 'number wide'),
    cell(figures && changeIn(language, figures.performance)),
    percent(figures?.volatility),
    percent(fund.total_expense_ratio),
    cell(fund.srri === null ? null : String(fund.srri)),
  )
  return row
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
  chip.append(lineKey(style), nameElement('span', fund), button)
  return chip
}

export function lineKey(style: number): Element {
  const holder = element('span')
  holder.innerHTML = lineKeyOf(style)
  return holder.firstElementChild ?? holder
}

function element<K extends keyof HTMLElementTagNameMap>(tag: K, text = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}
