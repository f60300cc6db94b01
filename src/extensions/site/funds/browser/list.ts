/** The list of funds: search while typing, filters, sorting and a selection to compare, all in the address. */

import { searchFor, searchText } from './search.ts'
import { followAddress, parameterOf, setParameters } from '../../../../core/layout/browser/address.ts'
import { factsOf, fundSelection } from './selection.ts'
import { sortableTable } from './table.ts'

/** Rows while typing: showing rows costs a browser far more than finding them. */
const whileTyping = 50
/** Rows after a pause. A button shows the others. */
const atOnce = 1000
const pauseMs = 150
/** Columns that a search reads. The digits of a price or a day would match nearly every search. */
const searched = ['name', 'isin', 'wkn']

const table = document.querySelector<HTMLTableElement>('#funds')
const input = document.querySelector<HTMLInputElement>('#search')
const found = document.querySelector<HTMLElement>('#found')
if (table !== null && input !== null && found !== null) fundList(table, input, found)

function fundList(table: HTMLTableElement, input: HTMLInputElement, found: HTMLElement): void {
  const filters = [...document.querySelectorAll<HTMLSelectElement>('.search select')]
  const sorted = sortableTable(table, (sort) => {
    setParameters({ sort }, 'new')
    show(whileTyping)
  })
  const known = new WeakMap(
    sorted.rows().map((row) => {
      const text = searchText(searched.map((id) => sorted.textIn(row, id)))
      return [row, { text, fund: factsOf(row) }]
    }),
  )
  const selection = fundSelection(table.dataset['select'] ?? '')
  const body = table.tBodies[0]
  const more = document.createElement('button')
  more.type = 'button'
  more.className = 'more'
  const clear = document.querySelector<HTMLElement>('#clear')
  const none = document.createElement('tr')
  const cell = none.insertCell()
  cell.colSpan = table.tHead?.rows[0]?.cells.length ?? 1
  cell.textContent = table.dataset['none'] ?? ''
  let pause: ReturnType<typeof setTimeout> | undefined

  const show = (most: number) => {
    clearTimeout(pause)
    const isFound = searchFor(input.value)
    const matching = sorted.rows().filter((row) => {
      const { text, fund } = known.get(row) ?? {}
      // A filter has the name of the fact.
      const isChosen = filters.every(({ id, value }) => value === '' || fund?.[id] === value)
      return text !== undefined && isFound(text) && isChosen
    })
    const elements = matching.slice(0, most)
    for (const row of elements) selection.addTo(row, sorted.textIn(row, 'isin'))
    body?.replaceChildren(...(elements.length === 0 ? [none] : elements))
    if (clear !== null) clear.hidden = [input, ...filters].every(({ value }) => value === '')
    more.textContent = `${table.dataset['more'] ?? ''} (${matching.length})`
    more.hidden = matching.length <= Math.max(most, atOnce)
    const count = matching.length.toLocaleString(document.documentElement.lang)
    const text = `${found.dataset['words'] ?? ''} ${count}`
    if (found.textContent !== text) found.textContent = text
    if (most >= atOnce) return
    pause = setTimeout(() => {
      setParameters({ q: input.value }, 'same')
      if (matching.length > most) show(atOnce)
    }, pauseMs)
  }
  input.addEventListener('input', () => show(whileTyping))
  for (const filter of filters) {
    filter.addEventListener('change', () => {
      setParameters({ [filter.id]: filter.value }, 'new')
      show(whileTyping)
    })
  }
  more.addEventListener('click', () => show(Infinity))
  table.after(more)
  const read = () => {
    input.value = parameterOf('q')
    for (const filter of filters) {
      filter.value = parameterOf(filter.id)
      // An address may name a category that no fund has any more.
      if (filter.selectedIndex < 0) filter.value = ''
    }
    sorted.sort(parameterOf('sort'))
    selection.read()
    show(atOnce)
  }
  clear?.addEventListener('click', () => {
    setParameters({ q: '', ...Object.fromEntries(filters.map(({ id }) => [id, ''])) }, 'new')
    read()
    input.focus()
  })
  followAddress(read)
}
