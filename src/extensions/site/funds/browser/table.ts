export type Row = HTMLTableRowElement

/**
 * Puts a button into each heading, which sorts by its column, then the other way round.
 * @param onSort gets the sort: the column's id, after a minus sign if descending; '' for the first one
 */
export function sortableTable(table: HTMLTableElement, onSort: (sort: string) => void) {
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])]
  const first = headings.find((heading) => heading.hasAttribute('aria-sort'))
  let asMade: readonly Row[] = [...(table.tBodies[0]?.rows ?? [])]
  let rows = asMade

  const sortBy = (column: number, isAscending: boolean) => {
    for (const other of headings) other.removeAttribute('aria-sort')
    const heading = headings[column]
    heading?.setAttribute('aria-sort', isAscending ? 'ascending' : 'descending')
    const isStandard = heading === undefined || (heading === first && isAscending)
    rows = isStandard ? asMade : sorted(rows, column, isNumber(heading), isAscending)
  }
  for (const [column, heading] of headings.entries()) {
    const button = document.createElement('button')
    button.type = 'button'
    // Same shape as the heading's own text, so that nothing moves.
    button.append(...heading.childNodes)
    heading.append(button)
    button.addEventListener('click', () => {
      const before = heading.getAttribute('aria-sort')
      // Readers want the largest numbers first.
      const isAscending = before === null ? !isNumber(heading) : before === 'descending'
      sortBy(column, isAscending)
      const isStandard = heading === first && isAscending
      onSort(isStandard ? '' : `${isAscending ? '' : '-'}${heading.dataset['id'] ?? ''}`)
    })
  }
  return {
    /** In their present order. */
    rows: () => rows,
    /** @param name as for `onSort`; an unknown column means the sort that the page came with @param made other rows */
    sort: (name: string, made = asMade) => {
      rows = asMade = made
      const column = headings.findIndex(({ dataset }) => dataset['id'] === name.replace(/^-/, ''))
      if (column >= 0) sortBy(column, !name.startsWith('-'))
      else sortBy(first === undefined ? -1 : headings.indexOf(first), true)
    },
  }
}

const isNumber = (heading: Element) => heading.classList.contains('number')

/** Cells without a value come last in both directions. */
function sorted(
  rows: readonly Row[],
  column: number,
  isNumber: boolean,
  isAscending: boolean,
): readonly Row[] {
  const language = document.documentElement.lang
  const { compare } = new Intl.Collator(language)
  const keyed = rows.map((row) => {
    const cell = row.cells[column]
    // A fund sorts by its name, not by the category below it.
    const shown = cell?.dataset['value'] ?? (cell?.querySelector('a') ?? cell)?.textContent ?? ''
    const text = shown === '–' ? '' : shown
    return { row, text, number: isNumber ? numberOf(text, language) : 0 }
  })
  const direction = isAscending ? 1 : -1
  keyed.sort((one, other) => {
    if (one.text === '' || other.text === '') return Number(one.text === '') - Number(other.text === '')
    return direction * (isNumber ? one.number - other.number : compare(one.text, other.text))
  })
  return keyed.map(({ row }) => row)
}

/** Parses a number of the page: `−1.234,50 EUR` in German, `EUR 1,234.50`. A day is the number of its digits. */
function numberOf(text: string, language: string): number {
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return Number(text.replaceAll('-', ''))
  const [digits = ''] = /[\d.,]+/.exec(text) ?? []
  const plain = language === 'de' ? digits.replaceAll('.', '').replace(',', '.') : digits.replaceAll(',', '')
  return text.startsWith('\u2212') ? -Number(plain) : Number(plain)
}
