export type Row = HTMLTableRowElement

/**
 * Puts a button into each heading, which sorts by its column, then the other way round.
 * @param onSort gets the sort: the column's id, after a minus sign if descending; '' for the first one
 */
export function sortableTable(table: HTMLTableElement, onSort: (sort: string) => void) {
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])]
  const first = headings.find((heading) => heading.hasAttribute('aria-sort'))
  const asMade: readonly Row[] = [...(table.tBodies[0]?.rows ?? [])]
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
    /** The text of a row in the column with this id; '' if there is no such column. */
    textIn: (row: Row, id: string) =>
      row.cells[headings.findIndex(({ dataset }) => dataset['id'] === id)]?.textContent ?? '',
    /** @param name as for `onSort`; an unknown column means the sort that the page came with */
    sort: (name: string) => {
      const column = headings.findIndex(({ dataset }) => dataset['id'] === name.replace(/^-/, ''))
      if (column >= 0) sortBy(column, !name.startsWith('-'))
      else sortBy(first === undefined ? -1 : headings.indexOf(first), true)
    },
  }
}

const isNumber = (heading: Element) => heading.classList.contains('number')

/** A number is in the cell's `data-value`; a name is a link, with a category below it. Cells without a value come last. */
function sorted(
  rows: readonly Row[],
  column: number,
  isNumber: boolean,
  isAscending: boolean,
): readonly Row[] {
  const { compare } = new Intl.Collator(document.documentElement.lang)
  const keyed = rows.map((row) => {
    const cell = row.cells[column]
    const text = (isNumber ? cell?.dataset['value'] : (cell?.querySelector('a') ?? cell)?.textContent) ?? ''
    return { row, text, isMissing: text === '' || cell?.querySelector('[role="img"]') !== null }
  })
  const direction = isAscending ? 1 : -1
  keyed.sort((one, other) => {
    if (one.isMissing || other.isMissing) return Number(one.isMissing) - Number(other.isMissing)
    return direction * (isNumber ? Number(one.text) - Number(other.text) : compare(one.text, other.text))
  })
  return keyed.map(({ row }) => row)
}
