/** A row of a comparison's table, which is the legend of its chart. */

import type { Language } from '../../../api/routes/table.ts'
import { lineStyle } from '../chart/charts.ts'
import { changeIn, decimalIn } from '../chart/formats.ts'
import type { FundComparison } from './comparison.ts'
import type { ListedFund } from './fund-list.ts'
import type { Say } from './picker.ts'

interface ComparedRow {
  readonly fund: ListedFund
  readonly style: number
  readonly figures: FundComparison['funds'][number] | null
  readonly language: Language
  readonly say: Say
  readonly onRemove: () => void
}

export function comparedRow({ fund, style, figures, language, say, onRemove }: ComparedRow): HTMLElement {
  const name = element('th')
  name.scope = 'row'
  const link = element('a', fund.name)
  // The list names pages from the top of the snapshot; this page lies in a folder there.
  link.href = `../${fund.page[language]}`
  const small = element(
    'small',
    fund.accumulating === false ? `${fund.isin}, ${say('distributing')}` : fund.isin,
  )
  name.append(lineKey(style), link, small)
  const button = element('button', '×')
  button.type = 'button'
  button.setAttribute('aria-label', say('remove', { fund: fund.name }))
  button.addEventListener('click', onRemove)
  const valueCell = (text: string | null) => {
    const cell = element('td', text ?? '')
    if (text === null) {
      const missing = element('span', '–')
      missing.setAttribute('role', 'img')
      missing.setAttribute('aria-label', say('noValue'))
      cell.append(missing)
    }
    return cell
  }
  const [removal, performance] = [
    element('td'),
    valueCell(figures === null ? null : changeIn(language, figures.performance)),
  ]
  removal.append(button)
  performance.className = 'number'
  const nav = (decimal: string | undefined) => {
    const cell = valueCell(decimal === undefined ? null : decimalIn(language, decimal))
    cell.className = 'number wide'
    return cell
  }
  const currency = element('td', fund.currency)
  currency.className = 'wide'
  const row = element('tr')
  row.append(name, currency, nav(figures?.from), nav(figures?.to), performance, removal)
  return row
}

/** A short line as in the chart. */
export function lineKey(style: number): Element {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg')
  svg.setAttribute('class', 'key')
  svg.setAttribute('aria-hidden', 'true')
  svg.innerHTML = `<line class="${lineStyle(style)}" x2="100%" y1="50%" y2="50%"/>`
  return svg
}

function element<K extends keyof HTMLElementTagNameMap>(tag: K, text = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag)
  made.textContent = text
  return made
}
