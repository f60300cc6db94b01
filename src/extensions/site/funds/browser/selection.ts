/** The funds that a reader selects to compare: in the address, and in a bar below the list. */

import { parameterOf, setParameters } from '../../../../core/layout/browser/address.ts'
import { mostCompared } from '../chart/charts.ts'
import { countText } from './count-text.ts'
import type { Row } from './table.ts'

/** The heading of a row has facts of the fund: one for each filter, and `comparable` if it may be compared. */
export const factsOf = (row: Row): DOMStringMap => row.querySelector('th')?.dataset ?? {}

/** @param label of a checkbox, before the fund's name */
export function fundSelection(label: string) {
  const bar = document.getElementById('selected')
  const status = bar?.querySelector('span')
  const link = bar?.querySelector('a')
  const comparison = link?.getAttribute('href') ?? ''
  const boxes = new Map<string, HTMLInputElement>()
  let selected: readonly string[] = []

  const show = () => {
    for (const [isin, box] of boxes) {
      box.checked = selected.includes(isin)
      box.disabled = !box.checked && selected.length >= mostCompared
    }
    if (bar === null || !status || !link) return
    bar.hidden = selected.length === 0
    const isFull = selected.length >= mostCompared
    status.textContent = (isFull ? bar.dataset['most'] : undefined) ?? countText(bar, selected.length)
    link.setAttribute('href', `${comparison}?isins=${selected.join(',')}`)
  }
  const select = (isins: readonly string[]) => {
    selected = isins
    setParameters({ isins: selected.join(',') }, 'same')
    show()
  }
  bar?.querySelector('button')?.addEventListener('click', () => select([]))

  return {
    /** Gives a row its checkbox, unless the fund may not be compared. */
    addTo: (row: Row, isin: string) => {
      const name = row.querySelector('th')
      if (name === null || factsOf(row)['comparable'] === undefined || boxes.has(isin)) return
      const box = document.createElement('input')
      box.type = 'checkbox'
      box.checked = selected.includes(isin)
      box.disabled = !box.checked && selected.length >= mostCompared
      box.setAttribute('aria-label', `${label} ${name.querySelector('a')?.textContent ?? isin}`)
      box.addEventListener('change', () =>
        select(box.checked ? [...selected, isin] : selected.filter((other) => other !== isin)),
      )
      // The label makes the target larger than the box.
      const target = document.createElement('label')
      target.className = 'select'
      target.append(box)
      name.prepend(target)
      boxes.set(isin, box)
    },
    /** Reads the selection from the address. */
    read: () => {
      selected = parameterOf('isins').split(',').filter(Boolean).slice(0, mostCompared)
      show()
    },
  }
}
