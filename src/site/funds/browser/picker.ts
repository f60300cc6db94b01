/** The search that adds a fund to a comparison. */

import { fundText, type ListedFund } from './fund-list.ts'
import { searchFor } from './search.ts'

/** A text by its name, with its placeholders filled in. */
export type Say = (name: string, values?: Readonly<Record<string, string>>) => string

/** More would not fit on a phone. */
const mostResults = 8

/** @param onPick called with the ISIN of a fund that may be compared */
export function fundPicker(
  root: HTMLElement,
  list: readonly ListedFund[],
  say: Say,
  onPick: (isin: string) => void,
) {
  const [input, found, results] = [
    root.querySelector<HTMLInputElement>('#search'),
    root.querySelector('#found'),
    root.querySelector('#results'),
  ]
  const texts = list.map((fund) => ({ fund, text: fundText(fund) }))
  let chosen: ReadonlySet<string> = new Set()

  const show = () => {
    const typed = input?.value.trim() ?? ''
    const isFound = searchFor(typed)
    const matching = texts.filter(({ fund, text }) => typed !== '' && !chosen.has(fund.isin) && isFound(text))
    results?.replaceChildren(...matching.slice(0, mostResults).map(({ fund }) => result(fund)))
    if (found === null) return
    const count = String(matching.length)
    const text = matching.length === 0 ? say('notFound') : say('found', { count })
    found.textContent = typed === '' ? '' : text
  }
  const result = (fund: ListedFund) => {
    const item = document.createElement('li')
    if (!fund.comparable) {
      item.textContent = `${fund.name} (${fund.isin}): ${say('notComparable')}`
      return item
    }
    const button = document.createElement('button')
    button.type = 'button'
    button.textContent = `${fund.name} (${fund.isin})`
    button.addEventListener('click', () => {
      if (input !== null) input.value = ''
      input?.focus()
      onPick(fund.isin)
      show()
    })
    item.append(button)
    return item
  }
  input?.addEventListener('input', show)
  return {
    /** Hides funds that are compared already. */
    leaveOut: (funds: readonly ListedFund[]) => {
      chosen = new Set(funds.map(({ isin }) => isin))
      show()
    },
  }
}
