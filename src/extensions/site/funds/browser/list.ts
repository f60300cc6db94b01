/** The list of funds: search while typing, filters, sorting and a selection to compare, all in the address. */

import { countText } from './count-text.ts'
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
  const { row: none, say: sayNone } = emptyRow(table)
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
    if (elements.length === 0) sayNone(filters.some(({ value }) => value !== ''))
    const text = matching.length === 0 ? (table.dataset['none'] ?? '') : countText(found, matching.length)
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
  input.addEventListener('keydown', (event) => {
    const address = event.key === 'Enter' && !event.isComposing ? addressOf(input.value, sorted) : undefined
    if (address === undefined) return
    // What was typed just now, for the way back.
    setParameters({ q: input.value }, 'same')
    location.assign(address)
  })
  leadOn(sorted)
  followAddress(read)
}

/** A row in place of funds: none matches, and what to do. */
function emptyRow({ dataset, tHead }: HTMLTableElement) {
  const row = document.createElement('tr')
  const cell = row.insertCell()
  cell.colSpan = tHead?.rows[0]?.cells.length ?? 1
  const title = document.createElement('strong')
  title.textContent = dataset['none'] ?? ''
  const hint = document.createElement('small')
  cell.append(title, ' ', hint)
  const say = (isFiltered: boolean) => {
    hint.textContent = `${dataset['hint'] ?? ''}${isFiltered ? ` ${dataset['filtered'] ?? ''}` : ''}`
  }
  return { row, say }
}

/**
 * An address with a whole ISIN or WKN leads on to the fund: `/wkn/847100/` comes here. Not for a reader who has been in the list
 * and comes back, reloads it or changes its language.
 */
function leadOn(table: Sorted): void {
  const [visit] = performance.getEntriesByType('navigation')
  const isNew = visit instanceof PerformanceNavigationTiming && visit.type === 'navigate'
  const folderOf = (address: string) => new URL('.', address).href
  const isFromList = document.referrer !== '' && folderOf(document.referrer) === folderOf(location.href)
  if (!isNew || isFromList) return
  const address = addressOf(parameterOf('q'), table)
  if (address !== undefined) location.replace(address)
}

type Sorted = Pick<ReturnType<typeof sortableTable>, 'rows' | 'textIn'>

/** Of the one fund with this ISIN or WKN; undefined for every other text. */
function addressOf(text: string, { rows, textIn }: Sorted): string | undefined {
  const asked = text.trim().toUpperCase()
  if (asked === '') return undefined
  const found = rows().filter((row) => ['isin', 'wkn'].some((id) => textIn(row, id) === asked))
  return found.length === 1 ? found[0]?.querySelector('a')?.href : undefined
}
