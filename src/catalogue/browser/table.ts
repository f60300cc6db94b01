/** The rows of a table as they can be searched and sorted: all that is needed stands in the cells themselves. */

import { searchKey } from '../chart/search-key.ts'

export interface Row {
  readonly element: HTMLTableRowElement
  /** To search in. */
  readonly text: string
}

/**
 * Puts a button into each heading, which sorts by its column; once more, and it sorts the other way round.
 * @param onSort called when that has happened
 * @returns the rows as they are sorted now
 */
export function tableOf(table: HTMLTableElement, onSort: () => void): () => readonly Row[] {
  const language = document.documentElement.lang
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])]
  let rows: readonly Row[] = [...(table.tBodies[0]?.rows ?? [])].map((element) => ({
    element,
    // Name, ISIN and WKN: the digits of a price or a day would be found in every row.
    text: [...element.cells]
      .filter((_, column) => headings[column]?.classList.contains('number') !== true)
      .map(({ textContent }) => searchKey(textContent))
      .join(' '),
  }))
  for (const [column, heading] of headings.entries()) {
    const button = document.createElement('button')
    button.type = 'button'
    // The heading's own element has the same shape: nothing moves.
    button.textContent = heading.textContent
    heading.replaceChildren(button)
    const isNumber = heading.classList.contains('number')
    button.addEventListener('click', () => {
      const before = heading.getAttribute('aria-sort')
      // Of numbers the largest is what people look for.
      const isAscending = before === null ? !isNumber : before === 'descending'
      for (const other of headings) other.removeAttribute('aria-sort')
      heading.setAttribute('aria-sort', isAscending ? 'ascending' : 'descending')
      rows = sort(rows, column, { isNumber, isAscending, language })
      onSort()
    })
  }
  return () => rows
}

interface Sorting {
  readonly isNumber: boolean
  readonly isAscending: boolean
  readonly language: string
}

/** Rows that have nothing there come last, whichever way round. */
function sort(
  rows: readonly Row[],
  column: number,
  { isNumber, isAscending, language }: Sorting,
): readonly Row[] {
  const { compare } = new Intl.Collator(language)
  const keyed = rows.map((row) => {
    const cell = row.element.cells[column]
    // A fund is sorted by its name, not by what stands below it.
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

/** A number as the page writes it: `−1.234,50 EUR` in German. A day counts by its digits. */
function numberOf(text: string, language: string): number {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return Number(text.replaceAll('-', ''))
  const [digits = ''] = /[\d.,]+/.exec(text) ?? []
  const plain = language === 'de' ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', '')
  return text.startsWith('\u2212') ? -Number(plain) : Number(plain)
}
