/** Prints rows as a Markdown table: what a README can take as it is. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const [head = [], ...body] = rows
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)))
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |\n`
  const rule = `|${widths.map((width, column) => (column === 0 ? ` ${'-'.repeat(width)} ` : ` ${'-'.repeat(width)}:`)).join('|')}|\n`
  process.stdout.write(line(head) + rule + body.map(line).join(''))
}
