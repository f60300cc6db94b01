/** The search that adds a fund to a comparison: a combobox with a list. Source: WAI-ARIA, pattern "Combobox". */

import { fundText, type ListedFund } from './fund-list.ts'
import { searchFor } from './search.ts'

/** A text by its name, with its placeholders filled in. */
export type Say = (name: string, values?: Readonly<Record<string, string>>) => string

interface Place {
  /** @throws {Error} if the page has no such element */
  readonly part: <T extends Element = HTMLElement>(selector: string) => T
  readonly say: Say
}

/** More would not fit on a phone. */
const mostOptions = 8

/** @param onPick called with the ISIN of a fund that may be compared */
export function fundPicker(
  { part, say }: Place,
  list: readonly ListedFund[],
  onPick: (isin: string) => void,
) {
  const [input, found, listbox] = [part<HTMLInputElement>('#search'), part('#found'), part('#options')]
  const texts = list.map((fund) => ({ fund, text: fundText(fund) }))
  let chosen: ReadonlySet<string> = new Set()
  let options: readonly ListedFund[] = []
  let active = 0

  const activate = (index: number) => {
    active = index
    for (const [place, option] of [...listbox.children].entries()) {
      option.setAttribute('aria-selected', String(place === active))
      if (place !== active) continue
      input.setAttribute('aria-activedescendant', option.id)
      option.scrollIntoView({ block: 'nearest' })
    }
  }
  const open = (funds: readonly ListedFund[]) => {
    options = funds
    listbox.replaceChildren(...options.map(optionOf))
    listbox.hidden = options.length === 0
    input.setAttribute('aria-expanded', String(options.length > 0))
    input.removeAttribute('aria-activedescendant')
    if (options.length > 0) activate(0)
  }
  const search = () => {
    const typed = input.value.trim()
    const isFound = searchFor(typed)
    const matching = texts.filter(({ fund, text }) => typed !== '' && !chosen.has(fund.isin) && isFound(text))
    const funds = matching.map(({ fund }) => fund)
    // Funds that can be chosen come first.
    funds.sort((one, other) => Number(other.comparable) - Number(one.comparable))
    open(funds.slice(0, mostOptions))
    const count = String(matching.length)
    const text = matching.length === 0 ? say('notFound') : say('found', { count })
    found.textContent = typed === '' ? '' : text
  }
  const pick = (fund: ListedFund | undefined) => {
    if (fund?.comparable !== true) return
    input.value = ''
    // Leaves the fund out, which searches again.
    onPick(fund.isin)
  }
  const optionOf = (fund: ListedFund, index: number) => {
    const option = document.createElement('li')
    option.id = `option-${index}`
    option.role = 'option'
    option.textContent = `${fund.name} (${fund.isin})`
    if (!fund.comparable) {
      option.setAttribute('aria-disabled', 'true')
      option.textContent += `: ${say('notComparable')}`
    }
    option.addEventListener('click', () => pick(fund))
    return option
  }
  input.addEventListener('input', search)
  input.addEventListener('focus', search)
  input.addEventListener('blur', () => open([]))
  // The focus stays in the field: a press would end the list before the click.
  listbox.addEventListener('pointerdown', (event) => event.preventDefault())
  input.addEventListener('keydown', (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') pick(options[active])
    else if (event.key === 'Escape' && options.length > 0) open([])
    else if (steps === undefined || options.length === 0) return
    else activate((active + steps + options.length) % options.length)
    event.preventDefault()
  })
  return {
    /** Hides funds that are compared already. */
    leaveOut: (funds: readonly ListedFund[]) => {
      chosen = new Set(funds.map(({ isin }) => isin))
      if (document.activeElement === input) search()
    },
  }
}
