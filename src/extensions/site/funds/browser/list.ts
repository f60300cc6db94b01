/** The list of funds: search while typing, filters, sorting and a selection to compare, all in the address. */

import { countText } from './count-text.ts'
import { searchFor, searchText } from './search.ts'
import { followAddress, parameterOf, setParameters } from '../../../../core/layout/browser/address.ts'
import { factsOf, fundSelection } from './selection.ts'
import { sortableTable } from './table.ts'

/** Rows at once: showing rows costs a browser far more than finding them. Buttons show others. */
const atOnce = 100
/** After typing, until the address has the text. */
const pauseMs = 150
/** Columns that a search reads. The digits of a price or a day would match nearly every search. */
const searched = ['name', 'isin', 'wkn']

const table = document.querySelector<HTMLTableElement>('#funds')
const input = document.querySelector<HTMLInputElement>('#search')
const found = document.querySelector<HTMLElement>('#found')
if (table !== null && input !== null && found !== null) fundList(table, input, found)

function fundList(table: HTMLTableElement, input: HTMLInputElement, found: HTMLElement): void {
  const filters = [...document.querySelectorAll<HTMLSelectElement>('.search select')]
  const views = [...document.querySelectorAll<HTMLInputElement>('.above [name="view"]')]
  const sorted = sortableTable(table, (sort) => {
    setParameters({ sort }, 'new')
    show()
  })
  const known = new WeakMap(
    sorted.rows().map((row) => {
      const text = searchText(searched.map((id) => sorted.textIn(row, id)))
      return [row, { text, fund: factsOf(row) }]
    }),
  )
  const selection = fundSelection(table.dataset['select'] ?? '')
  const body = table.tBodies[0]
  const more = moreRows((rows) => {
    setParameters({ rows }, 'same')
    show()
  })
  const clear = document.querySelector<HTMLElement>('#clear')
  const { row: none, say: sayNone } = emptyRow(table)
  let pause: ReturnType<typeof setTimeout> | undefined

  const show = (most = rowsAsked()) => {
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
    more(elements.length, matching.length)
    if (elements.length === 0) sayNone(filters.some(({ value }) => value !== ''))
    const text = matching.length === 0 ? (table.dataset['none'] ?? '') : countText(found, matching.length)
    if (found.textContent !== text) found.textContent = text
  }
  input.addEventListener('input', () => {
    show(atOnce)
    pause = setTimeout(() => setParameters({ q: input.value, rows: '' }, 'same'), pauseMs)
  })
  for (const filter of filters) {
    filter.addEventListener('change', () => {
      setParameters({ [filter.id]: filter.value, rows: '' }, 'new')
      show()
    })
  }
  for (const view of views) {
    view.addEventListener('change', () => {
      setParameters({ view: view === views[0] ? '' : view.value }, 'new')
      show()
    })
  }
  // Paper has no button for the others.
  addEventListener('beforeprint', () => show(Infinity))
  addEventListener('afterprint', () => show())
  const read = () => {
    input.value = parameterOf('q')
    for (const filter of filters) {
      filter.value = parameterOf(filter.id)
      // An address may name what no fund has any more.
      if (filter.selectedIndex < 0) filter.value = ''
    }
    const view = views.find(({ value }) => value === parameterOf('view')) ?? views[0]
    if (view !== undefined) view.checked = true
    sorted.sort(parameterOf('sort'))
    selection.read()
    show()
  }
  clear?.addEventListener('click', () => {
    setParameters({ q: '', rows: '', ...Object.fromEntries(filters.map(({ id }) => [id, ''])) }, 'new')
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

/** In the address: `all`, or a number, so that the way back leads to where a reader has been. */
function rowsAsked(): number {
  const rows = parameterOf('rows')
  return rows === 'all' ? Infinity : Math.max(atOnce, Number(rows) || 0)
}

/** The buttons below the table, for the next rows and for all. @param ask gets the number of rows as the address has it */
function moreRows(ask: (rows: string) => void) {
  const place = document.getElementById('more')
  const text = place?.querySelector('span')
  const [next, all] = place?.querySelectorAll('button') ?? []
  let shown = 0
  next?.addEventListener('click', () => ask(String(shown + atOnce)))
  all?.addEventListener('click', () => ask('all'))
  return (count: number, found: number) => {
    shown = count
    if (place === null || !text || next === undefined || all === undefined) return
    const left = found - count
    place.hidden = left <= 0
    // The one button would do what the other does.
    all.hidden = left <= atOnce
    next.textContent = countText(next, Math.min(left, atOnce))
    all.textContent = countText(all, found)
    text.textContent = countText(text, found).replace('{shown}', countText(place, count))
  }
}

/** A row in place of funds: none matches, and what to do. */
function emptyRow({ dataset, tHead }: HTMLTableElement) {
  const row = document.createElement('tr')
  const cell = row.insertCell()
  const title = document.createElement('strong')
  title.textContent = dataset['none'] ?? ''
  const hint = document.createElement('small')
  cell.append(title, ' ', hint)
  const say = (isFiltered: boolean) => {
    // One that also spans columns of other views would add empty ones to the table.
    cell.colSpan = [...(tHead?.rows[0]?.cells ?? [])].filter(({ offsetWidth }) => offsetWidth > 0).length
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
