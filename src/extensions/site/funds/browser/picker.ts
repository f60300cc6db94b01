/** A field that suggests funds: a combobox with a list. Source: WAI-ARIA, pattern "Combobox". */

import { sortedByName } from '../../../../core/layout/formats.ts'
import { fundText, type ListedFund, nameElement } from './fund-list.ts'
import type { Say } from './say.ts'
import { searchFor } from './search.ts'

interface Picker {
  /** Holds the field, its list and its status. */
  readonly place: ParentNode
  readonly say: Say
  /** Called on first use, and again after it failed: the list of many funds is large. */
  readonly load: () => Promise<readonly ListedFund[]>
  readonly mayPick: (fund: ListedFund) => boolean
  readonly onPick: (fund: ListedFund) => void
  /** Enter before an option is chosen, with all matches; null without a list. If left out, it picks the first one. */
  readonly onEnter?: (found: readonly ListedFund[] | null) => void
}

/** More would not fit on a phone. */
const mostOptions = 8

/** @throws {Error} if the page has no such field */
export function fundPicker({ place, say, load, mayPick, onPick, onEnter }: Picker) {
  const input = place.querySelector<HTMLInputElement>('[role=combobox]')
  const [listbox, told] = ['[role=listbox]', '[role=status]'].map((part) =>
    place.querySelector<HTMLElement>(part),
  )
  if (!input || !listbox || !told) throw new Error('the page has no field for funds')
  const first = onEnter === undefined ? 0 : -1
  const find = finder(load)
  let chosen: ReadonlySet<string> = new Set()
  let options: readonly ListedFund[] = []
  let active = first

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
    activate(first)
  }
  const matches = async () => (await find(input.value))?.filter(({ isin }) => !chosen.has(isin)) ?? null
  const search = async () => {
    const asked = input.value
    const found = await matches()
    if (input.value !== asked || document.activeElement !== input) return
    // Funds that can be chosen come first.
    const funds = [...(found ?? [])].sort((one, other) => Number(mayPick(other)) - Number(mayPick(one)))
    open(funds.slice(0, mostOptions))
    const count = String(funds.length)
    const nothing = found === null ? 'failedList' : 'notFound'
    const text = say(funds.length === 0 ? nothing : funds.length === 1 ? 'foundOne' : 'found', { count })
    told.textContent = asked.trim() === '' ? '' : text
  }
  const pick = (fund: ListedFund | undefined) => {
    if (fund === undefined || !mayPick(fund)) return
    input.value = ''
    // Leaves the fund out, which searches again.
    onPick(fund)
  }
  const optionOf = (fund: ListedFund, index: number) => {
    const option = document.createElement('li')
    option.id = `option-${index}`
    option.role = 'option'
    option.append(nameElement('bdi', fund), ` (${fund.isin})`)
    if (!mayPick(fund)) {
      option.setAttribute('aria-disabled', 'true')
      option.append(`: ${say('notComparable')}`)
    }
    option.addEventListener('click', () => pick(fund))
    return option
  }
  const enter = async () => {
    if (options[active] !== undefined) pick(options[active])
    else if (input.value.trim() !== '') onEnter?.(await matches())
  }
  input.addEventListener('input', () => void search())
  input.addEventListener('focus', () => void search())
  input.addEventListener('blur', () => open([]))
  // The focus stays in the field: a press would end the list before the click.
  listbox.addEventListener('pointerdown', (event) => event.preventDefault())
  input.addEventListener('keydown', (event) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter' && !event.isComposing) void enter()
    else if (event.key === 'Escape' && options.length > 0) open([])
    else if (steps === undefined || options.length === 0) return
    else activate((Math.max(active, steps < 0 ? 0 : -1) + steps + options.length) % options.length)
    event.preventDefault()
  })
  return {
    /** Hides funds that are compared already. */
    leaveOut: (funds: readonly ListedFund[]) => {
      chosen = new Set(funds.map(({ isin }) => isin))
      if (document.activeElement === input) void search()
    },
  }
}

/** @returns the funds that match a text, none for an empty one; null if the list cannot be loaded */
function finder(load: Picker['load']) {
  // In the order of names, as on the page of funds.
  const loadTexts = async () => sortedByName(await load()).map((fund) => ({ fund, text: fundText(fund) }))
  let texts: ReturnType<typeof loadTexts> | undefined
  return async (typed: string): Promise<readonly ListedFund[] | null> => {
    if (typed.trim() === '') return []
    const isFound = searchFor(typed.trim())
    try {
      texts ??= loadTexts()
      return (await texts).filter(({ text }) => isFound(text)).map(({ fund }) => fund)
    } catch {
      // The next letter tries again.
      texts = undefined
      return null
    }
  }
}
