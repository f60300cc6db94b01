/** The list of funds in a browser: search while typing, and sorting. The page works without it: it holds the whole list. */

import { searchKey } from '../chart/formats.ts'

/** Showing rows costs a browser far more than finding them: during typing, the first ones are enough. */
const whileTyping = 50
/** Rows after a pause. A button shows the others. */
const atOnce = 1000
const pauseMs = 150

const table = document.querySelector<HTMLTableElement>('#funds')
const input = document.querySelector<HTMLInputElement>('#search')
const found = document.querySelector<HTMLElement>('#found')
if (table !== null && input !== null && found !== null) {
  const sorted = sortableTable(table, () => show(whileTyping))
  const body = table.tBodies[0]
  const more = document.createElement('button')
  more.type = 'button'
  more.className = 'more'
  let pause: ReturnType<typeof setTimeout> | undefined

  const show = (most: number) => {
    clearTimeout(pause)
    const words = searchKey(input.value).split(/\s+/)
    const matching = sorted().filter(({ text }) => words.every((word) => text.includes(word)))
    body?.replaceChildren(...matching.slice(0, most).map(({ element }) => element))
    more.textContent = `${table.dataset['more'] ?? ''} (${matching.length})`
    more.hidden = matching.length <= Math.max(most, atOnce)
    const count = matching.length.toLocaleString(document.documentElement.lang)
    const text = matching.length === 0 ? found.dataset['none'] : `${found.dataset['words'] ?? ''} ${count}`
    found.textContent = text ?? ''
    if (matching.length > most && most < atOnce) pause = setTimeout(() => show(atOnce), pauseMs)
  }
  input.addEventListener('input', () => show(whileTyping))
  more.addEventListener('click', () => show(Infinity))
  table.after(more)
  // A link can carry a search, and the browser's back button restores one.
  const asked = new URLSearchParams(location.search).get('q')
  if (asked !== null) input.value = asked
  show(atOnce)
}

interface ListRow {
  readonly element: HTMLTableRowElement
  /** The text that a search looks in. */
  readonly text: string
}

/**
 * Puts a button into each heading, which sorts by its column, and then the other way round.
 * @param onSort called after each sort
 * @returns the rows in their present order
 */
function sortableTable(table: HTMLTableElement, onSort: () => void): () => readonly ListRow[] {
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])]
  let rows: readonly ListRow[] = [...(table.tBodies[0]?.rows ?? [])].map((element) => ({
    element,
    // Name, ISIN and WKN only: the digits of a price or a day would match nearly every search.
    text: [...element.cells]
      .filter((_, column) => headings[column]?.classList.contains('number') !== true)
      .map(({ textContent }) => searchKey(textContent))
      .join(' '),
  }))
  for (const [column, heading] of headings.entries()) {
    const button = document.createElement('button')
    button.type = 'button'
    // It has the shape of the heading's own element, so that nothing moves.
    button.textContent = heading.textContent
    heading.replaceChildren(button)
    const isNumber = heading.classList.contains('number')
    button.addEventListener('click', () => {
      const before = heading.getAttribute('aria-sort')
      // Readers look for the largest numbers first.
      const isAscending = before === null ? !isNumber : before === 'descending'
      for (const other of headings) other.removeAttribute('aria-sort')
      heading.setAttribute('aria-sort', isAscending ? 'ascending' : 'descending')
      rows = sort(rows, column, isNumber, isAscending)
      onSort()
    })
  }
  return () => rows
}

/** Empty cells come last in both directions. */
function sort(
  rows: readonly ListRow[],
  column: number,
  isNumber: boolean,
  isAscending: boolean,
): readonly ListRow[] {
  const language = document.documentElement.lang
  const { compare } = new Intl.Collator(language)
  const keyed = rows.map((row) => {
    const cell = row.element.cells[column]
    // A fund sorts by its name, not by the category below it.
    const text = cell?.dataset['value'] ?? (cell?.querySelector('a') ?? cell)?.textContent ?? ''
    return { row, text, number: isNumber ? numberOf(text, language) : 0 }
  })
  const direction = isAscending ? 1 : -1
  keyed.sort((one, other) => {
    if (one.text === '' || other.text === '') return Number(one.text === '') - Number(other.text === '')
    return direction * (isNumber ? one.number - other.number : compare(one.text, other.text))
  })
  return keyed.map(({ row }) => row)
}

/** A number as the page writes it: `−1.234,50 EUR` in German. A day is the number of its digits. */
function numberOf(text: string, language: string): number {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return Number(text.replaceAll('-', ''))
  const [digits = ''] = /[\d.,]+/.exec(text) ?? []
  const plain = language === 'de' ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', '')
  return text.startsWith('\u2212') ? -Number(plain) : Number(plain)
}
